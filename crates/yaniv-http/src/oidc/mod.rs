//! Log-in by the operator's OpenID Connect provider (`docs/decisions/0028-openid-connect-log-in.md`).
//!
//! `browser_endpoints`: the browser goes to the provider and comes back; these are no operations of the API. `identities`:
//! the operations for which the identity is good.

mod browser_endpoints;
pub mod identities;

use actix_web::web;

/// Path at which the browser starts.
const LOG_IN: &str = "/oidc/login";
/// Path of the redirect URI.
pub const CALLBACK: &str = "/oidc/callback";
/// Paths of the endpoints, each with its method.
pub(crate) const PATHS: [(&str, &str); 2] = [(LOG_IN, "GET"), (CALLBACK, "GET")];

/// The endpoints for browsers.
pub(crate) fn endpoints(config: &mut web::ServiceConfig) {
    config
        .route(LOG_IN, web::get().to(browser_endpoints::log_in))
        .route(CALLBACK, web::get().to(browser_endpoints::callback));
}
