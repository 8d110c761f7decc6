//! Operations on a waiting match: read by code, join, leave, start.

use actix_web::web::{Data, Path};
use actix_web::{get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::join_leave_start::{LobbyChange, normal_code};
use yaniv_http_macros::operation;

use crate::kernel::extract::{Anyone, Auth, JoinCodeReads, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::links::Links;
use crate::kernel::params::{CodePath, MatchPath, PlayerPath};
use crate::kernel::responses::{ApiResult, CreatedAt, NoContent, Reply, Tagged};
use crate::lobby::match_preview_body::MatchPreviewBody;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::{created, written};

/// A player's input to a match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinMatchRequest {
    /// Your input to every shuffle (docs/fairness.md): at most 64 characters of printable ASCII without a comma; should
    /// be unpredictable.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// Show the match of a code.
///
/// Rules, time control, players, free seats, and the commitment to the shuffles, before you join; no account is needed.
/// With a token the answer also says whether you have a seat; players can read it after the start, too. Unknown, revoked
/// and expired codes, and codes of matches that have started, get the same 404.
#[operation(
    get "/v1/join-codes/{code}",
    tag = "matches",
    answer = "The match.",
    problems(JoinCodeNotFound),
)]
pub(crate) async fn get_match_by_code(
    services: Data<Services>,
    links: Data<Links>,
    caller: Anyone<Read, Reads, JoinCodeReads>,
    path: Path<CodePath>,
    _: NoQuery,
) -> ApiResult<Tagged<MatchPreviewBody>> {
    let preview = services.match_preview(caller.account, &path.code).await?;
    Ok(Tagged::new(MatchPreviewBody::new(preview, &links), services.now()))
}

/// Join a match.
///
/// Takes a seat in the match with this code.
#[operation(
    post "/v1/join-codes/{code}/seats",
    tag = "matches",
    example = json!({"client_seed": "blue"}),
    answer = "The match with your seat.",
    problems(JoinCodeNotFound, RemovedByHost, AlreadySeated, MatchFull, TooManyWaitingMatches, TooManyRunningMatches, RatedNotAllowed),
)]
pub(crate) async fn join_match(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Play, Writes>,
    path: Path<CodePath>,
    key: KeyHeader,
    body: JsonBody<JoinMatchRequest>,
) -> ApiResult<CreatedAt<MatchBody>> {
    let key = key.of("joinMatch", &normal_code(&path.code), &body.0)?;
    let answer = services.join(caller.account, &path.code, body.0.client_seed, key).await?;
    Ok(created(&answer, &links))
}

/// Leave a match before it starts.
///
/// Gives up your seat. If you are the host, the next player in joining order becomes the host. If no player is left,
/// the match is cancelled.
#[operation(
    post "/v1/matches/{match_id}/leave",
    tag = "matches",
    answer = "You have left the match.",
    problems(MatchStarted),
)]
pub(crate) async fn leave_match(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<NoContent> {
    let key = key.of("leaveMatch", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.account, path.match_id, LobbyChange::Leave, key).await?;
    Ok(NoContent::of_write(answer.replayed))
}

/// Remove a player before the start.
///
/// Only the host, while the match waits for players; bots can be removed, too. The player finds the entry
/// `removed` in `listEvents`, and cannot join by the same code again (`removed_by_host`); `renewCode` admits them again.
#[operation(
    post "/v1/matches/{match_id}/players/{username}/remove",
    tag = "matches",
    answer = "The match without the player.",
    problems(HostOnly, MatchStarted, PlayerNotFound, OwnAccount),
)]
pub(crate) async fn remove_player(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Play, Writes>,
    path: PlayerPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<Reply<MatchBody>> {
    let PlayerPath { match_id, username } = path;
    let key = key.of("removePlayer", &format!("{match_id} {username}"), &())?;
    let answer = services.change_lobby(caller.account, match_id, LobbyChange::Remove(username), key).await?;
    Ok(written(&answer, &links))
}

/// Start a match.
///
/// Deals the first round. The host may start with two or more players; once all seats are taken, any player may.
#[operation(
    post "/v1/matches/{match_id}/start",
    tag = "matches",
    answer = "The match, with your cards.",
    problems(HostOnly, MatchStarted, TooFewPlayers),
)]
pub(crate) async fn start_match(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("startMatch", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.account, path.match_id, LobbyChange::Start, key).await?;
    Ok(written(&answer, &Links::default()))
}
