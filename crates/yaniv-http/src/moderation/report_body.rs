//! Reports as their reporter sees them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::moderation::report::Report;

/// A report that you have made.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Report)]
pub struct ReportBody {
    /// Identifier of the report.
    pub report_id: Uuid,
    /// What it is about: `player`, `name`, `dedication` or `match`. New ones may come.
    #[schema(max_length = 16, examples("player"))]
    pub about: String,
    /// The reason, as in `ReasonOfReport`. New ones may come.
    #[schema(max_length = 32, examples("collusion"))]
    pub reason: String,
    /// Username of the account.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// The match. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The round of the dedication. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i16>,
    /// What you have added. Left out if it is nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(
        required = false,
        max_length = 500,
        examples("In every match of the two, one throws the lead away.")
    )]
    pub comment: String,
    /// When you made it.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// `open`; `dismissed`: a moderator saw no reason to act, or the account is gone; `acted_on`. New ones may come.
    #[schema(max_length = 16, examples("open"))]
    pub state: String,
}

/// A page of your reports.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReportList)]
pub struct ReportListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<ReportBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("0193aa00000070008000000000000006"))]
    pub next_cursor: Option<String>,
}

impl From<Report> for ReportBody {
    fn from(report: Report) -> Self {
        Self {
            report_id: report.id,
            about: report.about,
            reason: report.reason,
            username: report.username,
            match_id: report.match_id,
            round: report.round,
            comment: report.comment,
            created_at: report.created_at,
            state: report.state.as_str().to_owned(),
        }
    }
}

impl From<Page<Report>> for ReportListBody {
    fn from(page: Page<Report>) -> Self {
        let items = page.items.into_iter().map(ReportBody::from).collect();
        Self { server_time: None, items, next_cursor: page.next_cursor }
    }
}
