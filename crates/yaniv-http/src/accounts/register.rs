//! Operations on accounts and log-ins.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::register::PasswordChange;
use yaniv_http_macros::operation;

use crate::accounts::account_body::{AccountBody, SessionBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Anonymous, Auth, LogIns, Read, Reads, SignUps, Writes};
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};

/// Name and password of somebody who registers or logs in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    /// 3 to 20 of a-z, 0-9 and underscore.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// 8 to 128 characters; none of the passwords in common use, and not the name of the account.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("correct horse"))]
    password: String,
    /// What to call the device in the list of sessions; `unnamed` if left out. No control characters.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// At a registration: the code of an invitation, where one is needed; elsewhere it is not looked at.
    #[serde(default)]
    #[schema(nullable = false, max_length = 40, examples("H7KQ-2MXB-99PD-WZ4T"))]
    invitation: Option<String>,
    /// At a log-in: `device_token` of the last log-in on this device, by which wrong passwords of others do not keep you
    /// out; elsewhere it is not looked at. One that is no longer good does no harm.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 200,
        examples("AZOqAAAAcACAAAAAAAAAAZOqAAAAcACAAAAAAAAAAd-device")
    )]
    device_token: Option<String>,
}

impl Credentials {
    fn check(&self) -> Result<(), ApiError> {
        check_length("invitation", self.invitation.as_deref(), 40)?;
        check_length("device_token", self.device_token.as_deref(), 200)
    }
}

/// Another password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChangePasswordRequest {
    /// The password until now.
    #[schema(max_length = 128, format = Password, examples("correct horse"))]
    current_password: String,
    /// The password from now on: 8 to 128 characters; none of those in common use, and not the name of the account.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("battery staple"))]
    new_password: String,
    /// Whether your personal tokens stay good, so that your bots go on; false if left out.
    #[serde(default)]
    #[schema(required = false)]
    keep_tokens: bool,
}

/// Register an account.
///
/// Creates an account and logs it in. There is nothing to confirm: play at once. Whoever runs the service may want an
/// `invitation`, or let nobody register. Names that begin with `guest_` or `deleted_`, and a few that would pass for the
/// service's own, are reserved. Nobody may be called what looks like another's display name.
#[operation(
    post "/v1/accounts",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse", "device": "Ada's phone"}),
    answer = "The account exists and is logged in.",
    problems(SignUpClosed, InvitationRequired, InvitationInvalid, UsernameTaken, UsernameReserved, PasswordCommon),
)]
pub(crate) async fn register_account(
    services: Data<Services>,
    client: Anonymous<SignUps>,
    body: JsonBody<Credentials>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    body.0.check()?;
    let Credentials { username, password, device, invitation, .. } = body.0;
    let session = services.register(username, password, device, invitation.as_deref()).await?;
    Ok(Created::new(SessionBody::new(session, services.now())))
}

/// Log in.
///
/// Begins a session: an access token that is good for fifteen minutes, and a refresh token that gets the next one
/// (`refreshSession`) and is good for sixty days from its last use. An account has 100 sessions at most; the one that was not
/// used for longest makes room. An unknown name is refused like a wrong password.
///
/// After ten wrong passwords in fifteen minutes, from wherever, no more are looked at: `too_many_attempts`. A device that
/// was logged in before and sends its `device_token` has ten of its own. A changed password, and a refresh, bring another
/// `device_token`; keep the newest.
#[operation(
    post "/v1/sessions",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse", "device": "Ada's phone"}),
    answer = "Logged in.",
    problems(InvalidCredentials, AccountSuspended, TooManyAttempts),
)]
pub(crate) async fn log_in(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    body: JsonBody<Credentials>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    body.0.check()?;
    let Credentials { username, password, device, device_token, .. } = body.0;
    let session = services.log_in(&username, password, device, device_token.as_deref()).await?;
    Ok(Created::new(SessionBody::new(session, services.now())))
}

/// Change your password.
///
/// Ends all your other sessions and revokes your other personal tokens, as somebody else may have got in by the old
/// password; the session or token that asks stays. Sent again after it has worked, as its answer got lost, it is refused with
/// `wrong_password`: then try the new one. Wrong passwords count as at the log-in, for each session.
#[operation(
    post "/v1/account/password",
    tag = "accounts",
    example = json!({"current_password": "correct horse", "new_password": "battery staple"}),
    answer = "The password is changed.",
    problems(WrongPassword, PasswordCommon, TooManyAttempts),
)]
pub(crate) async fn change_password(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<ChangePasswordRequest>,
) -> ApiResult<NoContent> {
    let ChangePasswordRequest { current_password, new_password, keep_tokens } = body.0;
    let change = PasswordChange { current: current_password, new: new_password, keep_tokens };
    services.change_password(caller.access, change).await?;
    Ok(NoContent::default())
}

/// Show your account.
///
/// The account that the access token speaks for.
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
