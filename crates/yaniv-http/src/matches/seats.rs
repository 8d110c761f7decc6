//! What is done in a match beside the game: taking a seat back from a bot, reminding others, and what moved the deadlines.

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
    /// Only those that came of entries of the log after this version; 0 if left out.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// Take your seat back.
///
/// When you have been absent for long, a bot holds your seat (`held_by_bot`). From now on it is yours again, and the match
/// waits for you as for anybody. What the bot has played stays played.
#[operation(
    post "/v1/matches/{match_id}/returns",
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
    Ok(written(answer, &Links::default()))
}

/// Remind those whom the match waits for.
///
/// Whoever has been waited for for an hour gets a notice, and the log says that you reminded them. Once in 12 hours for all
/// players of a match together. Deadlines stay as they are.
#[operation(
    post "/v1/matches/{match_id}/nudges",
    tag = "matches",
    answer = "The match; the entry in `recent` says who was reminded.",
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
    Ok(written(answer, &Links::default()))
}

/// List what changed the clocks.
///
/// The ledger: for each change of a deadline or a bank what was before, what is after, and why. The lines of a seat add
/// up: what is before is what was after in the line before. At most 200 lines, and all those of an entry of the log
/// together.
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
