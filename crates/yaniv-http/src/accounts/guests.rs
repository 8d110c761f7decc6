//! Playing at once, and claiming the account later.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;

use crate::accounts::account_body::{AccountBody, SessionBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Owner, Stranger};
use crate::kernel::json::JsonBody;
use crate::kernel::params::check_length;
use crate::kernel::problem::Problem;
use crate::kernel::rate_limit::Bucket;
use crate::kernel::responses::plain;

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
#[utoipa::path(
    operation_id = "createGuest",
    tag = "accounts",
    request_body(content = CreateGuestRequest,
        example = json!({"device": "Ada's phone", "display_name": "Ada Lovelace"})),
    responses(
        (status = 201, description = "The account exists and is logged in.", body = SessionBody),
        (status = 403, description = "`sign_up_closed`, `invitation_required`, `invitation_invalid`.",
            body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`display_name_taken`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/guests")]
pub(crate) async fn create_guest(
    services: Data<Services>,
    stranger: Stranger,
    body: JsonBody<CreateGuestRequest>,
) -> Result<HttpResponse, ApiError> {
    stranger.count(Bucket::SignUps)?;
    let CreateGuestRequest { device, display_name, invitation } = body.0;
    check_length("invitation", invitation.as_deref(), 40)?;
    let session = services.create_guest(device, display_name, invitation.as_deref()).await?;
    plain(StatusCode::CREATED, &SessionBody::new(session, services.now()))
}

/// Claim your account.
///
/// Makes a guest's account a full one, with a name and a password of your own. Matches, friends and sessions stay; everybody
/// sees the new name within a second, also in matches that are over.
#[utoipa::path(
    operation_id = "claimAccount",
    tag = "accounts",
    security(("access_token" = ["account"])),
    request_body(content = ClaimAccountRequest,
        example = json!({"username": "ada", "password": "correct horse"})),
    responses(
        (status = 200, description = "Your account.", body = AccountBody),
        (status = 403, description = "`session_required`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`username_taken`, `not_a_guest`.",
            body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`username_reserved`, `password_common`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/account/claim")]
pub(crate) async fn claim_account(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<ClaimAccountRequest>,
) -> Result<HttpResponse, ApiError> {
    let ClaimAccountRequest { username, password } = body.0;
    let account = services.claim_account(owner.0, username, password).await?;
    plain(StatusCode::OK, &AccountBody::from(account))
}
