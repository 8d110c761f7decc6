//! Reset of a forgotten password, by a code that is sent by e-mail.

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::account_body::SessionBody;
use crate::accounts::refresh_cookie::RefreshCookie;
use crate::kernel::extract::{Anonymous, LogIns};
use crate::kernel::json::JsonBody;
use crate::kernel::params::check_length;
use crate::kernel::responses::{ApiResult, Created, NoContent};

/// The address of an account whose password is forgotten.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestPasswordResetRequest {
    /// The verified e-mail address of the account.
    #[schema(max_length = 254, examples("ada@example.org"))]
    email: String,
}

/// A code from an e-mail, and the new password.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetPasswordRequest {
    /// The code; upper or lower case, with or without hyphens.
    #[schema(max_length = 40, examples("7KQ2M-XDR9B-CFGHJ"))]
    code: String,
    /// The new password, 8 to 128 characters; not a common one, and not the username.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("another long secret"))]
    new_password: String,
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

/// Request a code to reset a password.
///
/// Sends an e-mail with a code for `resetPassword` to the address, for each account of which it is the verified address;
/// at most three in an hour. The answer is the same if there is none. The code is valid once, for an hour.
#[operation(
    post "/v1/password-resets",
    tag = "sessions",
    example = json!({"email": "ada@example.org"}),
    answer = "If an account has this address, an e-mail is on its way.",
    problems(EmailOff),
)]
pub(crate) async fn request_password_reset(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    body: JsonBody<RequestPasswordResetRequest>,
) -> ApiResult<NoContent> {
    client.count()?;
    services.request_password_reset(body.0.email)?;
    std::future::ready(Ok(NoContent::default())).await
}

/// Reset a password by a code.
///
/// Sets the new password, ends all sessions and personal tokens of the account and its bots, and logs in like `logIn`. If
/// the answer is lost, the code may be used up: log in with the new password.
#[operation(
    post "/v1/accounts/reset-password",
    tag = "sessions",
    example = json!({"code": "7KQ2M-XDR9B-CFGHJ", "new_password": "another long secret", "device": "Ada's phone"}),
    answer = "The new session.",
    problems(EmailCodeInvalid, PasswordCommon, AccountSuspended),
)]
pub(crate) async fn reset_password(
    services: Data<Services>,
    client: Anonymous<LogIns>,
    request: HttpRequest,
    body: JsonBody<ResetPasswordRequest>,
) -> ApiResult<Created<SessionBody>> {
    client.count()?;
    let ResetPasswordRequest { code, new_password, device, refresh_cookie } = body.0;
    check_length("code", Some(&code), 40)?;
    let session = services.reset_password(&code, new_password, device).await?;
    let (body, cookie) = RefreshCookie::of(&request).deliver(session, services.now(), refresh_cookie);
    Ok(Created::new(body).with_cookie(cookie))
}
