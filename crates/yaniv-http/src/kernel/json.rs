//! Extractors for JSON bodies and queries. What does not fit is refused with the names of all parts that are wrong.
//!
//! A value is first read as its type, which is fast. Its schema is consulted only if that fails, or where `serde`
//! accepts more than the schema.

use std::future::{Ready, ready};
use std::pin::Pin;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::http::Method;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use actix_web::web::BytesMut;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use yaniv_engine::respell_rules;

use crate::forms::body::{all_optional, has_inner_objects, misfits_of_body};
use crate::forms::form::Misfit;
use crate::forms::query::{misfits_of_query, pairs};
use crate::forms::words;
use crate::kernel::error::ApiError;
use crate::kernel::misfits::Accepted;
use crate::kernel::problem::ProblemCode;

/// Largest request body, in bytes.
pub(crate) const BODY_LIMIT: usize = 16 * 1024;
/// Time in which a body must arrive.
const BODY_TIME: Duration = Duration::from_secs(10);

type Extracting<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// One JSON object of at most 16 KiB that arrives within ten seconds and fits its type, without unknown fields; and no
/// query. To a POST whose fields are all optional, no body is an empty object.
pub(crate) struct JsonBody<T>(pub(crate) T);

/// No body, or an empty object; and no query.
pub(crate) struct NoBody;

/// No query.
pub(crate) struct NoQuery;

/// The query of a request.
pub(crate) struct Queried<T>(pub(crate) T);

impl<T: DeserializeOwned + ToSchema + 'static> FromRequest for JsonBody<T> {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (declared, encoded, query) = (is_json(request), is_encoded(request), no_query(request));
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            query?;
            let may_be_empty = request.method() == Method::POST && all_optional::<T>();
            if !declared && !may_be_empty {
                return Err(ApiError::plain(ProblemCode::UnsupportedMediaType));
            }
            if encoded {
                return Err(ApiError::plain(ProblemCode::UnsupportedContentEncoding));
            }
            let mut bytes = arrived(&request, payload).await?;
            if may_be_empty && bytes.trim_ascii().is_empty() {
                bytes = BytesMut::from("{}");
            } else if !declared {
                return Err(ApiError::plain(ProblemCode::UnsupportedMediaType));
            }
            let value = parse(&bytes)?;
            let misfits = |body: &[u8], _: &str| tree(body).map(|tree| misfits_of_body::<T>(&tree));
            request.extensions_mut().insert(Accepted::new(bytes, misfits));
            Ok(Self(value))
        })
    }
}

impl FromRequest for NoBody {
    type Error = ApiError;
    type Future = Extracting<Self>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let query = no_query(request);
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            query?;
            let bytes = arrived(&request, payload).await?;
            if bytes.trim_ascii().is_empty() {
                return Ok(Self);
            }
            parse::<Nothing>(&bytes).map(|_| Self)
        })
    }
}

#[derive(serde::Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl FromRequest for NoQuery {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(no_query(request).map(|()| Self))
    }
}

impl<T: DeserializeOwned + IntoParams + 'static> FromRequest for Queried<T> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(query(request).map(Self))
    }
}

fn query<T: DeserializeOwned + IntoParams>(request: &HttpRequest) -> Result<T, ApiError> {
    let read = serde_urlencoded::from_str(request.query_string());
    let value = read.map_err(|_| {
        let mut misfits = misfits_of_query::<T>(request.query_string());
        unless_empty(&mut misfits, "query");
        ApiError::misfits(ProblemCode::InvalidParameter, misfits)
    })?;
    let misfits = |_: &[u8], query: &str| Ok(misfits_of_query::<T>(query));
    request.extensions_mut().insert(Accepted::new(BytesMut::new(), misfits));
    Ok(value)
}

fn no_query(request: &HttpRequest) -> Result<(), ApiError> {
    let names = pairs(request.query_string());
    let misfits: Vec<Misfit> =
        names.map(|(name, _)| Misfit::new(&name, words::unknown_parameter([].into_iter()))).collect();
    if misfits.is_empty() {
        return Ok(());
    }
    Err(ApiError::misfits(ProblemCode::InvalidParameter, misfits))
}

