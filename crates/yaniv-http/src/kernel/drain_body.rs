//! Chunked bodies that the handler has not read to the end: the connection is closed after the response.
//!
//! Once such a body is dropped, the HTTP server reads and discards the rest for as long as it arrives: a client that
//! sends a chunk now and then would keep its connection forever. So the body is held until the response is sent; the
//! server then closes the connection. (With a body of known length, the server closes the connection in any case.)

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use actix_web::HttpMessage;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::http::header::TRANSFER_ENCODING;
use actix_web::web::Bytes;
use futures_util::Stream;

/// A chunked body, shared by the handler and the guard.
#[derive(Clone)]
pub(crate) struct HeldPayload(Rc<RefCell<Payload>>);

impl HeldPayload {
    /// Shares the body of a request, if it is chunked.
    pub(crate) fn of(request: &mut ServiceRequest) -> Option<Self> {
        if !request.headers().contains_key(TRANSFER_ENCODING) {
            return None;
        }
        let held = Self(Rc::new(RefCell::new(request.take_payload())));
        request.set_payload(Payload::Stream { payload: Box::pin(held.clone()) });
        Some(held)
    }
}

impl Stream for HeldPayload {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut *self.0.borrow_mut()).poll_next(context)
    }
}

/// The body of a response, with the body of its request.
pub(crate) struct WithPayload {
    /// The body.
    pub(crate) body: BoxBody,
    /// Dropped together with the response body.
    pub(crate) _payload: HeldPayload,
}

impl MessageBody for WithPayload {
    type Error = <BoxBody as MessageBody>::Error;

    fn size(&self) -> BodySize {
        self.body.size()
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Self::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_next(context)
    }
}
