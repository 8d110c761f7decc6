//! The ledger of a match: the changes of its clocks.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::record::LedgerPage;
use yaniv_clock::Reason;
use yaniv_match::clocks::LedgerLine;

/// A page of the ledger.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClockChangePage)]
pub struct ClockChangePageBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The changes, oldest first.
    #[schema(max_items = 300)]
    pub items: Vec<ClockChangeBody>,
    /// Version up to which this page is complete: send it as `after` to get the rest.
    #[schema(minimum = 0, examples(5))]
    pub version: i32,
}

/// A change of a deadline or a bank.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ClockChange)]
pub struct ClockChangeBody {
    /// Version of the log entry that caused it.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Seat whose clock it is.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// When the change happened.
    #[serde(serialize_with = "crate::values::time::print")]
    pub at: DateTime<Utc>,
    /// Reason: `turn_began`, `vacation`, `quiet_hours` (as known when the turn began), `vacation_announced`,
    /// `vacation_cancelled`, `turn_used`, `turn_missed`, `turn_withdrawn` (another player's action ended it), `gain`,
    /// `cap`. New reasons may come.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("turn_began"))]
    pub reason: String,
    /// Deadline before the change. Left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline_before: Option<DateTime<Utc>>,
    /// Deadline after the change. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline_after: Option<DateTime<Utc>>,
    /// Seconds in the bank before the change, rounded down.
    #[schema(value_type = i32, minimum = 0, examples(259_200))]
    pub bank_before_seconds: i64,
    /// Seconds in the bank after the change, rounded down.
    #[schema(value_type = i32, minimum = 0, examples(259_200))]
    pub bank_after_seconds: i64,
}

impl From<LedgerPage> for ClockChangePageBody {
    fn from(page: LedgerPage) -> Self {
        let items = page.lines.iter().map(ClockChangeBody::from).collect();
        Self { server_time: None, items, version: page.version }
    }
}

impl From<&LedgerLine> for ClockChangeBody {
    fn from(line: &LedgerLine) -> Self {
        let entry = &line.entry;
        Self {
            version: line.version,
            seat: i32::from(line.seat),
            at: entry.at,
            reason: name_of(entry.reason).to_owned(),
            deadline_before: entry.deadline_before,
            deadline_after: entry.deadline_after,
            bank_before_seconds: entry.bank_before.seconds(),
            bank_after_seconds: entry.bank_after.seconds(),
        }
    }
}

fn name_of(reason: Reason) -> &'static str {
    match reason {
        Reason::TurnBegan => "turn_began",
        Reason::Pause => "pause",
        Reason::Vacation => "vacation",
        Reason::QuietHours => "quiet_hours",
        Reason::VacationAnnounced => "vacation_announced",
        Reason::VacationCancelled => "vacation_cancelled",
        Reason::ServicePaused => "service_paused",
        Reason::ServiceResumed => "service_resumed",
        Reason::Extension => "extension",
        Reason::TurnUsed => "turn_used",
        Reason::TurnMissed => "turn_missed",
        Reason::TurnWithdrawn => "turn_withdrawn",
        Reason::Gain => "gain",
        Reason::Cap => "cap",
    }
}
