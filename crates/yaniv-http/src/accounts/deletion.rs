//! Deleting one's account.

use actix_web::post;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Account, Auth, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::responses::{AcceptedEmpty, ApiResult};

/// What is asked before an account is deleted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeleteAccountRequest {
    /// The account's password, if it has one: guests have none.
    #[serde(default)]
    #[schema(nullable = false, max_length = 128, format = Password, examples("correct horse"))]
    password: Option<String>,
}

/// Delete your account.
///
/// For good, with your bots. When this is answered you are logged out everywhere and nobody can log in. What else there is to
/// do goes on, and takes seconds: you leave matches that wait, resign those that run, and your requests to be paired are
/// taken back; friends, blocks, display name and the dedications of your cards go. Those who played with you keep their
/// matches and records, in which you have a generated name, `deleted_…`; your username is free again. Your client seeds stay
/// in matches that you have joined, as the shuffles are proved by them: write nothing into a client seed that says who you are.
#[operation(
    post "/v1/account/deletion",
    tag = "accounts",
    example = json!({"password": "correct horse"}),
    answer = "You are logged out, and the rest is under way.",
    problems(WrongPassword, SessionRequired, TooManyAttempts),
)]
pub(crate) async fn delete_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<DeleteAccountRequest>,
) -> ApiResult<AcceptedEmpty> {
    services.delete_account(caller.access, body.0.password).await?;
    Ok(AcceptedEmpty)
}
