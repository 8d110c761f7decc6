//! Operations beside the game: taking a seat back from a bot, nudging other players, and the ledger of the clocks.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::turns::seat_actions::Intervention;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::links::Links;
use crate::kernel::params::{MatchPath, check_range};
use crate::kernel::responses::{ApiResult, Reply, Tagged};
use crate::match_view::clock_body::ClockChangePageBody;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written;

/// Which changes of clocks to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ClockChangesQuery {
    /// Only changes caused by log entries after this version; default 0.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// Take your seat back.
///
/// After too many missed deadlines a bot holds your seat (`held_by_bot`). This returns the seat to you: the match waits
/// for you again. The bot's actions remain.
#[operation(
    post "/v1/matches/{match_id}/take-seat-back",
    tag = "matches",
    answer = "The match, with you in your seat.",
    problems(SeatNotHeld, MatchOver, MatchNotStarted),
)]
pub(crate) async fn take_seat_back(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("takeSeatBack", &path.match_id.to_string(), &())?;
    let answer = services.intervene(caller.account, path.match_id, Intervention::TakeBack, key).await?;
    Ok(written(&answer, &Links::default()))
}

/// Remind the players that the match waits for.
///
/// Each player that the match has waited for at least an hour gets a notification, and the log records the nudge.
/// Allowed once in 12 hours per match, by any player. Deadlines do not change.
#[operation(
    post "/v1/matches/{match_id}/nudges",
    tag = "matches",
    answer = "The match; the entry in `recent` lists the reminded players.",
    problems(TooEarlyToNudge, MatchOver, MatchNotStarted),
)]
pub(crate) async fn nudge_players(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("nudgePlayers", &path.match_id.to_string(), &())?;
    let answer = services.intervene(caller.account, path.match_id, Intervention::Nudge, key).await?;
    Ok(written(&answer, &Links::default()))
}

/// List the changes of the clocks.
///
/// The ledger: each change of a deadline or a bank, with the values before and after and the reason. The values before
/// a change equal those after the seat's previous change. At most 200 changes per page, but those of one log entry are
/// never split.
#[operation(
    get "/v1/matches/{match_id}/clock-changes",
    tag = "matches",
    answer = "The changes, oldest first.",
)]
pub(crate) async fn list_clock_changes(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<ClockChangesQuery>,
) -> ApiResult<Tagged<ClockChangePageBody>> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let page = services.clock_changes(caller.account, path.match_id, after).await?;
    let now = page.clocks.time(services.now());
    Ok(Tagged::new(ClockChangePageBody::from(page), now))
}
