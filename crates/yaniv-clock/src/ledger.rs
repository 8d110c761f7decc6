//! The ledger of a clock: one line per change, with the values before and after and the reason.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::span::Span;

/// One change of a deadline or a bank. The values before are those after the previous line, so the lines add up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// When it changed.
    pub at: DateTime<Utc>,
    /// The reason.
    pub reason: Reason,
    /// The deadline before; absent if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_before: Option<DateTime<Utc>>,
    /// The deadline after; absent if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_after: Option<DateTime<Utc>>,
    /// The bank before.
    #[serde(rename = "bank_before_microseconds")]
    pub bank_before: Span,
    /// The bank after.
    #[serde(rename = "bank_after_microseconds")]
    pub bank_after: Span,
}

/// Why a deadline or a bank changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// A wait began: the deadline is the current time plus the bank.
    TurnBegan,
    /// Pauses of the service known at that time.
    Pause,
    /// Vacation known at that time.
    Vacation,
    /// Quiet hours.
    QuietHours,
    /// A vacation was announced.
    VacationAnnounced,
    /// A vacation was cancelled.
    VacationCancelled,
    /// The service was paused.
    ServicePaused,
    /// The pause of the service ended, or its end became known.
    ServiceResumed,
    /// The opponents gave more time.
    Extension,
    /// The player acted: the time used leaves the bank.
    TurnUsed,
    /// The deadline passed: the bank is empty.
    TurnMissed,
    /// The wait ended by other players' actions: the time used leaves the bank.
    TurnWithdrawn,
    /// The increment after each wait.
    Gain,
    /// The excess over the bank's cap.
    Cap,
}
