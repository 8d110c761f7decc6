//! Health checks: liveness and readiness, without authentication.

use actix_web::get;
use actix_web::web::Data;
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::json::NoQuery;
use crate::kernel::responses::{ApiResult, Reply};

/// State of the service.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Health)]
pub(crate) struct HealthBody {
    /// Always `ok`: failures are problems.
    #[schema(max_length = 16, examples("ok"))]
    pub(crate) status: String,
    /// Version of the program.
    #[schema(max_length = 32, examples("1.0.0"))]
    pub(crate) version: String,
}

/// Check liveness.
///
/// Checks only that the process answers. If it does not, restart it.
#[operation(
    get "/healthz",
    tag = "service",
    answer = "The service is alive.",
)]
pub(crate) async fn get_health(_: NoQuery) -> ApiResult<Reply<HealthBody>> {
    Ok(health())
}

/// Check readiness.
///
/// Also checks the database, at most a second ago. Send no requests to a service that is not ready.
#[operation(
    get "/readyz",
    tag = "service",
    answer = "The service is ready.",
)]
pub(crate) async fn get_readiness(services: Data<Services>, _: NoQuery) -> ApiResult<Reply<HealthBody>> {
    services.ready().await?;
    Ok(health())
}

fn health() -> Reply<HealthBody> {
    Reply::new(HealthBody { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}
