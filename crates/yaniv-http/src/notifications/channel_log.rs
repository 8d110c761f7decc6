//! Whether a channel works: its test, its log, and another secret for it.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, get, post};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Owner;
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{ChannelPath, checked_page};
use crate::kernel::problem::Problem;
use crate::kernel::responses::plain;
use crate::notifications::channel_body::{CreatedWebhookBody, DeliveryBody, DeliveryListBody};

/// Which notices to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveriesQuery {
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Test a channel.
///
/// Sends a notice that says no more than that it is a test; once, whatever the channel's kinds and your quiet hours are. What
/// became of it `listDeliveries` shows a moment later. While a test is under way, another one is the same.
#[utoipa::path(
    operation_id = "testChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath),
    responses(
        (status = 202, description = "The notice, which is about to be sent.", body = DeliveryBody),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`channel_gone`, `notices_off`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/channels/{channel_id}/tests")]
pub(crate) async fn test_channel(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let delivery = services.test_channel(owner.0.account, path.channel_id).await?;
    plain(StatusCode::ACCEPTED, &DeliveryBody::from(delivery))
}

/// List what was sent to a channel.
///
/// The notices of the last seven days, the newest at the top, and what became of them.
#[utoipa::path(
    operation_id = "listDeliveries",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath, DeliveriesQuery),
    responses(
        (status = 200, description = "The notices.", body = DeliveryListBody),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/channels/{channel_id}/deliveries")]
pub(crate) async fn list_deliveries(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    query: Queried<DeliveriesQuery>,
) -> Result<HttpResponse, ApiError> {
    let DeliveriesQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.deliveries(owner.0.account, path.channel_id, cursor.as_deref(), limit).await?;
    plain(StatusCode::OK, &DeliveryListBody::new(page, services.now()))
}

/// Give a webhook another secret.
///
/// It is shown this once. For 24 hours notices are signed by both, the new one first. If no answer arrives, ask again.
#[utoipa::path(
    operation_id = "rotateChannelSecret",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath),
    responses(
        (status = 201, description = "The channel, with its secret.", body = CreatedWebhookBody),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`not_a_webhook`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/channels/{channel_id}/secrets")]
pub(crate) async fn rotate_channel_secret(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let created = services.rotate_secret(owner.0.account, path.channel_id).await?;
    plain(StatusCode::CREATED, &CreatedWebhookBody::from(created))
}
