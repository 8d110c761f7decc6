//! A player's clock in a match, and the one function that changes it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Stops};
use crate::ledger::{Entry, Reason};
use crate::quiet::QuietHours;
use crate::settings::ClockSettings;
use crate::span::{Span, later, micros, time};
use crate::vacation::NOTICE;

/// What comes so long after the deadline still counts, as it may have been sent before; only then it is missed.
pub const GRACE: Span = Span::from_seconds(2);

/// Opponents may give a week at most for one wait.
pub const EXTENSION_MOST: Span = Span::from_hours(7 * 24);

/// A player's clock in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerClock {
    /// What is in the bank. It changes when a wait is over, not while it lasts.
    #[serde(rename = "bank_microseconds")]
    pub bank: Span,
    /// How many deadlines have passed since the player last did something.
    pub missed_in_a_row: u16,
    /// The wait for the player, while there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// From when a player is waited for, and until when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Since when.
    pub began_at: DateTime<Utc>,
    /// Until when; absent where there is no clock, and while a pause has no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DateTime<Utc>>,
    /// What the opponents gave for this wait. It is used after the bank, and what is left of it is nobody's.
    #[serde(rename = "extension_microseconds")]
    pub extension: Span,
    /// The quiet hours that it began with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// The deadline is no sooner than an hour after the end of a pause that had no end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<DateTime<Utc>>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The player is waited for.
    Began,
    /// The calendar has one more vacation.
    VacationAnnounced,
    /// The calendar has one vacation less, or a shorter one.
    VacationCancelled,
    /// The calendar has one more pause.
    ServicePaused,
    /// The end of a pause in the calendar is known, or another.
    ServiceResumed,
    /// The opponents give more time.
    Extended {
        /// So much.
        by: Span,
    },
    /// The player did what was waited for.
    Played,
    /// The deadline has passed.
    Missed,
    /// The player is not waited for any more, by what others did.
    Withdrawn,
}

/// A clock after a change, and the lines that explain it, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The clock.
    pub clock: PlayerClock,
    /// What changed it. Nothing if nothing changed.
    pub entries: Vec<Entry>,
}

/// Why a change is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// The player is waited for already.
    #[error("the player is waited for already")]
    Waiting,
    /// The player is not waited for.
    #[error("the player is not waited for")]
    NotWaiting,
    /// The deadline has passed.
    #[error("the deadline has passed")]
    Expired,
    /// It is not missed yet, by all that is known now.
    #[error("the deadline has not passed")]
    NotYet {
        /// Until when it is waited; absent where there is no deadline.
        deadline: Option<DateTime<Utc>>,
    },
    /// Nothing, or more than may be given for one wait.
    #[error("more time is something, and a week at most for one wait")]
    Extension,
}

impl PlayerClock {
    /// A clock at the start of a match.
    #[must_use]
    pub fn new(settings: &ClockSettings) -> Self {
        let bank = settings.bank().map_or(Span::ZERO, |bank| bank.start);
        Self { bank, missed_in_a_row: 0, wait: None }
    }

    /// Until when the player is waited for.
    #[must_use]
    pub fn deadline(&self) -> Option<DateTime<Utc>> {
        self.wait.and_then(|wait| wait.deadline)
    }
}

/// Changes a clock: by what happened, at a time that the caller has read after taking the lock, with the calendar as it is now.
///
/// # Errors
/// Why it is refused; nothing has changed then. Of `Played` and `Missed`, at any time exactly one is refused.
pub fn advance(
    settings: &ClockSettings,
    clock: &PlayerClock,
    calendar: &Calendar,
    change: Change,
    at: DateTime<Utc>,
) -> Result<Step, ClockError> {
    let mut ledger = Ledger { at, clock: *clock, entries: Vec::new() };
    match change {
        Change::Began => ledger.begin(settings, calendar)?,
        Change::VacationAnnounced => ledger.recompute(settings, calendar, Reason::VacationAnnounced),
        Change::VacationCancelled => ledger.recompute(settings, calendar, Reason::VacationCancelled),
        Change::ServicePaused => ledger.recompute(settings, calendar, Reason::ServicePaused),
        Change::ServiceResumed => ledger.recompute(settings, calendar, Reason::ServiceResumed),
        Change::Extended { by } => ledger.extend(settings, calendar, by)?,
        Change::Played => ledger.end(settings, calendar, Reason::TurnUsed)?,
        Change::Missed => ledger.end(settings, calendar, Reason::TurnMissed)?,
        Change::Withdrawn => ledger.end(settings, calendar, Reason::TurnWithdrawn)?,
    }
    Ok(Step { clock: ledger.clock, entries: ledger.entries })
}

/// How long the player's clock has run in this wait, up to a time. For showing: what is on the clock is the bank and the
/// extension less this.
#[must_use]
pub fn running_time(settings: &ClockSettings, wait: &Wait, calendar: &Calendar, at: DateTime<Utc>) -> Span {
    let stops = Stops::new(settings, calendar, wait.quiet_hours);
    stops.running(micros(wait.began_at), micros(at))
}

/// The deadline by all facts, and none of now.
fn by_facts(settings: &ClockSettings, bank: Span, wait: &Wait, calendar: &Calendar) -> Option<DateTime<Utc>> {
    settings.bank()?;
    let stops = Stops::new(settings, calendar, wait.quiet_hours);
    let reached = stops.reached(micros(wait.began_at), bank.plus(wait.extension)).map(time)?;
    Some(wait.not_before.map_or(reached, |floor| reached.max(floor)))
}

