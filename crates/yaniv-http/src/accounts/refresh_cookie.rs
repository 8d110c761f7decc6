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

/// Maximum number of cookies of the name that are tried.
const MOST_TRIED: usize = 8;

/// The refresh token that a browser keeps.
pub(crate) struct RefreshCookie {
    /// All values of the name: a page of a neighbouring host can set one for the whole domain, which says nothing about the
    /// right one.
    tokens: Vec<String>,
    /// Whether the browser reaches the service by HTTPS.
    secure: bool,
}

impl RefreshCookie {
    /// That of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let cookies = request.cookies();
        let named = cookies.iter().flat_map(|cookies| cookies.iter()).filter(|cookie| cookie.name() == NAME);
        let tokens = named.take(MOST_TRIED).map(|cookie| cookie.value().to_owned()).collect();
        // Browsers send it with every request that sets the cookie.
        let origin = request.headers().get(ORIGIN).and_then(|origin| origin.to_str().ok());
        let public = || request.app_data::<Data<Links>>().is_some_and(|links| links.is_https());
        let secure = match origin.and_then(|origin| origin.split_once("://")) {
            Some((scheme, _)) => scheme == "https",
            None => public(),
        };
        Self { tokens, secure }
    }

    /// Its tokens, of which at most one is that of the service.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(String::as_str)
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
