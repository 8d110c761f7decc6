//! OAuth 2.1 for third-party apps (docs/oauth.md).
//!
//! The player allows an app on the consent screen of the web client, `/oauth/authorize`, which calls `authorizeApp`;
//! without the web client there is no OAuth. The other endpoints have the bodies of the OAuth standards, so they are not
//! operations of the API.

pub mod authorizations;
mod metadata;
mod token_endpoint;

use actix_web::web;

/// Path of the consent screen.
const AUTHORIZE: &str = "/oauth/authorize";
/// Path of the token endpoint.
const TOKEN: &str = "/oauth/token";
/// Path of the revocation endpoint.
const REVOKE: &str = "/oauth/revoke";
/// Path of the metadata (RFC 8414).
const METADATA: &str = "/.well-known/oauth-authorization-server";
/// Paths of the endpoints that apps call, each with its method.
pub(crate) const PATHS: [(&str, &str); 3] = [(METADATA, "GET"), (TOKEN, "POST"), (REVOKE, "POST")];

/// The endpoints that apps call.
pub(crate) fn endpoints(config: &mut web::ServiceConfig) {
    config
        .route(METADATA, web::get().to(metadata::metadata))
        .route(TOKEN, web::post().to(token_endpoint::issue_token))
        .route(REVOKE, web::post().to(token_endpoint::revoke_token));
}
