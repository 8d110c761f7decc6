//! Words in requests about channels: what to be told of, and in which form.

use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::notifications::{Format, Kind};

/// What there is to be told.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A match waits for you.
    YourTurn,
    /// Your time runs out: told twice for each deadline.
    DeadlineNear,
    /// Another player asks you to go on.
    Nudged,
    /// Somebody challenges you.
    Invited,
    /// A round is over.
    RoundOver,
    /// A match is over.
    MatchOver,
}

/// In which form a webhook is told.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WebhookFormat {
    /// Standard Webhooks, for programs.
    Standard,
    /// A text for Discord.
    Discord,
    /// A text for Slack, Mattermost and the like.
    Slack,
    /// A text for ntfy.
    Ntfy,
}

impl From<NoticeKind> for Kind {
    fn from(kind: NoticeKind) -> Self {
        match kind {
            NoticeKind::YourTurn => Self::YourTurn,
            NoticeKind::DeadlineNear => Self::DeadlineNear,
            NoticeKind::Nudged => Self::Nudged,
            NoticeKind::Invited => Self::Invited,
            NoticeKind::RoundOver => Self::RoundOver,
            NoticeKind::MatchOver => Self::MatchOver,
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
