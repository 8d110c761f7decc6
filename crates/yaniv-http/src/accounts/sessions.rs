//! Operations on sessions. Logging in, which begins one, is in `accounts`.

use actix_web::web::Data;
use actix_web::{delete, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::session_body::SessionListBody;
use crate::kernel::extract::{Account, Anonymous, Auth, Reads, Refreshes, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::SessionPath;
use crate::kernel::responses::{ApiResult, NoContent, Reply};

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
#[operation(
    post "/v1/sessions/refreshes",
    tag = "sessions",
    example = json!({"refresh_token": "AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"}),
    answer = "Logged in as before, with new tokens.",
    problems(InvalidRefreshToken, RefreshTokenReused),
)]
pub(crate) async fn refresh_session(
    services: Data<Services>,
    client: Anonymous<Refreshes>,
    body: JsonBody<RefreshRequest>,
) -> ApiResult<Reply<SessionBody>> {
    client.count()?;
    let session = services.refresh(&body.0.refresh_token).await?;
    Ok(Reply::new(SessionBody::new(session, services.now())))
}

/// List your sessions.
///
/// Every device on which you are logged in, with the one that asks marked.
#[operation(
    get "/v1/sessions",
    tag = "sessions",
    answer = "Your sessions.",
)]
pub(crate) async fn list_sessions(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<SessionListBody>> {
    let sessions = services.sessions(&caller.access).await?;
    Ok(Reply::new(SessionListBody::new(sessions, services.now())))
}

/// Log out.
///
/// Ends the session that asks: its refresh token is worthless at once, its access token within a second.
#[operation(
    delete "/v1/sessions/current",
    tag = "sessions",
    answer = "Logged out.",
    problems(SessionNotFound),
)]
pub(crate) async fn log_out(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.log_out(&caller.access).await?;
    Ok(NoContent::default())
}

/// End all other sessions.
///
/// All but the one that asks, on whatever device.
#[operation(
    delete "/v1/sessions/others",
    tag = "sessions",
    answer = "There is no other session.",
)]
pub(crate) async fn end_other_sessions(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.end_other_sessions(&caller.access).await?;
    Ok(NoContent::default())
}

/// End a session.
///
/// Shuts a device out: its refresh token is worthless at once, its access token within a second. Ending it again changes
/// nothing.
#[operation(
    delete "/v1/sessions/{session_id}",
    tag = "sessions",
    answer = "The session has ended.",
    problems(SessionNotFound),
)]
pub(crate) async fn end_session(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: SessionPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.end_session(caller.account, path.session_id).await?;
    Ok(NoContent::default())
}
