//! Operations on channels: where somebody is told what they wait for.

use actix_web::web::Data;
use actix_web::{delete, get, patch, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::{ChannelChanges, Kind, NewPush, NewWebhook};
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::ChannelPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply};
use crate::notifications::channel_body::{ChannelBody, ChannelListBody, CreatedWebhookBody};
use crate::notifications::channel_request::{NoticeKind, WebhookFormat};

/// A browser's subscription, as its `toJSON()` has it, without nesting.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreatePushChannelRequest {
    /// `endpoint` of the subscription: an https address on the usual port.
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
    /// What to call it, 1 to 60 characters; the host of the endpoint if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    name: Option<String>,
    /// What to be told of; if left out, everything but `round_over`.
    #[serde(default)]
    #[schema(nullable = false, max_items = 6)]
    kinds: Option<Vec<NoticeKind>>,
    /// The page of your client that a notice opens; `{kind}` stands for the kind of notice, `{id}` for the match or the challenge.
    /// With `{id}` alone it is the page of a match: an invitation and a test open the start page of that site.
    #[serde(default)]
    #[schema(nullable = false, max_length = 1000, examples("https://play.example/notices/{kind}/{id}"))]
    link: Option<String>,
    /// Whether neither quiet hours nor a look at the match hold a notice up.
    #[serde(default)]
    #[schema(required = false)]
    immediate: bool,
}

/// A webhook to be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateWebhookChannelRequest {
    /// Where to post to: an https address on the usual port, of a host that everybody can reach.
    #[schema(max_length = 1000, examples("https://hooks.example/yaniv"))]
    url: String,
    /// In which form: `standard` for programs; a line of text for `discord`, `slack` (also Mattermost), `ntfy`.
    format: WebhookFormat,
    /// What to call it, 1 to 60 characters; the host if left out.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("my server"))]
    name: Option<String>,
    /// What to be told of; if left out, everything but `round_over`.
    #[serde(default)]
    #[schema(nullable = false, max_items = 6)]
    kinds: Option<Vec<NoticeKind>>,
    /// The page that a notice opens; `{kind}` stands for the kind of notice, `{id}` for the match or the challenge. With `{id}`
    /// alone it is the page of a match: an invitation and a test open the start page of that site.
    #[serde(default)]
    #[schema(nullable = false, max_length = 1000, examples("https://play.example/notices/{kind}/{id}"))]
    link: Option<String>,
    /// Whether neither quiet hours nor a look at the match hold a notice up: for programs.
    #[serde(default)]
    #[schema(required = false)]
    immediate: bool,
}

/// What is to be changed of a channel: what is left out stays as it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UpdateChannelRequest {
    /// What to call it, 1 to 60 characters.
    #[serde(default)]
    #[schema(nullable = false, min_length = 1, max_length = 60, examples("Ada's phone"))]
    name: Option<String>,
    /// What to be told of; nothing, if it is empty.
    #[serde(default)]
    #[schema(nullable = false, max_items = 6)]
    kinds: Option<Vec<NoticeKind>>,
    /// The page that a notice opens; an empty text takes it away.
    #[serde(default)]
    #[schema(nullable = false, max_length = 1000, examples("https://play.example/notices/{kind}/{id}"))]
    link: Option<String>,
    /// Whether neither quiet hours nor a look at the match hold a notice up.
    #[serde(default)]
    #[schema(nullable = false)]
    immediate: Option<bool>,
}

fn changes(
    name: Option<String>,
    kinds: Option<Vec<NoticeKind>>,
    link: Option<String>,
    immediate: Option<bool>,
) -> Result<ChannelChanges, ApiError> {
    if kinds.as_ref().is_some_and(|kinds| kinds.len() > Kind::ALL.len()) {
        return Err(ApiError::field(ProblemCode::InvalidBody, "kinds", "has to name each kind once"));
    }
    let kinds = kinds.map(|kinds| kinds.into_iter().map(Kind::from).collect());
    Ok(ChannelChanges { name, kinds, link, immediate })
}

/// Make a web push channel.
///
/// For browsers, web apps on home screens, and UnifiedPush apps: subscribe with the `push_key` of `getServer`, and send what
/// the subscription says. Send it whenever your client starts: the same endpoint again is the same channel, with new keys; what
/// you chose for it stays, `updateChannel` changes it. The channel ends with the log-in that sent it last, or when another account
/// sends the endpoint. docs/notices.md has an example.
#[operation(
    post "/v1/push-channels",
    tag = "notices",
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

/// Make a webhook channel.
///
/// Notices are posted to an address of yours, signed after Standard Webhooks; `secret` is shown this once. Or they are
/// posted as a line of text to where Discord, Slack, Mattermost or ntfy take them. If no answer arrives, `listChannels` shows
/// whether it is there: delete it and make another.
#[operation(
    post "/v1/webhook-channels",
    tag = "notices",
    example = json!({"url": "https://hooks.example/yaniv", "format": "standard", "name": "my server"}),
    answer = "The channel, with its secret.",
    problems(TooManyChannels, UrlNotAllowed),
)]
pub(crate) async fn create_webhook_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<CreateWebhookChannelRequest>,
) -> ApiResult<Created<CreatedWebhookBody>> {
    let CreateWebhookChannelRequest { url, format, name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, Some(immediate))?;
    let new = NewWebhook { url, format: format.into(), changes };
    let created = services.create_webhook(caller.account, new).await?;
    Ok(Created::new(CreatedWebhookBody::from(created)))
}

/// List your channels.
///
/// The newest at the top.
#[operation(
    get "/v1/channels",
    tag = "notices",
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
/// What it is told of, and whether it works.
#[operation(
    get "/v1/channels/{channel_id}",
    tag = "notices",
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
/// What you leave out stays as it is. A webhook that is `gone` is tried again from then on. Sent again, it changes nothing.
#[operation(
    patch "/v1/channels/{channel_id}",
    tag = "notices",
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
/// With everything that waits for it, and its log.
#[operation(
    delete "/v1/channels/{channel_id}",
    tag = "notices",
    answer = "The channel is gone.",
    problems(ChannelNotFound),
)]
pub(crate) async fn delete_channel(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: ChannelPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.delete_channel(caller.account, path.channel_id).await?;
    Ok(NoContent::default())
}
