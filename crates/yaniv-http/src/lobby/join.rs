//! From the invitation to the first card: looking, joining, leaving, starting.

use actix_web::web::{Data, Path};
use actix_web::{get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::join_leave_start::{LobbyChange, normal_code};
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::links::Links;
use crate::kernel::params::{CodePath, MatchPath};
use crate::kernel::responses::{ApiResult, CreatedAt, NoContent, Reply, Tagged};
use crate::match_view::match_body::MatchBody;
use crate::matches::written::{created, with_link, written};

/// What a player brings to a match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JoinMatchRequest {
    /// Your part of every shuffle: printable ASCII without a comma.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// Look at an invitation.
///
/// The match of a code, before you join it: rules, players, and the commitment that its shuffles are bound to.
#[operation(
    get "/v1/invitations/{code}",
    tag = "matches",
    answer = "The match.",
    problems(InvitationNotFound),
)]
pub(crate) async fn get_invitation(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Read, Reads>,
    path: Path<CodePath>,
    _: NoQuery,
) -> ApiResult<Tagged<MatchBody>> {
    let view = services.invitation(caller.account, &path.code).await?;
    Ok(Tagged::new(with_link(&links, MatchBody::from(view)), services.now()))
}

/// Join a match.
///
/// Takes a seat in the match of a code.
#[operation(
    post "/v1/invitations/{code}/seats",
    tag = "matches",
    example = json!({"client_seed": "blue"}),
    answer = "The match, with you in it.",
    problems(InvitationNotFound, AlreadySeated, MatchFull, RatedNotAllowed),
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
    Ok(created(answer, &links))
}

/// Leave a match before its start.
///
/// Gives your seat up. The next in joining order becomes the host; when nobody is left, the match is cancelled.
#[operation(
    post "/v1/matches/{match_id}/leave",
    tag = "matches",
    answer = "You have no seat any more.",
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

/// Start a match.
///
/// Deals the first round. The host may start as soon as two players are seated; once all seats are taken, any
/// player may.
#[operation(
    post "/v1/matches/{match_id}/start",
    tag = "matches",
    answer = "The match, with cards.",
    problems(NotHost, MatchStarted, TooFewPlayers),
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
    Ok(written(answer, &Links::default()))
}
