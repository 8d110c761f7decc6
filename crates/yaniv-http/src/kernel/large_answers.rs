//! Memory limit for large responses. Beyond it the response is 503 `busy`, so slow readers cannot exhaust memory.
//!
//! A page is never large; whole lists, records and documents of long matches may be. Streamed responses are not
//! counted: only a part of one is in memory.

use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::middleware::Next;
use actix_web::web::{Bytes, Data};
use actix_web::{Error, ResponseError};
use tokio::sync::Semaphore;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// Smallest counted response, in bytes.
const LARGE: u64 = 256 * 1024;
/// Limit of all large responses together, in KiB.
const MOST: usize = 64 * 1024;
/// Bytes handed to a connection at a time.
const PIECE: usize = 64 * 1024;

/// The memory left for large responses, as permits of one KiB each.
pub struct LargeAnswers(Semaphore);

impl Default for LargeAnswers {
    fn default() -> Self {
        Self(Semaphore::new(MOST))
    }
}

/// Middleware that counts large responses of the API until they are sent.
///
/// # Errors
/// Those of the handler.
pub async fn count_large_answers(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<EitherBody<impl MessageBody, BoxBody>>, Error> {
    let left = request.app_data::<Data<LargeAnswers>>().cloned();
    let left = left.filter(|_| request.path().starts_with("/v1/"));
    let response = next.call(request).await?;
    let (BodySize::Sized(size @ LARGE..), Some(left)) = (response.response().body().size(), left) else {
        return Ok(response.map_into_left_body());
    };
    let (request, response) = response.into_parts();
    let response = match hold(left, size) {
        None => ApiError::plain(ProblemCode::Busy).error_response(),
        Some(held) => {
            let (response, body) = response.into_parts();
            let rest = body.try_into_bytes().map_err(|_| ApiError::plain(ProblemCode::Internal))?;
            response.set_body(BoxBody::new(InPieces { rest, _held: held }))
        }
    };
    Ok(ServiceResponse::new(request, response.map_into_right_body()))
}

/// Reserves memory for a response, if enough is left.
fn hold(left: Data<LargeAnswers>, size: u64) -> Option<Held> {
    let kilobytes = u32::try_from(size.div_ceil(1024)).ok()?;
    let permits = left.0.try_acquire_many(kilobytes).ok()?;
    permits.forget();
    Some(Held { left, kilobytes })
}

/// Memory reserved for a response; returned on drop.
struct Held {
    left: Data<LargeAnswers>,
    kilobytes: u32,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.left.0.add_permits(usize::try_from(self.kilobytes).unwrap_or_default());
    }
}

/// A body handed over in pieces: the connection takes the next piece after it has sent most of the previous one.
struct InPieces {
    rest: Bytes,
    _held: Held,
}

impl MessageBody for InPieces {
    type Error = std::convert::Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(u64::try_from(self.rest.len()).unwrap_or(u64::MAX))
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Self::Error>>> {
        let rest = &mut self.get_mut().rest;
        if rest.is_empty() {
            return Poll::Ready(None);
        }
        Poll::Ready(Some(Ok(rest.split_to(rest.len().min(PIECE)))))
    }
}

#[cfg(test)]
mod tests {
    use actix_web::http::StatusCode;
    use actix_web::middleware::from_fn;
    use actix_web::test::{TestRequest, call_service, init_service, read_body};
    use actix_web::{App, HttpResponse, web};

    use super::*;

    #[actix_web::test]
    async fn the_bytes_that_wait_to_be_read_are_bounded() {
        let answer = async || HttpResponse::Ok().body(vec![7_u8; 20 * 1024 * 1024]);
        let small = async || HttpResponse::Ok().body("small");
        let left = Data::new(LargeAnswers::default());
        let app = App::new()
            .app_data(left)
            .route("/v1/large", web::get().to(answer))
            .route("/v1/small", web::get().to(small))
            .wrap(from_fn(count_large_answers));
        let app = init_service(app).await;
        let get = async |path: &str| call_service(&app, TestRequest::get().uri(path).to_request()).await;
        let mut waiting = Vec::new();
        for _ in 0..3 {
            waiting.push(get("/v1/large").await);
        }
        assert!(waiting.iter().all(|response| response.status() == StatusCode::OK));
        assert_eq!(get("/v1/large").await.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(get("/v1/small").await.status(), StatusCode::OK);
        let read = read_body(waiting.remove(0)).await;
        assert!(read.len() == 20 * 1024 * 1024 && read.iter().all(|byte| *byte == 7));
        assert_eq!(get("/v1/large").await.status(), StatusCode::OK);
    }
}
