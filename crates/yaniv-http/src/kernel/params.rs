//! Parameters of paths and queries, validated on extraction.

use std::future::{Ready, ready};
use std::ops::RangeInclusive;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;
use yaniv_app::ServiceError;
use yaniv_model::ids::{
    AccountId, ChallengeId, ChannelId, MatchId, PairingId, SessionId, TokenId, VacationId,
};

use crate::kernel::error::ApiError;
use crate::kernel::head::was_head;
use crate::kernel::problem::ProblemCode;

/// A match in the path. Text that is not a UUID is 404 `match_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct MatchPath {
    /// Identifier of the match.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) match_id: MatchId,
}

/// A round of a match in the path. Text that is not a UUID or a number is 404.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RoundPath {
    /// Identifier of the match.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) match_id: MatchId,
    /// Number of the round, from 1.
    #[param(value_type = i32, minimum = 1, maximum = 1000, example = 1)]
    pub(crate) round: u16,
}

/// A pairing request in the path. Text that is not a UUID is 404 `pairing_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PairingPath {
    /// Identifier of the pairing request.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) pairing_id: PairingId,
}

/// A challenge in the path. Text that is not a UUID is 404 `challenge_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ChallengePath {
    /// Identifier of the challenge.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) challenge_id: ChallengeId,
}

/// A vacation in the path. Text that is not a UUID is 404 `vacation_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct VacationPath {
    /// Identifier of the vacation.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) vacation_id: VacationId,
}

/// An account in the path. Text that cannot be a username is 404 `account_not_found`.
#[derive(Clone, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct UsernamePath {
    /// Username of the account.
    #[param(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", example = "bob")]
    pub(crate) username: String,
}

/// A player of a match in the path.
#[derive(Clone, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PlayerPath {
    /// Identifier of the match.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) match_id: MatchId,
    /// Username of the player.
    #[param(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", example = "bob")]
    pub(crate) username: String,
}

/// Profiles to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProfilesQuery {
    /// 1 to 20 usernames, separated by commas.
    #[param(
        min_length = 3,
        max_length = 419,
        pattern = "^[a-z0-9_]{3,20}(,[a-z0-9_]{3,20}){0,19}$",
        example = "ada,bob"
    )]
    pub(crate) usernames: String,
}

/// A bot in the path. Text that is not a UUID is 404 `bot_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct BotPath {
    /// Identifier of the bot's account.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000004")]
    pub(crate) bot_id: AccountId,
}

/// A page of a list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageQuery {
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    pub(crate) limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    pub(crate) cursor: Option<String>,
}

/// A code in the path.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CodePath {
    /// Code of the match, as shared by its players; upper or lower case.
    #[param(min_length = 8, max_length = 8, example = "7KQ2MXDR")]
    pub(crate) code: String,
}

/// A session in the path. Text that is not a UUID is 404 `session_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionPath {
    /// Identifier of the session.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000002")]
    pub(crate) session_id: SessionId,
}

/// A personal token in the path. Text that is not a UUID is 404 `token_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TokenPath {
    /// Identifier of the personal token; not the token itself.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000003")]
    pub(crate) token_id: TokenId,
}

/// A channel in the path. Text that is not a UUID is 404 `channel_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ChannelPath {
    /// Identifier of the channel.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000005")]
    pub(crate) channel_id: ChannelId,
}

/// A passkey in the path. Text that is not a UUID is 404 `passkey_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PasskeyPath {
    /// Identifier of the passkey.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000007")]
    pub(crate) passkey_id: Uuid,
}

/// A report in the path. Text that is not a UUID is 404 `report_not_found`.
#[derive(Clone, Copy, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ReportPath {
    /// Identifier of the report.
    #[param(value_type = Uuid, example = "0193aa00-0000-7000-8000-000000000006")]
    pub(crate) report_id: Uuid,
}

