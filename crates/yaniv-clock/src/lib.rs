//! The clocks of turns that take days: time limits, deadlines, and the reasons for their changes.
//!
//! Everything here is a function of stored facts. No clock is read: the caller passes the time, which is the
//! database's, read after the lock. A deadline is computed from the beginning of the wait, the bank, and the stops of
//! the clock; the current time is not an input, so that reading never moves a deadline.
//!
//! A *wait* begins when a player has to act and ends when the turn, or the answer, is done. [`advance`] is the one
//! function that changes a [`PlayerClock`]: it returns the clock after the change, and the ledger lines that explain
//! it.
//!
//! ```
//! use chrono::{DateTime, Utc};
//! use yaniv_clock::{Calendar, Change, ClockSettings, PlayerClock, advance};
//!
//! let settings = ClockSettings::default(); // 72 h, 12 h for each turn, up to 120 h
//! let clock = PlayerClock::new(&settings);
//! let calendar = Calendar::default(); // no vacation, no quiet hours
//! let monday: DateTime<Utc> = "2027-03-01T12:00:00Z".parse()?;
//! let step = advance(&settings, &clock, &calendar, Change::Began, monday)?;
//! assert_eq!(step.clock.deadline(), Some("2027-03-04T12:00:00Z".parse()?));
//!
//! let tuesday: DateTime<Utc> = "2027-03-02T12:00:00Z".parse()?;
//! let step = advance(&settings, &step.clock, &calendar, Change::Played, tuesday)?;
//! assert_eq!(step.clock.bank.seconds(), (72 - 24 + 12) * 3600);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

// In reading order: values; what stops a clock; the clock and its ledger; reminders and absence.
mod span;

mod settings;

mod zone;

mod quiet;

mod vacation;

mod calendar;

mod ledger;

mod clock;

mod absent;
mod reminder;

pub use absent::{AbsentSettings, AbsentStep, AfterMisses};
pub use calendar::{Calendar, Pause};
pub use clock::{Change, ClockError, GRACE, MOST_EXTENSION, PlayerClock, Step, Wait, advance, running_time};
pub use ledger::{Entry, Reason};
pub use quiet::{MOST_QUIET_MINUTES, QuietHours, QuietHoursError};
pub use reminder::{Reminder, ReminderKind, Thresholds};
pub use settings::{Bank, Clock, ClockSettings, SettingsError};
pub use span::Span;
pub use vacation::{
    DAYS_PER_YEAR, MOST_DAYS_AHEAD, NOTICE, Vacation, VacationError, WINDOW_DAYS, announce_vacation,
    cancel_vacation, vacation_days_left,
};
