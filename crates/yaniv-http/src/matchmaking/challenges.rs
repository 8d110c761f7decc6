//! Challenges: creating, listing, reading. Answers to them are in `challenge_answers`.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use yaniv_app::Services;
use yaniv_app::lobby::create::NewMatch;
use yaniv_app::matchmaking::challenge_view::{ChallengeAnswer, ChallengeStatus};
use yaniv_app::matchmaking::challenges::{ChallengeQuery, NewChallenge};
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoQuery, Queried};
use crate::kernel::params::{ChallengePath, checked_page};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, CreatedAt, Tagged};
use crate::lobby::create_request::{code_time, new_match};
use crate::lobby::time_control_request::TimeControlRequest;
use crate::matchmaking::challenge_body::{ChallengeBody, ChallengeListBody};
use crate::rules::rule_request::RuleSetRequest;
use crate::values::words::{ChallengeDirection, ChallengeState, SeatOrder};

/// A challenge: the opponents, and the settings of the match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateChallengeRequest {
    /// Names of the challenged accounts, in joining order. Each once, without yourself.
    #[schema(min_items = 1, max_items = 9, examples("bob"))]
    opponents: Vec<String>,
    /// The rules; default: the preset `yaniv`.
    #[serde(default)]
    #[schema(required = false)]
    rules: RuleSetRequest,
    /// The time control; default: a bank of 72 hours.
    #[serde(default, skip_serializing_if = "TimeControlRequest::is_default")]
    #[schema(required = false)]
    time_control: TimeControlRequest,
    /// `joined` (default): you have seat 0, then the opponents in your order; `random`: drawn at the start, from the
    /// committed seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    seat_order: Option<SeatOrder>,
    /// Whether the match counts for ratings. Requires exactly the rules of a preset; and all players must be people
    /// with claimed accounts, or all bots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    rated: bool,
    /// Hours until the challenge expires, 1 to 720; default 336 (14 days).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 720, examples(48))]
    expires_in_hours: Option<i32>,
    /// Your client seed, which is part of every shuffle: printable ASCII without a comma; default empty. The service's
    /// own seed does not depend on it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("my lucky number is 7"))]
    client_seed: String,
}

/// Which challenges to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListChallengesQuery {
    /// Only challenges that others made (`incoming`), or that you made (`outgoing`).
    #[param(required = false, nullable = false, inline)]
    direction: Option<ChallengeDirection>,
    /// Only challenges with this status: `open`, `accepted`, `declined`, `withdrawn` or `expired`.
    #[param(required = false, nullable = false, inline)]
    status: Option<ChallengeState>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Challenge other players.
///
/// You name one to nine opponents. When the last of them accepts, the match is created and started; no player needs to
/// be online. If one declines, the challenge ends. You can have 20 open challenges at a time,
/// and make 300 a day.
#[operation(
    post "/v1/challenges",
    tag = "challenges",
    example = json!({"opponents": ["bob"], "rules": {"preset": "yaniv"}, "client_seed": "my lucky number is 7"}),
    answer = "The challenge.",
    problems(AccountNotFound, TooManyChallenges, TooManyChallengesToday, TooManyRunningMatches, RatedNotAllowed, BadRules, NotRatable),
)]
pub(crate) async fn create_challenge(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    key: KeyHeader,
    body: JsonBody<CreateChallengeRequest>,
) -> ApiResult<CreatedAt<ChallengeBody>> {
    let request = body.0;
    let key = key.of("createChallenge", "", &request)?;
    let answer = services.create_challenge(caller.account, request.wanted()?, key).await?;
    Ok(challenged(answer))
}

/// List your challenges.
///
/// Those that you made and those that others made to you. Ended challenges stay in the list for 30 days.
#[operation(
    get "/v1/challenges",
    tag = "challenges",
    answer = "A page of your challenges, the newest first.",
)]
pub(crate) async fn list_challenges(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<ListChallengesQuery>,
) -> ApiResult<Tagged<ChallengeListBody>> {
    let ListChallengesQuery { direction, status, limit, cursor } = query.0;
    let outgoing = direction.map(|direction| direction == ChallengeDirection::Outgoing);
    let status = status.map(ChallengeStatus::from);
    let (limit, cursor) = checked_page(limit, cursor)?;
    let query = ChallengeQuery { outgoing, status, cursor, limit };
    let page = services.list_challenges(caller.account, query).await?;
    Ok(Tagged::new(ChallengeListBody::from(page), services.now()))
}

/// Show a challenge.
///
/// Rules, commitment, the members' answers, and the match once it has started. Poll it with If-None-Match.
#[operation(
    get "/v1/challenges/{challenge_id}",
    tag = "challenges",
    answer = "The challenge.",
)]
pub(crate) async fn get_challenge(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: ChallengePath,
    _: NoQuery,
) -> ApiResult<Tagged<ChallengeBody>> {
    let challenge = services.challenge(caller.account, path.challenge_id).await?;
    Ok(Tagged::new(ChallengeBody::from(challenge), services.now()))
}

impl CreateChallengeRequest {
    fn wanted(self) -> Result<NewChallenge, ApiError> {
        let random = self.seat_order == Some(SeatOrder::Random);
        let time = code_time("expires_in_hours", self.expires_in_hours)?;
        let players = self.opponents.len().saturating_add(1);
        let size = i32::try_from(players).ok().filter(|size| (2..=10).contains(size));
        let size = size.ok_or_else(|| {
            ApiError::field(ProblemCode::InvalidBody, "opponents", "must have 1 to 9 names")
        })?;
        let new = NewMatch { rated: self.rated, ..new_match(size, &self.rules, &self.time_control, random)? };
        Ok(NewChallenge { new, opponents: self.opponents, time, client_seed: self.client_seed })
    }
}

/// 201: a challenge, with its path.
pub(crate) fn challenged(answer: ChallengeAnswer) -> CreatedAt<ChallengeBody> {
    let location = format!("/v1/challenges/{}", answer.challenge.id);
    CreatedAt { location, replayed: answer.replayed, body: ChallengeBody::from(answer) }
}
