//! The page behind the unsubscribe link of an e-mail. Mail programs post to the same address (RFC 8058).
//!
//! It is not an operation of the API. Reading it changes nothing, as mail programs and scanners follow links.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use yaniv_app::notifications::{UnsubscribeTexts, unsubscribe_texts};
use yaniv_app::{Language, Services};

use crate::kernel::error::ApiError;
use crate::kernel::html_page::{HtmlPage, escaped};

/// Asks whether to unsubscribe.
pub(crate) async fn unsubscribe_page(request: HttpRequest) -> HttpResponse {
    let (language, texts) = texts(&request);
    let form = format!(
        "<p>{}</p>\n<form method=\"post\"><button>{}</button></form>",
        escaped(&texts.question),
        escaped(&texts.button)
    );
    std::future::ready(page(language, &texts.title, &form).answer(StatusCode::OK)).await
}

/// Unsubscribes; repeating it changes nothing.
///
/// # Errors
/// Those of the database.
pub(crate) async fn unsubscribe(
    request: HttpRequest,
    services: Data<Services>,
) -> Result<HttpResponse, ApiError> {
    let (language, texts) = texts(&request);
    let token = request.match_info().get("token").unwrap_or_default();
    let (status, text) = if services.unsubscribe(token).await? {
        (StatusCode::OK, &texts.done)
    } else {
        (StatusCode::NOT_FOUND, &texts.invalid)
    };
    Ok(page(language, &texts.title, &format!("<p>{}</p>", escaped(text))).answer(status))
}

fn page<'a>(language: Language, title: &'a str, body: &'a str) -> HtmlPage<'a> {
    let direction = if language.is_right_to_left() { "rtl" } else { "ltr" };
    HtmlPage { language: language.tag(), direction, title, body, cache: "no-store", has_form: true }
}

/// The language in the link, and its texts.
fn texts(request: &HttpRequest) -> (Language, UnsubscribeTexts) {
    let given = request.query_string().split('&').find_map(|pair| pair.strip_prefix("lang="));
    let language = Language::of_account(given);
    (language, unsubscribe_texts(language))
}
