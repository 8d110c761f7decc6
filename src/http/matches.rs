//! Creating matches, listing them, looking at them.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use chrono::{TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use yaniv_bot::Level;
use yaniv_engine::{Preset, Rules, Seed};

use super::answer::{holds, not_modified, print, tagged, view_tag, with_tag, written_with_link};
use super::body::match_body::MatchBody;
use super::body::match_list_body::MatchListBody;
use super::body::pace_body::PaceRequest;
use super::body::rule_request::RuleSetRequest;
use super::body_reader::{JsonBody, Queried};
use super::error::ApiError;
use super::extract::{Caller, KeyHeader};
use super::links::Links;
use super::parameters::{IdempotencyHeader, MatchPath, check_range};
use super::problem::{Problem, ProblemCode};
use crate::service::Services;
use crate::service::creation::NewMatch;
use crate::service::status::Status;

/// What is wanted of a new match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CreateMatchRequest {
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    size: i32,
    /// The rules; left out, those of the preset `yaniv`.
    #[serde(default)]
    #[schema(required = false)]
    rules: RuleSetRequest,
    /// The pace; left out, the usual one.
    #[serde(default, skip_serializing_if = "PaceRequest::is_default")]
    #[schema(required = false)]
    pace: PaceRequest,
    /// `joined` (default): seats in joining order; `random`: drawn at the start, from the committed seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^(joined|random)$", examples("joined"))]
    seat_order: Option<String>,
    /// `private` (default): found by its code only; `public`: everybody may find it while it waits for players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^(private|public)$", examples("public"))]
    visibility: Option<String>,
    /// A test match, where the service allows them: private, its clock can be moved (`advanceClock`), what bots do can be written
    /// (`writeScript`), and it counts for nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    sandbox: bool,
    /// The seed of a sandbox, in hexadecimal: with the same seed, client seeds and actions all cards are the same. Left out,
    /// one is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = "^[0-9a-f]{64}$",
        examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    )]
    sandbox_seed: Option<String>,
    /// Bots of the house that take the next seats at once, one for each level. They leave a seat for you.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 9, examples(json!(["medium"])))]
    bots: Vec<BotLevel>,
    /// After so many hours the code lets nobody in; left out, it does not expire before the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 720, examples(48))]
    code_expires_in_hours: Option<i32>,
    /// Your part of every shuffle: printable ASCII without a comma. Nobody can have known it when the service
    /// drew its own part.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("my lucky number is 7"))]
    client_seed: String,
}

/// How well a bot of the house plays.
#[derive(Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BotLevel {
    /// It throws what weighs most, with some chance in it.
    Easy,
    /// It looks one turn ahead.
    Medium,
    /// It counts cards, too, and times its calls.
    Hard,
}

/// Which matches to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListMatchesQuery {
    /// Only those that are `waiting`, `running` or `finished`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(waiting|running|finished)$")]
    status: Option<String>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// What to show besides the match.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GetMatchQuery {
    /// A version that you have seen: `recent` tells what happened after it.
    #[param(required = false, nullable = false, minimum = 0)]
    since: Option<i32>,
}

/// Create a match.
///
/// You get the first seat, and bots of the house those after it, if you name their levels in `bots`: with all seats taken you
/// can start at once. Share the code: who has it can look at the rules and the commitment, and join.
#[utoipa::path(
    operation_id = "createMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(IdempotencyHeader),
    request_body(content = CreateMatchRequest,
        example = json!({"size": 2, "rules": {"preset": "yaniv"}, "client_seed": "my lucky number is 7"})),
    responses(
        (status = 201, description = "The match, waiting for players.", body = MatchBody,
            headers(("Location" = String, description = "Path of the match."))),
        (status = 403, description = "`sandboxes_off`.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_rules`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches")]
pub(super) async fn create_match(
    services: Data<Services>,
    links: Data<Links>,
    caller: Caller,
    key: KeyHeader,
    body: JsonBody<CreateMatchRequest>,
) -> Result<HttpResponse, ApiError> {
    let request = body.0;
    let key = key.of("createMatch", "", &request)?;
    let new = (request.new_match()?, request.bots.iter().copied().map(Level::from).collect());
    let answer = services.create_match(caller.0, new, request.client_seed, key).await?;
    written_with_link(StatusCode::CREATED, answer, &links)
}

