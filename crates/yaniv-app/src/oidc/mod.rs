//! Log-in by the operator's OpenID Connect provider (`docs/decisions/0028-openid-connect-log-in.md`).
//!
//! `provider_log_in`: the browser goes to the provider and comes back with a proven identity. `identities`: what the
//! identity is good for: log in, register, link to an account.

pub mod identities;
pub mod provider_log_in;
