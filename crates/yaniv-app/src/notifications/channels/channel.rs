//! A notification channel, and the requests to create and change one. The use cases are in `manage`.

use chrono::{DateTime, Utc};
use yaniv_db::notifications::channels::{ChannelRow, EMAIL};
use yaniv_model::ids::ChannelId;

use crate::accounts::password_attempts::Proof;
use crate::notifications::channels::kinds::Kinds;

/// The form of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Standard Webhooks, for programs.
    Standard,
    /// Text for Discord.
    Discord,
    /// Text for Slack, Mattermost and compatible services.
    Slack,
    /// Text for ntfy.
    Ntfy,
}

impl Format {
    /// The stored and printed form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Discord => "discord",
            Self::Slack => "slack",
            Self::Ntfy => "ntfy",
        }
    }
}

/// Settings common to all channels; `None` means the default, or unchanged.
#[derive(Clone, Debug, Default)]
pub struct ChannelChanges {
    /// The name.
    pub name: Option<String>,
    /// The kinds of notifications to receive.
    pub kinds: Option<Kinds>,
    /// The page that a notification opens; empty to remove it.
    pub link: Option<String>,
    /// Whether notifications skip delays.
    pub immediate: Option<bool>,
}

/// Request for a web push channel, in the form of a browser's subscription.
#[derive(Clone, Debug)]
pub struct NewPush {
    /// The push endpoint.
    pub endpoint: String,
    /// The browser's key, base64url.
    pub p256dh: String,
    /// The shared secret, base64url.
    pub auth: String,
    /// The common settings.
    pub changes: ChannelChanges,
}

/// Request for a webhook.
#[derive(Clone, Debug)]
pub struct NewWebhook {
    /// The URL to post to.
    pub url: String,
    /// The format of the body.
    pub format: Format,
    /// The common settings.
    pub changes: ChannelChanges,
}

/// Request for an e-mail channel. No `Debug`: it has a password.
#[derive(Clone)]
pub struct NewEmail {
    /// The e-mail address.
    pub address: String,
    /// The password of the account, or what stands for it.
    pub proof: Proof,
    /// The common settings.
    pub changes: ChannelChanges,
}

/// A channel, as its owner sees it. Without the address of a push endpoint or a webhook, which may be as sensitive as a
/// password.
#[derive(Clone, Debug)]
pub struct Channel {
    /// Its identifier.
    pub id: ChannelId,
    /// `web_push`, `email`, or the format of the webhook.
    pub format: String,
    /// The name given by the owner.
    pub name: String,
    /// Host of its address.
    pub host: String,
    /// The e-mail address, of an e-mail channel.
    pub email: Option<String>,
    /// Whether notifications may be sent: false until the e-mail address is verified.
    pub verified: bool,
    /// The page that a notification opens.
    pub link: Option<String>,
    /// The kinds of notifications that it receives.
    pub kinds: Kinds,
    /// Whether notifications skip delays.
    pub immediate: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Time of the newest successful delivery.
    pub delivered_at: Option<DateTime<Utc>>,
    /// Time of the first failure since then.
    pub failing_since: Option<DateTime<Utc>>,
    /// When the receiving server reported that it is gone.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A new webhook with its secret, which is shown only here.
#[derive(Clone)]
pub struct CreatedWebhook {
    /// The channel.
    pub channel: Channel,
    /// The signing secret.
    pub secret: String,
    /// Whether an earlier request with the same key created it.
    pub replayed: bool,
}

impl From<ChannelRow> for Channel {
    fn from(row: ChannelRow) -> Self {
        let is_email = row.format == EMAIL;
        Self {
            id: ChannelId(row.id),
            format: row.format,
            name: row.name,
            host: row.host,
            email: is_email.then_some(row.url),
            verified: !is_email || row.verified_at.is_some(),
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
