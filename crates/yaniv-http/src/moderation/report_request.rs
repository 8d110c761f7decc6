//! Requests of players and moderators.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};
use yaniv_app::moderation::decision::{DecisionKind, NewDecision};
use yaniv_app::moderation::report::{Complaint, Reason};

/// Why you report something.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReportRequest {
    /// The reason.
    reason: ReasonOfReport,
    /// What a moderator should know: up to 500 characters, in one line. The service adds the name or the dedication
    /// itself.
    #[serde(default)]
    #[schema(
        required = false,
        max_length = 500,
        examples("In every match of the two, one throws the lead away.")
    )]
    comment: String,
}

/// A reason to report. `offensive_name`: the name is reported, of a player. `undeclared_bot`: a program that does not
/// say so.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReasonOfReport {
    /// Unfair play.
    Cheating,
    /// Two players play for one of them.
    Collusion,
    /// A program that does not say so.
    UndeclaredBot,
    /// Conduct against a player.
    Harassment,
    /// A name.
    OffensiveName,
    /// A dedication.
    OffensiveText,
    /// Another reason, which the comment has.
    Other,
}

impl From<ReportRequest> for Complaint {
    fn from(request: ReportRequest) -> Self {
        let reason = match request.reason {
            ReasonOfReport::Cheating => Reason::Cheating,
            ReasonOfReport::Collusion => Reason::Collusion,
            ReasonOfReport::UndeclaredBot => Reason::UndeclaredBot,
            ReasonOfReport::Harassment => Reason::Harassment,
            ReasonOfReport::OffensiveName => Reason::OffensiveName,
            ReasonOfReport::OffensiveText => Reason::OffensiveText,
            ReasonOfReport::Other => Reason::Other,
        };
        Self { reason, comment: request.comment }
    }
}

/// A decision on a report.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideReportRequest {
    /// What is decided.
    kind: KindOfDecision,
    /// Why: up to 500 characters, in one line. The player sees it, except of a dismissal, where it may be left out.
    #[serde(default)]
    #[schema(required = false, max_length = 500, examples("Do not insult other players."))]
    reason: String,
    /// When a mute or a suspension ends by itself. A mute needs it; a suspension without it lasts until it is undone.
    #[serde(default, deserialize_with = "crate::values::time::read_some")]
    #[schema(nullable = false, examples("2026-12-24T18:00:00Z"))]
    until: Option<DateTime<Utc>>,
}

/// A decision. `dismissal`: nothing is done. `mute`: no dedications and no new names. `suspension`: refused while
/// the account is suspended. `dedication_removal`: for reports about one. `name_removal`: the display name is removed. The player sees all but a dismissal.
#[derive(Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum KindOfDecision {
    /// Nothing is done.
    Dismissal,
    /// The player reads the reason.
    Warning,
    /// No texts that others see.
    Mute,
    /// All sessions end, and no log-in is possible.
    Suspension,
    /// The dedication of the report is removed.
    DedicationRemoval,
    /// The display name is removed.
    NameRemoval,
}

impl From<DecideReportRequest> for NewDecision {
    fn from(request: DecideReportRequest) -> Self {
        let kind = match request.kind {
            KindOfDecision::Dismissal => DecisionKind::Dismissal,
            KindOfDecision::Warning => DecisionKind::Warning,
            KindOfDecision::Mute => DecisionKind::Mute,
            KindOfDecision::Suspension => DecisionKind::Suspension,
            KindOfDecision::DedicationRemoval => DecisionKind::DedicationRemoval,
            KindOfDecision::NameRemoval => DecisionKind::NameRemoval,
        };
        Self { kind, reason: request.reason, until: request.until }
    }
}

/// Part and page of the queue.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListReportQueueQuery {
    /// `true`: the closed reports, newest first. Left out: the open ones, oldest first.
    #[param(required = false, nullable = false)]
    pub(crate) closed: Option<bool>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    pub(crate) limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    pub(crate) cursor: Option<String>,
}

/// Filter and page of the decisions.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListDecisionsQuery {
    /// Only about this account.
    #[param(
        required = false,
        nullable = false,
        min_length = 3,
        max_length = 20,
        pattern = "^[a-z0-9_]{3,20}$"
    )]
    pub(crate) username: Option<String>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    pub(crate) limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    pub(crate) cursor: Option<String>,
}
