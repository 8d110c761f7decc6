//! A player's other calendar, as the log of a match keeps it.

use serde::{Deserialize, Serialize};
use yaniv_clock::{Calendar, Change};

use super::ServiceError;
use crate::store::StoreError;

/// What about a calendar has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum CalendarNews {
    /// One more vacation.
    Announced,
    /// One vacation less, or a shorter one.
    Cancelled,
    /// The quiet hours, for waits that begin later.
    QuietHours,
}

#[derive(Serialize, Deserialize)]
struct Detail {
    change: CalendarNews,
    calendar: Calendar,
}

impl CalendarNews {
    /// What it does to a clock that runs; nothing where it is for later.
    pub(super) fn of_clock(self) -> Option<Change> {
        match self {
            Self::Announced => Some(Change::VacationAnnounced),
            Self::Cancelled => Some(Change::VacationCancelled),
            Self::QuietHours => None,
        }
    }
}

/// As the log keeps it.
///
/// # Errors
/// Only if it cannot be printed.
pub(super) fn calendar_to_detail(change: CalendarNews, calendar: &Calendar) -> Result<String, ServiceError> {
    let detail = Detail { change, calendar: calendar.clone() };
    serde_json::to_string(&detail).map_err(ServiceError::internal)
}

/// From the log.
///
/// # Errors
/// `Damaged` if it is none.
pub(super) fn calendar_from_detail(detail: &str) -> Result<(Calendar, Option<Change>), StoreError> {
    let damaged = |error: serde_json::Error| StoreError::Damaged(format!("calendar: {error}"));
    let Detail { change, calendar } = serde_json::from_str(detail).map_err(damaged)?;
    Ok((calendar, change.of_clock()))
}
