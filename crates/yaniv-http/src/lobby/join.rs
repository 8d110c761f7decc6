//! From the invitation to the first card: looking, joining, leaving, starting.

use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::join_leave_start::{LobbyChange, normal_code};

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::links::Links;
use crate::kernel::params::{CodePath, IdempotencyHeader, MatchPath};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{gone, tagged};
use crate::match_view::match_body::MatchBody;
use crate::matches::written::{with_link, written, written_with_link};

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
#[utoipa::path(
    operation_id = "getInvitation",
    tag = "matches",
    security(("access_token" = [])),
    params(CodePath),
    responses(
        (status = 200, description = "The match.", body = MatchBody,
            headers(("ETag" = String, description = "Tag of the view, for If-None-Match."))),
        (status = 304, description = "The match is as your tag says."),
        (status = 404, description = "`invitation_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/invitations/{code}")]
pub(crate) async fn get_invitation(
    services: Data<Services>,
    links: Data<Links>,
    request: HttpRequest,
    caller: Caller,
    path: Path<CodePath>,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let view = services.invitation(caller.0, &path.code).await?;
    tagged(&request, &with_link(&links, MatchBody::from(view)), services.now())
}

/// Join a match.
///
/// Takes a seat in the match of a code.
#[utoipa::path(
    operation_id = "joinMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(CodePath, IdempotencyHeader),
    request_body(content = JoinMatchRequest, example = json!({"client_seed": "blue"})),
    responses(
        (status = 201, description = "The match, with you in it.", body = MatchBody,
            headers(("Location" = String, description = "Path of the match."))),
        (status = 404, description = "`invitation_not_found`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_seated`, `match_full`, `rated_not_allowed`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/invitations/{code}/seats")]
pub(crate) async fn join_match(
    services: Data<Services>,
    links: Data<Links>,
    caller: Caller,
    path: Path<CodePath>,
    key: KeyHeader,
    body: JsonBody<JoinMatchRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("joinMatch", &normal_code(&path.code), &body.0)?;
    let answer = services.join(caller.0, &path.code, body.0.client_seed, key).await?;
    written_with_link(StatusCode::CREATED, answer, &links)
}

/// Leave a match before its start.
///
/// Gives your seat up. The next in joining order becomes the host; when nobody is left, the match is cancelled.
#[utoipa::path(
    operation_id = "leaveMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    responses(
        (status = 204, description = "You have no seat any more."),
        (status = 409, description = "`match_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/leave")]
pub(crate) async fn leave_match(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("leaveMatch", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.0, path.match_id, LobbyChange::Leave, key).await?;
    Ok(gone(&answer))
}

/// Start a match.
///
/// Deals the first round. The host may start as soon as two players are seated; once all seats are taken, any
/// player may.
#[utoipa::path(
    operation_id = "startMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    responses(
        (status = 200, description = "The match, with cards.", body = MatchBody),
        (status = 403, description = "`not_host`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`match_started`, `too_few_players`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/start")]
pub(crate) async fn start_match(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("startMatch", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.0, path.match_id, LobbyChange::Start, key).await?;
    written(StatusCode::OK, answer)
}
