//! What the document leaves to the transport: the token's header, and the timeout.

use std::time::Duration;

use reqwest::Request;
use reqwest::header::{AUTHORIZATION, HeaderValue};

/// Headers that the generated client adds to a request.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The token's header, marked as sensitive, so that it is not printed.
    pub(crate) authorization: Option<HeaderValue>,
    /// Timeout of one attempt, if not the default.
    pub(crate) timeout: Option<Duration>,
}

/// Called by the generated client before it sends.
pub(crate) fn add(headers: &Headers, request: &mut Request) {
    if let Some(value) = &headers.authorization {
        request.headers_mut().insert(AUTHORIZATION, value.clone());
    }
    if headers.timeout.is_some() {
        *request.timeout_mut() = headers.timeout;
    }
}
