//! Deleting one's account.

use actix_web::http::header::CACHE_CONTROL;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Owner;
use crate::kernel::json::JsonBody;
use crate::kernel::problem::Problem;

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
#[utoipa::path(
    operation_id = "deleteAccount",
    tag = "accounts",
    security(("access_token" = ["account"])),
    request_body(content = DeleteAccountRequest, example = json!({"password": "correct horse"})),
    responses(
        (status = 202, description = "You are logged out, and the rest is under way."),
        (status = 403, description = "`wrong_password`, `session_required`.",
            body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "`too_many_attempts`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/account/deletion")]
pub(crate) async fn delete_account(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<DeleteAccountRequest>,
) -> Result<HttpResponse, ApiError> {
    services.delete_account(owner.0, body.0.password).await?;
    Ok(accepted())
}

/// Something that goes on by itself.
pub(crate) fn accepted() -> HttpResponse {
    HttpResponse::Accepted().insert_header((CACHE_CONTROL, "no-store")).finish()
}
