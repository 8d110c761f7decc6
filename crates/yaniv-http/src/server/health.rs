//! Whether the service lives and is ready: for supervisors, without log-in.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, get};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::json::NoQuery;
use crate::kernel::responses::plain;

/// State of the service.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthBody {
    /// Always `ok`; what is not is a problem.
    #[schema(max_length = 16, examples("ok"))]
    pub(crate) status: String,
    /// Version of the program.
    #[schema(max_length = 32, examples("0.1.0"))]
    pub(crate) version: String,
}

/// Say whether the service lives.
///
/// Asks nothing else: a service that does not answer should be restarted.
#[utoipa::path(
    operation_id = "getHealth",
    tag = "service",
    responses((status = 200, description = "It lives.", body = HealthBody))
)]
#[get("/healthz")]
pub(crate) async fn get_health(_: NoQuery) -> Result<HttpResponse, ApiError> {
    health()
}

/// Say whether the service is ready.
///
/// Asks the database: a service that is not ready should get no requests.
#[utoipa::path(
    operation_id = "getReadiness",
    tag = "service",
    responses((status = 200, description = "It is ready.", body = HealthBody))
)]
#[get("/readyz")]
pub(crate) async fn get_readiness(services: Data<Services>, _: NoQuery) -> Result<HttpResponse, ApiError> {
    services.ready().await?;
    health()
}

fn health() -> Result<HttpResponse, ApiError> {
    let body = HealthBody { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
    plain(StatusCode::OK, &body)
}
