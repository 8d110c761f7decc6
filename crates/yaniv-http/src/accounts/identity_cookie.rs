//! Cookies of a log-in by the OpenID Connect provider: one until the browser is back from the provider, one with the
//! identity that it has proven.
//!
//! Scripts cannot read them. `SameSite=Strict` keeps the identity from requests of other sites; the first is `Lax`, as the
//! provider sends the browser back.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::web::Data;
use chrono::TimeDelta;
use yaniv_app::Services;
use yaniv_app::accounts::password_attempts::Proof;
use yaniv_app::oidc::provider_log_in::{IDENTITY_VALID, LOG_IN_WITHIN};
use yaniv_auth::oidc_cookies::ProvenIdentity;

use crate::kernel::links::Links;

/// A name and a path.
type Named = (&'static str, &'static str);

const IDENTITY: Named = ("yaniv_identity", "/v1");
const LOG_IN: Named = ("yaniv_oidc_log_in", "/oidc");
/// With it a browser takes a cookie from this host alone, not from a neighbour in the domain.
const HOST_PREFIX: &str = "__Host-";

/// The identity that a browser has proven.
pub(crate) struct IdentityCookie(Option<String>);

/// The log-in that a browser has begun.
pub(crate) struct LogInCookie(Option<String>);

impl IdentityCookie {
    /// That of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self(value(request, IDENTITY))
    }

    /// The identity, if it is valid.
    pub(crate) fn open(&self, services: &Services) -> Option<ProvenIdentity> {
        services.proven_identity(self.0.as_ref()?)
    }

    /// The password of a request or, without one, the identity.
    pub(crate) fn proof(&self, field: &'static str, password: Option<String>, services: &Services) -> Proof {
        Proof { password, field, identity: self.open(services) }
    }

    /// Gives the browser an identity.
    pub(crate) fn set(request: &HttpRequest, identity: String) -> Cookie<'static> {
        cookie(request, IDENTITY, identity, IDENTITY_VALID, SameSite::Strict)
    }

    /// Removes it from the browser, if it is there: what uses it takes it away, and so does a log-out, so that
    /// nobody else at the browser has it.
    pub(crate) fn removed(&self, request: &HttpRequest) -> Option<Cookie<'static>> {
        let empty = || cookie(request, IDENTITY, String::new(), TimeDelta::zero(), SameSite::Strict);
        self.0.is_some().then(empty)
    }
}

impl LogInCookie {
    /// That of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self(value(request, LOG_IN))
    }

    /// Its content.
    pub(crate) fn kept(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }

    /// Gives it to the browser.
    pub(crate) fn set(request: &HttpRequest, pending: String) -> Cookie<'static> {
        cookie(request, LOG_IN, pending, LOG_IN_WITHIN, SameSite::Lax)
    }

    /// Removes it from the browser.
    pub(crate) fn removed(request: &HttpRequest) -> Cookie<'static> {
        cookie(request, LOG_IN, String::new(), TimeDelta::zero(), SameSite::Lax)
    }
}

fn cookie(
    request: &HttpRequest,
    named: Named,
    value: String,
    age: TimeDelta,
    same_site: SameSite,
) -> Cookie<'static> {
    let (name, path) = here(request, named);
    Cookie::build(name, value)
        .path(path)
        .max_age(Duration::seconds(age.num_seconds()))
        .http_only(true)
        .secure(is_https(request))
        .same_site(same_site)
        .finish()
}

fn value(request: &HttpRequest, named: Named) -> Option<String> {
    request.cookie(&here(request, named).0).map(|cookie| cookie.value().to_owned())
}

/// The name and path of a cookie: by HTTPS with the prefix, which demands the path `/`.
fn here(request: &HttpRequest, (name, path): Named) -> (String, &'static str) {
    if is_https(request) { (format!("{HOST_PREFIX}{name}"), "/") } else { (name.to_owned(), path) }
}

fn is_https(request: &HttpRequest) -> bool {
    request.app_data::<Data<Links>>().is_some_and(|links| links.is_https())
}
