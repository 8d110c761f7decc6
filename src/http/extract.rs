//! What handlers ask of a request: who calls, the body, the key. Each refuses with a problem.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::{AUTHORIZATION, CONTENT_TYPE};
use actix_web::web::{BytesMut, Data};
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use super::error::ApiError;
use super::problem::ProblemCode;
use crate::service::Services;
use crate::service::replay::IdempotencyKey;
use crate::store::ids::AccountId;

/// Largest body, in bytes.
pub(super) const BODY_LIMIT: usize = 16 * 1024;
/// How long a body may take to arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

/// The account that the access token speaks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caller(pub(super) AccountId);

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(authenticate(request).ok_or_else(|| ApiError::plain(ProblemCode::InvalidToken)))
    }
}

fn authenticate(request: &HttpRequest) -> Option<Caller> {
    let header = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = header.split_once(' ')?;
    let services = request.app_data::<Data<Services>>()?;
    let account = services.authenticate(token.trim()).ok()?;
    scheme.eq_ignore_ascii_case("bearer").then_some(Caller(account))
}

/// A JSON body of at most 16 KiB that has arrived within ten seconds, fits its type and has nothing besides.
pub(super) struct JsonBody<T>(pub(super) T);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let declared = is_json(request);
        let payload = payload.take();
        Box::pin(async move {
            if !declared {
                return Err(ApiError::plain(ProblemCode::UnsupportedMediaType));
            }
            let bytes = tokio::time::timeout(BODY_TIME, read(payload))
                .await
                .map_err(|_| ApiError::plain(ProblemCode::RequestTimeout))??;
            parse(&bytes).map(Self)
        })
    }
}

fn is_json(request: &HttpRequest) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value
        .and_then(|value| value.split(';').next())
        .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

async fn read(mut payload: Payload) -> Result<BytesMut, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ApiError::new(ProblemCode::InvalidJson, "the body broke off"))?;
        if bytes.len().saturating_add(chunk.len()) > BODY_LIMIT {
            return Err(ApiError::plain(ProblemCode::BodyTooLarge));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        match inner.classify() {
            serde_json::error::Category::Data => {
                let detail = without_position(&inner.to_string());
                let name = if path == "." { named(&detail).unwrap_or("body").to_owned() } else { path };
                ApiError::field(ProblemCode::InvalidBody, name, detail)
            }
            _ => ApiError::new(ProblemCode::InvalidJson, inner.to_string()),
        }
    })?;
    json.end().map_err(|_| ApiError::new(ProblemCode::InvalidJson, "there is more after the JSON value"))?;
    Ok(value)
}

/// The field that serde's message quotes.
fn named(message: &str) -> Option<&str> {
    message.split('`').nth(1)
}

fn without_position(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text).to_owned()
}

/// The Idempotency-Key header as it came, if it came.
pub(super) struct KeyHeader(Option<String>);

impl FromRequest for KeyHeader {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let Some(value) = request.headers().get("idempotency-key") else {
            return ready(Ok(Self(None)));
        };
        let key = value.to_str().ok().filter(|key| is_key(key)).map(str::to_owned);
        ready(
            key.map(|key| Self(Some(key)))
                .ok_or_else(|| ApiError::plain(ProblemCode::IdempotencyKeyRequired)),
        )
    }
}

fn is_key(key: &str) -> bool {
    (16..=64).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl KeyHeader {
    /// The key with what it stands for: operation, its target and its body, in a form of our own, so that another
    /// spelling of the same JSON is the same request.
    ///
    /// # Errors
    /// Only if the body cannot be printed.
    pub(super) fn of(
        self,
        operation: &str,
        target: &str,
        body: &impl Serialize,
    ) -> Result<Option<IdempotencyKey>, ApiError> {
        let Some(key) = self.0 else { return Ok(None) };
        let body = serde_json::to_vec(body).map_err(|_| ApiError::plain(ProblemCode::InvalidBody))?;
        let mut hash = Sha256::new();
        for part in [operation.as_bytes(), target.as_bytes(), body.as_slice()] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(part);
        }
        let mut fingerprint = [0; 16];
        for (to, from) in fingerprint.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        Ok(Some(IdempotencyKey { key, fingerprint }))
    }

    /// The same, where a key is required.
    ///
    /// # Errors
    /// `idempotency_key_required`.
    pub(super) fn required(
        self,
        operation: &str,
        target: &str,
        body: &impl Serialize,
    ) -> Result<IdempotencyKey, ApiError> {
        self.of(operation, target, body)?.ok_or_else(|| ApiError::plain(ProblemCode::IdempotencyKeyRequired))
    }
}
