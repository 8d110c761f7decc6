//! OAuth 2.1 for apps of others (docs/oauth.md).
//!
//! The player allows an app on a screen of the web client, `/oauth/authorize`, which calls `authorizeApp`; without the web
//! client there is no OAuth. The other
//! endpoints have the bodies of the OAuth standards, so they are not operations of the API.

pub mod authorizations;
mod metadata;
mod token_endpoint;

use actix_web::web;

/// Path of the screen on which the player allows an app.
const AUTHORIZE: &str = "/oauth/authorize";
/// Path of the token endpoint.
const TOKEN: &str = "/oauth/token";
/// Path of the revocation endpoint.
const REVOKE: &str = "/oauth/revoke";

/// The endpoints that apps call.
pub(crate) fn endpoints(config: &mut web::ServiceConfig) {
    config
        .route("/.well-known/oauth-authorization-server", web::get().to(metadata::metadata))
        .route(TOKEN, web::post().to(token_endpoint::issue_token))
        .route(REVOKE, web::post().to(token_endpoint::revoke_token));
}
