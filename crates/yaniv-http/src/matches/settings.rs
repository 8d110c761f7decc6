//! The settings of a match, which never change.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::MatchPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Kept};
use crate::match_view::settings_body::MatchSettingsBody;

/// Length of a `settings_tag`.
const TAG_CHARACTERS: usize = 22;

/// Which settings are meant.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct MatchSettingsQuery {
    /// `settings_tag` of the match: the answer may then be cached for ever.
    #[param(required = false, nullable = false, max_length = 22)]
    tag: Option<String>,
}

/// Show the settings of a match.
///
/// Rules, time control, number of seats: everything that is fixed when a match is created. Fetch them once for each
/// `settings_tag`: matches with the same tag have the same settings.
#[operation(
    get "/v1/matches/{match_id}/settings",
    tag = "matches",
    answer = "The settings.",
)]
pub(crate) async fn get_match_settings(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<MatchSettingsQuery>,
) -> ApiResult<Kept<MatchSettingsBody>> {
    let named = query.0.tag;
    if named.as_ref().is_some_and(|named| named.len() > TAG_CHARACTERS) {
        return Err(ApiError::field(ProblemCode::InvalidParameter, "tag", "must be a settings_tag"));
    }
    let settings = services.match_settings(caller.account, path.match_id).await?;
    let (body, tag) = (MatchSettingsBody::from(&*settings), MatchSettingsBody::tag_of(&settings));
    let named = named.is_some_and(|named| named == tag);
    Ok(Kept { body, tag, named })
}
