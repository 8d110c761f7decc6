//! Operations on channels: where somebody is told what they wait for.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, delete, get, patch, post};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::{ChannelChanges, Kind, NewPush, NewWebhook};

use crate::kernel::error::ApiError;
use crate::kernel::extract::Owner;
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::ChannelPath;
use crate::kernel::problem::{Problem, ProblemCode};
use crate::kernel::responses::{done, plain};
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
#[utoipa::path(
    operation_id = "createPushChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    request_body(content = CreatePushChannelRequest,
        example = json!({"endpoint": "https://push.example/send/abc",
            "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            "auth": "BTBZMqHH6r4Tts7J_aSIgg", "name": "Ada's phone"})),
    responses(
        (status = 201, description = "The channel.", body = ChannelBody),
        (status = 409, description = "`too_many_channels`.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`url_not_allowed`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/push-channels")]
pub(crate) async fn create_push_channel(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<CreatePushChannelRequest>,
) -> Result<HttpResponse, ApiError> {
    let CreatePushChannelRequest { endpoint, p256dh, auth, name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, Some(immediate))?;
    let new = NewPush { endpoint, p256dh, auth, changes };
    let channel = services.create_push_channel(owner.0, new).await?;
    plain(StatusCode::CREATED, &ChannelBody::from(channel))
}

/// Make a webhook channel.
///
/// Notices are posted to an address of yours, signed after Standard Webhooks; `secret` is shown this once. Or they are
/// posted as a line of text to where Discord, Slack, Mattermost or ntfy take them. If no answer arrives, `listChannels` shows
/// whether it is there: delete it and make another.
#[utoipa::path(
    operation_id = "createWebhookChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    request_body(content = CreateWebhookChannelRequest,
        example = json!({"url": "https://hooks.example/yaniv", "format": "standard", "name": "my server"})),
    responses(
        (status = 201, description = "The channel, with its secret.", body = CreatedWebhookBody),
        (status = 409, description = "`too_many_channels`.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`url_not_allowed`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/webhook-channels")]
pub(crate) async fn create_webhook_channel(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<CreateWebhookChannelRequest>,
) -> Result<HttpResponse, ApiError> {
    let CreateWebhookChannelRequest { url, format, name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, Some(immediate))?;
    let new = NewWebhook { url, format: format.into(), changes };
    let created = services.create_webhook(owner.0.account, new).await?;
    plain(StatusCode::CREATED, &CreatedWebhookBody::from(created))
}

/// List your channels.
///
/// The newest at the top.
#[utoipa::path(
    operation_id = "listChannels",
    tag = "notices",
    security(("access_token" = ["account"])),
    responses((status = 200, description = "Your channels.", body = ChannelListBody))
)]
#[get("/v1/channels")]
pub(crate) async fn list_channels(
    services: Data<Services>,
    owner: Owner,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let channels = services.channels(owner.0.account).await?;
    plain(StatusCode::OK, &ChannelListBody::new(channels, services.now()))
}

/// Show a channel.
///
/// What it is told of, and whether it works.
#[utoipa::path(
    operation_id = "getChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath),
    responses(
        (status = 200, description = "The channel.", body = ChannelBody),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/channels/{channel_id}")]
pub(crate) async fn get_channel(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let channel = services.channel(owner.0.account, path.channel_id).await?;
    plain(StatusCode::OK, &ChannelBody::from(channel))
}

/// Change a channel.
///
/// What you leave out stays as it is. A webhook that is `gone` is tried again from then on. Sent again, it changes nothing.
#[utoipa::path(
    operation_id = "updateChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath),
    request_body(content = UpdateChannelRequest, example = json!({"kinds": ["your_turn", "match_over"]})),
    responses(
        (status = 200, description = "The channel.", body = ChannelBody),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[patch("/v1/channels/{channel_id}")]
pub(crate) async fn update_channel(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    body: JsonBody<UpdateChannelRequest>,
) -> Result<HttpResponse, ApiError> {
    let UpdateChannelRequest { name, kinds, link, immediate } = body.0;
    let changes = changes(name, kinds, link, immediate)?;
    let channel = services.update_channel(owner.0.account, path.channel_id, changes).await?;
    plain(StatusCode::OK, &ChannelBody::from(channel))
}

/// Delete a channel.
///
/// With everything that waits for it, and its log.
#[utoipa::path(
    operation_id = "deleteChannel",
    tag = "notices",
    security(("access_token" = ["account"])),
    params(ChannelPath),
    responses(
        (status = 204, description = "The channel is gone."),
        (status = 404, description = "`channel_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/channels/{channel_id}")]
pub(crate) async fn delete_channel(
    services: Data<Services>,
    owner: Owner,
    path: ChannelPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.delete_channel(owner.0.account, path.channel_id).await?;
    Ok(done())
}
