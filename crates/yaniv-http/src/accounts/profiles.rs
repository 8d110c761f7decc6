//! Operations on profiles: changing your own, reading those of others.

use actix_web::web::Data;
use actix_web::{get, patch};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::profiles::ProfileChange;
use yaniv_http_macros::operation;

use crate::accounts::account_body::AccountBody;
use crate::accounts::language::LanguageTag;
use crate::accounts::profile_body::{ProfileBody, ProfileListBody};
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoQuery, Queried};
use crate::kernel::params::{ProfilesQuery, UsernamePath};
use crate::kernel::responses::{ApiResult, Reply, Tagged};

/// Changes of an account. A field that is left out stays as it is; an empty string removes display name or time zone.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateAccountRequest {
    /// Name shown beside the username: 1 to 30 letters, digits, spaces and - . _ ' of one script, in NFKC. It must not
    /// look like another account's name.
    #[serde(default)]
    #[schema(nullable = false, max_length = 30, examples("Ada Lovelace"))]
    display_name: Option<String>,
    /// Language of your notifications.
    #[serde(default)]
    #[schema(nullable = false, examples("en"))]
    language: Option<LanguageTag>,
    /// Your time zone: an IANA name. Notifications print deadlines in it.
    #[serde(default)]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// Change your account.
///
/// Changes display name, language and time zone. A field that is left out stays as it is; an empty string removes
/// display name or time zone. A repeated request changes nothing.
#[operation(
    patch "/v1/account",
    tag = "accounts",
    example = json!({"display_name": "Ada Lovelace", "language": "en", "time_zone": "Europe/London"}),
    answer = "Your account.",
    problems(DisplayNameTaken, Muted),
)]
pub(crate) async fn update_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<UpdateAccountRequest>,
) -> ApiResult<Reply<AccountBody>> {
    let UpdateAccountRequest { display_name, language, time_zone } = body.0;
    let change = ProfileChange { display_name, language: language.map(Into::into), time_zone };
    let account = services.update_account(caller.account, change).await?;
    Ok(Reply::new(AccountBody::from(account)))
}

/// Show a profile.
///
/// The public part of an account, regardless of blocks. Matches show only usernames: fetch what to show beside them
/// here, and cache it.
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

/// List profiles.
///
/// Profiles of up to 20 accounts, for example of all players in a match.
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
