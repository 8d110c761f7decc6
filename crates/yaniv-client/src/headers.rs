//! What the document leaves to the transport: the token and the tag of a conditional reading.

use reqwest::Request;
use reqwest::header::{AUTHORIZATION, HeaderValue, IF_NONE_MATCH};

/// Headers that the generated client adds to a request.
#[derive(Clone, Debug, Default)]
pub struct Headers {
    /// The token, marked as sensitive, so that it is not printed.
    pub(crate) authorization: Option<HeaderValue>,
    /// The tag of what the client has.
    pub(crate) if_none_match: Option<HeaderValue>,
}

/// Called by the generated client before it sends.
pub(crate) fn add(headers: &Headers, request: &mut Request) {
    let named = [(AUTHORIZATION, &headers.authorization), (IF_NONE_MATCH, &headers.if_none_match)];
    for (name, value) in named {
        if let Some(value) = value {
            request.headers_mut().insert(name, value.clone());
        }
    }
}
