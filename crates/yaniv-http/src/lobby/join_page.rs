//! The service's own page for a code, which explains how to join and links to the client, if one is configured.
//!
//! It is not an operation of the API and does not query the database, so it is the same whether the match exists or
//! not.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use yaniv_app::lobby::create::is_code;
use yaniv_app::lobby::join_leave_start::normal_code;

use crate::kernel::html_page::{HtmlPage, escaped};
use crate::kernel::links::Links;

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
    format!(
        "<p>A player has shared a match with you. Its code:</p>\n\
         <p class=\"code\">{code}</p>\n\
         {client}\
         <p><a href=\"yaniv://join/{code}\">Open it in your app</a>, or type the code there.</p>\n\
         <p>A code no longer works after the match has started or the code has expired. Then ask for a new one.</p>"
    )
}

fn page(status: StatusCode, body: &str) -> HttpResponse {
    let title = "Join a match of Yaniv";
    let cache = "public, max-age=3600";
    HtmlPage { language: "en", direction: "ltr", title, body, cache, has_form: false }.answer(status)
}
