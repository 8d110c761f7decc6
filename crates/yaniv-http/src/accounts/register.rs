//! Registration, log-in, password, own account.

use actix_web::web::Data;
use actix_web::{HttpRequest, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::register::PasswordChange;
use yaniv_http_macros::operation;

use crate::accounts::account_body::{AccountBody, SessionBody};
use crate::accounts::identity_cookie::IdentityCookie;
use crate::accounts::language::{LanguageHeader, LanguageTag};
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Anonymous, Auth, LogIns, Read, Reads, SignUps, Writes};
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};

/// Credentials for a registration or log-in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    /// Username: 3 to 20 characters of a-z, 0-9 and _.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// 8 to 128 characters; not a common password, and not the username.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("correct horse"))]
    password: String,
    /// Name of the device in the list of sessions, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// For a registration: the invitation code, if the server requires one. Ignored at log-in.
    #[serde(default)]
    #[schema(nullable = false, max_length = 40, examples("H7KQ-2MXB-99PD-WZ4T"))]
    invitation: Option<String>,
    /// For a registration: language of your notifications. If left out, that of the `Accept-Language` header, else
    /// English. Ignored at log-in.
    #[serde(default)]
    #[schema(nullable = false, examples("de"))]
    language: Option<LanguageTag>,
    /// For a log-in: the newest `device_token` of this device, so that other clients' wrong passwords do not lock you
    /// out. Ignored at a registration and if it is no longer valid.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 200,
        examples("AZOqAAAAcACAAAAAAAAAAZOqAAAAcACAAAAAAAAAAd-device")
    )]
    device_token: Option<String>,
    /// For web pages of the service's own origin: `true` sends the refresh token in a cookie that scripts cannot read,
    /// and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

impl Credentials {
    fn check(&self) -> Result<(), ApiError> {
        check_length("invitation", self.invitation.as_deref(), 40)?;
        check_length("device_token", self.device_token.as_deref(), 200)
    }
}

/// A password change.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePasswordRequest {
    /// The current password. Left out only if the account has none: then the identity counts that the browser has just
    /// proven (`/oidc/login?prompt=login`).
    #[serde(default)]
    #[schema(nullable = false, max_length = 128, format = Password, examples("correct horse"))]
    current_password: Option<String>,
    /// The new password: 8 to 128 characters; not a common password, and not the username.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("battery staple"))]
    new_password: String,
    /// Whether your personal tokens stay valid, so that scripts continue; `false` if left out.
    #[serde(default)]
    #[schema(required = false)]
    keep_tokens: bool,
}

/// Register an account.
///
/// Creates an account and logs it in; no confirmation is needed. The server may require an `invitation`, or have
/// registration closed (`getServer`). Names that begin with `guest_` or `deleted_`, and a few that look official, are
/// reserved. A username cannot look like another account's display name.
#[operation(
    post "/v1/accounts",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse", "device": "Ada's phone"}),
    answer = "The session of the new account.",
    problems(SignUpClosed, InvitationRequired, InvitationInvalid, UsernameTaken, UsernameReserved, PasswordCommon),
)]
pub(crate) async fn register_account(
    services: Data<Services>,
    client: Anonymous<SignUps>,
    accepted: LanguageHeader,
    request: HttpRequest,
    body: JsonBody<Credentials>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    body.0.check()?;
    let Credentials { username, password, device, invitation, language, refresh_cookie, .. } = body.0;
    let language = accepted.or(language);
    let session = services.register(username, password, device, invitation.as_deref(), language).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}

/// Log in.
///
/// Creates a session: an access token that lasts for fifteen minutes, and a refresh token that gets the next one
/// (`refreshSession`) and lasts for sixty days from its last use. An account has at most 100 sessions; a new one
/// replaces the least recently used. An unknown name is refused like a wrong password.
///
/// After ten wrong passwords in fifteen minutes, from any address, no more are checked: `too_many_attempts`. A device
/// that was logged in before and sends its `device_token` has ten tries of its own. Password changes and refreshes
/// issue a new `device_token`; keep the newest.
#[operation(
    post "/v1/sessions",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse", "device": "Ada's phone"}),
    answer = "The new session.",
    problems(InvalidCredentials, AccountSuspended, TooManyAttempts),
)]
pub(crate) async fn log_in(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    body: JsonBody<Credentials>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    body.0.check()?;
    let Credentials { username, password, device, device_token, refresh_cookie, .. } = body.0;
    let session = services.log_in(&username, password, device, device_token.as_deref()).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}

/// Change your password.
///
/// Ends all other sessions and, unless `keep_tokens`, revokes all other personal tokens; the calling one stays. If the
/// answer is lost, a retry is refused with `wrong_password`: then try the new password. Wrong passwords count as at
/// log-in, per session.
#[operation(
    post "/v1/account/change-password",
    tag = "accounts",
    example = json!({"current_password": "correct horse", "new_password": "battery staple"}),
    answer = "The password is changed.",
    problems(WrongPassword, PasswordCommon, TooManyAttempts, IdentityRequired),
)]
pub(crate) async fn change_password(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    body: JsonBody<ChangePasswordRequest>,
) -> ApiResult<NoContent> {
    let ChangePasswordRequest { current_password, new_password, keep_tokens } = body.0;
    let identity = IdentityCookie::of(&request);
    let current = identity.proof("current_password", current_password, &services);
    let change = PasswordChange { current, new: new_password, keep_tokens };
    services.change_password(caller.access, change).await?;
    Ok(NoContent::default().with_cookie(identity.removed(&request)))
}

/// Show your account.
///
/// The account of the token.
#[operation(
    get "/v1/account",
    tag = "accounts",
    answer = "Your account.",
)]
pub(crate) async fn get_account(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<AccountBody>> {
    let account = services.account(caller.account).await?;
    Ok(Reply::new(AccountBody::from(account)))
}
