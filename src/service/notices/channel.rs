//! What a channel is, and what is wanted of one: where an account wants to be told.

use chrono::{DateTime, Utc};

use super::kinds::Kinds;
use crate::ids::ChannelId;
use crate::store::channels::ChannelRow;

/// The form of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Standard Webhooks, for programs.
    Standard,
    /// A text for Discord.
    Discord,
    /// A text for Slack, Mattermost and the like.
    Slack,
    /// A text for ntfy.
    Ntfy,
}

impl Format {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Discord => "discord",
            Self::Slack => "slack",
            Self::Ntfy => "ntfy",
        }
    }
}

/// What both kinds of channels have; what is none is as usual.
#[derive(Clone, Debug, Default)]
pub struct ChannelChanges {
    /// What to call it.
    pub name: Option<String>,
    /// What it is to be told of.
    pub kinds: Option<Kinds>,
    /// The page that a notice opens; empty takes it away.
    pub link: Option<String>,
    /// Whether nothing is to hold a notice up.
    pub immediate: Option<bool>,
}

/// A web push channel to be made, as browsers print a subscription.
#[derive(Clone, Debug)]
pub struct NewPush {
    /// Where to push to.
    pub endpoint: String,
    /// The browser's key, base64url.
    pub p256dh: String,
    /// The shared secret, base64url.
    pub auth: String,
    /// The rest.
    pub changes: ChannelChanges,
}

/// A webhook to be made.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// Where to post to.
    pub url: String,
    /// In which form.
    pub format: Format,
    /// The rest.
    pub changes: ChannelChanges,
}

/// A channel, as its owner sees it: without its address, which may be as good as a password.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its identifier.
    pub id: ChannelId,
    /// `web_push`, or the form of a webhook.
    pub format: String,
    /// What its owner calls it.
    pub name: String,
    /// Whom it leads to.
    pub host: String,
    /// The page that a notice opens.
    pub link: Option<String>,
    /// What it is told of.
    pub kinds: Kinds,
    /// Whether nothing holds a notice up.
    pub immediate: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Newest success.
    pub delivered_at: Option<DateTime<Utc>>,
    /// First failure after that.
    pub failing_since: Option<DateTime<Utc>>,
    /// When the other side said that it is gone.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A webhook whose secret is shown: this once.
#[derive(Clone)]
pub struct CreatedWebhook {
    /// The channel.
    pub channel: Channel,
    /// What signs.
    pub secret: String,
}

impl From<ChannelRow> for Channel {
    fn from(row: ChannelRow) -> Self {
        Self {
            id: ChannelId(row.id),
            format: row.format,
            name: row.name,
            host: row.host,
            link: row.link,
            kinds: Kinds::from_bits(row.kinds),
            immediate: row.immediate,
            created_at: row.created_at,
            delivered_at: row.delivered_at,
            failing_since: row.failing_since,
            ended_at: row.ended_at,
        }
    }
}
