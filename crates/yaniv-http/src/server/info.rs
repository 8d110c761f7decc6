//! What a client may want to know of the server, without log-in.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, get};
use yaniv_app::Services;
use yaniv_app::accounts::tokens::MOST_TOKENS;
use yaniv_app::notifications::MOST_CHANNELS;

use crate::kernel::error::ApiError;
use crate::kernel::json::{BODY_LIMIT, NoQuery};
use crate::kernel::responses::plain;
use crate::server::server_body::ServerBody;

/// Show what this server is.
///
/// Who may register, with which key browsers subscribe to notices, and how much there may be of what.
#[utoipa::path(
    operation_id = "getServer",
    tag = "service",
    responses((status = 200, description = "This server.", body = ServerBody))
)]
#[get("/v1/server")]
pub(crate) async fn get_server(services: Data<Services>, _: NoQuery) -> Result<HttpResponse, ApiError> {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let body = ServerBody {
        server_time: services.now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sign_up: services.who_may_sign_up().name().to_owned(),
        push_key: services.push_key().to_owned(),
        sends_notices: services.sends_notices(),
        max_body_bytes: number(BODY_LIMIT),
        max_channels: number(MOST_CHANNELS),
        max_personal_tokens: number(MOST_TOKENS),
    };
    plain(StatusCode::OK, &body)
}
