//! Enumerations in requests about channels: kinds of notifications, and formats of webhooks.

use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::notifications::{Format, Kind};

/// Kind of notification.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    /// A match waits for you.
    YourTurn,
    /// Your deadline is near; sent up to twice for each deadline.
    DeadlineNear,
    /// All seats of your match are taken: you can start it.
    TableFull,
    /// Another player reminds you to act.
    Nudged,
    /// Another player challenges you, or offers a rematch.
    Invited,
    /// A round is over.
    RoundOver,
    /// A match is over.
    MatchOver,
    /// Matches wait for you: once a day, at eight o'clock in your time zone.
    Digest,
}

/// Format of the notifications to a webhook.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookFormat {
    /// Signed JSON (Standard Webhooks), for programs.
    Standard,
    /// A line of text for Discord.
    Discord,
    /// A line of text for Slack, Mattermost and compatible services.
    Slack,
    /// A line of text for ntfy.
    Ntfy,
}

impl From<NotificationKind> for Kind {
    fn from(kind: NotificationKind) -> Self {
        match kind {
            NotificationKind::YourTurn => Self::YourTurn,
            NotificationKind::DeadlineNear => Self::DeadlineNear,
            NotificationKind::TableFull => Self::TableFull,
            NotificationKind::Nudged => Self::Nudged,
            NotificationKind::Invited => Self::Invited,
            NotificationKind::RoundOver => Self::RoundOver,
            NotificationKind::MatchOver => Self::MatchOver,
            NotificationKind::Digest => Self::Digest,
        }
    }
}

impl From<WebhookFormat> for Format {
    fn from(format: WebhookFormat) -> Self {
        match format {
            WebhookFormat::Standard => Self::Standard,
            WebhookFormat::Discord => Self::Discord,
            WebhookFormat::Slack => Self::Slack,
            WebhookFormat::Ntfy => Self::Ntfy,
        }
    }
}
