//! Channels, their deliveries, and notification settings, as their owner sees them. Of addresses only those of e-mail are
//! shown; a secret is shown once, when it is new.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::notifications::{Channel, CreatedWebhook, LoggedDelivery, NotificationSettings, QuietTime};

/// A channel: a push subscription, a webhook or an e-mail address that receives your notifications.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Channel)]
pub struct ChannelBody {
    /// Identifier of the channel.
    pub channel_id: Uuid,
    /// `web_push`, `email`, or the form of a webhook: `standard`, `discord`, `slack`, `ntfy`. New ones may come.
    #[schema(max_length = 32, examples("web_push"))]
    pub format: String,
    /// Your name for it.
    #[schema(min_length = 1, max_length = 60, examples("Ada's phone"))]
    pub name: String,
    /// Host of the address. Except for e-mail, the full address is not shown, because it may be as secret as a password.
    #[schema(max_length = 300, examples("push.example"))]
    pub host: String,
    /// The e-mail address. Left out for other channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 254, examples("ada@example.org"))]
    pub email: Option<String>,
    /// Kinds of notifications that it receives: `your_turn`, `deadline_near`, `table_full`, `nudged`, `invited`,
    /// `round_over`, `match_over`, `digest`. New ones may come.
    #[schema(max_items = 16, examples("your_turn"))]
    pub kinds: Vec<String>,
    /// The page that a notification opens; `{kind}` stands for its kind, `{id}` for the match or challenge. Left out if
    /// there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        max_length = 1000,
        examples("https://play.example/notifications/{kind}/{id}")
    )]
    pub link: Option<String>,
    /// `true` if neither quiet hours nor your viewing the match delay or drop notifications; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub immediate: bool,
    /// `active`; `failing`: the newest attempt failed; `gone`: the receiver answered that it no longer exists;
    /// `unverified`: the e-mail address waits for `verifyEmail`. New ones may come.
    #[schema(max_length = 32, examples("active"))]
    pub status: String,
    /// When the channel was created. It receives only notifications of later events.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When a notification was last delivered. Left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub delivered_at: Option<DateTime<Utc>>,
    /// First failed attempt since then. Left out if the newest attempt succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub failing_since: Option<DateTime<Utc>>,
    /// When the receiver answered that it no longer exists. Left out if it has not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub gone_at: Option<DateTime<Utc>>,
}

/// Your channels.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChannelList)]
pub struct ChannelListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// The newest first.
    #[schema(max_items = 20)]
    pub items: Vec<ChannelBody>,
}

/// A webhook with its secret, which is shown only in this response.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
pub struct CreatedWebhookBody {
    /// Key that signs notifications (Standard Webhooks); keep it as safe as a password.
    #[schema(max_length = 100, examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwExampleExam="))]
    pub secret: String,
    /// The channel.
    pub channel: ChannelBody,
}

/// A notification to a channel: waiting, or with the result of its delivery.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryBody {
    /// Identifier, which the receiver gets, too: as `webhook-id`, or as `delivery_id` in a push.
    pub delivery_id: Uuid,
    /// Kind: one of `kinds`, or a message that cannot be switched off: `test`; by e-mail also `verify_email`,
    /// `reset_password`, `new_device`, `new_app`, `password_changed`, `passkey_added`,
    /// `identity_linked`. New ones may come.
    #[schema(max_length = 32, examples("your_turn"))]
    pub kind: String,
    /// The match, if it concerns one. Otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The challenge, if it concerns one. Otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub challenge_id: Option<Uuid>,
    /// When the event happened.
    #[serde(serialize_with = "crate::values::time::print")]
    pub happened_at: DateTime<Utc>,
    /// `waiting`, `delivered`, `failed` (given up), `dropped` (no longer needed). New ones may come.
    #[schema(max_length = 32, examples("delivered"))]
    pub status: String,
    /// Number of attempts.
    #[schema(minimum = 0, maximum = 100, examples(1))]
    pub attempts: i32,
    /// When it was last attempted. Left out before the first attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub tried_at: Option<DateTime<Utc>>,
    /// When it is attempted next. Left out unless it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub next_try_at: Option<DateTime<Utc>>,
    /// HTTP status of the receiver's last answer; of e-mail, the code of the mail server (SMTP). Left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999, examples(503))]
    pub answered_status: Option<i32>,
    /// Why it failed: `refused` (any other error status), `timeout`, `unreachable`, `gone`, `bad_keys`, `too_long`
    /// (because of your link); or why it was dropped: `seen` (you viewed the match), `outdated`, `channel_closed`. New
    /// ones may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("timeout"))]
    pub reason: Option<String>,
    /// When it was delivered, given up or dropped. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub done_at: Option<DateTime<Utc>>,
}

