//! Exchanging and revoking the code of a match that waits for players.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::join_leave_start::LobbyChange;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::links::Links;
use crate::kernel::params::{IdempotencyHeader, MatchPath};
use crate::kernel::problem::Problem;
use crate::lobby::create_request::code_time;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written_with_link;

/// Another code.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenewCodeRequest {
    /// After so many hours the new code lets nobody in; left out, it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 720, examples(48))]
    expires_in_hours: Option<i32>,
}

/// Get another code.
///
/// As the host, while the match waits for players. The old code lets nobody in from now on.
#[utoipa::path(
    operation_id = "renewCode",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    request_body(content = RenewCodeRequest, example = json!({"expires_in_hours": 48})),
    responses(
        (status = 200, description = "The match, with its new code.", body = MatchBody),
        (status = 403, description = "`host_only`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`match_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/codes")]
pub(crate) async fn renew_code(
    services: Data<Services>,
    links: Data<Links>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<RenewCodeRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("renewCode", &path.match_id.to_string(), &body.0)?;
    let time: Option<TimeDelta> = code_time("expires_in_hours", body.0.expires_in_hours)?;
    let answer = services.change_lobby(caller.0, path.match_id, LobbyChange::RenewCode(time), key).await?;
    written_with_link(StatusCode::OK, answer, &links)
}

/// Revoke the code.
///
/// As the host, while the match waits for players: the code lets nobody in from now on, and a public match is no longer listed.
/// Who has a seat keeps it. `renewCode` opens the match again.
#[utoipa::path(
    operation_id = "revokeCode",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    responses(
        (status = 200, description = "The match; its code expired at the time of the answer.", body = MatchBody),
        (status = 403, description = "`host_only`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`match_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/code-revocations")]
pub(crate) async fn revoke_code(
    services: Data<Services>,
    links: Data<Links>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("revokeCode", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.0, path.match_id, LobbyChange::RevokeCode, key).await?;
    written_with_link(StatusCode::OK, answer, &links)
}
