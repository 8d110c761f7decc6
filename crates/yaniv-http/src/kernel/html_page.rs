//! Pages of the service itself, without scripts, for links that open outside of a client.

use std::sync::LazyLock;

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const STYLE: &str = "body{font:1.1rem/1.5 sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}\
                     .code{font:2rem monospace;letter-spacing:.1em}pre{overflow:auto}button{font:inherit;padding:.5em 1em}";

/// Allows no loading, scripts or frames; the one style is allowed by its hash.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; frame-ancestors 'none'")
});

/// A page.
pub(crate) struct HtmlPage<'a> {
    /// Tag of its language.
    pub(crate) language: &'a str,
    /// `ltr` or `rtl`.
    pub(crate) direction: &'a str,
    /// Title and heading, as text.
    pub(crate) title: &'a str,
    /// What is below the heading, as HTML.
    pub(crate) body: &'a str,
    /// Value of `Cache-Control`.
    pub(crate) cache: &'a str,
    /// Whether it has a form that is sent to this service.
    pub(crate) has_form: bool,
}

impl HtmlPage<'_> {
    /// The response with this status.
    pub(crate) fn answer(&self, status: StatusCode) -> HttpResponse {
        let Self { language, direction, title, body, cache, has_form } = *self;
        let (title, form) = (escaped(title), if has_form { "'self'" } else { "'none'" });
        let mut response = HttpResponse::build(status);
        response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
        response.insert_header((CONTENT_SECURITY_POLICY, format!("{}; form-action {form}", *POLICY)));
        response.insert_header((CACHE_CONTROL, cache));
        response.body(format!(
            "<!doctype html>\n<html lang=\"{language}\" dir=\"{direction}\">\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n<h1>{title}</h1>\n{body}\n</html>\n"
        ))
    }
}

/// Escapes text for HTML, also for attributes.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            other => safe.push(other),
        }
    }
    safe
}
