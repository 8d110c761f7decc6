//! Whether a channel works: its test, its log, and another secret for it.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Account, Auth, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{ChannelPath, checked_page};
use crate::kernel::responses::{Accepted, ApiResult, Created, Reply};
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
#[operation(
    post "/v1/channels/{channel_id}/tests",
    tag = "notices",
    answer = "The notice, which is about to be sent.",
    problems(ChannelNotFound, ChannelGone, NoticesOff),
)]
pub(crate) async fn test_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: ChannelPath,
    _: NoBody,
) -> ApiResult<Accepted<DeliveryBody>> {
    let delivery = services.test_channel(caller.account, path.channel_id).await?;
    Ok(Accepted(DeliveryBody::from(delivery)))
}

/// List what was sent to a channel.
///
/// The notices of the last seven days, the newest at the top, and what became of them.
#[operation(
    get "/v1/channels/{channel_id}/deliveries",
    tag = "notices",
    answer = "The notices.",
    problems(ChannelNotFound),
)]
pub(crate) async fn list_deliveries(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    path: ChannelPath,
    query: Queried<DeliveriesQuery>,
) -> ApiResult<Reply<DeliveryListBody>> {
    let DeliveriesQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.deliveries(caller.account, path.channel_id, cursor.as_deref(), limit).await?;
    Ok(Reply::new(DeliveryListBody::new(page, services.now())))
}

/// Give a webhook another secret.
///
/// It is shown this once. For 24 hours notices are signed by both, the new one first. If no answer arrives, ask again.
#[operation(
    post "/v1/channels/{channel_id}/secrets",
    tag = "notices",
    answer = "The channel, with its secret.",
    problems(ChannelNotFound, NotAWebhook),
)]
pub(crate) async fn rotate_channel_secret(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: ChannelPath,
    _: NoBody,
) -> ApiResult<Created<CreatedWebhookBody>> {
    let created = services.rotate_secret(caller.account, path.channel_id).await?;
    Ok(Created::new(CreatedWebhookBody::from(created)))
}