/// The later of two deadlines; none is never.
fn later_of(one: Option<DateTime<Utc>>, other: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    one.zip(other).map(|(one, other)| one.max(other))
}

struct Ledger {
    at: DateTime<Utc>,
    clock: PlayerClock,
    entries: Vec<Entry>,
}

impl Ledger {
    fn begin(&mut self, settings: &ClockSettings, calendar: &Calendar) -> Result<(), ClockError> {
        if self.clock.wait.is_some() {
            return Err(ClockError::Waiting);
        }
        let quiet_hours = calendar.quiet_hours.filter(|_| settings.quiet_hours);
        let began_at = time(micros(self.at));
        let wait = Wait { began_at, deadline: None, extension: Span::ZERO, quiet_hours, not_before: None };
        self.clock.wait = Some(wait);
        if settings.bank().is_none() {
            return Ok(());
        }
        let mut stops = Stops::default();
        self.write(Reason::TurnBegan, &stops);
        stops.add_pauses(calendar);
        self.write(Reason::Pause, &stops);
        stops.add_vacations(settings, calendar);
        self.write(Reason::Vacation, &stops);
        stops.add_quiet(settings, quiet_hours);
        self.write(Reason::QuietHours, &stops);
        Ok(())
    }

    /// One more thing that stops the clock of a wait that begins.
    fn write(&mut self, reason: Reason, stops: &Stops) {
        let bank = self.clock.bank;
        let deadline = stops.reached(micros(self.at), bank).map(time);
        self.note(reason, deadline, bank);
    }

    fn recompute(&mut self, settings: &ClockSettings, calendar: &Calendar, reason: Reason) {
        let (Some(wait), Some(_)) = (self.clock.wait.as_mut(), settings.bank()) else { return };
        let before = wait.deadline;
        let mut deadline = by_facts(settings, self.clock.bank, wait, calendar);
        if matches!(reason, Reason::VacationCancelled | Reason::ServiceResumed) {
            if before.is_none() && deadline.is_some() {
                wait.not_before = Some(later(self.at, NOTICE));
                deadline = by_facts(settings, self.clock.bank, wait, calendar);
            }
        } else {
            // What gives time never takes any, whatever the data of time zones say today.
            deadline = later_of(before, deadline);
        }
        self.note(reason, deadline, self.clock.bank);
    }

    fn extend(&mut self, settings: &ClockSettings, calendar: &Calendar, by: Span) -> Result<(), ClockError> {
        let bank = self.clock.bank;
        let wait = self.clock.wait.as_mut().ok_or(ClockError::NotWaiting)?;
        let known = later_of(wait.deadline, by_facts(settings, bank, wait, calendar));
        if known.is_some_and(|deadline| self.at >= deadline) {
            return Err(ClockError::Expired);
        }
        let extension = wait.extension.plus(by);
        if by <= Span::ZERO || extension > EXTENSION_MOST {
            return Err(ClockError::Extension);
        }
        wait.extension = extension;
        self.recompute(settings, calendar, Reason::Extension);
        Ok(())
    }

    fn end(
        &mut self,
        settings: &ClockSettings,
        calendar: &Calendar,
        reason: Reason,
    ) -> Result<(), ClockError> {
        let wait = self.clock.wait.ok_or(ClockError::NotWaiting)?;
        // A calendar that has not moved the deadline yet counts all the same.
        let deadline = later_of(wait.deadline, by_facts(settings, self.clock.bank, &wait, calendar));
        let over = deadline.is_some_and(|deadline| self.at >= later(deadline, GRACE));
        match reason {
            Reason::TurnUsed if over => return Err(ClockError::Expired),
            Reason::TurnMissed if !over => return Err(ClockError::NotYet { deadline }),
            Reason::TurnUsed => self.clock.missed_in_a_row = 0,
            Reason::TurnMissed => self.clock.missed_in_a_row = self.clock.missed_in_a_row.saturating_add(1),
            _ => {}
        }
        if let Some(bank) = settings.bank() {
            let spent = match reason {
                Reason::TurnMissed => self.clock.bank,
                _ => running_time(settings, &wait, calendar, self.at).min(self.clock.bank),
            };
            self.note_always(reason, None, self.clock.bank.minus(spent));
            self.note(Reason::Gain, None, self.clock.bank.plus(bank.gain));
            self.note(Reason::Cap, None, self.clock.bank.min(bank.cap));
        }
        self.clock.wait = None;
        Ok(())
    }

    /// Takes a change over, with a line if it is one.
    fn note(&mut self, reason: Reason, deadline: Option<DateTime<Utc>>, bank: Span) {
        if (deadline, bank) != (self.clock.deadline(), self.clock.bank) {
            self.note_always(reason, deadline, bank);
        }
    }

    fn note_always(&mut self, reason: Reason, deadline: Option<DateTime<Utc>>, bank: Span) {
        self.entries.push(Entry {
            at: self.at,
            reason,
            deadline_before: self.clock.deadline(),
            deadline_after: deadline,
            bank_before: self.clock.bank,
            bank_after: bank,
        });
        self.clock.bank = bank;
        if let Some(wait) = self.clock.wait.as_mut() {
            wait.deadline = deadline;
        }
    }
}
