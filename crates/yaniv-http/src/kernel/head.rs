//! HEAD: routed, checked and counted as GET is, with the same status and headers, but without the body. Whoever asks does not
//! wait for news, and a stream is not followed.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest};

/// What marks a request that was HEAD.
struct WasHead;

/// Turns HEAD into GET, for the routes and the handlers. Whether it was HEAD.
pub(crate) fn as_get(request: &mut ServiceRequest) -> bool {
    let head = request.method() == Method::HEAD;
    if head {
        request.head_mut().method = Method::GET;
        request.extensions_mut().insert(WasHead);
    }
    head
}

/// Whether a request was HEAD.
pub(crate) fn was_head(request: &HttpRequest) -> bool {
    request.extensions().get::<WasHead>().is_some()
}

/// What stands for a body in an answer to HEAD: of its size, which the headers tell, and without a byte.
pub(crate) struct Bodiless(BodySize);

impl Bodiless {
    /// In the place of this one, which is not read.
    pub(crate) fn instead_of(body: &impl MessageBody) -> Self {
        Self(body.size())
    }
}

impl MessageBody for Bodiless {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        self.0
    }

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        Poll::Ready(None)
    }
}
