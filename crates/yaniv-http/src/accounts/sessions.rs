//! Operations on sessions. Logging in, which begins one, is in `accounts`.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, delete, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;

use crate::accounts::account_body::SessionBody;
use crate::accounts::session_body::SessionListBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Owner, Stranger};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::SessionPath;
use crate::kernel::problem::Problem;
use crate::kernel::rate_limit::Bucket;
use crate::kernel::responses::{done, plain};

/// A refresh token.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefreshRequest {
    /// `refresh_token` of the newest log-in or refresh.
    #[schema(max_length = 200, examples("AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"))]
    refresh_token: String,
}

/// Refresh a session.
///
/// Takes a refresh token for an access token and the next refresh token, good for another sixty days. Use each once. If no
/// answer arrives, wait no longer than a few seconds and send the same token again: within ten seconds of its first use the
/// answer has the same next one. That ends about a second after the new access token or the next refresh token is used: so
/// refresh in one place at a time. A token that is used later than that, or an older one, is taken for stolen: the session
/// ends.
#[utoipa::path(
    operation_id = "refreshSession",
    tag = "sessions",
    request_body(content = RefreshRequest,
        example = json!({"refresh_token": "AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"})),
    responses(
        (status = 200, description = "Logged in as before, with new tokens.", body = SessionBody),
        (status = 401, description = "`invalid_refresh_token`, `refresh_token_reused`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/sessions/refreshes")]
pub(crate) async fn refresh_session(
    services: Data<Services>,
    stranger: Stranger,
    body: JsonBody<RefreshRequest>,
) -> Result<HttpResponse, ApiError> {
    stranger.count(Bucket::Refreshes)?;
    let session = services.refresh(&body.0.refresh_token).await?;
    plain(StatusCode::OK, &SessionBody::new(session, services.now()))
}

/// List your sessions.
///
/// Every device on which you are logged in, with the one that asks marked.
#[utoipa::path(
    operation_id = "listSessions",
    tag = "sessions",
    security(("access_token" = ["account"])),
    responses((status = 200, description = "Your sessions.", body = SessionListBody))
)]
#[get("/v1/sessions")]
pub(crate) async fn list_sessions(
    services: Data<Services>,
    owner: Owner,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let sessions = services.sessions(&owner.0).await?;
    plain(StatusCode::OK, &SessionListBody::new(sessions, services.now()))
}

/// Log out.
///
/// Ends the session that asks: its refresh token is worthless at once, its access token within a second.
#[utoipa::path(
    operation_id = "logOut",
    tag = "sessions",
    security(("access_token" = ["account"])),
    responses(
        (status = 204, description = "Logged out."),
        (status = 404, description = "`session_not_found`: a personal token asked, which has no session.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/sessions/current")]
pub(crate) async fn log_out(
    services: Data<Services>,
    owner: Owner,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.log_out(&owner.0).await?;
    Ok(done())
}

/// End all other sessions.
///
/// All but the one that asks, on whatever device.
#[utoipa::path(
    operation_id = "endOtherSessions",
    tag = "sessions",
    security(("access_token" = ["account"])),
    responses((status = 204, description = "There is no other session."))
)]
#[delete("/v1/sessions/others")]
pub(crate) async fn end_other_sessions(
    services: Data<Services>,
    owner: Owner,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.end_other_sessions(&owner.0).await?;
    Ok(done())
}

/// End a session.
///
/// Shuts a device out: its refresh token is worthless at once, its access token within a second. Ending it again changes
/// nothing.
#[utoipa::path(
    operation_id = "endSession",
    tag = "sessions",
    security(("access_token" = ["account"])),
    params(SessionPath),
    responses(
        (status = 204, description = "The session has ended."),
        (status = 404, description = "`session_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/sessions/{session_id}")]
pub(crate) async fn end_session(
    services: Data<Services>,
    owner: Owner,
    path: SessionPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.end_session(owner.0.account, path.session_id).await?;
    Ok(done())
}
