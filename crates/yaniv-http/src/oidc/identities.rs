//! Operations for a browser that has proven an identity.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, post, put};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::identity_cookie::IdentityCookie;
use crate::accounts::language::{LanguageHeader, LanguageTag};
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::extract::{Account, Anonymous, Auth, LogIns, SignUps, Writes};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, NoContent};

/// The device to be logged in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogInWithIdentityRequest {
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

/// A new account without a password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegisterWithIdentityRequest {
    /// Username: 3 to 20 characters of a-z, 0-9 and _.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// Name of the device in the list of sessions, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// The invitation code, if the server requires one.
    #[serde(default)]
    #[schema(nullable = false, max_length = 40, examples("H7KQ-2MXB-99PD-WZ4T"))]
    invitation: Option<String>,
    /// Language of your notifications. If left out, that of the `Accept-Language` header, else English.
    #[serde(default)]
    #[schema(nullable = false, examples("de"))]
    language: Option<LanguageTag>,
    /// `true` sends the refresh token in a cookie that scripts cannot read, and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

/// The password of the account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LinkIdentityRequest {
    /// The current password.
    #[schema(max_length = 128, format = Password, examples("correct horse"))]
    current_password: String,
}

/// Log in by the OpenID provider.
///
/// For a browser that has been at `/oidc/login` (see "Log-in by an OpenID provider"): a session for the account of the
/// identity that it has proven.
#[operation(
    post "/v1/identity-sessions",
    tag = "accounts",
    example = json!({"device": "Ada's phone", "refresh_cookie": true}),
    answer = "The new session.",
    problems(IdentityRequired, IdentityUnknown, AccountSuspended),
)]
pub(crate) async fn log_in_with_identity(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    body: JsonBody<LogInWithIdentityRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let LogInWithIdentityRequest { device, device_token, refresh_cookie } = body.0;
    check_length("device_token", device_token.as_deref(), 200)?;
    let identity = IdentityCookie::of(&request);
    let session =
        services.log_in_with_identity(identity.open(&services), device, device_token.as_deref()).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie).with_cookie(identity.removed(&request)))
}

/// Register by the OpenID provider.
///
/// Creates an account without a password for the identity that the browser has proven, and logs it in. Otherwise as
/// `registerAccount`; `changePassword` sets a password later.
#[operation(
    post "/v1/identity-accounts",
    tag = "accounts",
    example = json!({"username": "ada", "device": "Ada's phone", "refresh_cookie": true}),
    answer = "The session of the new account.",
    problems(
        IdentityRequired, IdentityTaken, SignUpClosed, InvitationRequired, InvitationInvalid, UsernameTaken,
        UsernameReserved
    ),
)]
pub(crate) async fn register_with_identity(
    services: Data<Services>,
    client: Anonymous<SignUps>,
    accepted: LanguageHeader,
    request: HttpRequest,
    body: JsonBody<RegisterWithIdentityRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let RegisterWithIdentityRequest { username, device, invitation, language, refresh_cookie } = body.0;
    check_length("invitation", invitation.as_deref(), 40)?;
    let identity = IdentityCookie::of(&request);
    let (proven, language) = (identity.open(&services), accepted.or(language));
    let session =
        services.register_with_identity(proven, username, device, invitation.as_deref(), language).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie).with_cookie(identity.removed(&request)))
}

/// Link an identity to your account.
///
/// Takes the identity that the browser has proven, in place of an earlier one: you can log in by it (`logInWithIdentity`).
/// The password stays. Guests claim the account first.
#[operation(
    put "/v1/account/identity",
    tag = "accounts",
    example = json!({"current_password": "correct horse"}),
    answer = "The identity is linked.",
    problems(IdentityRequired, IdentityTaken, WrongPassword, TooManyAttempts),
)]
pub(crate) async fn link_identity(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    body: JsonBody<LinkIdentityRequest>,
) -> ApiResult<NoContent> {
    let identity = IdentityCookie::of(&request);
    services.link_identity(caller.access, identity.open(&services), body.0.current_password).await?;
    Ok(NoContent::default().with_cookie(identity.removed(&request)))
}

/// Unlink the identity of your account.
///
/// A repeated request changes nothing.
#[operation(
    delete "/v1/account/identity",
    tag = "accounts",
    answer = "No identity is linked.",
    problems(PasswordMissing, SessionRequired),
)]
pub(crate) async fn unlink_identity(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.unlink_identity(caller.access).await?;
    Ok(NoContent::default())
}
