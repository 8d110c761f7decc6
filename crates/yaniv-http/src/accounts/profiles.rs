//! What people say of themselves, and what others are shown of it.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, patch};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::profiles::ProfileChange;

use crate::accounts::account_body::AccountBody;
use crate::accounts::profile_body::{ProfileBody, ProfileListBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, Owner};
use crate::kernel::json::{JsonBody, NoQuery, Queried};
use crate::kernel::params::{ProfilesQuery, UsernamePath};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{plain, tagged};

/// What is to be changed of an account: what is left out stays as it is, an empty text takes away.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateAccountRequest {
    /// Name that others are shown beside the username: 1 to 30 letters, digits, spaces and - . _ ' of one script, in
    /// their usual form (NFKC). It may not look like another account's name.
    #[serde(default)]
    #[schema(nullable = false, max_length = 30, examples("Ada Lovelace"))]
    display_name: Option<String>,
    /// Language that you prefer: a tag after BCP 47.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 35,
        pattern = "^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$",
        examples("en-GB")
    )]
    language: Option<String>,
    /// Where you live: a name of the IANA time zone database.
    #[serde(default)]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// Change your account.
///
/// What others are shown of you, and what clients may want to know. What you leave out stays as it is; an empty text
/// takes away what was there. Sent again, it changes nothing.
#[utoipa::path(
    operation_id = "updateAccount",
    tag = "accounts",
    security(("access_token" = ["account"])),
    request_body(content = UpdateAccountRequest,
        example = json!({"display_name": "Ada Lovelace", "language": "en-GB", "time_zone": "Europe/London"})),
    responses(
        (status = 200, description = "Your account.", body = AccountBody),
        (status = 409, description = "`display_name_taken`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[patch("/v1/account")]
pub(crate) async fn update_account(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<UpdateAccountRequest>,
) -> Result<HttpResponse, ApiError> {
    let UpdateAccountRequest { display_name, language, time_zone } = body.0;
    let change = ProfileChange { display_name, language, time_zone };
    let account = services.update_account(owner.0.account, change).await?;
    plain(StatusCode::OK, &AccountBody::from(account))
}

/// Show a profile.
///
/// What everybody may see of an account, whoever has blocked whom. Matches show usernames alone: ask here for what to show
/// beside them, and keep it for a while.
#[utoipa::path(
    operation_id = "getProfile",
    tag = "people",
    security(("access_token" = [])),
    params(UsernamePath),
    responses(
        (status = 200, description = "The profile.", body = ProfileBody,
            headers(("ETag" = String, description = "Tag of the profile, for If-None-Match."))),
        (status = 304, description = "The profile is as your tag says."),
    )
)]
#[get("/v1/profiles/{username}")]
pub(crate) async fn get_profile(
    services: Data<Services>,
    request: HttpRequest,
    _: Caller,
    path: UsernamePath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let profile = services.profile(&path.username).await?;
    tagged(&request, &ProfileBody::from(profile), services.now())
}

/// Show several profiles.
///
/// Of up to 20 accounts at once, as of everybody in a match.
#[utoipa::path(
    operation_id = "listProfiles",
    tag = "people",
    security(("access_token" = [])),
    params(ProfilesQuery),
    responses(
        (status = 200, description = "The profiles.", body = ProfileListBody,
            headers(("ETag" = String, description = "Tag of the list, for If-None-Match."))),
        (status = 304, description = "The list is as your tag says."),
    )
)]
#[get("/v1/profiles")]
pub(crate) async fn list_profiles(
    services: Data<Services>,
    request: HttpRequest,
    _: Caller,
    query: Queried<ProfilesQuery>,
) -> Result<HttpResponse, ApiError> {
    let profiles = services.profiles(&query.0.usernames).await?;
    tagged(&request, &ProfileListBody::from(profiles), services.now())
}
