//! The clocks of turns that take days: how long somebody has, until when, and what changed it.
//!
//! Everything here is a function of stored facts. No clock is read: the caller passes the time, which is the database's,
//! read after the lock. A deadline is computed from when the wait began, what is on the player's clock, and when that
//! clock stands; the time now is no part of it, so that reading never moves a deadline.
//!
//! A *wait* is from when a player is waited for until their turn, or their answer, is done. [`advance`] is the one function that
//! changes a [`PlayerClock`]: it gives the clock after the change, and the lines of the ledger that explain it.
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

// In reading order: values; what stops a clock; the clock and its ledger; what hangs on deadlines.
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
pub use clock::{Change, ClockError, EXTENSION_MOST, GRACE, PlayerClock, Step, Wait, advance, running_time};
pub use ledger::{Entry, Reason};
pub use quiet::{QUIET_MINUTES_MOST, QuietHours, QuietHoursError};
pub use reminder::{Reminder, ReminderKind, Thresholds};
pub use settings::{Bank, Clock, ClockSettings, SettingsError};
pub use span::Span;
pub use vacation::{
    DAYS_AHEAD_MOST, DAYS_PER_YEAR, NOTICE, Vacation, VacationError, WINDOW_DAYS, announce_vacation,
    cancel_vacation, vacation_days_left,
};
