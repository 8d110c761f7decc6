//! Lists open matches: public matches that wait for players.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::lobby::open_matches::OpenQuery;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{check_range, checked_page};
use crate::kernel::responses::{ApiResult, Tagged};
use crate::lobby::open_match_body::OpenMatchListBody;
use crate::values::words::PresetName;

/// Filters and page of the open matches.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListOpenMatchesQuery {
    /// Only matches with exactly the rules of this preset.
    #[param(required = false, nullable = false, inline)]
    preset: Option<PresetName>,
    /// Only matches with this number of seats.
    #[param(required = false, nullable = false, minimum = 2, maximum = 10)]
    size: Option<i32>,
    /// Only matches in which no turn can take longer than this many hours of running clock.
    #[param(required = false, nullable = false, minimum = 1, maximum = 720)]
    longest_turn_hours: Option<i32>,
    /// `true`: only rated matches; `false`: only unrated ones.
    #[param(required = false, nullable = false)]
    rated: Option<bool>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// List open matches.
///
/// Public matches with a free seat, newest first, without those in which you have a seat. Read one by its code
/// (`getMatchByCode`), and join by it (`joinMatch`).
#[operation(
    get "/v1/open-matches",
    tag = "pairing",
    answer = "A page of open matches.",
)]
pub(crate) async fn list_open_matches(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<ListOpenMatchesQuery>,
) -> ApiResult<Tagged<OpenMatchListBody>> {
    let ListOpenMatchesQuery { preset, size, longest_turn_hours, rated, limit, cursor } = query.0;
    let preset = preset.map(|preset| preset.0.as_str().to_owned());
    let (limit, cursor) = checked_page(limit, cursor)?;
    let size = size.map(|size| check_range("size", size, 2..=10)).transpose()?;
    let size = size.and_then(|size| i16::try_from(size).ok());
    let longest =
        longest_turn_hours.map(|hours| check_range("longest_turn_hours", hours, 1..=720)).transpose()?;
    let longest_turn = longest.map(|hours| hours.saturating_mul(3600));
    let query = OpenQuery { preset, size, longest_turn, rated, cursor, limit };
    let page = services.open_matches(caller.account, query).await?;
    Ok(Tagged::new(OpenMatchListBody::from(page), services.now()))
}
