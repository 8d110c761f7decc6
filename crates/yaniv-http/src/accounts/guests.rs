//! Guest accounts: creating and claiming them.

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::{AccountBody, SessionBody};
use crate::accounts::language::{LanguageHeader, LanguageTag};
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::extract::{Account, Anonymous, Auth, SignUps, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, Reply};

/// A new guest account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateGuestRequest {
    /// Name of the device in the list of sessions, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// Name shown beside the username, with the bounds of `updateAccount`. If the answer is lost, the name stays taken
    /// by the lost account: prefer to set it afterwards.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada Lovelace"))]
    display_name: Option<String>,
    /// The invitation code, if the server requires one.
    #[serde(default)]
    #[schema(nullable = false, max_length = 40, examples("H7KQ-2MXB-99PD-WZ4T"))]
    invitation: Option<String>,
    /// Language of your notifications. If left out, that of the `Accept-Language` header, else English.
    #[serde(default)]
    #[schema(nullable = false, examples("de"))]
    language: Option<LanguageTag>,
    /// For web pages of the service's own origin: `true` sends the refresh token in a cookie that scripts cannot read,
    /// and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

/// Username and password for a guest account.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimAccountRequest {
    /// Username: 3 to 20 characters of a-z, 0-9 and _.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// 8 to 128 characters; not a common password, and not the username.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("correct horse"))]
    password: String,
}

/// Play as a guest.
///
/// Creates an account with a generated name, `guest_…`, and no password, and logs it in. Claim it later
/// (`claimAccount`) to keep everything in it. Keep the refresh token: there is no other way to log in again. A guest
/// whose sessions and tokens have all ended or expired, and who has no waiting or running match, is deleted.
#[operation(
    post "/v1/guests",
    tag = "accounts",
    example = json!({"device": "Ada's phone", "display_name": "Ada Lovelace"}),
    answer = "The session of the new account.",
    problems(SignUpClosed, InvitationRequired, InvitationInvalid, DisplayNameTaken),
)]
pub(crate) async fn create_guest(
    services: Data<Services>,
    client: Anonymous<SignUps>,
    accepted: LanguageHeader,
    request: HttpRequest,
    body: JsonBody<CreateGuestRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let CreateGuestRequest { device, display_name, invitation, language, refresh_cookie } = body.0;
    check_length("invitation", invitation.as_deref(), 40)?;
    let language = accepted.or(language);
    let session = services.create_guest(device, display_name, invitation.as_deref(), language).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}

/// Claim your account.
///
/// Turns a guest account into a full one, with a username and password. Matches, friends and sessions stay; the new
/// name is visible within a second, also in finished matches.
#[operation(
    post "/v1/account/claim",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse"}),
    answer = "Your account.",
    problems(SessionRequired, UsernameTaken, NotAGuest, UsernameReserved, PasswordCommon, Muted),
)]
pub(crate) async fn claim_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<ClaimAccountRequest>,
) -> ApiResult<Reply<AccountBody>> {
    let ClaimAccountRequest { username, password } = body.0;
    let account = services.claim_account(caller.access, username, password).await?;
    Ok(Reply::new(AccountBody::from(account)))
}
