//! Whether the service lives and is ready: for supervisors, without log-in.

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
#[operation(
    get "/healthz",
    tag = "service",
    answer = "It lives.",
)]
pub(crate) async fn get_health(_: NoQuery) -> ApiResult<Reply<HealthBody>> {
    Ok(health())
}

/// Say whether the service is ready.
///
/// Asks the database: a service that is not ready should get no requests.
#[operation(
    get "/readyz",
    tag = "service",
    answer = "It is ready.",
)]
pub(crate) async fn get_readiness(services: Data<Services>, _: NoQuery) -> ApiResult<Reply<HealthBody>> {
    services.ready().await?;
    Ok(health())
}

fn health() -> Reply<HealthBody> {
    Reply::new(HealthBody { status: "ok".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() })
}
