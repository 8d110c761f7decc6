//! The ledger of a clock: each line one change, with what was before, what is after, and why.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::span::Span;

/// One change of a deadline or a bank. What is before is what was after in the line before it, so that the lines add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When it was changed.
    pub at: DateTime<Utc>,
    /// Why.
    pub reason: Reason,
    /// The deadline before; absent where there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_before: Option<DateTime<Utc>>,
    /// The deadline after; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_after: Option<DateTime<Utc>>,
    /// What was in the bank.
    #[serde(rename = "bank_before_microseconds")]
    pub bank_before: Span,
    /// What is in the bank.
    #[serde(rename = "bank_after_microseconds")]
    pub bank_after: Span,
}

/// Why a deadline or a bank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The player is waited for: the deadline is what is in the bank from now.
    TurnBegan,
    /// Pauses of the service that were known then.
    Pause,
    /// Vacation that was known then.
    Vacation,
    /// Quiet hours.
    QuietHours,
    /// A vacation was announced.
    VacationAnnounced,
    /// A vacation was cancelled.
    VacationCancelled,
    /// The service paused.
    ServicePaused,
    /// The service went on, or said when it will.
    ServiceResumed,
    /// The opponents gave more time.
    Extension,
    /// The player is done: what it took leaves the bank.
    TurnUsed,
    /// The deadline passed: what was in the bank is gone.
    TurnMissed,
    /// The player is not waited for any more, by what others did: what it took leaves the bank.
    TurnWithdrawn,
    /// What each wait adds.
    Gain,
    /// What is more than the bank may hold.
    Cap,
}
