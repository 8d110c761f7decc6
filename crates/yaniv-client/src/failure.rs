//! Why a request failed, and whether to retry.

use std::time::Duration;

use futures_util::TryStreamExt;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::generated::{ByteStream, Error};
use crate::types::Problem;
use crate::types::error::ConversionError;

/// Why a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Refused by the service; this is final. With `version_conflict` the problem holds the current match.
    #[error("{}", describe(.0))]
    Refused(Box<Problem>),
    /// The token is missing or no longer accepted. Log in, and retry with the same key.
    #[error("not logged in, or no longer")]
    LoggedOut,
    /// No final answer in time. The request may have taken effect: retry with the same key.
    #[error("no answer: {0}")]
    Unanswered(String),
    /// The request or the answer does not fit the document.
    #[error("client and service do not understand each other: {0}")]
    Mismatch(String),
}

impl Failure {
    /// The problem code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused(problem) => Some(&problem.code),
            _ => None,
        }
    }
}

/// A value that the document does not allow.
impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        Self::Mismatch(error.to_string())
    }
}

/// Result of an attempt that did not succeed.
pub(crate) enum Attempt {
    /// A retry would get the same result.
    Final(Failure),
    /// Retry, after the delay that the service requested.
    Again(Failure, Option<Duration>),
    /// The tag is current (304).
    NotModified,
}

impl Attempt {
    /// Classifies an error as the document says: no answer, 401, 408, 429 and 5xx are not final; 401 for a password is.
    pub(crate) async fn of(error: Error<ByteStream>) -> Self {
        let (status, headers, body) = match error {
            Error::ErrorResponse(answer) => {
                let (status, headers) = (answer.status(), answer.headers().clone());
                let body = answer.into_inner_stream().try_collect::<Vec<_>>().await;
                (status, headers, body.map(|parts| parts.concat()))
            }
            Error::UnexpectedResponse(answer) if answer.status() == StatusCode::NOT_MODIFIED => {
                return Self::NotModified;
            }
            Error::UnexpectedResponse(answer) => {
                let (status, headers) = (answer.status(), answer.headers().clone());
                (status, headers, answer.bytes().await.map(Into::into))
            }
            Error::CommunicationError(error) | Error::ResponseBodyError(error) => {
                return Self::Again(Failure::Unanswered(innermost(&error)), None);
            }
            other => return Self::Final(Failure::Mismatch(other.to_string())),
        };
        match body {
            Ok(body) => Self::answered(status, &headers, &body),
            Err(error) => Self::Again(Failure::Unanswered(innermost(&error)), None),
        }
    }

    fn answered(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Self {
        let problem = serde_json::from_slice::<Problem>(body).ok().map(Box::new);
        let wrong_password = problem.as_ref().is_some_and(|problem| &*problem.code == "invalid_credentials");
        if status == StatusCode::UNAUTHORIZED && !wrong_password {
            return Self::Final(Failure::LoggedOut);
        }
        let said = problem.map_or_else(|| Failure::Mismatch(format!("status {status}")), Failure::Refused);
        let again = status.is_server_error()
            || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
        let after = headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
        if again { Self::Again(said, after.map(Duration::from_secs)) } else { Self::Final(said) }
    }
}

/// All bytes of an answer with a media type other than JSON.
pub(crate) async fn whole(stream: ByteStream) -> Result<Vec<u8>, Failure> {
    let parts: Result<Vec<_>, _> = stream.into_inner().try_collect().await;
    parts.map(|parts| parts.concat()).map_err(|error| Failure::Unanswered(innermost(&error)))
}

/// `reqwest`'s own message says little; the reason is at the end of the chain.
fn innermost(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "it takes too long".to_owned();
    }
    let mut last: &dyn std::error::Error = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

fn describe(problem: &Problem) -> String {
    let fields: Vec<String> =
        problem.fields.iter().map(|field| format!("{}: {}", *field.name, *field.detail)).collect();
    if fields.is_empty() { problem.detail.to_string() } else { fields.join("; ") }
}
