//! Extractors: the authenticated caller, the anonymous client, the idempotency key. Bodies and queries are in `json`.

use std::future::{Ready, ready};
use std::marker::PhantomData;

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest};
use ipnet::IpNet;
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::IntoParams;
use yaniv_app::accounts::access::Listener;
use yaniv_app::{ServiceError, Services};
use yaniv_auth::access::{Access, Scope};
use yaniv_auth::opaque::PERSONAL_PREFIX;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::AccountId;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;
use crate::kernel::rate_limit::{Bucket, Limits};
use crate::kernel::responses::ApiResult;

/// The authenticated caller. The token needs the scope `S`, and the request counts in the rate limit `B`.
pub(crate) struct Auth<S, B> {
    /// The account that acts.
    pub(crate) account: AccountId,
    /// The account, with the session or token and its scopes.
    pub(crate) access: Access,
    limits: Data<Limits>,
    required: PhantomData<(S, B)>,
}

/// An anonymous client, identified by its network. The handler calls `count`, which counts in the rate limit `B`.
pub(crate) struct Anonymous<B> {
    network: IpNet,
    limits: Data<Limits>,
    required: PhantomData<B>,
}

/// A caller with or without a token. One with a token is checked and counted as by [`Auth`], so an invalid token is
/// refused; one without counts by network in the rate limit `A`.
pub(crate) struct Anyone<S, B, A> {
    /// The account that acts, if there is a token.
    pub(crate) account: Option<AccountId>,
    required: PhantomData<(S, B, A)>,
}

/// A scope as a type, for [`Auth`].
pub(crate) trait RequiredScope {
    /// The scope.
    const SCOPE: Scope;
}

/// A rate limit as a type, for [`Auth`], [`Anonymous`] and [`Anyone`].
pub(crate) trait RateLimit {
    /// The bucket in which each request counts.
    const BUCKET: Bucket;
    /// All buckets in which a request may count, the first to be exhausted first.
    const ALL: &'static [Bucket] = &[Self::BUCKET];
}

macro_rules! scopes {
    ($($name:ident)*) => {
        $(#[doc = concat!("Requires the scope `", stringify!($name), "`.")]
        pub(crate) struct $name;

        impl RequiredScope for $name {
            const SCOPE: Scope = Scope::$name;
        })*
    };
}

macro_rules! rate_limits {
    ($($name:ident)*) => {
        $(#[doc = concat!("Counts in the bucket `", stringify!($name), "`.")]
        pub(crate) struct $name;

        impl RateLimit for $name {
            const BUCKET: Bucket = Bucket::$name;
        })*
    };
}

scopes! { Read Play Account Moderate }
rate_limits! { SignUps LogIns Refreshes JoinCodeReads Exports CalendarChanges Downloads Reports Reads Writes }

/// Counts in the bucket `Actions`; refused and repeated actions also count in buckets of their own.
pub(crate) struct Actions;

impl RateLimit for Actions {
    const BUCKET: Bucket = Bucket::Actions;
    const ALL: &'static [Bucket] = &[Bucket::RefusedActions, Bucket::RepeatedActions, Bucket::Actions];
}

/// Name of a scope, for the OpenAPI document.
pub(crate) fn scope_name<S: RequiredScope>() -> &'static str {
    S::SCOPE.name()
}

/// Names of the rate limits, for the OpenAPI document.
pub(crate) fn bucket_names<B: RateLimit>() -> Vec<&'static str> {
    B::ALL.iter().map(|bucket| bucket.name()).collect()
}

impl<S: RequiredScope, B: RateLimit> FromRequest for Auth<S, B> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}

impl<S: RequiredScope, B: RateLimit> Auth<S, B> {
    fn of(request: &HttpRequest) -> ApiResult<Self> {
        let access = access(request, S::SCOPE)?;
        let limits = limits(request)?.clone();
        limits.count(B::BUCKET, access.account)?;
        Ok(Self { account: access.account, access, limits, required: PhantomData })
    }

    /// The caller of a long poll or stream, whose token is checked again while it waits.
    pub(crate) fn listener(self, request: &HttpRequest) -> Listener {
        Listener::new(self.access, bearer(request.headers()).unwrap_or_default())
    }
}

impl<S> Auth<S, Actions> {
    /// Counts a refused action.
    ///
    /// # Errors
    /// The error itself, or `too_many_refused_actions` instead.
    pub(crate) fn refused<T>(&self, error: ApiError) -> ApiResult<T> {
        if error.is_refusal() {
            self.limits.count(Bucket::RefusedActions, self.account)?;
        }
        Err(error)
    }

    /// Counts a retry of an action that has happened (same key).
    ///
    /// # Errors
    /// `too_many_repeated_actions`.
    pub(crate) fn repeats(&self) -> ApiResult<()> {
        self.limits.count(Bucket::RepeatedActions, self.account)
    }
}

impl<S: RequiredScope, B: RateLimit, A: RateLimit> FromRequest for Anyone<S, B, A> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let account = if request.headers().contains_key(AUTHORIZATION) {
            Auth::<S, B>::of(request).map(|caller| Some(caller.account))
        } else {
            Anonymous::<A>::of(request).and_then(|client| client.count()).map(|()| None)
        };
        ready(account.map(|account| Self { account, required: PhantomData }))
    }
}

impl<B> FromRequest for Anonymous<B> {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request))
    }
}

impl<B> Anonymous<B> {
    fn of(request: &HttpRequest) -> ApiResult<Self> {
        let forwarded = request.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
        let addresses: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
        let peer = request.peer_addr().map(|peer| peer.ip());
        limits(request).map(|limits| Self {
            network: limits.network(peer, addresses.into_iter()),
            limits: limits.clone(),
            required: PhantomData,
        })
    }
}

