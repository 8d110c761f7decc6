//! Operations on accounts and log-ins.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, get, post};
use serde::Deserialize;
use utoipa::ToSchema;

use super::answer::plain;
use super::body::account_body::{AccountBody, SessionBody};
use super::body_reader::{JsonBody, NoQuery};
use super::error::ApiError;
use super::extract::{Caller, Stranger};
use super::limits::Bucket;
use super::problem::Problem;
use crate::service::Services;

/// Name and password of somebody who registers or logs in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Credentials {
    /// 3 to 20 of a-z, 0-9 and underscore.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    username: String,
    /// 8 to 128 characters.
    #[schema(min_length = 8, max_length = 128, format = Password, examples("correct horse"))]
    password: String,
}

/// Register an account.
///
/// Creates an account and logs it in. There is nothing to confirm: play at once.
#[utoipa::path(
    operation_id = "registerAccount",
    tag = "accounts",
    request_body(content = Credentials, example = json!({"username": "ada", "password": "correct horse"})),
    responses(
        (status = 201, description = "The account exists and is logged in.", body = SessionBody),
        (status = 409, description = "`username_taken`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/accounts")]
pub(super) async fn register_account(
    services: Data<Services>,
    stranger: Stranger,
    body: JsonBody<Credentials>,
) -> Result<HttpResponse, ApiError> {
    stranger.count(Bucket::SignUps)?;
    let Credentials { username, password } = body.0;
    let session = services.register(username, password).await?;
    plain(StatusCode::CREATED, &SessionBody::from(session))
}

/// Log in.
///
/// Answers an access token that is good for fifteen minutes. An unknown name is refused like a wrong password.
#[utoipa::path(
    operation_id = "logIn",
    tag = "accounts",
    request_body(content = Credentials, example = json!({"username": "ada", "password": "correct horse"})),
    responses(
        (status = 201, description = "Logged in.", body = SessionBody),
        (status = 401, description = "`invalid_credentials`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/sessions")]
pub(super) async fn log_in(
    services: Data<Services>,
    stranger: Stranger,
    body: JsonBody<Credentials>,
) -> Result<HttpResponse, ApiError> {
    stranger.count(Bucket::LogIns)?;
    let Credentials { username, password } = body.0;
    let session = services.log_in(&username, password).await?;
    plain(StatusCode::CREATED, &SessionBody::from(session))
}

/// Show your account.
///
/// The account that the access token speaks for.
#[utoipa::path(
    operation_id = "getAccount",
    tag = "accounts",
    security(("access_token" = [])),
    responses((status = 200, description = "Your account.", body = AccountBody))
)]
#[get("/v1/account")]
pub(super) async fn get_account(
    services: Data<Services>,
    caller: Caller,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let account = services.account(caller.0).await?;
    plain(StatusCode::OK, &AccountBody::from(account))
}
