//! Operations beside the game: taking a seat back from a bot, and nudging other players.

use actix_web::post;
use actix_web::web::Data;
use yaniv_app::Services;
use yaniv_app::turns::seat_events::Intervention;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Writes};
use crate::kernel::json::NoBody;
use crate::kernel::links::Links;
use crate::kernel::params::MatchPath;
use crate::kernel::responses::{ApiResult, Reply};
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written;

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