/// List your matches.
///
/// Those that wait for you come first, the longest waiting at the top; then running ones, those that wait for
/// players, and those that are over.
#[utoipa::path(
    operation_id = "listMatches",
    tag = "matches",
    security(("access_token" = [])),
    params(ListMatchesQuery),
    responses(
        (status = 200, description = "A page of your matches.", body = MatchListBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/matches")]
pub(super) async fn list_matches(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    query: Queried<ListMatchesQuery>,
) -> Result<HttpResponse, ApiError> {
    let ListMatchesQuery { status, limit, cursor } = query.0;
    let limit = check_range("limit", limit.unwrap_or(50), 1..=100)?;
    let status = status
        .map(|status| Status::parse(&status))
        .transpose()
        .map_err(|_| ApiError::field(ProblemCode::InvalidParameter, "status", "there is no such status"))?;
    let page = services.list_matches(caller.0, status, cursor.as_deref(), i64::from(limit)).await?;
    tagged(&request, &MatchListBody::from(page), Utc::now())
}

/// Show a match.
///
/// Everything that you may know: table, hand, legal moves, score sheet. With `since`, also what happened after
/// that version. Poll it with If-None-Match.
#[utoipa::path(
    operation_id = "getMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, GetMatchQuery),
    responses(
        (status = 200, description = "The match, as you may see it.", body = MatchBody,
            headers(("ETag" = String, description = "Tag of the view, for If-None-Match."))),
        (status = 304, description = "The match is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}")]
pub(super) async fn get_match(
    (services, links): (Data<Services>, Data<Links>),
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    query: Queried<GetMatchQuery>,
) -> Result<HttpResponse, ApiError> {
    let since = query.0.since.map(|since| check_range("since", since, 0..=i32::MAX)).transpose()?;
    let look = services.look(caller.0, path.match_id).await?;
    let tag = view_tag(look.mark(), &links);
    if holds(&request, &tag) {
        return Ok(not_modified(tag));
    }
    let view = services.view(&look, since).await?;
    let now = view.clocks.time(Utc::now());
    Ok(with_tag(tag, &print(&links.put(MatchBody::from(view)))?, now))
}

impl CreateMatchRequest {
    fn sandbox_secret(&self) -> Result<Option<[u8; 32]>, ApiError> {
        let Some(seed) = &self.sandbox_seed else { return Ok(None) };
        let field = |detail: &str| ApiError::field(ProblemCode::InvalidBody, "sandbox_seed", detail);
        if !self.sandbox {
            return Err(field("goes with sandbox only"));
        }
        let seed = seed.parse::<Seed>().map_err(|_| field("has to be 64 hexadecimal digits"))?;
        Ok(Some(*seed.as_bytes()))
    }

    fn new_match(&self) -> Result<NewMatch, ApiError> {
        let random_seats = is_second("seat_order", self.seat_order.as_deref(), ["joined", "random"])?;
        let public = is_second("visibility", self.visibility.as_deref(), ["private", "public"])?;
        let code_time = code_time("code_expires_in_hours", self.code_expires_in_hours)?;
        let (sandbox, secret) = (self.sandbox, self.sandbox_secret()?);
        if public && sandbox {
            let detail = "has to be private with sandbox";
            return Err(ApiError::field(ProblemCode::InvalidBody, "visibility", detail));
        }
        Ok(NewMatch {
            public,
            code_time,
            sandbox,
            secret,
            ..new_match(self.size, &self.rules, &self.pace, random_seats)?
        })
    }
}

impl From<BotLevel> for Level {
    fn from(level: BotLevel) -> Self {
        match level {
            BotLevel::Easy => Self::Easy,
            BotLevel::Medium => Self::Medium,
            BotLevel::Hard => Self::Hard,
        }
    }
}

/// Whether the second of two words was given; left out, it is the first.
///
/// # Errors
/// `invalid_body`, with the field.
pub(super) fn is_second(field: &str, given: Option<&str>, words: [&str; 2]) -> Result<bool, ApiError> {
    let [first, second] = words;
    match given {
        None => Ok(false),
        Some(word) if words.contains(&word) => Ok(word == second),
        Some(_) => {
            let detail = format!("has to be {first} or {second}");
            Err(ApiError::field(ProblemCode::InvalidBody, field, detail))
        }
    }
}

/// For how long a code lets people in, or a challenge can be answered.
///
/// # Errors
/// `invalid_body`, with the field.
pub(super) fn code_time(field: &str, hours: Option<i32>) -> Result<Option<TimeDelta>, ApiError> {
    let checked = hours.map(|hours| check_range(field, hours, 1..=720)).transpose();
    let hours =
        checked.map_err(|_| ApiError::field(ProblemCode::InvalidBody, field, "has to be 1 to 720"))?;
    Ok(hours.map(|hours| TimeDelta::hours(i64::from(hours))))
}

/// What is wanted of a match, from the fields by which several operations ask for one.
///
/// # Errors
/// `invalid_body` or `bad_rules`, with the field.
pub(super) fn new_match(
    size: i32,
    rules: &RuleSetRequest,
    pace: &PaceRequest,
    random_seats: bool,
) -> Result<NewMatch, ApiError> {
    let size = check_range("size", size, 2..=10)
        .and_then(|size| i16::try_from(size).map_err(|_| ApiError::plain(ProblemCode::InvalidBody)))
        .map_err(|_| ApiError::field(ProblemCode::InvalidBody, "size", "has to be 2 to 10"))?;
    let refused = |error: yaniv_engine::BadRules| ApiError::bad_rules(&error.option, error.detail);
    let rules = rules.options().and_then(Rules::new).map_err(refused)?;
    let same = |preset: &&Preset| preset.options() == *rules.options();
    let preset = Preset::ALL.iter().find(same).map(|preset| preset.as_str().to_owned());
    let pace = pace.pace()?;
    Ok(NewMatch {
        rules,
        preset,
        size,
        random_seats,
        public: false,
        code_time: None,
        pace,
        sandbox: false,
        secret: None,
    })
}
