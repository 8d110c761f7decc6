//! Sandboxes, test matches for client developers: advancing their clock, scripting their bots.

use actix_web::web::Data;
use actix_web::{post, put};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::turns::sandbox::MOST_SCRIPT;
use yaniv_app::turns::seat_events::Intervention;
use yaniv_engine::Action;
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, KeyHeader, Play, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::links::Links;
use crate::kernel::params::{MatchPath, check_range};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, NoContent, Reply};
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written;

/// How far to advance the clock.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AdvanceClockRequest {
    /// Seconds to advance, 1 to 31622400 (366 days).
    #[schema(minimum = 1, maximum = 31_622_400, examples(259_200))]
    seconds: i32,
}

/// A script for a bot.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteScriptRequest {
    /// Seat of the bot.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    seat: i32,
    /// Actions in the notation of docs/rules.md, section 12, such as `9C9D+#` or `call`. The bot takes the next one
    /// whenever it has to act, and skips illegal ones. After the last it plays by itself. An empty list removes the
    /// script.
    #[schema(max_items = 500, examples("9C9D+#"))]
    actions: Vec<String>,
}

/// Advance the clock of a sandbox.
///
/// Moves the time of the match forward: deadlines pass, notifications are sent, and all that becomes due is done within
/// a second, as if the time had really passed. `getMatch` and the answers of actions tell the time of the match, with its
/// deadlines; lists, `getHome` and standing orders tell real time.
#[operation(
    post "/v1/matches/{match_id}/clock-advances",
    tag = "sandboxes",
    example = json!({"seconds": 259_200}),
    answer = "The match at its new time, before what has become due is done.",
    problems(NotASandbox, MatchNotStarted),
)]
pub(crate) async fn advance_clock(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<AdvanceClockRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("advanceClock", &path.match_id.to_string(), &body.0)?;
    let seconds = check_range("seconds", body.0.seconds, 1..=31_622_400)
        .map_err(|_| ApiError::field(ProblemCode::InvalidBody, "seconds", "must be 1 to 31622400"))?;
    let by = Intervention::MoveClock(TimeDelta::seconds(i64::from(seconds)));
    let answer = services.intervene(caller.account, path.match_id, by, key).await?;
    Ok(written(&answer, &Links::default()))
}

/// Script a bot in a sandbox.
///
/// Replaces the script of the bot.
#[operation(
    put "/v1/matches/{match_id}/script",
    tag = "sandboxes",
    example = json!({"seat": 1, "actions": ["call"]}),
    answer = "The script is stored.",
    problems(NotASandbox),
)]
pub(crate) async fn write_script(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    body: JsonBody<WriteScriptRequest>,
) -> ApiResult<NoContent> {
    let field = |name: &str, detail: &str| ApiError::field(ProblemCode::InvalidBody, name, detail);
    let seat = u8::try_from(body.0.seat).ok().filter(|seat| *seat < 10);
    let seat = seat.ok_or_else(|| field("seat", "must be 0 to 9"))?;
    if body.0.actions.len() > MOST_SCRIPT {
        return Err(field("actions", "must have at most 500 entries"));
    }
    let actions = body.0.actions.iter().map(|action| action.parse::<Action>());
    let actions: Result<Vec<Action>, _> = actions.collect();
    let actions = actions
        .map_err(|_| field("actions", "must be actions in the notation of docs/rules.md, section 12"))?;
    services.write_script(caller.account, path.match_id, seat, actions).await?;
    Ok(NoContent::default())
}