fn is_json(request: &HttpRequest) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = value.and_then(|value| value.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// Whether the body is said to be compressed or otherwise encoded.
pub(crate) fn is_encoded(request: &HttpRequest) -> bool {
    let codings = request.headers().get_all(CONTENT_ENCODING);
    codings.into_iter().any(|coding| !coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// The whole body, at most `BODY_LIMIT` bytes within `BODY_TIME`. A longer one is not waited for.
pub(crate) async fn arrived(request: &HttpRequest, payload: Payload) -> Result<BytesMut, ApiError> {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > BODY_LIMIT) {
        return Err(ApiError::plain(ProblemCode::BodyTooLarge));
    }
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

fn parse<T: DeserializeOwned + ToSchema + 'static>(bytes: &[u8]) -> Result<T, ApiError> {
    let read: Result<T, serde_json::Error> = serde_json::from_slice(bytes);
    let error = match read {
        Ok(value) if is_plain::<T>(bytes) => return Ok(value),
        Ok(value) => return with_structure(bytes, value),
        Err(error) => error.to_string(),
    };
    let tree = tree(bytes)?;
    let mut misfits = misfits_of_body::<T>(&tree);
    if let Some(name) = error.strip_prefix("duplicate field `").and_then(|rest| rest.split('`').next()) {
        misfits.push(Misfit::new(name, words::TWICE));
    }
    if misfits.is_empty()
        && let Ok(value) = serde_json::from_value(tree)
    {
        return Ok(value);
    }
    unless_empty(&mut misfits, "body");
    Err(ApiError::misfits(ProblemCode::InvalidBody, misfits))
}

/// Whether a body that was read has surely the structure of its type: an object, and no null.
fn is_plain<T: ToSchema + 'static>(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"{")
        && !bytes.windows(4).any(|window| window == b"null")
        && !(bytes.contains(&b'[') && has_inner_objects::<T>())
}

/// Refuses what `serde` accepts beyond the schema: null instead of an absent field, and a list instead of an object.
fn with_structure<T: DeserializeOwned + ToSchema + 'static>(bytes: &[u8], value: T) -> Result<T, ApiError> {
    let tree = tree(bytes)?;
    let misfits = misfits_of_body::<T>(&tree);
    if misfits.iter().any(|misfit| misfit.is_structure) {
        return Err(ApiError::misfits(ProblemCode::InvalidBody, misfits));
    }
    Ok(value)
}

/// A body as JSON, with rules in the spelling of the document, and whole numbers without a fraction: `2.0` is `2`.
fn tree(bytes: &[u8]) -> Result<Value, ApiError> {
    let mut tree: Value = serde_json::from_slice(bytes).map_err(|error| not_json(bytes, &error))?;
    drop_zero_fractions(&mut tree);
    if let Some(Value::Object(rules)) = tree.get_mut("rules") {
        respell_rules(rules);
    }
    Ok(tree)
}

fn drop_zero_fractions(value: &mut Value) {
    match value {
        Value::Number(number) if !number.is_i64() && !number.is_u64() => {
            let whole = number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 9e15);
            // Rust prints a whole number without a fraction.
            if let Some(whole) = whole.and_then(|whole| format!("{whole}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(drop_zero_fractions),
        Value::Object(fields) => fields.values_mut().for_each(drop_zero_fractions),
        _ => {}
    }
}

fn not_json(bytes: &[u8], error: &serde_json::Error) -> ApiError {
    let detail = if bytes.trim_ascii().is_empty() {
        "the body is empty".to_owned()
    } else if error.is_eof() {
        "the body ends within a value".to_owned()
    } else if error.to_string().starts_with("recursion limit") {
        "the values are nested too deeply".to_owned()
    } else {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
        let before: usize = lines.map(<[u8]>::len).sum();
        format!("the fault is at byte {}", before.saturating_add(error.column()))
    };
    ApiError::new(ProblemCode::InvalidJson, detail)
}

/// Names the whole if no part is known to be wrong.
fn unless_empty(misfits: &mut Vec<Misfit>, whole: &str) {
    if misfits.is_empty() {
        misfits.push(Misfit::new(whole, "has a part that cannot be read"));
    }
}
