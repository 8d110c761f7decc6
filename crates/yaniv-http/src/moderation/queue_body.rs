//! Reports as moderators see them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::moderation::queue::QueuedReport;

use crate::moderation::decision_body::DecisionBody;

/// A report, for moderators.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QueuedReport)]
pub struct QueuedReportBody {
    /// Identifier of the report.
    pub report_id: Uuid,
    /// What it is about: `player`, `name`, `dedication` or `match`. New ones may come.
    #[schema(max_length = 16, examples("player"))]
    pub about: String,
    /// The reason, as in `ReasonOfReport`. New ones may come.
    #[schema(max_length = 32, examples("collusion"))]
    pub reason: String,
    /// Username of the account that it is about.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Username of the reporter. Left out if the service made it, or the account is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 20, examples("ada"))]
    pub reporter: Option<String>,
    /// `true` if the service made it: a mark for humans to look at. Left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub automatic: bool,
    /// The match. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The round of the dedication. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i16>,
    /// Words of the reporter. Left out if there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(
        required = false,
        max_length = 500,
        examples("In every match of the two, one throws the lead away.")
    )]
    pub comment: String,
    /// The dedication as it was then; otherwise the display name, or the username without one. Left out if the account
    /// is gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 140, examples("Bob the Great"))]
    pub seen_text: String,
    /// When it was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When it was closed. Left out while it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub closed_at: Option<DateTime<Utc>>,
    /// What was decided. Left out if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub decision: Option<DecisionBody>,
}

/// A page of reports, for moderators.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportQueue)]
pub struct ReportQueueBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Open reports, the oldest first; or closed ones, the newest first.
    #[schema(max_items = 100)]
    pub items: Vec<QueuedReportBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("0193aa00000070008000000000000006"))]
    pub next_cursor: Option<String>,
}

impl From<QueuedReport> for QueuedReportBody {
    fn from(queued: QueuedReport) -> Self {
        let QueuedReport { report, reporter, automatic, seen_text, closed_at, decision } = queued;
        Self {
            report_id: report.id,
            about: report.about,
            reason: report.reason,
            username: report.username,
            reporter,
            automatic,
            match_id: report.match_id,
            round: report.round,
            comment: report.comment,
            seen_text,
            created_at: report.created_at,
            closed_at,
            decision: decision.map(DecisionBody::from),
        }
    }
}

impl From<Page<QueuedReport>> for ReportQueueBody {
    fn from(page: Page<QueuedReport>) -> Self {
        let items = page.items.into_iter().map(QueuedReportBody::from).collect();
        Self { server_time: None, items, next_cursor: page.next_cursor }
    }
}