/// The deliveries of a channel in the last seven days, and those that wait.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryList)]
pub struct DeliveryListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<DeliveryBody>,
    /// Value of `cursor` for the next page. Left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub next_cursor: Option<String>,
}

/// Your notification settings: quiet hours.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NotificationSettings)]
pub struct NotificationSettingsBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Start of the quiet hours, HH:MM local time; notifications wait for their end. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("22:00"))]
    pub quiet_from: Option<String>,
    /// End of the quiet hours, HH:MM local time, possibly on the next day. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("07:00"))]
    pub quiet_to: Option<String>,
    /// Time zone of the quiet hours: an IANA name. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    pub time_zone: Option<String>,
}

impl From<Channel> for ChannelBody {
    fn from(channel: Channel) -> Self {
        let status = match (channel.verified, channel.ended_at, channel.failing_since) {
            (_, Some(_), _) => "gone",
            (false, None, _) => "unverified",
            (true, None, Some(_)) => "failing",
            (true, None, None) => "active",
        };
        Self {
            channel_id: channel.id.0,
            format: channel.format,
            name: channel.name,
            host: channel.host,
            email: channel.email,
            kinds: channel.kinds.iter().map(|kind| kind.name().to_owned()).collect(),
            link: channel.link,
            immediate: channel.immediate,
            status: status.to_owned(),
            created_at: channel.created_at,
            delivered_at: channel.delivered_at,
            failing_since: channel.failing_since,
            gone_at: channel.ended_at,
        }
    }
}

impl ChannelListBody {
    /// The list at a time.
    pub fn new(channels: Vec<Channel>, now: DateTime<Utc>) -> Self {
        Self { server_time: now, items: channels.into_iter().map(Into::into).collect() }
    }
}

impl From<CreatedWebhook> for CreatedWebhookBody {
    fn from(created: CreatedWebhook) -> Self {
        Self { secret: created.secret, channel: created.channel.into() }
    }
}

impl From<LoggedDelivery> for DeliveryBody {
    fn from(logged: LoggedDelivery) -> Self {
        Self {
            delivery_id: logged.id,
            kind: logged.kind,
            match_id: logged.match_id,
            challenge_id: logged.challenge_id,
            happened_at: logged.happened_at,
            status: logged.status.as_str().to_owned(),
            attempts: logged.attempts.into(),
            tried_at: logged.tried_at,
            next_try_at: logged.next_at,
            answered_status: logged.answer.map(i32::from),
            reason: logged.reason,
            done_at: logged.done_at,
        }
    }
}

impl DeliveryListBody {
    /// The page at a time.
    pub fn new(page: Page<LoggedDelivery>, now: DateTime<Utc>) -> Self {
        let items = page.items.into_iter().map(Into::into).collect();
        Self { server_time: now, items, next_cursor: page.next_cursor }
    }
}

impl NotificationSettingsBody {
    /// The settings at a time.
    pub fn new(settings: NotificationSettings, now: DateTime<Utc>) -> Self {
        let quiet = settings.quiet;
        Self {
            server_time: now,
            quiet_from: quiet.as_ref().map(|quiet| QuietTime::print(quiet.from)),
            quiet_to: quiet.as_ref().map(|quiet| QuietTime::print(quiet.to)),
            time_zone: quiet.map(|quiet| quiet.time_zone),
        }
    }
}
