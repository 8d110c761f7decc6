//! HEAD: routed, checked and counted as GET, with the same status and headers, without the body. Long polls do not
//! wait, and streams are not followed.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use actix_web::body::{BodySize, MessageBody};
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use actix_web::web::Bytes;
use actix_web::{HttpMessage, HttpRequest};

/// Marks a request that was HEAD.
struct WasHead;

/// Turns HEAD into GET for routes and handlers. Returns whether it was HEAD.
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

/// Replaces the body in a response to HEAD: has its size, for the headers, but no bytes.
pub(crate) struct Bodiless(BodySize);

impl Bodiless {
    /// Replaces this body, which is not read.
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
