//! Operations on channels, which receive an account's notifications: push subscriptions, webhooks, and what all channels
//! have in common. E-mail is in `email_channels`.

use actix_web::web::Data;
use actix_web::{delete, get, patch, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::{ChannelChanges, Kind, NewPush, NewWebhook};
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, KeyHeader, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::ChannelPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};
use crate::notifications::channel_body::{ChannelBody, ChannelListBody, CreatedWebhookBody};
use crate::notifications::channel_request::{NotificationKind, WebhookFormat};

/// A browser's push subscription: the fields of its `toJSON()`, without nesting.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatePushChannelRequest {
    /// `endpoint` of the subscription: an https address on port 443.
    #[schema(max_length = 1000, examples("https://push.example/send/abc"))]
    endpoint: String,
    /// `keys.p256dh` of the subscription, base64url.
    #[schema(
        max_length = 90,
        examples("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    )]
    p256dh: String,
    /// `keys.auth` of the subscription, base64url.
    #[schema(max_length = 24, examples("BTBZMqHH6r4Tts7J_aSIgg"))]
    auth: String,
    /// Name of the channel, 1 to 60 characters; default: the host of the endpoint.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    name: Option<String>,
    /// Kinds of notifications; default: all but `round_over` and `digest`.
    #[serde(default)]
    #[schema(nullable = false, max_items = 8)]
    kinds: Option<Vec<NotificationKind>>,
    /// The page of your client that a notification opens; `{kind}` stands for its kind, `{id}` for the match or
    /// challenge. With `{id}` but without `{kind}`, invitations and tests open the start page of that site.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 1000,
        examples("https://play.example/notifications/{kind}/{id}")
    )]
    link: Option<String>,
    /// If `true`, neither quiet hours nor your viewing the match delay or drop notifications.
    #[serde(default)]
    #[schema(required = false)]
    immediate: bool,
}

/// A new webhook.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateWebhookChannelRequest {
    /// Address that receives the notifications: https, port 443, a publicly reachable host.
    #[schema(max_length = 1000, examples("https://hooks.example/yaniv"))]
    url: String,
    /// Format: `standard`, signed JSON for programs; `discord`, `slack` (also Mattermost), `ntfy`, a line of text.
    format: WebhookFormat,
    /// Name of the channel, 1 to 60 characters; default: the host.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("my server"))]
    name: Option<String>,
    /// Kinds of notifications; default: all but `round_over` and `digest`.
    #[serde(default)]
    #[schema(nullable = false, max_items = 8)]
    kinds: Option<Vec<NotificationKind>>,
    /// The page that a notification opens; `{kind}` stands for its kind, `{id}` for the match or challenge. With `{id}`
    /// but without `{kind}`, invitations and tests open the start page of that site.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 1000,
        examples("https://play.example/notifications/{kind}/{id}")
    )]
    link: Option<String>,
    /// If `true`, neither quiet hours nor your viewing the match delay or drop notifications; for programs.
    #[serde(default)]
    #[schema(required = false)]
    immediate: bool,
}

/// Changes of a channel. Fields left out stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateChannelRequest {
    /// Name of the channel, 1 to 60 characters.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    name: Option<String>,
    /// Kinds of notifications; none if empty.
    #[serde(default)]
    #[schema(nullable = false, max_items = 8)]
    kinds: Option<Vec<NotificationKind>>,
    /// The page that a notification opens; an empty text removes it.
    #[serde(default)]
    #[schema(
        nullable = false,
        max_length = 1000,
        examples("https://play.example/notifications/{kind}/{id}")
    )]
    link: Option<String>,
    /// If `true`, neither quiet hours nor your viewing the match delay or drop notifications.
    #[serde(default)]
    #[schema(nullable = false)]
    immediate: Option<bool>,
}

pub(super) fn changes(
    name: Option<String>,
    kinds: Option<Vec<NotificationKind>>,
    link: Option<String>,
    immediate: Option<bool>,
) -> Result<ChannelChanges, ApiError> {
    if kinds.as_ref().is_some_and(|kinds| kinds.len() > Kind::ALL.len()) {
        return Err(ApiError::field(ProblemCode::InvalidBody, "kinds", "must name each kind at most once"));
    }
    let kinds = kinds.map(|kinds| kinds.into_iter().map(Kind::from).collect());
    Ok(ChannelChanges { name, kinds, link, immediate })
}

