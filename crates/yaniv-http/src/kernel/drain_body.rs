//! Bodies in chunks that nobody has read to their end: the connection has to be closed after the answer.
//!
//! The server reads on and throws away what comes, for as long as it comes, once nobody holds such a body any more: a
//! client that sends a chunk now and then would have its connection for ever. So the body is held until the answer has
//! been sent; then the server closes the connection instead. (A body of a known length is no trouble: its connection is
//! closed in any case.)

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

/// What comes in chunks, in the hands of the handler and of the guard.
#[derive(Clone)]
pub(crate) struct HeldPayload(Rc<RefCell<Payload>>);

impl HeldPayload {
    /// Takes a share of the body of a request, if it comes in chunks.
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

/// The body of an answer, with that of its request.
pub(crate) struct WithPayload {
    /// The body.
    pub(crate) body: BoxBody,
    /// Let go with it.
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
