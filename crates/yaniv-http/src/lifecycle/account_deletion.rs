//! Deletion of one's own account.

use actix_web::web::Data;
use actix_web::{HttpRequest, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::identity_cookie::IdentityCookie;
use crate::kernel::extract::{Account, Auth, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::responses::{AcceptedEmpty, ApiResult};

/// Confirmation of an account deletion.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteAccountRequest {
    /// The account's password. Guests leave it out; so do accounts without a password, for which the identity counts that
    /// the browser has just proven (`/oidc/login?prompt=login`).
    #[serde(default)]
    #[schema(nullable = false, max_length = 128, format = Password, examples("correct horse"))]
    password: Option<String>,
}

/// Delete your account.
///
/// Deletes your account and your bots for good. When the request is answered, you are logged out everywhere and log-in
/// is impossible. The rest takes seconds: you leave waiting matches and resign running ones; your pairing requests are
/// withdrawn; friends, blocks, display name and the dedications of your cards are deleted. Your opponents keep their
/// matches and records, in which you have a generated name, `deleted_…`; your username becomes free. Your client seeds
/// stay in matches that you have joined, as they prove the shuffles: put no personal data into a client seed.
#[operation(
    post "/v1/account/delete",
    tag = "accounts",
    example = json!({"password": "correct horse"}),
    answer = "You are logged out; the deletion completes within seconds.",
    problems(WrongPassword, SessionRequired, TooManyAttempts, IdentityRequired),
)]
pub(crate) async fn delete_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    request: HttpRequest,
    body: JsonBody<DeleteAccountRequest>,
) -> ApiResult<AcceptedEmpty> {
    let proof = IdentityCookie::of(&request).proof("password", body.0.password, &services);
    services.delete_account(caller.access, proof).await?;
    Ok(AcceptedEmpty)
}
