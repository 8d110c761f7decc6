//! Match histories: your own, and the public one of an account.

use actix_web::get;
use actix_web::web::Data;
use chrono::{DateTime, Datelike, Utc};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::history::past_matches::HistoryQuery;
use yaniv_http_macros::operation;
use yaniv_match::status::Status;

use crate::history::history_body::HistoryBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{UsernamePath, checked_page, checked_username};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Tagged};
use crate::values::words::{MatchResult, MatchStatus, PresetOrCustom, Visibility};

/// Filters and page of your history.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListHistoryQuery {
    /// Only matches with this status: `waiting`, `running` or `finished`.
    #[param(required = false, nullable = false, inline)]
    status: Option<MatchStatus>,
    /// Only matches with exactly the rules of this preset; `custom`: with rules that match no preset.
    #[param(required = false, nullable = false, inline)]
    preset: Option<PresetOrCustom>,
    /// Only matches in which this player also has a seat. An unknown username finds none.
    #[param(
        required = false,
        nullable = false,
        min_length = 3,
        max_length = 20,
        pattern = "^[a-z0-9_]{3,20}$"
    )]
    opponent: Option<String>,
    /// Only matches that you have `won`, or `lost`.
    #[param(required = false, nullable = false, inline)]
    result: Option<MatchResult>,
    /// Only matches created at this time or later.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    since: Option<DateTime<Utc>>,
    /// Only matches created before this time.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    until: Option<DateTime<Utc>>,
    /// `true`: only rated matches; `false`: only unrated ones.
    #[param(required = false, nullable = false)]
    rated: Option<bool>,
    /// `true`: only matches with a bot in a seat; `false`: only those without.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// Only `private`, or only `public` matches.
    #[param(required = false, nullable = false, inline)]
    visibility: Option<Visibility>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page, with the same filters; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Filters and page of the history of a player.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListProfileMatchesQuery {
    /// Only matches with exactly the rules of this preset; `custom`: with rules that match no preset.
    #[param(required = false, nullable = false, inline)]
    preset: Option<PresetOrCustom>,
    /// Only matches in which this player also has a seat. An unknown username finds none.
    #[param(
        required = false,
        nullable = false,
        min_length = 3,
        max_length = 20,
        pattern = "^[a-z0-9_]{3,20}$"
    )]
    opponent: Option<String>,
    /// Only matches that the player has `won`, or `lost`.
    #[param(required = false, nullable = false, inline)]
    result: Option<MatchResult>,
    /// Only matches created at this time or later.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    since: Option<DateTime<Utc>>,
    /// Only matches created before this time.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    until: Option<DateTime<Utc>>,
    /// `true`: only rated matches; `false`: only unrated ones.
    #[param(required = false, nullable = false)]
    rated: Option<bool>,
    /// `true`: only matches with a bot in a seat; `false`: only those without.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page, with the same filters; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// List your match history.
///
/// All your matches, newest first. The order never changes, so pages stay consistent while matches are added. A match
/// has a `result` within a second of its end; the filter `result` finds it from then on.
#[operation(
    get "/v1/history",
    tag = "records",
    answer = "A page of your matches.",
)]
pub(crate) async fn list_history(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<ListHistoryQuery>,
) -> ApiResult<Tagged<HistoryBody>> {
    let page = services.history(caller.account, query.0.checked()?).await?;
    Ok(Tagged::new(HistoryBody::from(page), services.now()))
}

/// List the public matches of an account.
///
/// The finished public matches of an account, newest first. Every account may read them: match, log, rounds, record and
/// analysis.
#[operation(
    get "/v1/profiles/{username}/matches",
    tag = "records",
    answer = "A page of finished public matches.",
)]
pub(crate) async fn list_profile_matches(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: UsernamePath,
    query: Queried<ListProfileMatchesQuery>,
) -> ApiResult<Tagged<HistoryBody>> {
    let page = services.public_history(&path.username, query.0.checked()?).await?;
    Ok(Tagged::new(HistoryBody::from(page), services.now()))
}

impl ListHistoryQuery {
    fn checked(self) -> Result<HistoryQuery, ApiError> {
        let (limit, cursor) = checked_page(self.limit, self.cursor)?;
        Ok(HistoryQuery {
            status: self.status.map(Status::from),
            preset: self.preset.map(preset),
            opponent: checked_username("opponent", self.opponent)?,
            won: self.result.map(|result| result == MatchResult::Won),
            bots: self.bots,
            public: self.visibility.map(|visibility| visibility == Visibility::Public),
            rated: self.rated,
            since: dated("since", self.since)?,
            until: dated("until", self.until)?,
            cursor,
            limit,
        })
    }
}

impl ListProfileMatchesQuery {
    fn checked(self) -> Result<HistoryQuery, ApiError> {
        let (limit, cursor) = checked_page(self.limit, self.cursor)?;
        Ok(HistoryQuery {
            status: None,
            preset: self.preset.map(preset),
            opponent: checked_username("opponent", self.opponent)?,
            won: self.result.map(|result| result == MatchResult::Won),
            bots: self.bots,
            public: None,
            rated: self.rated,
            since: dated("since", self.since)?,
            until: dated("until", self.until)?,
            cursor,
            limit,
        })
    }
}

/// Checks that the database can represent a time.
fn dated(name: &str, at: Option<DateTime<Utc>>) -> Result<Option<DateTime<Utc>>, ApiError> {
    match at {
        Some(at) if !(1..=9999).contains(&at.year()) => Err(wrong(name, "must be in the years 0001 to 9999")),
        at => Ok(at),
    }
}

/// The name of a preset. `custom` becomes the empty name.
fn preset(named: PresetOrCustom) -> String {
    named.0.map_or("", |preset| preset.as_str()).to_owned()
}

fn wrong(name: &str, detail: &str) -> ApiError {
    ApiError::field(ProblemCode::InvalidParameter, name, detail)
}
