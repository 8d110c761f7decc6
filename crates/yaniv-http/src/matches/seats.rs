//! What is done in a match beside the game: taking a seat back from a bot, reminding others, and what moved the deadlines.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::turns::seat_actions::Intervention;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{IdempotencyHeader, MatchPath, check_range};
use crate::kernel::problem::Problem;
use crate::kernel::responses::tagged;
use crate::match_view::clock_body::ClockChangePageBody;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written;

/// Which changes of clocks to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ClockChangesQuery {
    /// Only those that came of entries of the log after this version; 0 if left out.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// Take your seat back.
///
/// When you have been absent for long, a bot holds your seat (`held_by_bot`). From now on it is yours again, and the match
/// waits for you as for anybody. What the bot has played stays played.
#[utoipa::path(
    operation_id = "takeSeatBack",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    responses(
        (status = 200, description = "The match, with you in your seat.", body = MatchBody),
        (status = 409, description = "`seat_not_held`, `match_over`, `match_not_started`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/returns")]
pub(crate) async fn take_seat_back(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("takeSeatBack", &path.match_id.to_string(), &())?;
    let answer = services.intervene(caller.0, path.match_id, Intervention::TakeBack, key).await?;
    written(StatusCode::OK, answer)
}

/// Remind those whom the match waits for.
///
/// Whoever has been waited for for an hour gets a notice, and the log says that you reminded them. Once in 12 hours for all
/// players of a match together. Deadlines stay as they are.
#[utoipa::path(
    operation_id = "nudgePlayers",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    responses(
        (status = 200, description = "The match; the entry in `recent` says who was reminded.", body = MatchBody),
        (status = 409, description = "`too_early_to_nudge`, `match_over`, `match_not_started`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/nudges")]
pub(crate) async fn nudge_players(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("nudgePlayers", &path.match_id.to_string(), &())?;
    let answer = services.intervene(caller.0, path.match_id, Intervention::Nudge, key).await?;
    written(StatusCode::OK, answer)
}

/// List what changed the clocks.
///
/// The ledger: for each change of a deadline or a bank what was before, what is after, and why. The lines of a seat add
/// up: what is before is what was after in the line before. At most 200 lines, and all those of an entry of the log
/// together.
#[utoipa::path(
    operation_id = "listClockChanges",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, ClockChangesQuery),
    responses(
        (status = 200, description = "The changes, oldest first.", body = ClockChangePageBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}/clock-changes")]
pub(crate) async fn list_clock_changes(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    query: Queried<ClockChangesQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let page = services.clock_changes(caller.0, path.match_id, after).await?;
    let now = page.clocks.time(services.now());
    tagged(&request, &ClockChangePageBody::from(page), now)
}
