//! Channels, what was sent to them, and when not to: as their owner sees it. Never an address or a secret, but a secret when it
//! is new.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::notifications::{Channel, CreatedWebhook, LoggedDelivery, NoticeSettings, QuietTime};

/// Where you are told what you wait for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Channel)]
pub struct ChannelBody {
    /// Identifier of the channel.
    pub id: Uuid,
    /// `web_push`, or the form of a webhook: `standard`, `discord`, `slack`, `ntfy`. New ones may come.
    #[schema(max_length = 32, examples("web_push"))]
    pub format: String,
    /// What you call it.
    #[schema(min_length = 1, max_length = 60, examples("Ada's phone"))]
    pub name: String,
    /// Whom it leads to. The whole address is not shown, as it may be as good as a password.
    #[schema(max_length = 300, examples("push.example"))]
    pub host: String,
    /// What it is told of: `your_turn`, `deadline_near`, `nudged`, `invited`, `round_over`, `match_over`. New ones may come.
    #[schema(max_items = 16, examples("your_turn"))]
    pub kinds: Vec<String>,
    /// The page that a notice opens; `{kind}` stands for the kind of notice, `{id}` for the match or the challenge. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 1000, examples("https://play.example/notices/{kind}/{id}"))]
    pub link: Option<String>,
    /// `true`: neither quiet hours nor a look at the match hold a notice up; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub immediate: bool,
    /// `active`; `failing`, while the newest try has failed; `gone`, if the other side has said so. New ones may come.
    #[schema(max_length = 32, examples("active"))]
    pub status: String,
    /// When it was made. It is told of nothing that was before.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// Newest notice that has arrived.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub delivered_at: Option<DateTime<Utc>>,
    /// First try that failed after that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub failing_since: Option<DateTime<Utc>>,
    /// When the other side said that it is gone.
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
    /// The newest at the top.
    #[schema(max_items = 20)]
    pub items: Vec<ChannelBody>,
}

/// A webhook with its secret: the only time that this one is shown.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWebhook)]
pub struct CreatedWebhookBody {
    /// What notices are signed with (Standard Webhooks); keep it as safe as a password.
    #[schema(max_length = 100, examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwExampleExam="))]
    pub secret: String,
    /// What you see of it from now on.
    pub channel: ChannelBody,
}

/// A notice: waiting to be sent, or what became of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Delivery)]
pub struct DeliveryBody {
    /// Identifier, which the receiver is told: `webhook-id`, or `id` in a push.
    pub id: Uuid,
    /// What it is of: those of `kinds`, or `test`. New ones may come.
    #[schema(max_length = 32, examples("your_turn"))]
    pub kind: String,
    /// The match, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The challenge, if it is of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub challenge_id: Option<Uuid>,
    /// When it happened.
    #[serde(serialize_with = "crate::values::time::print")]
    pub happened_at: DateTime<Utc>,
    /// `waiting`, `delivered`, `failed` (given up), `dropped` (no longer worth telling). New ones may come.
    #[schema(max_length = 32, examples("delivered"))]
    pub status: String,
    /// How often it was tried.
    #[schema(minimum = 0, maximum = 100, examples(1))]
    pub attempts: i32,
    /// When it was tried last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub tried_at: Option<DateTime<Utc>>,
    /// When it is tried next, while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub next_try_at: Option<DateTime<Utc>>,
    /// The HTTP status that was answered last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 100, maximum = 999, examples(503))]
    pub answered_status: Option<i32>,
    /// Why it failed: `refused` (another status), `timeout`, `unreachable`, `gone`, `bad_keys`, `too_long`
    /// (what your link makes of it); why it was dropped: `seen` (you have
    /// looked at the match), `outdated`, `channel_closed`. New ones may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("timeout"))]
    pub reason: Option<String>,
    /// When it was delivered, given up or dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub done_at: Option<DateTime<Utc>>,
}

/// What was sent to a channel in the last days, and what is to be sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DeliveryList)]
pub struct DeliveryListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// The newest at the top.
    #[schema(max_items = 100)]
    pub items: Vec<DeliveryBody>,
    /// Where the next page begins; left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub next_cursor: Option<String>,
}

/// When you want to be told.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = NoticeSettings)]
pub struct NoticeSettingsBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// From when notices wait, by the clock on your wall. Left out if they never do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("22:00"))]
    pub quiet_from: Option<String>,
    /// Until when, perhaps on the next day.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("07:00"))]
    pub quiet_to: Option<String>,
    /// Where the wall is: a name of the IANA time zone database.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    pub time_zone: Option<String>,
}

impl From<Channel> for ChannelBody {
    fn from(channel: Channel) -> Self {
        let status = match (channel.ended_at, channel.failing_since) {
            (Some(_), _) => "gone",
            (None, Some(_)) => "failing",
            (None, None) => "active",
        };
        Self {
            id: channel.id.0,
            format: channel.format,
            name: channel.name,
            host: channel.host,
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
            id: logged.id,
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

impl NoticeSettingsBody {
    /// The settings at a time.
    pub fn new(settings: NoticeSettings, now: DateTime<Utc>) -> Self {
        let quiet = settings.quiet;
        Self {
            server_time: now,
            quiet_from: quiet.as_ref().map(|quiet| QuietTime::print(quiet.from)),
            quiet_to: quiet.as_ref().map(|quiet| QuietTime::print(quiet.to)),
            time_zone: quiet.map(|quiet| quiet.time_zone),
        }
    }
}
