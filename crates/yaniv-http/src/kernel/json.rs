//! Extractors for JSON bodies and queries. Unknown fields and parameters are refused by name.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::BytesMut;
use actix_web::{FromRequest, HttpRequest};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// Largest request body, in bytes.
pub(crate) const BODY_LIMIT: usize = 16 * 1024;
/// Time in which a body must arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// One JSON object of at most 16 KiB that arrives within ten seconds and fits its type, without unknown fields; and no
/// query.
pub(crate) struct JsonBody<T>(pub(crate) T);

/// No body, or an empty object; and no query.
pub(crate) struct NoBody;

/// No query.
pub(crate) struct NoQuery;

/// The query of a request.
pub(crate) struct Queried<T>(pub(crate) T);

impl<T: DeserializeOwned + 'static> FromRequest for JsonBody<T> {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (declared, query) = (is_json(request), no_query(request));
        let payload = payload.take();
        Box::pin(async move {
            query?;
            if !declared {
                return Err(ApiError::plain(ProblemCode::UnsupportedMediaType));
            }
            parse(&arrived(payload).await?).map(Self)
        })
    }
}

impl FromRequest for NoBody {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let query = no_query(request);
        let payload = payload.take();
        Box::pin(async move {
            query?;
            let bytes = arrived(payload).await?;
            if bytes.trim_ascii().is_empty() {
                return Ok(Self);
            }
            parse::<Nothing>(&bytes).map(|_| Self)
        })
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl FromRequest for NoQuery {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(no_query(request).map(|()| Self))
    }
}

impl<T: DeserializeOwned + 'static> FromRequest for Queried<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(query(request).map(Self))
    }
}

fn query<T: DeserializeOwned>(request: &HttpRequest) -> Result<T, ApiError> {
    let pairs = serde_urlencoded::Deserializer::new(form_pairs(request.query_string()));
    serde_path_to_error::deserialize(pairs).map_err(|error| {
        let path = error.path().to_string();
        misfit(ProblemCode::InvalidParameter, &path, &error.into_inner().to_string(), "query")
    })
}

fn form_pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

fn no_query(request: &HttpRequest) -> Result<(), ApiError> {
    match form_pairs(request.query_string()).next() {
        None => Ok(()),
        Some((name, _)) => Err(ApiError::field(ProblemCode::InvalidParameter, name, "unknown parameter")),
    }
}

fn is_json(request: &HttpRequest) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

async fn arrived(payload: Payload) -> Result<BytesMut, ApiError> {
    let late = |_| ApiError::plain(ProblemCode::RequestTimeout);
    tokio::time::timeout(BODY_TIME, read(payload)).await.map_err(late)?
}

async fn read(mut payload: Payload) -> Result<BytesMut, ApiError> {
    let mut bytes = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| ApiError::new(ProblemCode::InvalidJson, "the body is incomplete"))?;
        if bytes.len().saturating_add(chunk.len()) > BODY_LIMIT {
            return Err(ApiError::plain(ProblemCode::BodyTooLarge));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.windows(4).any(|window| window == b"null") || !bytes.trim_ascii_start().starts_with(b"{") {
        check_form(bytes)?;
    }
    if let Ok(value) = serde_json::from_slice(bytes) {
        return Ok(value);
    }
    // Parse again with paths, to report where the error is.
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let detail = without_position(&inner.to_string());
        if inner.is_data() {
            return misfit(ProblemCode::InvalidBody, &path, &detail, "body");
        }
        // Where an enum is expected, serde reports a value of another type as a syntax error.
        match serde_json::from_slice::<serde::de::IgnoredAny>(bytes) {
            Ok(_) => misfit(
                ProblemCode::InvalidBody,
                &path,
                "must be one of the strings in the OpenAPI document",
                "body",
            ),
            Err(error) => ApiError::new(ProblemCode::InvalidJson, error.to_string()),
        }
    })?;
    json.end()
        .map_err(|_| ApiError::new(ProblemCode::InvalidJson, "unexpected data after the JSON value"))?;
    Ok(value)
}

/// Refuses what serde would accept: an array instead of an object, and null instead of an absent field.
fn check_form(bytes: &[u8]) -> Result<(), ApiError> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| ApiError::new(ProblemCode::InvalidJson, error.to_string()))?;
    if !value.is_object() {
        return Err(ApiError::field(ProblemCode::InvalidBody, "body", "must be an object"));
    }
    match path_of_null(&value) {
        None => Ok(()),
        Some(path) => Err(ApiError::field(
            ProblemCode::InvalidBody,
            path,
            "must not be null; leave an optional field out",
        )),
    }
}

fn path_of_null(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| path_of_null(item).map(|path| format!("[{index}]{}", dotted(&path)))),
        Value::Object(fields) => fields
            .iter()
            .find_map(|(name, field)| path_of_null(field).map(|path| format!("{name}{}", dotted(&path)))),
        _ => None,
    }
}

fn dotted(path: &str) -> String {
    if path.is_empty() || path.starts_with('[') { path.to_owned() } else { format!(".{path}") }
}

/// The problem of an invalid part, named by its path or, if serde gives none, by the name quoted in the message.
fn misfit(code: ProblemCode, path: &str, detail: &str, whole: &str) -> ApiError {
    let quoted = detail.split('`').nth(1).filter(|_| path == "." || detail.starts_with("unknown field"));
    let name = match quoted {
        None if path == "." => whole.to_owned(),
        None => path.to_owned(),
        Some(quoted) if path == "." || path == quoted || path.ends_with(&format!(".{quoted}")) => {
            if path == "." { quoted.to_owned() } else { path.to_owned() }
        }
        Some(quoted) => format!("{path}.{quoted}"),
    };
    ApiError::field(code, name, detail)
}

fn without_position(message: &str) -> String {
    message.rsplit_once(" at line ").map_or(message, |(text, _)| text).to_owned()
}
