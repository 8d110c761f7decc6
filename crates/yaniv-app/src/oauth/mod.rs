//! OAuth 2.1 for third-party apps: the authorization code grant with PKCE, without a registration of apps.
//!
//! The token that an app gets is a personal token, listed and revoked with the others
//! (`docs/decisions/0027-oauth-for-third-party-apps.md`).

pub mod authorization_codes;
pub mod authorization_request;
