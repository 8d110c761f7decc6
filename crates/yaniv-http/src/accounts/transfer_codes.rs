//! Transfer codes: a log-in on another device, without a password.

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::accounts::transfer_codes::TransferCode;
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::extract::{Account, Anonymous, Auth, LogIns, Writes};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created};

/// A code by which another device logs in.
#[derive(Serialize, ToSchema)]
#[schema(as = TransferCode)]
pub struct TransferCodeBody {
    /// The code, for `transferSession`. Show it only to the player.
    #[schema(max_length = 40, examples("7KQ2M-XDR9B-CFGHJ"))]
    pub transfer_code: String,
    /// When it expires: two minutes after its creation.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
}

/// A transfer code, to log in by.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TransferSessionRequest {
    /// The code; upper or lower case, with or without hyphens.
    #[schema(max_length = 40, examples("7KQ2M-XDR9B-CFGHJ"))]
    transfer_code: String,
    /// Name of the device in the list of sessions, without control characters; `unnamed` if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    device: Option<String>,
    /// For web pages of the service's own origin: `true` sends the refresh token in a cookie that scripts cannot read,
    /// and leaves it out of the answer.
    #[serde(default)]
    #[schema(required = false)]
    refresh_cookie: bool,
}

/// Create a transfer code.
///
/// Carries your log-in to another device, for example from a browser to the installed app: there, log in by the code
/// (`transferSession`). It is valid once, for two minutes, and only while the calling session is open; a changed password
/// or `endOtherSessions` voids it. A new code replaces the session's earlier one. Only a session can create one. Guests
/// may use it, too.
#[operation(
    post "/v1/account/transfer-codes",
    tag = "sessions",
    answer = "The code. It is not shown again.",
    problems(SessionRequired),
)]
pub(crate) async fn create_transfer_code(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    _: NoBody,
) -> ApiResult<Created<TransferCodeBody>> {
    let TransferCode { code, expires_at } = services.create_transfer_code(caller.access).await?;
    Ok(Created::new(TransferCodeBody { transfer_code: code, expires_at }))
}

/// Log in by a transfer code.
///
/// Creates a session like `logIn`, independent of the one that created the code. If the answer is lost, the code may be
/// used up: get a new one.
#[operation(
    post "/v1/sessions/transfer",
    tag = "sessions",
    example = json!({"transfer_code": "7KQ2M-XDR9B-CFGHJ", "device": "Ada's phone"}),
    answer = "The new session.",
    problems(TransferCodeInvalid),
)]
pub(crate) async fn transfer_session(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    body: JsonBody<TransferSessionRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let TransferSessionRequest { transfer_code, device, refresh_cookie } = body.0;
    check_length("transfer_code", Some(&transfer_code), 40)?;
    let session = services.log_in_by_transfer_code(&transfer_code, device).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}
