//! Statistics of players, of pairs of players, and of the service.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, get};
use chrono::NaiveDate;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::statistics::queries::StatisticsFilter;
use yaniv_http_macros::operation;
use yaniv_model::times::parse_day;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{UsernamePath, check_range};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Tagged};
use crate::statistics::played_body::{HeadToHeadBody, ServiceStatisticsBody};
use crate::statistics::statistics_body::{MonthlyStatisticsBody, PlayerStatisticsBody};
use crate::values::words::PresetOrCustom;

/// Which matches to count.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StatisticsQuery {
    /// Only matches with exactly the rules of this preset; `custom`: only matches with other rules.
    #[param(required = false, nullable = false, inline)]
    preset: Option<PresetOrCustom>,
    /// `true`: only matches with at least one bot; `false`: only matches without bots.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// Only matches with this number of seats.
    #[param(required = false, nullable = false, minimum = 2, maximum = 10)]
    size: Option<i32>,
    /// Only matches that started in this month (UTC) or later.
    #[param(
        required = false,
        nullable = false,
        max_length = 7,
        pattern = "^2[0-9]{3}-(0[1-9]|1[0-2])$",
        example = "2026-01"
    )]
    since: Option<String>,
    /// Only matches that started in this month (UTC) or earlier.
    #[param(
        required = false,
        nullable = false,
        max_length = 7,
        pattern = "^2[0-9]{3}-(0[1-9]|1[0-2])$",
        example = "2026-12"
    )]
    until: Option<String>,
}

/// Two accounts in the path. Invalid names are treated as unknown accounts.
#[derive(Clone, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct HeadToHeadPath {
    /// Name of the first account.
    #[param(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", example = "ada")]
    username: String,
    /// Name of the second account, different from the first.
    #[param(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", example = "bob")]
    opponent: String,
}

/// Show a player's statistics.
///
/// Overall, and for each preset; visible to all accounts. Updated within a second of the end of a round. Running
/// matches count with their finished rounds; sandboxes do not count.
#[operation(
    get "/v1/profiles/{username}/statistics",
    tag = "statistics",
    answer = "The statistics.",
)]
pub(crate) async fn get_statistics(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: UsernamePath,
    query: Queried<StatisticsQuery>,
) -> ApiResult<Tagged<PlayerStatisticsBody>> {
    let statistics = services.statistics(&path.username, &query.0.filter()?).await?;
    Ok(Tagged::new(PlayerStatisticsBody::from(statistics), services.now()))
}

/// List a player's statistics by month.
///
/// As `getStatistics`, for each month in which the player's matches started, the newest first.
#[operation(
    get "/v1/profiles/{username}/statistics/months",
    tag = "statistics",
    answer = "The months.",
)]
pub(crate) async fn list_statistics_by_month(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: UsernamePath,
    query: Queried<StatisticsQuery>,
) -> ApiResult<Tagged<MonthlyStatisticsBody>> {
    let (username, months) = services.statistics_by_month(&path.username, &query.0.filter()?).await?;
    Ok(Tagged::new(MonthlyStatisticsBody::new(username, months), services.now()))
}

/// Compare two players.
///
/// Over all matches in which both had a seat, with any others.
#[operation(
    get "/v1/profiles/{username}/head-to-head/{opponent}",
    tag = "statistics",
    answer = "The figures of both.",
)]
pub(crate) async fn get_head_to_head(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: HeadToHeadPath,
    _: NoQuery,
) -> ApiResult<Tagged<HeadToHeadBody>> {
    let found = services.head_to_head(&path.username, &path.opponent).await?;
    Ok(Tagged::new(HeadToHeadBody::from(found), services.now()))
}

/// Show the statistics of the service.
///
/// All matches of all players. Sandboxes do not count.
#[operation(
    get "/v1/statistics",
    tag = "statistics",
    answer = "The statistics.",
)]
pub(crate) async fn get_service_statistics(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    _: NoQuery,
) -> ApiResult<Tagged<ServiceStatisticsBody>> {
    let statistics = services.service_statistics().await?;
    Ok(Tagged::new(ServiceStatisticsBody::from(statistics), services.now()))
}

impl StatisticsQuery {
    fn filter(self) -> Result<StatisticsFilter, ApiError> {
        let Self { preset, bots, size, since, until } = self;
        let size = size.map(|size| check_range("size", size, 2..=10)).transpose()?;
        Ok(StatisticsFilter {
            preset: preset.map(|preset| preset.as_str().to_owned()),
            bots,
            seats: size.and_then(|size| i16::try_from(size).ok()),
            since: since.map(|text| month("since", &text)).transpose()?,
            until: until.map(|text| month("until", &text)).transpose()?,
        })
    }
}

/// The first day of a month.
fn month(name: &str, text: &str) -> Result<NaiveDate, ApiError> {
    let day = parse_day(&format!("{text}-01")).filter(|_| text.starts_with('2'));
    day.ok_or_else(|| ApiError::field(ProblemCode::InvalidParameter, name, "must be a month, like 2026-11"))
}

impl FromRequest for HeadToHeadPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let first = UsernamePath::from_request(request, payload).into_inner();
        let opponent = UsernamePath::named(request, "opponent");
        ready(first.and_then(|first| {
            let path = Self { username: first.username, opponent: opponent?.username };
            if path.username == path.opponent {
                let detail = "must differ from username";
                return Err(ApiError::field(ProblemCode::InvalidParameter, "opponent", detail));
            }
            Ok(path)
        }))
    }
}
