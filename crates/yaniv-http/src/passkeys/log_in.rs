//! Log-in with a passkey.

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::extract::{Anonymous, LogIns};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created};
use crate::passkeys::credential_body::PasskeyAuthentication;
use crate::passkeys::options_body::PasskeyLogInOptionsBody;

/// The answer of a passkey, and the device to be logged in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogInWithPasskeyRequest {
    /// `toJSON()` of what `navigator.credentials.get` has returned.
    credential: PasskeyAuthentication,
    /// Name of the device in the list of sessions, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// The newest `device_token` of this device: a known device causes no e-mail about the log-in.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 200,
        examples("AZOqAAAAcACAAAAAAAAAAZOqAAAAcACAAAAAAAAAAd-device")
    )]
    device_token: Option<String>,
    /// `true` sends the refresh token in a cookie that scripts cannot read, and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

/// Begin to log in with a passkey.
///
/// Options for the browser, without a username. They are good for one answer (`logInWithPasskey`), within five minutes.
#[operation(
    post "/v1/passkey-sessions/options",
    tag = "accounts",
    answer = "The options.",
    problems(PasskeysOff),
)]
pub(crate) async fn create_passkey_log_in_options(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    _: NoBody,
) -> ApiResult<Created<PasskeyLogInOptionsBody>> {
    client.count()?;
    let options = services.start_passkey_log_in().await?;
    Ok(Created::new(PasskeyLogInOptionsBody::new(options, services.now())))
}

/// Log in with a passkey.
///
/// Creates a session like `logIn`, for the account of the passkey (`createPasskey`). If the answer is lost, begin again.
#[operation(
    post "/v1/passkey-sessions",
    tag = "accounts",
    example = json!({"device": "Ada's phone", "credential": {
        "id": "AQIDBAUGBwgJCgsMDQ4PEA",
        "rawId": "AQIDBAUGBwgJCgsMDQ4PEA",
        "type": "public-key",
        "clientExtensionResults": {},
        "response": {
            "clientDataJSON": "eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0",
            "authenticatorData": "SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA",
            "signature": "MEUCIQDexample",
            "userHandle": "AZOqAAAAcACAAAAAAAAAAQ",
        },
    }}),
    answer = "The new session.",
    problems(PasskeysOff, PasskeyExpired, PasskeyRefused, PasskeyUnknown, AccountSuspended),
)]
pub(crate) async fn log_in_with_passkey(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    body: JsonBody<LogInWithPasskeyRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let LogInWithPasskeyRequest { credential, device, device_token, refresh_cookie } = body.0;
    check_length("device_token", device_token.as_deref(), 200)?;
    let session = services.log_in_with_passkey(credential.try_into()?, device, device_token).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}
