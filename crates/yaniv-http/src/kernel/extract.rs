//! Who calls, and the key they give. Each refuses with a problem; bodies are read in `json`.

use std::future::{Ready, ready};

use actix_web::dev::{Payload, ServiceRequest};
use actix_web::http::header::{AUTHORIZATION, HeaderMap};
use actix_web::web::Data;
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse};
use ipnet::IpNet;
use serde::Serialize;
use sha2::{Digest, Sha256};
use yaniv_app::accounts::access::Listener;
use yaniv_app::{ServiceError, Services};
use yaniv_auth::access::{Access, Scope};
use yaniv_auth::opaque::PERSONAL_PREFIX;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::AccountId;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;
use crate::kernel::rate_limit::{Bucket, Limits};

/// The account that the token speaks for, which has the scope `read` or, for a write, `play`. The request counts: as a
/// reading, or as a write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller(pub(crate) AccountId);

/// The same for what concerns the account itself: the scope is `account`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owner(pub(crate) Access);

/// The same for exports, which count for themselves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exporter(pub(crate) Access);

/// The same for changes of a calendar, which count for themselves, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planner(pub(crate) Access);

/// The same for downloads of much at once, which count for themselves: the scope is `read`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Downloader(pub(crate) Access);

/// The same for who listens for longer than a request takes.
pub(crate) struct Listening(pub(crate) Listener);

/// The same for actions: the scope is `play`, and they count as actions.
pub(crate) struct Actor {
    /// The account.
    pub(crate) account: AccountId,
    limits: Data<Limits>,
}

/// Somebody without an account.
pub(crate) struct Stranger {
    network: IpNet,
    limits: Data<Limits>,
}

impl FromRequest for Caller {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let scope = if request.method().is_safe() { Scope::Read } else { Scope::Play };
        ready(counted(request, scope, bucket(request)).map(|access| Self(access.account)))
    }
}

impl FromRequest for Owner {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(counted(request, Scope::Account, bucket(request)).map(Self))
    }
}

impl FromRequest for Exporter {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(counted(request, Scope::Account, Bucket::Exports).map(Self))
    }
}

impl FromRequest for Planner {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(counted(request, Scope::Account, Bucket::CalendarChanges).map(Self))
    }
}

impl FromRequest for Downloader {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(counted(request, Scope::Read, Bucket::Downloads).map(Self))
    }
}

impl FromRequest for Listening {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let token = bearer(request.headers()).unwrap_or_default();
        let access = counted(request, Scope::Read, bucket(request));
        ready(access.map(|access| Self(Listener::new(access, token))))
    }
}

impl FromRequest for Actor {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let access = counted(request, Scope::Play, Bucket::Actions);
        ready(
            access.and_then(|access| Ok(Self { account: access.account, limits: limits(request)?.clone() })),
        )
    }
}

impl Actor {
    /// Counts a refusal.
    ///
    /// # Errors
    /// The refusal itself, or `too_many_refused_actions` in its place.
    pub(crate) fn refused(&self, error: ApiError) -> Result<HttpResponse, ApiError> {
        if error.is_refusal() {
            self.limits.count(Bucket::RefusedActions, self.account)?;
        }
        Err(error)
    }

    /// Counts an action that had happened before.
    ///
    /// # Errors
    /// `too_many_repeated_actions`.
    pub(crate) fn repeats(&self) -> Result<(), ApiError> {
        self.limits.count(Bucket::RepeatedActions, self.account)
    }
}

impl FromRequest for Stranger {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let forwarded = request.headers().get_all("x-forwarded-for").filter_map(|value| value.to_str().ok());
        let addresses: Vec<&str> = forwarded.flat_map(|value| value.split(',')).collect();
        let peer = request.peer_addr().map(|peer| peer.ip());
        ready(limits(request).map(|limits| Self {
            network: limits.network(peer, addresses.into_iter()),
            limits: limits.clone(),
        }))
    }
}

impl Stranger {
    /// Counts what the stranger does.
    ///
    /// # Errors
    /// The code of the bucket, if it is empty.
    pub(crate) fn count(&self, bucket: Bucket) -> Result<(), ApiError> {
        self.limits.count_stranger(bucket, self.network)
    }
}

fn limits(request: &HttpRequest) -> Result<&Data<Limits>, ApiError> {
    request.app_data::<Data<Limits>>().ok_or_else(|| ApiError::plain(ProblemCode::Internal))
}

/// What a request counts as that is nothing special.
fn bucket(request: &HttpRequest) -> Bucket {
    if request.method().is_safe() { Bucket::Reads } else { Bucket::Writes }
}

/// Who asks, if they have the scope; the request counts.
fn counted(request: &HttpRequest, scope: Scope, bucket: Bucket) -> Result<Access, ApiError> {
    let access = access(request, scope)?;
    limits(request)?.count(bucket, access.account)?;
    Ok(access)
}

fn access(request: &HttpRequest, scope: Scope) -> Result<Access, ApiError> {
    let personal = request.extensions_mut().remove::<PersonalAccess>();
    let access = match personal {
        Some(PersonalAccess(access)) => access?,
        None => {
            let token = bearer(request.headers()).ok_or(ServiceError::InvalidToken)?;
            services(request.app_data())?.access_by_session(token)?
        }
    };
    if access.scopes.has(scope) {
        return Ok(access);
    }
    Err(ServiceError::InsufficientScope(scope).into())
}

/// Whom the personal token of a request speaks for.
struct PersonalAccess(Result<Access, ServiceError>);

/// Finds out whom a personal token speaks for, if the request has one; which may have to be asked for, and is done before
/// anything else is read: whether a token is good goes before what is wrong with the rest.
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

/// The Idempotency-Key header as it came, if it came.
pub(crate) struct KeyHeader(Option<String>);

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
    pub(crate) fn of(
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
        let hash: [u8; 32] = hash.finalize().into();
        let fingerprint = i32::from_be_bytes(hash.first_chunk().copied().unwrap_or_default());
        Ok(Some(IdempotencyKey { key, fingerprint }))
    }

    /// The same, where a key is required.
    ///
    /// # Errors
    /// `idempotency_key_required`.
    pub(crate) fn required(
        self,
        operation: &str,
        target: &str,
        body: &impl Serialize,
    ) -> Result<IdempotencyKey, ApiError> {
        self.of(operation, target, body)?.ok_or_else(|| ApiError::plain(ProblemCode::IdempotencyKeyRequired))
    }
}