/// Create a web push channel.
///
/// For browsers, web apps on home screens, and UnifiedPush apps: subscribe with the `push_key` of `getServer`, and send
/// the subscription. Send it whenever your client starts: the same endpoint is the same channel. That updates its keys;
/// `updateChannel` changes name, kinds, link and `immediate`. The channel ends with the session or personal token that
/// sent it last, or when another account sends the endpoint. docs/notifications.md has an example.
#[operation(
    post "/v1/push-channels",
    tag = "notifications",
    example = json!({"endpoint": "https://push.example/send/abc",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg", "name": "Ada's phone"}),
    answer = "The channel.",
    problems(TooManyChannels, UrlNotAllowed),
)]
pub(crate) async fn create_push_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<CreatePushChannelRequest>,
) -> ApiResult<Created<ChannelBody>> {
    let CreatePushChannelRequest { endpoint, p256dh, auth, name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, Some(immediate))?;
    let new = NewPush { endpoint, p256dh, auth, changes };
    let channel = services.create_push_channel(caller.access, new).await?;
    Ok(Created::new(ChannelBody::from(channel)))
}

/// Create a webhook channel.
///
/// Notifications are posted to an address of yours: signed according to Standard Webhooks, or as a line of text for
/// Discord, Slack, Mattermost or ntfy. A webhook that a personal token creates ends with the token. `secret` is shown only
/// in this response, and in its repetition with the same key.
#[operation(
    post "/v1/webhook-channels",
    tag = "notifications",
    example = json!({"url": "https://hooks.example/yaniv", "format": "standard", "name": "my server"}),
    answer = "The channel, with its secret.",
    problems(TooManyChannels, UrlNotAllowed),
)]
pub(crate) async fn create_webhook_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    key: KeyHeader,
    body: JsonBody<CreateWebhookChannelRequest>,
) -> ApiResult<Created<CreatedWebhookBody>> {
    let key = key.of("createWebhookChannel", "", &body.0)?;
    let CreateWebhookChannelRequest { url, format, name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, Some(immediate))?;
    let new = NewWebhook { url, format: format.into(), changes };
    let created = services.create_webhook(caller.access, new, key).await?;
    Ok(Created::of_write(created.replayed, CreatedWebhookBody::from(created)))
}

/// List your channels.
///
/// Push subscriptions, webhooks and e-mail addresses, the newest first.
#[operation(
    get "/v1/channels",
    tag = "notifications",
    answer = "Your channels.",
)]
pub(crate) async fn list_channels(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<ChannelListBody>> {
    let channels = services.channels(caller.account).await?;
    Ok(Reply::new(ChannelListBody::new(channels, services.now())))
}

/// Show a channel.
///
/// Its settings, and whether deliveries succeed.
#[operation(
    get "/v1/channels/{channel_id}",
    tag = "notifications",
    answer = "The channel.",
    problems(ChannelNotFound),
)]
pub(crate) async fn get_channel(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    path: ChannelPath,
    _: NoQuery,
) -> ApiResult<Reply<ChannelBody>> {
    let channel = services.channel(caller.account, path.channel_id).await?;
    Ok(Reply::new(ChannelBody::from(channel)))
}

/// Change a channel.
///
/// Fields that you leave out stay as they are. A webhook that was `gone` is used again. Repeating the request changes
/// nothing.
#[operation(
    patch "/v1/channels/{channel_id}",
    tag = "notifications",
    example = json!({"kinds": ["your_turn", "match_over"]}),
    answer = "The channel.",
    problems(ChannelNotFound),
)]
pub(crate) async fn update_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: ChannelPath,
    body: JsonBody<UpdateChannelRequest>,
) -> ApiResult<Reply<ChannelBody>> {
    let UpdateChannelRequest { name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, immediate)?;
    let channel = services.update_channel(caller.account, path.channel_id, changes).await?;
    Ok(Reply::new(ChannelBody::from(channel)))
}

/// Delete a channel.
///
/// Also deletes its waiting notifications and its log. To delete an e-mail channel needs a
/// session; a verified address is told, and can be taken back for seven days (`verifyEmail`).
#[operation(
    delete "/v1/channels/{channel_id}",
    tag = "notifications",
    answer = "The channel is deleted.",
    problems(ChannelNotFound, SessionRequired),
)]
pub(crate) async fn delete_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: ChannelPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.delete_channel(caller.access, path.channel_id).await?;
    Ok(NoContent::default())
}
