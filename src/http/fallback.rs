//! Answers where no operation answers: unknown paths, known paths with another method, and panics.

use std::panic::AssertUnwindSafe;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{ACCEPT_ENCODING, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::web::Data;
use actix_web::{Error, HttpRequest, HttpResponse};
use futures_util::FutureExt;

use super::error::ApiError;
use super::openapi;
use super::problem::ProblemCode;
use crate::telemetry::request_id;

/// Which methods each path has, from the document.
pub struct Methods(Vec<(String, Vec<String>)>);

impl Methods {
    /// Reads the document.
    pub fn new() -> Self {
        Self(openapi::methods())
    }

    fn of(&self, path: &str) -> Option<String> {
        let methods = self.0.iter().find(|(template, _)| fits(template, path));
        methods.map(|(_, methods)| methods.join(", "))
    }
}

impl Default for Methods {
    fn default() -> Self {
        Self::new()
    }
}

/// Whether a path has the form of a template with `{…}` for a segment.
fn fits(template: &str, path: &str) -> bool {
    let (mut wanted, mut given) = (template.split('/'), path.split('/'));
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (Some(wanted), Some(given))
                if wanted == given || (wanted.starts_with('{') && !given.is_empty()) => {}
            _ => return false,
        }
    }
}

/// 405 where the path has other methods, 404 elsewhere.
pub async fn not_found(request: HttpRequest, methods: Data<Methods>) -> Result<HttpResponse, ApiError> {
    std::future::ready(match methods.of(request.path()) {
        Some(allow) => Err(ApiError::method_not_allowed(allow)),
        None => Err(ApiError::plain(ProblemCode::NotFound)),
    })
    .await
}

/// Lets only gzip be negotiated: where a client forbids the plain form, `Compress` would answer 406 in plain text.
///
/// # Errors
/// Those of the handler.
pub async fn only_gzip(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let accepted = request.headers().get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let gzip = accepted.is_some_and(|accepted| accepted.split(',').any(|coding| coding.trim() == "gzip"));
    if gzip {
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    } else {
        request.headers_mut().remove(ACCEPT_ENCODING);
    }
    next.call(request).await
}

/// Answers 500 where a handler panics, instead of closing the connection without a word; and gives every answer the
/// identifier under which the log knows its request.
///
/// # Errors
/// Those of the handler.
pub async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let id = request_id(&request).to_string();
    match AssertUnwindSafe(next.call(request)).catch_unwind().await {
        Ok(result) => result.map(|mut response| {
            if let Ok(id) = HeaderValue::try_from(id) {
                response.headers_mut().insert(HeaderName::from_static("x-request-id"), id);
            }
            response
        }),
        Err(_) => {
            tracing::error!("a handler panicked");
            Err(ApiError::plain(ProblemCode::Internal).into())
        }
    }
}
