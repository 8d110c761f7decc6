//! What somebody has played.

use actix_web::get;
use actix_web::web::Data;
use chrono::{DateTime, Datelike, Utc};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::history::past_matches::HistoryQuery;
use yaniv_engine::Preset;
use yaniv_http_macros::operation;
use yaniv_match::status::Status;

use crate::history::history_body::HistoryBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{UsernamePath, checked_page};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Tagged};

/// Rules that are no preset, as a filter names them.
const CUSTOM: &str = "custom";

/// Which of your matches to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListHistoryQuery {
    /// Only those that are `waiting`, `running` or `finished`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(waiting|running|finished)$")]
    status: Option<String>,
    /// Only those with exactly the rules of this preset; `custom`: with the rules of none.
    #[param(required = false, nullable = false, max_length = 32, pattern = "^[a-z_]+$")]
    preset: Option<String>,
    /// Only those in which this player has a seat, too. A name that nobody has finds nothing.
    #[param(
        required = false,
        nullable = false,
        min_length = 3,
        max_length = 20,
        pattern = "^[a-z0-9_]{3,20}$"
    )]
    opponent: Option<String>,
    /// Only those that you have `won`, or `lost`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(won|lost)$")]
    result: Option<String>,
    /// Only those created at this time or later.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    since: Option<DateTime<Utc>>,
    /// Only those created before this time.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    until: Option<DateTime<Utc>>,
    /// Only those that count for ratings, or do not.
    #[param(required = false, nullable = false)]
    rated: Option<bool>,
    /// Only those with a bot in a seat, or without.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// Only those that are `private`, or `public`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(private|public)$")]
    visibility: Option<String>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before, of the same filters.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Which matches of a player to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListProfileMatchesQuery {
    /// Only those with exactly the rules of this preset; `custom`: with the rules of none.
    #[param(required = false, nullable = false, max_length = 32, pattern = "^[a-z_]+$")]
    preset: Option<String>,
    /// Only those in which this player has a seat, too. A name that nobody has finds nothing.
    #[param(
        required = false,
        nullable = false,
        min_length = 3,
        max_length = 20,
        pattern = "^[a-z0-9_]{3,20}$"
    )]
    opponent: Option<String>,
    /// Only those that the player has `won`, or `lost`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(won|lost)$")]
    result: Option<String>,
    /// Only those created at this time or later.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    since: Option<DateTime<Utc>>,
    /// Only those created before this time.
    #[param(required = false, nullable = false)]
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    until: Option<DateTime<Utc>>,
    /// Only those that count for ratings, or do not.
    #[param(required = false, nullable = false)]
    rated: Option<bool>,
    /// Only those with a bot in a seat, or without.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before, of the same filters.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// List what you have played.
///
/// All your matches, the newest first, whatever becomes of them: the order never changes, so that pages fit together while
/// others come. A match has a `result` within a second of its end, and `result` finds it then.
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

/// List what somebody has played.
///
/// The public matches of an account that are over, the newest first. Everybody may read them: the match, its log, rounds, record and
/// analysis.
#[operation(
    get "/v1/profiles/{username}/matches",
    tag = "records",
    answer = "A page of matches.",
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
        let status = self.status.as_deref().map(Status::parse).transpose();
        let status = status.ok().filter(|status| *status != Some(Status::Cancelled));
        Ok(HistoryQuery {
            status: status.ok_or_else(|| wrong("status", "has to be waiting, running or finished"))?,
            preset: preset(self.preset)?,
            opponent: opponent(self.opponent)?,
            won: one_of("result", self.result.as_deref(), ["lost", "won"])?,
            bots: self.bots,
            public: one_of("visibility", self.visibility.as_deref(), ["private", "public"])?,
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
            preset: preset(self.preset)?,
            opponent: opponent(self.opponent)?,
            won: one_of("result", self.result.as_deref(), ["lost", "won"])?,
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

/// What can be somebody's name.
fn opponent(name: Option<String>) -> Result<Option<String>, ApiError> {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match name {
        Some(name) if !(3..=20).contains(&name.len()) || !name.bytes().all(letter) => {
            Err(wrong("opponent", "has to be 3 to 20 of a-z, 0-9 and _"))
        }
        name => Ok(name),
    }
}

/// A time that the database has, too.
fn dated(name: &str, at: Option<DateTime<Utc>>) -> Result<Option<DateTime<Utc>>, ApiError> {
    match at {
        Some(at) if !(1..=9999).contains(&at.year()) => {
            Err(wrong(name, "has to be in the years 0001 to 9999"))
        }
        at => Ok(at),
    }
}

/// A preset; an empty name for rules that are none.
fn preset(name: Option<String>) -> Result<Option<String>, ApiError> {
    match name {
        Some(name) if name == CUSTOM => Ok(Some(String::new())),
        Some(name) if name.parse::<Preset>().is_err() => Err(wrong("preset", "there is no such preset")),
        name => Ok(name),
    }
}

/// Whether a word is the second of two.
fn one_of(name: &str, word: Option<&str>, words: [&str; 2]) -> Result<Option<bool>, ApiError> {
    match word {
        None => Ok(None),
        Some(word) if words.contains(&word) => Ok(Some(words.last() == Some(&word))),
        Some(_) => Err(wrong(name, &format!("has to be {}", words.join(" or ")))),
    }
}

fn wrong(name: &str, detail: &str) -> ApiError {
    ApiError::field(ProblemCode::InvalidParameter, name, detail)
}
