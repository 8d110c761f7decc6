//! Stored form of a calendar change in the match log. The calendar itself is in `yaniv_clock`.

use serde::{Deserialize, Serialize};
use yaniv_clock::{Calendar, Change};

use crate::error::MatchError;

/// The part of a calendar that changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalendarChange {
    /// A vacation was added.
    Announced,
    /// A vacation was removed or shortened.
    Cancelled,
    /// Quiet hours changed; they apply to waits that begin later.
    QuietHours,
}

#[derive(Serialize, Deserialize)]
struct Detail {
    change: CalendarChange,
    calendar: Calendar,
}

impl CalendarChange {
    /// The effect on a running clock; `None` if only later waits are affected.
    pub fn of_clock(self) -> Option<Change> {
        match self {
            Self::Announced => Some(Change::VacationAnnounced),
            Self::Cancelled => Some(Change::VacationCancelled),
            Self::QuietHours => None,
        }
    }
}

/// Serializes a calendar change for the log.
///
/// # Errors
/// If serialization fails.
pub fn calendar_to_detail(change: CalendarChange, calendar: &Calendar) -> Result<String, MatchError> {
    let detail = Detail { change, calendar: calendar.clone() };
    serde_json::to_string(&detail).map_err(|error| MatchError::Damaged(format!("calendar: {error}")))
}

/// Parses a calendar change from the log.
///
/// # Errors
/// `Damaged` if the text is not valid.
pub fn calendar_from_detail(detail: &str) -> Result<(CalendarChange, Calendar), MatchError> {
    let damaged = |error: serde_json::Error| MatchError::Damaged(format!("calendar: {error}"));
    let Detail { change, calendar } = serde_json::from_str(detail).map_err(damaged)?;
    Ok((change, calendar))
}
