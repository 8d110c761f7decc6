//! Replacing and revoking the code of a waiting match.

use actix_web::post;
use actix_web::web::Data;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::join_leave_start::LobbyChange;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Writes};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::links::Links;
use crate::kernel::params::MatchPath;
use crate::kernel::responses::{ApiResult, Reply};
use crate::lobby::create_request::code_time;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written;

/// A new code.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RenewCodeRequest {
    /// Lifetime of the new code in hours, 1 to 720; if left out, it does not expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 720, examples(48))]
    expires_in_hours: Option<i32>,
}

/// Replace the code of a match.
///
/// Only the host, while the match waits for players. The old code no longer works.
#[operation(
    post "/v1/matches/{match_id}/renew-code",
    tag = "matches",
    example = json!({"expires_in_hours": 48}),
    answer = "The match with its new code.",
    problems(HostOnly, MatchStarted),
)]
pub(crate) async fn renew_code(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<RenewCodeRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("renewCode", &path.match_id.to_string(), &body.0)?;
    let time: Option<TimeDelta> = code_time("expires_in_hours", body.0.expires_in_hours)?;
    let answer =
        services.change_lobby(caller.account, path.match_id, LobbyChange::RenewCode(time), key).await?;
    Ok(written(&answer, &links))
}

/// Revoke the code of a match.
///
/// Only the host, while the match waits for players. The code no longer works, and a public match is no longer listed.
/// Seats that are taken stay taken. `renewCode` opens the match again.
#[operation(
    post "/v1/matches/{match_id}/revoke-code",
    tag = "matches",
    answer = "The match; its code has expired.",
    problems(HostOnly, MatchStarted),
)]
pub(crate) async fn revoke_code(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    _: NoBody,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("revokeCode", &path.match_id.to_string(), &())?;
    let answer = services.change_lobby(caller.account, path.match_id, LobbyChange::RevokeCode, key).await?;
    Ok(written(&answer, &links))
}
