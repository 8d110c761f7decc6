//! Completes problems: if an operation refuses a part of a request, its answer names all parts that do not fit.

use actix_web::body::{BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::BytesMut;
use actix_web::{Error, HttpMessage, ResponseError};

use crate::forms::form::Misfit;
use crate::kernel::error::ApiError;

/// Finds the misfits of a body or a query.
type Misfits = fn(&[u8], &str) -> Result<Vec<Misfit>, ApiError>;

/// A request that an extractor has accepted, and the check of its schema. An extractor does not check bounds.
pub(crate) struct Accepted {
    body: BytesMut,
    misfits: Misfits,
}

impl Accepted {
    /// The body, empty for a query.
    pub(crate) fn new(body: BytesMut, misfits: Misfits) -> Self {
        Self { body, misfits }
    }
}

/// Middleware that adds the other misfits to a problem that names a part of the request.
///
/// # Errors
/// Those of the handler.
pub async fn name_all_misfits(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody, BoxBody>>, Error> {
    let response = next.call(request).await?;
    let Some(complete) = completed(&response) else { return Ok(response.map_into_left_body()) };
    let response = response.into_response(complete.error_response());
    Ok(response.map_into_right_body())
}

fn completed<B>(response: &ServiceResponse<B>) -> Option<ApiError> {
    let error = response.response().error()?.as_error::<ApiError>()?;
    if !error.names_parts() {
        return None;
    }
    let accepted = response.request().extensions_mut().remove::<Accepted>()?;
    let misfits = (accepted.misfits)(&accepted.body, response.request().query_string()).ok()?;
    error.with_misfits(misfits)
}
