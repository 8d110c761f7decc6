//! Properties of the server, without authentication.

use actix_web::get;
use actix_web::web::Data;
use yaniv_app::Services;
use yaniv_app::accounts::tokens::MOST_TOKENS;
use yaniv_app::notifications::MOST_CHANNELS;
use yaniv_http_macros::operation;

use crate::kernel::json::{BODY_LIMIT, NoQuery};
use crate::kernel::responses::{ApiResult, Reply};
use crate::server::server_body::ServerBody;

/// Show the server's properties.
///
/// Version, who may register, the key for push subscriptions, and limits.
#[operation(
    get "/v1/server",
    tag = "service",
    answer = "The server's properties.",
)]
pub(crate) async fn get_server(services: Data<Services>, _: NoQuery) -> ApiResult<Reply<ServerBody>> {
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    let body = ServerBody {
        server_time: services.now(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        sign_up: services.who_may_sign_up().name().to_owned(),
        push_key: services.push_key().to_owned(),
        sends_notifications: services.sends_notifications(),
        sends_email: services.sends_email(),
        oidc_provider: services.oidc_provider().map(str::to_owned),
        passkeys: services.has_passkeys(),
        max_body_bytes: number(BODY_LIMIT),
        max_channels: number(MOST_CHANNELS),
        max_personal_tokens: number(MOST_TOKENS),
    };
    Ok(Reply::new(body))
}