impl<B: RateLimit> Anonymous<B> {
    /// Counts the request.
    ///
    /// # Errors
    /// The code of the bucket, if it is exhausted.
    pub(crate) fn count(&self) -> ApiResult<()> {
        self.limits.count_stranger(B::BUCKET, self.network)
    }
}

fn limits(request: &HttpRequest) -> ApiResult<&Data<Limits>> {
    request.app_data::<Data<Limits>>().ok_or_else(|| ApiError::plain(ProblemCode::Internal))
}

/// The authenticated caller, if the token has the scope.
fn access(request: &HttpRequest, scope: Scope) -> ApiResult<Access> {
    let personal = request.extensions_mut().remove::<PersonalAccess>();
    let access = match personal {
        Some(PersonalAccess(access)) => access?,
        None => {
            if !request.headers().contains_key(AUTHORIZATION) {
                return Err(ApiError::no_token());
            }
            let token = bearer(request.headers()).ok_or(ServiceError::InvalidToken)?;
            services(request.app_data())?.access_by_session(token)?
        }
    };
    if access.scopes.has(scope) {
        return Ok(access);
    }
    Err(ServiceError::InsufficientScope(scope).into())
}

/// Result of the look-up of a request's personal token.
struct PersonalAccess(Result<Access, ServiceError>);

/// Looks up the personal token of a request, if it has one. May query the database. It runs before all extractors, so
/// that an invalid token is reported before an invalid body.
pub(crate) async fn look_up(request: &ServiceRequest) {
    let personal = bearer(request.headers()).filter(|token| token.starts_with(PERSONAL_PREFIX));
    if let (Some(token), Ok(services)) = (personal, services(request.app_data())) {
        let access = services.access_by_personal_token(token).await;
        request.extensions_mut().insert(PersonalAccess(access));
    }
}

fn services(data: Option<&Data<Services>>) -> Result<&Services, ApiError> {
    data.map(|data| data.get_ref()).ok_or_else(|| ApiError::plain(ProblemCode::Internal))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}

/// The `Idempotency-Key` header, where it is optional.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct KeyHeader {
    /// A new random key for each new request, the same key for its retries. The write happens once; a retry gets the
    /// first answer, with `Idempotency-Replayed: true`.
    #[param(
        rename = "Idempotency-Key",
        required = false,
        nullable = false,
        min_length = 16,
        max_length = 64,
        pattern = "^[A-Za-z0-9_-]{16,64}$"
    )]
    key: Option<String>,
}

/// The `Idempotency-Key` header, where it is required.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct RequiredKeyHeader {
    /// A new random key for each new request, the same key for its retries. The write happens once; a retry gets the
    /// first answer, with `Idempotency-Replayed: true`.
    #[param(
        rename = "Idempotency-Key",
        required = true,
        min_length = 16,
        max_length = 64,
        pattern = "^[A-Za-z0-9_-]{16,64}$"
    )]
    key: String,
}

impl FromRequest for KeyHeader {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(key(request).map(|key| Self { key }))
    }
}

impl FromRequest for RequiredKeyHeader {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let key = key(request).and_then(|key| key.ok_or_else(missing_key));
        ready(key.map(|key| Self { key }))
    }
}

fn key(request: &HttpRequest) -> ApiResult<Option<String>> {
    let Some(value) = request.headers().get("idempotency-key") else { return Ok(None) };
    let key = value.to_str().ok().map(unquoted).filter(|key| is_key(key)).map(str::to_owned);
    key.map(Some).ok_or_else(missing_key)
}

/// The key without the quotes of a structured field (draft-ietf-httpapi-idempotency-key-header).
fn unquoted(value: &str) -> &str {
    value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value)
}

fn missing_key() -> ApiError {
    ApiError::plain(ProblemCode::IdempotencyKeyRequired)
}

fn is_key(key: &str) -> bool {
    (16..=64).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

impl KeyHeader {
    /// The key with a fingerprint of its request: operation, target and body in canonical form, so that the same JSON
    /// in another layout is the same request.
    ///
    /// # Errors
    /// Only if the body cannot be serialized.
    pub(crate) fn of(
        self,
        operation: &str,
        target: &str,
        body: &impl Serialize,
    ) -> ApiResult<Option<IdempotencyKey>> {
        self.key.map(|key| fingerprinted(key, operation, target, body)).transpose()
    }
}

impl RequiredKeyHeader {
    /// The same as [`KeyHeader::of`].
    ///
    /// # Errors
    /// Only if the body cannot be serialized.
    pub(crate) fn of(
        self,
        operation: &str,
        target: &str,
        body: &impl Serialize,
    ) -> ApiResult<IdempotencyKey> {
        fingerprinted(self.key, operation, target, body)
    }
}

fn fingerprinted(
    key: String,
    operation: &str,
    target: &str,
    body: &impl Serialize,
) -> ApiResult<IdempotencyKey> {
    let body = serde_json::to_vec(body).map_err(|_| ApiError::plain(ProblemCode::InvalidBody))?;
    let mut hash = Sha256::new();
    for part in [operation.as_bytes(), target.as_bytes(), body.as_slice()] {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_be_bytes());
        hash.update(part);
    }
    let hash: [u8; 32] = hash.finalize().into();
    let fingerprint = i32::from_be_bytes(hash.first_chunk().copied().unwrap_or_default());
    Ok(IdempotencyKey { key, fingerprint })
}
