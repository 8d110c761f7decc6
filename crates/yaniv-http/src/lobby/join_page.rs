//! The service's own page for a code, which explains how to join and links to the client, if one is configured.
//!
//! It is not an operation of the API and does not query the database, so it is the same whether the match exists or
//! not.

use std::sync::LazyLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use yaniv_app::lobby::create::is_code;
use yaniv_app::lobby::join_leave_start::normal_code;

use crate::kernel::links::Links;

const STYLE: &str = "body{font:1.1rem/1.5 sans-serif;max-width:36rem;margin:2rem auto;padding:0 1rem}\
                     .code{font:2rem monospace;letter-spacing:.1em}pre{overflow:auto}";

/// Allows no loading, scripts, frames or forms; the one style is allowed by its hash.
static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(STYLE));
    format!(
        "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
});

/// The page of a code; 404 if the text cannot be a code.
pub async fn join_page(request: HttpRequest, links: Data<Links>) -> HttpResponse {
    let code = normal_code(request.match_info().get("code").unwrap_or_default());
    std::future::ready(if is_code(&code) {
        page(StatusCode::OK, &how_to_join(&code, &links))
    } else {
        page(StatusCode::NOT_FOUND, "<p>This is not the code of a match. Ask for a new link.</p>")
    })
    .await
}

fn how_to_join(code: &str, links: &Links) -> String {
    let client = links.client_link(code).map_or_else(String::new, |link| {
        format!("<p><a href=\"{}\">Play in the browser</a>.</p>\n", escaped(&link))
    });
    let code = escaped(code);
    let (server, hint) = match links.public_url() {
        Some(url) => (escaped(url), ""),
        None => ("ADDRESS".to_owned(), " (ADDRESS is the address of this page, up to <code>/join</code>)"),
    };
    format!(
        "<p>A player has shared a match with you. Its code:</p>\n\
         <p class=\"code\">{code}</p>\n\
         {client}\
         <p><a href=\"yaniv://join/{code}\">Open it in your app</a>, or type the code there.</p>\n\
         <p>In a terminal{hint}:</p>\n\
         <pre>yaniv play --server {server} {code}</pre>\n\
         <p>A code no longer works after the match has started or the code has expired. Then ask for a new one.</p>"
    )
}

fn page(status: StatusCode, text: &str) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    response.insert_header((CONTENT_TYPE, "text/html; charset=utf-8"));
    response.insert_header((CONTENT_SECURITY_POLICY, POLICY.as_str()));
    response.insert_header((CACHE_CONTROL, "public, max-age=3600"));
    response.body(format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n\
         <title>Join a match of Yaniv</title>\n<style>{STYLE}</style>\n<h1>Join a match of Yaniv</h1>\n{text}\n</html>\n"
    ))
}

/// Escapes text for HTML, also for attributes.
fn escaped(text: &str) -> String {
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
