//! Around every request: an identifier under which the log knows it, headers of every answer, an answer where a handler
//! panics; and before it, the look-up of a personal token.
//!
//! The log names the route, never the path or the headers: codes, tokens and keys stay out of it.

use std::panic::AssertUnwindSafe;

use actix_web::Error;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, HeaderMap, HeaderName, HeaderValue, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use actix_web::middleware::Next;
use futures_util::FutureExt;
use tracing::Instrument;
use uuid::Uuid;

use super::error::ApiError;
use super::extract::look_up;
use super::problem::ProblemCode;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Gives the request an identifier, in the log and in `X-Request-Id`, and a line with its status at level debug;
/// answers 500 where a handler panics, instead of closing the connection without a word.
///
/// # Errors
/// Those of the handler.
pub async fn guard(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    only_gzip(request.headers_mut());
    let id = Uuid::from_u128(rand::random()).to_string();
    let span = tracing::info_span!("request", method = %request.method(), request_id = id);
    let answering = async {
        look_up(&request).await;
        next.call(request).await
    };
    let answered = AssertUnwindSafe(answering).catch_unwind().instrument(span.clone()).await;
    let result = answered.unwrap_or_else(|_| {
        span.in_scope(|| tracing::error!("a handler panicked"));
        Err(ApiError::plain(ProblemCode::Internal).into())
    });
    span.in_scope(|| line(&result));
    result.map(|mut response| {
        let headers = response.headers_mut();
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        if let Ok(id) = HeaderValue::try_from(id) {
            headers.insert(REQUEST_ID, id);
        }
        response
    })
}

/// Lets only gzip be negotiated: where a client forbids the plain form, `Compress` would answer 406 in plain text.
fn only_gzip(headers: &mut HeaderMap) {
    let Some(accepted) = headers.get(ACCEPT_ENCODING) else { return };
    let gzip =
        accepted.to_str().is_ok_and(|accepted| accepted.split(',').any(|coding| coding.trim() == "gzip"));
    if gzip {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    } else {
        headers.remove(ACCEPT_ENCODING);
    }
}

fn line<B: MessageBody>(result: &Result<ServiceResponse<B>, Error>) {
    match result {
        Ok(response) => tracing::debug!(
            status = response.status().as_u16(),
            route = response.request().match_pattern().as_deref().unwrap_or("none"),
            "answered"
        ),
        Err(error) => {
            tracing::debug!(status = error.as_response_error().status_code().as_u16(), "answered");
        }
    }
}
