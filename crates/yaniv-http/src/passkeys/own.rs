//! Operations of the owner of passkeys.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post};
use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Services;
use yaniv_app::passkeys::credentials::OwnPasskey;
use yaniv_http_macros::operation;

use crate::accounts::identity_cookie::IdentityCookie;
use crate::kernel::extract::{Account, Auth, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::PasskeyPath;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};
use crate::passkeys::credential_body::PasskeyRegistration;
use crate::passkeys::options_body::PasskeyOptionsBody;

/// Your passkeys.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyList)]
pub struct PasskeyListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// All of them, newest first.
    #[schema(max_items = 20)]
    pub items: Vec<PasskeyBody>,
}

/// A passkey, without its keys: the private one is in your device, the public one is not shown.
#[derive(Serialize, ToSchema)]
#[schema(as = Passkey)]
pub struct PasskeyBody {
    /// Identifier, by which the passkey is deleted.
    pub passkey_id: Uuid,
    /// Name given when it was added, or `unnamed`.
    #[schema(min_length = 1, max_length = 60, examples("Ada's phone"))]
    pub name: String,
    /// When it was added.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// Day of the newest log-in with it, in UTC. Left out before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2026-12-24"))]
    pub last_used_on: Option<NaiveDate>,
}

/// The password of the account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatePasskeyOptionsRequest {
    /// The current password. Left out only if the account has none: then the identity counts that the browser has just
    /// proven (`/oidc/login?prompt=login`).
    #[serde(default)]
    #[schema(nullable = false, max_length = 128, format = Password, examples("correct horse"))]
    current_password: Option<String>,
}

/// A new passkey.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatePasskeyRequest {
    /// Name of the passkey in the list, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    name: Option<String>,
    /// `toJSON()` of what `navigator.credentials.create` has returned.
    credential: PasskeyRegistration,
}

impl From<OwnPasskey> for PasskeyBody {
    fn from(passkey: OwnPasskey) -> Self {
        let OwnPasskey { id, name, created_at, last_used_on } = passkey;
        Self { passkey_id: id, name, created_at, last_used_on }
    }
}

/// Begin to add a passkey.
///
/// Options for the browser, after the password, or the proof of an account without one. They are good for one answer
/// (`createPasskey`), in the same session, within five minutes. Guests claim the account first.
#[operation(
    post "/v1/account/passkey-options",
    tag = "accounts",
    example = json!({"current_password": "correct horse"}),
    answer = "The options.",
    problems(
        PasskeysOff, WrongPassword, TooManyAttempts, IdentityRequired, SessionRequired, TooManyPasskeys
    ),
)]
pub(crate) async fn create_passkey_options(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    body: JsonBody<CreatePasskeyOptionsRequest>,
) -> ApiResult<Created<PasskeyOptionsBody>> {
    let identity = IdentityCookie::of(&request);
    let proof = identity.proof("current_password", body.0.current_password, &services);
    let start = services.start_passkey(caller.access, proof).await?;
    let body = PasskeyOptionsBody::new(start, services.now());
    Ok(Created::new(body).with_cookie(identity.removed(&request)))
}

/// Add a passkey.
///
/// With it you can log in without a username and a password (`logInWithPasskey`); both stay. A verified e-mail address gets
/// a message. A changed password leaves passkeys as they are; a reset deletes them. If the answer is lost, list your passkeys.
/// At most 20 per account.
#[operation(
    post "/v1/account/passkeys",
    tag = "accounts",
    example = json!({"name": "Ada's phone", "credential": {
        "id": "AQIDBAUGBwgJCgsMDQ4PEA",
        "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
        "type": "public-key",
        "clientExtensionResults": {},
        "response": {
            "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0",
            "attestationObject": "o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg",
        },
    }}),
    answer = "The passkey.",
    problems(PasskeysOff, PasskeyExpired, PasskeyRefused, PasskeyTaken, SessionRequired, TooManyPasskeys),
)]
pub(crate) async fn create_passkey(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<CreatePasskeyRequest>,
) -> ApiResult<Created<PasskeyBody>> {
    let CreatePasskeyRequest { name, credential } = body.0;
    let passkey = services.add_passkey(caller.access, name, credential.try_into()?).await?;
    Ok(Created::new(PasskeyBody::from(passkey)))
}

/// List your passkeys.
///
/// Names and times.
#[operation(
    get "/v1/account/passkeys",
    tag = "accounts",
    answer = "Your passkeys.",
)]
pub(crate) async fn list_passkeys(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<PasskeyListBody>> {
    let passkeys = services.passkeys(caller.account).await?;
    let items = passkeys.into_iter().map(PasskeyBody::from).collect();
    Ok(Reply::new(PasskeyListBody { server_time: services.now(), items }))
}

/// Delete a passkey.
///
/// Log-ins with it are refused from now on; sessions that began with it go on (`endSession`, `endOtherSessions`). The device
/// keeps the private key: remove it there, too. The only way to log in to an account cannot be deleted.
#[operation(
    delete "/v1/account/passkeys/{passkey_id}",
    tag = "accounts",
    answer = "The passkey is deleted.",
    problems(PasskeyNotFound, PasswordMissing, SessionRequired),
)]
pub(crate) async fn delete_passkey(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: PasskeyPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.delete_passkey(caller.access, path.passkey_id).await?;
    Ok(NoContent::default())
}
