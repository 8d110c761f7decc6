//! Why a request has no answer that can be used, and whether it is worth sending again.

use std::time::Duration;

use futures_util::TryStreamExt;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};

use crate::generated::{ByteStream, Error};
use crate::types::Problem;
use crate::types::error::ConversionError;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The service has refused; this is final. With `version_conflict` the problem holds the match as it is now.
    #[error("{}", describe(.0))]
    Refused(Box<Problem>),
    /// The token is missing or no longer accepted. Log in, and send the request again with the same key.
    #[error("not logged in, or no longer")]
    LoggedOut,
    /// Nothing final has come within the time. It may have happened: send it again with the same key.
    #[error("no answer: {0}")]
    Unanswered(String),
    /// What was to be sent does not fit the document, or what came does not.
    #[error("client and service do not understand each other: {0}")]
    Mismatch(String),
}

impl Failure {
    /// The code of a refusal.
    #[must_use]
    pub fn code(&self) -> Option<&str> {
        match self {
            Self::Refused(problem) => Some(&problem.code),
            _ => None,
        }
    }
}

/// A text that the document does not allow.
impl From<ConversionError> for Failure {
    fn from(error: ConversionError) -> Self {
        Self::Mismatch(error.to_string())
    }
}

/// What came of one attempt that did not succeed.
pub(crate) enum Attempt {
    /// Another one would bring the same.
    Final(Failure),
    /// To be repeated, after so long if the service has said it.
    Again(Failure, Option<Duration>),
    /// The tag was right: there is nothing new.
    NotModified,
}

impl Attempt {
    /// As the document has it: no answer, 401, 408, 429 and 5xx are not final; 401 to a password is.
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

/// All bytes of an answer that is not JSON by its media type.
pub(crate) async fn whole(stream: ByteStream) -> Result<Vec<u8>, Failure> {
    let parts: Result<Vec<_>, _> = stream.into_inner().try_collect().await;
    parts.map(|parts| parts.concat()).map_err(|error| Failure::Unanswered(innermost(&error)))
}

/// `reqwest` says little itself; the reason is at the end of the chain.
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
