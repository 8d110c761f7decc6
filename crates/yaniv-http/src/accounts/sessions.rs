//! Operations on sessions. `logIn`, which creates one, is in `register`.

use actix_web::web::Data;
use actix_web::{HttpRequest, delete, get, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::accounts::sessions::LogIn;
use yaniv_app::{ServiceError, Services};
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::identity_cookie::IdentityCookie;
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::accounts::session_body::SessionListBody;
use crate::kernel::extract::{Account, Anonymous, Auth, Reads, Refreshes, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::SessionPath;
use crate::kernel::responses::{ApiResult, NoContent, Reply};

/// A refresh token, here or in the cookie.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RefreshSessionRequest {
    /// The newest `refresh_token` of the session. Without it, and with `refresh_cookie`, that of the cookie counts.
    #[serde(default)]
    #[schema(nullable = false, max_length = 200, examples("AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"))]
    refresh_token: Option<String>,
    /// For web pages of the service's own origin: `true` sends the refresh token in a cookie that scripts cannot read,
    /// and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

/// Refresh a session.
///
/// Exchanges a refresh token for an access token and the next refresh token, which lasts for sixty days. Use each
/// refresh token once. If no answer arrives, send the same token again, at any later time: within ten seconds the answer
/// has the same next refresh token, later a new one, and only the newest is valid. This ends about a second after the
/// new access token or the next refresh token is used, so refresh in one place at a time. A token that is used later, or
/// an older one, or one that is not the newest answer's, counts as stolen: the session ends.
#[operation(
    post "/v1/sessions/refresh",
    tag = "sessions",
    example = json!({"refresh_token": "AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"}),
    answer = "The session with new tokens.",
    problems(InvalidRefreshToken, RefreshTokenReused),
)]
pub(crate) async fn refresh_session(
    services: Data<Services>,
    client: Anonymous<Refreshes>,
    request: HttpRequest,
    body: JsonBody<RefreshSessionRequest>,
) -> ApiResult<Reply<SessionBody>> {
    client.count()?;
    let RefreshSessionRequest { refresh_token, refresh_cookie } = body.0;
    let kept = RefreshCookie::of(&request);
    // A token that a script cannot read is never answered in the body.
    let session = match refresh_token {
        Some(token) => services.refresh(&token).await?,
        None => refresh_by_any(&services, kept.tokens().filter(|_| refresh_cookie)).await?,
    };
    let (body, cookie) = kept.deliver(session, services.now(), refresh_cookie);
    Ok(Reply::new(body).with_cookie(cookie))
}

/// Refreshes by the first of these tokens that is valid.
async fn refresh_by_any(
    services: &Services,
    tokens: impl Iterator<Item = &str>,
) -> Result<LogIn, ServiceError> {
    let mut refused = ServiceError::InvalidRefreshToken;
    for token in tokens {
        match services.refresh(token).await {
            Err(error @ (ServiceError::InvalidRefreshToken | ServiceError::RefreshTokenReused)) => {
                refused = error;
            }
            other => return other,
        }
    }
    Err(refused)
}

/// List your sessions.
///
/// One session for each device on which you are logged in; `current` marks the calling one.
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
/// Ends the calling session: its refresh token at once, its access token within a second. A `refresh_cookie` is
/// removed.
#[operation(
    delete "/v1/sessions/current",
    tag = "sessions",
    answer = "Logged out.",
    problems(SessionNotFound),
)]
pub(crate) async fn log_out(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.log_out(&caller.access).await?;
    let kept = RefreshCookie::of(&request);
    // The cookie may be of another session, begun in another tab.
    let own = kept.tokens().any(|token| services.is_refresh_token_of(&caller.access, token));
    let identity = IdentityCookie::of(&request).removed(&request);
    Ok(NoContent::default().with_cookie(own.then(|| kept.removed())).with_cookie(identity))
}

/// End all other sessions.
///
/// Ends all your sessions except the calling one. A personal token cannot do this.
#[operation(
    delete "/v1/sessions/others",
    tag = "sessions",
    answer = "All other sessions have ended.",
    problems(SessionRequired),
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
/// Logs a device out: its refresh token ends at once, its access token within a second. A personal token cannot do
/// this. A repeated request changes nothing.
#[operation(
    delete "/v1/sessions/{session_id}",
    tag = "sessions",
    answer = "The session has ended.",
    problems(SessionNotFound, SessionRequired),
)]
pub(crate) async fn end_session(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: SessionPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.end_session(&caller.access, path.session_id).await?;
    Ok(NoContent::default())
}
