//! What people say of themselves, and what others are shown of it.

use actix_web::web::Data;
use actix_web::{get, patch};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::profiles::ProfileChange;
use yaniv_http_macros::operation;

use crate::accounts::account_body::AccountBody;
use crate::accounts::profile_body::{ProfileBody, ProfileListBody};
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoQuery, Queried};
use crate::kernel::params::{ProfilesQuery, UsernamePath};
use crate::kernel::responses::{ApiResult, Reply, Tagged};

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
#[operation(
    patch "/v1/account",
    tag = "accounts",
    example = json!({"display_name": "Ada Lovelace", "language": "en-GB", "time_zone": "Europe/London"}),
    answer = "Your account.",
    problems(DisplayNameTaken),
)]
pub(crate) async fn update_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<UpdateAccountRequest>,
) -> ApiResult<Reply<AccountBody>> {
    let UpdateAccountRequest { display_name, language, time_zone } = body.0;
    let change = ProfileChange { display_name, language, time_zone };
    let account = services.update_account(caller.account, change).await?;
    Ok(Reply::new(AccountBody::from(account)))
}

/// Show a profile.
///
/// What everybody may see of an account, whoever has blocked whom. Matches show usernames alone: ask here for what to show
/// beside them, and keep it for a while.
#[operation(
    get "/v1/profiles/{username}",
    tag = "people",
    answer = "The profile.",
)]
pub(crate) async fn get_profile(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: UsernamePath,
    _: NoQuery,
) -> ApiResult<Tagged<ProfileBody>> {
    let profile = services.profile(&path.username).await?;
    Ok(Tagged::new(ProfileBody::from(profile), services.now()))
}

/// Show several profiles.
///
/// Of up to 20 accounts at once, as of everybody in a match.
#[operation(
    get "/v1/profiles",
    tag = "people",
    answer = "The profiles.",
)]
pub(crate) async fn list_profiles(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    query: Queried<ProfilesQuery>,
) -> ApiResult<Tagged<ProfileListBody>> {
    let profiles = services.profiles(&query.0.usernames).await?;
    Ok(Tagged::new(ProfileListBody::from(profiles), services.now()))
}
