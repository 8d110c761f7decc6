//! CORS: only pages of the configured origins (exact match) may use the API from browsers; by default none.
//!
//! Tokens are sent in a header that browsers never add by themselves. So `Access-Control-Allow-Credentials` is not
//! needed, and a page of another origin gets no more access than any client without a token.

use std::str::FromStr;

use actix_web::HttpResponse;
use actix_web::http::Method;
use actix_web::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD, HeaderMap,
    HeaderName, HeaderValue, ORIGIN,
};

/// Request headers that a page may send, besides the safelisted ones.
const ALLOWED: &str = "authorization, content-type, idempotency-key, if-none-match, last-event-id";
/// Response headers that a page may read.
const EXPOSED: &str = "etag, location, retry-after, ratelimit, ratelimit-policy, idempotency-replayed, x-request-id, \
                       www-authenticate, allow, content-disposition";
/// For how long browsers cache a preflight, in seconds: the longest that any of them accepts.
const MAX_AGE: &str = "7200";

/// Origins of web pages, as browsers send them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origins(Vec<HeaderValue>);

impl FromStr for Origins {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let given = text.split(',').map(str::trim).filter(|origin| !origin.is_empty());
        given.map(origin).collect::<Result<_, _>>().map(Self)
    }
}

/// Scheme, host and, if not the default, port. Anything else would never equal what a browser sends.
fn origin(text: &str) -> Result<HeaderValue, String> {
    let wrong = || {
        format!(
            "{text} is not an origin: use the form https://play.example, without a path or a trailing slash"
        )
    };
    let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.:[]".contains(&byte);
    let usual = (scheme == "https" && host.ends_with(":443")) || (scheme == "http" && host.ends_with(":80"));
    if !["http", "https"].contains(&scheme) || host.is_empty() || usual || !host.bytes().all(plain) {
        return Err(wrong());
    }
    HeaderValue::from_str(text).map_err(|_| wrong())
}

impl Origins {
    /// Whether none is configured: then responses do not depend on the origin.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers that let the requesting page read the response.
    pub(crate) fn headers(&self, request: &HeaderMap) -> Vec<(HeaderName, HeaderValue)> {
        let Some(origin) = self.known(request) else { return Vec::new() };
        let exposed = HeaderValue::from_static(EXPOSED);
        vec![(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone()), (ACCESS_CONTROL_EXPOSE_HEADERS, exposed)]
    }

    /// The response to a preflight for a path with these methods; `None` if this is none, or the origin is unknown.
    pub(crate) fn preflight(
        &self,
        method: &Method,
        request: &HeaderMap,
        methods: &str,
    ) -> Option<HttpResponse> {
        self.known(request)?;
        if method != Method::OPTIONS || !request.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
            return None;
        }
        let mut response = HttpResponse::NoContent();
        response
            .insert_header((ACCESS_CONTROL_ALLOW_METHODS, methods))
            .insert_header((ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED))
            .insert_header((ACCESS_CONTROL_MAX_AGE, MAX_AGE));
        Some(response.finish())
    }

    fn known(&self, request: &HeaderMap) -> Option<&HeaderValue> {
        let origin = request.get(ORIGIN)?;
        self.0.iter().find(|known| *known == origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_those_that_browsers_send() {
        let list = "https://play.example, http://localhost:5173,,http://[::1]:8080";
        assert_eq!(list.parse::<Origins>().unwrap().0.len(), 3);
        assert!("".parse::<Origins>().unwrap().is_empty());
        for wrong in [
            "*",
            "null",
            "play.example",
            "https://",
            "https://play.example/",
            "https://Play.example",
            "https://*.example",
            "ftp://play.example",
            "https://play.example:443",
            "https://user@play.example",
        ] {
            assert!(wrong.parse::<Origins>().is_err(), "{wrong}");
        }
    }
}
