//! Checks of a channel: its test, its log of deliveries; and the rotation of its secret.

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

/// Which page of the deliveries to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct DeliveriesQuery {
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Test a channel.
///
/// Sends one test notification, without retries, regardless of the channel's kinds and your quiet hours.
/// `listDeliveries` shows the result a moment later. While a test is in progress, another request returns the same
/// test.
#[operation(
    post "/v1/channels/{channel_id}/test",
    tag = "notifications",
    answer = "The test notification, waiting to be sent.",
    problems(ChannelNotFound, ChannelGone, EmailNotVerified, NotificationsOff),
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

/// List the deliveries of a channel.
///
/// The notifications of the last seven days with the results of their delivery, the newest first.
#[operation(
    get "/v1/channels/{channel_id}/deliveries",
    tag = "notifications",
    answer = "A page of deliveries.",
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

/// Rotate the secret of a webhook.
///
/// The new secret is shown only in this response. Notifications are signed with it and with all secrets that it has replaced
/// within 24 hours, the newest first: the receiver's is among them, however often you rotate. If no response arrives,
/// repeat the request, at most ten times a day.
#[operation(
    post "/v1/channels/{channel_id}/rotate-secret",
    tag = "notifications",
    answer = "The channel, with its new secret.",
    problems(ChannelNotFound, NotAWebhook, TooManyRotations),
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
