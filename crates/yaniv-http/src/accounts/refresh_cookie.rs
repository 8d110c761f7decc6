//! The refresh token in a cookie, for web pages of the service's own origin: a script that got into the page cannot read
//! it.
//!
//! The cookie alone does nothing: a request must ask for it in its JSON body, and the answer then has the next token in
//! the cookie only. A page of another origin can send no such body without a preflight, and `SameSite=Strict` keeps the
//! cookie from it. Cookies ignore ports: two services need two host names.

use actix_web::HttpRequest;
use actix_web::cookie::time::Duration;
use actix_web::cookie::{Cookie, SameSite};
use actix_web::http::header::ORIGIN;
use actix_web::web::Data;
use chrono::{DateTime, Utc};
use yaniv_app::accounts::sessions::LogIn;

use crate::accounts::account_body::SessionBody;
use crate::kernel::links::Links;

const NAME: &str = "yaniv_refresh";
/// Browsers send it only to operations on sessions.
const PATH: &str = "/v1/sessions";

/// The refresh token that a browser keeps.
pub(crate) struct RefreshCookie {
    token: Option<String>,
    /// Whether the browser reaches the service by HTTPS.
    secure: bool,
}

impl RefreshCookie {
    /// That of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let token = request.cookie(NAME).map(|cookie| cookie.value().to_owned());
        // Browsers send it with every request that sets the cookie.
        let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok());
        let public = || request.app_data::<Data<Links>>().is_some_and(|links| links.is_https());
        let secure = match origin.and_then(|origin| origin.split_once("://")) {
            Some((scheme, _)) => scheme == "https",
            None => public(),
        };
        Self { token, secure }
    }

    /// Its token.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// What a session's answer contains: the refresh token is in the body or, if `wanted`, in the cookie.
    pub(crate) fn deliver(
        &self,
        session: LogIn,
        now: DateTime<Utc>,
        wanted: bool,
    ) -> (SessionBody, Option<Cookie<'static>>) {
        let mut body = SessionBody::new(session, now);
        let token = if wanted { body.refresh_token.take() } else { None };
        let age = Duration::seconds((body.refresh_expires_at - now).num_seconds());
        (body, token.map(|token| self.cookie(token, age)))
    }

    /// Removes it from the browser.
    pub(crate) fn removed(&self) -> Cookie<'static> {
        self.cookie(String::new(), Duration::ZERO)
    }

    fn cookie(&self, value: String, age: Duration) -> Cookie<'static> {
        let cookie = Cookie::build(NAME, value).path(PATH).max_age(age).http_only(true);
        cookie.secure(self.secure).same_site(SameSite::Strict).finish()
    }
}