/// Timeout of a long poll: 0 to 50 seconds; without one it does not wait. HEAD never waits.
///
/// # Errors
/// `invalid_parameter`, with the bounds.
pub(crate) fn wait_time(request: &HttpRequest, wait: Option<i32>) -> Result<Duration, ApiError> {
    let seconds = check_range("wait", wait.unwrap_or(0), 0..=50)?;
    let seconds = if was_head(request) { 0 } else { seconds };
    Ok(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

/// Extracts a path with one identifier. Text that is not a UUID is 404 with the given code.
macro_rules! path_of_id {
    ($($path:ident { $field:ident: $id:ident } or $missing:ident),* $(,)?) => {
        $(impl FromRequest for $path {
            type Error = ApiError;
            type Future = Ready<Result<Self, ApiError>>;

            fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
                let id = id(request, stringify!($field), ProblemCode::$missing);
                ready(id.map(|id| Self { $field: $id(id) }))
            }
        })*
    };
}

path_of_id! {
    MatchPath { match_id: MatchId } or MatchNotFound,
    SessionPath { session_id: SessionId } or SessionNotFound,
    TokenPath { token_id: TokenId } or TokenNotFound,
    BotPath { bot_id: AccountId } or BotNotFound,
    PairingPath { pairing_id: PairingId } or PairingNotFound,
    ChallengePath { challenge_id: ChallengeId } or ChallengeNotFound,
    VacationPath { vacation_id: VacationId } or VacationNotFound,
    ChannelPath { channel_id: ChannelId } or ChannelNotFound,
}

impl FromRequest for PasskeyPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = id(request, "passkey_id", ProblemCode::PasskeyNotFound);
        ready(id.map(|passkey_id| Self { passkey_id }))
    }
}

impl FromRequest for ReportPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let id = id(request, "report_id", ProblemCode::ReportNotFound);
        ready(id.map(|report_id| Self { report_id }))
    }
}

impl FromRequest for RoundPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let number = request.match_info().get("round").and_then(|text| text.parse().ok());
        // Text that is not a number becomes round 0, which no match has: access to the match is checked first.
        let round = number.unwrap_or(0);
        let id = id(request, "match_id", ProblemCode::MatchNotFound);
        ready(id.map(|id| Self { match_id: MatchId(id), round }))
    }
}

impl FromRequest for UsernamePath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::named(request, "username"))
    }
}

impl FromRequest for PlayerPath {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        // Text that cannot be a username is no player: access to the match is checked first.
        let username = request.match_info().get("username").unwrap_or_default().to_owned();
        let id = id(request, "match_id", ProblemCode::MatchNotFound);
        ready(id.map(|id| Self { match_id: MatchId(id), username }))
    }
}

impl UsernamePath {
    /// The account named by a part of the path.
    ///
    /// # Errors
    /// `account_not_found` for text that cannot be a username.
    pub(crate) fn named(request: &HttpRequest, part: &str) -> Result<Self, ApiError> {
        let name = request.match_info().get(part).unwrap_or_default();
        let valid =
            name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        let found = valid.then(|| Self { username: name.to_owned() });
        found.ok_or_else(|| ApiError::plain(ProblemCode::AccountNotFound))
    }
}

fn id(request: &HttpRequest, name: &str, missing: ProblemCode) -> Result<Uuid, ApiError> {
    let id = request.match_info().get(name).and_then(|text| Uuid::try_parse(text).ok());
    id.ok_or_else(|| ApiError::plain(missing))
}

/// A number within its bounds.
///
/// # Errors
/// `invalid_parameter`, with the name and the bounds.
pub(crate) fn check_range(name: &str, value: i32, bounds: RangeInclusive<i32>) -> Result<i32, ApiError> {
    if bounds.contains(&value) {
        return Ok(value);
    }
    let detail = format!("must be {} to {}", bounds.start(), bounds.end());
    Err(ApiError::field(ProblemCode::InvalidParameter, name, detail))
}

/// Page size (1 to 100, 50 by default) and cursor of a list.
///
/// # Errors
/// `invalid_parameter`; of the cursor only the length is checked.
pub(crate) fn checked_page(
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<(i64, Option<String>), ApiError> {
    let limit = check_range("limit", limit.unwrap_or(50), 1..=100)?;
    if cursor.as_ref().is_some_and(|cursor| cursor.chars().count() > 100) {
        return Err(ServiceError::InvalidParameter("cursor").into());
    }
    Ok((i64::from(limit), cursor))
}

/// A username in a query, if there is one.
///
/// # Errors
/// `invalid_parameter` for text that cannot be one.
pub(crate) fn checked_username(name: &str, value: Option<String>) -> Result<Option<String>, ApiError> {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    match value {
        Some(text) if !(3..=20).contains(&text.len()) || !text.bytes().all(letter) => {
            let detail = "must be 3 to 20 characters of a-z, 0-9 and _";
            Err(ApiError::field(ProblemCode::InvalidParameter, name, detail))
        }
        value => Ok(value),
    }
}

/// Checks that a text in a body has at most `most` characters.
///
/// # Errors
/// `invalid_body`, with the name and the bound.
pub(crate) fn check_length(name: &str, text: Option<&str>, most: usize) -> Result<(), ApiError> {
    if text.is_none_or(|text| text.chars().count() <= most) {
        return Ok(());
    }
    Err(ApiError::field(ProblemCode::InvalidBody, name, format!("must be at most {most} characters")))
}
