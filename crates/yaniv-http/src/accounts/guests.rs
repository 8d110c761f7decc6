//! Playing at once, and claiming the account later.

use actix_web::post;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::{AccountBody, SessionBody};
use crate::kernel::extract::{Account, Anonymous, Auth, SignUps, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, Reply};

/// What a guest may say.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateGuestRequest {
    /// What to call the device in the list of sessions; `unnamed` if left out. No control characters.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// Name that others are shown beside the username, as in `updateAccount`. If the answer gets lost, so is the name, to the
    /// account that was made: rather give it afterwards.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada Lovelace"))]
    display_name: Option<String>,
    /// The code of an invitation, where one is needed.
    #[serde(default)]
    #[schema(nullable = false, max_length = 40, examples("H7KQ-2MXB-99PD-WZ4T"))]
    invitation: Option<String>,
}

/// Name and password for an account that has none.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimAccountRequest {
    /// 3 to 20 of a-z, 0-9 and underscore.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// 8 to 128 characters; none of the passwords in common use, and not the name of the account.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("correct horse"))]
    password: String,
}

/// Play as a guest.
///
/// Creates an account under a generated name, `guest_…`, without a password, and logs it in: play at once, and claim it later
/// (`claimAccount`) with everything in it. Keep the refresh token: nothing else gets you in again. A guest whose sessions
/// and tokens have all ended or expired, and who is in no match that waits or runs, is deleted.
#[operation(
    post "/v1/guests",
    tag = "accounts",
    example = json!({"device": "Ada's phone", "display_name": "Ada Lovelace"}),
    answer = "The account exists and is logged in.",
    problems(SignUpClosed, InvitationRequired, InvitationInvalid, DisplayNameTaken),
)]
pub(crate) async fn create_guest(
    services: Data<Services>,
    client: Anonymous<SignUps>,
    body: JsonBody<CreateGuestRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let CreateGuestRequest { device, display_name, invitation } = body.0;
    check_length("invitation", invitation.as_deref(), 40)?;
    let session = services.create_guest(device, display_name, invitation.as_deref()).await?;
    Ok(Created::new(SessionBody::new(session, services.now())))
}

/// Claim your account.
///
/// Makes a guest's account a full one, with a name and a password of your own. Matches, friends and sessions stay; everybody
/// sees the new name within a second, also in matches that are over.
#[operation(
    post "/v1/account/claim",
    tag = "accounts",
    example = json!({"username": "ada", "password": "correct horse"}),
    answer = "Your account.",
    problems(SessionRequired, UsernameTaken, NotAGuest, UsernameReserved, PasswordCommon),
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
