//! A player's clock in a match, and the one function that changes it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Stops};
use crate::ledger::{Entry, Reason};
use crate::quiet::QuietHours;
use crate::settings::ClockSettings;
use crate::span::{Span, later, micros, time};
use crate::vacation::NOTICE;

/// Grace period: an action this long after the deadline counts, as it may have been sent before. The deadline is missed
/// only afterwards.
pub const GRACE: Span = Span::from_seconds(2);

/// Maximum extension by the opponents per wait: a week.
pub const MOST_EXTENSION: Span = Span::from_hours(7 * 24);

/// A player's clock in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerClock {
    /// The bank. It changes at the end of a wait, not during it.
    #[serde(rename = "bank_microseconds")]
    pub bank: Span,
    /// Deadlines missed since the player's last own action.
    pub missed_turns: u16,
    /// The current wait, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
}

/// A wait for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// When it began.
    pub began_at: DateTime<Utc>,
    /// The deadline; absent without a clock and during a pause without a known end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<DateTime<Utc>>,
    /// Extension by the opponents for this wait. It is used after the bank; the rest expires.
    #[serde(rename = "extension_microseconds")]
    pub extension: Span,
    /// Quiet hours at the beginning of the wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// Lower bound of the deadline: an hour after the end of a pause that had no known end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<DateTime<Utc>>,
}

/// A change of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A wait begins.
    Began,
    /// A vacation was added to the calendar.
    VacationAnnounced,
    /// A vacation was removed from the calendar or shortened.
    VacationCancelled,
    /// A pause was added to the calendar.
    ServicePaused,
    /// The end of a pause became known or changed.
    ServiceResumed,
    /// The opponents give more time.
    Extended {
        /// How much time.
        by: Span,
    },
    /// The player acted.
    Played,
    /// The deadline has passed.
    Missed,
    /// The wait ended by other players' actions.
    Withdrawn,
}

/// A clock after a change, and the ledger lines that explain it, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The clock.
    pub clock: PlayerClock,
    /// The changes; empty if nothing changed.
    pub entries: Vec<Entry>,
}

/// Why a change is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClockError {
    /// A wait is running already.
    #[error("the player is waited for already")]
    Waiting,
    /// No wait is running.
    #[error("the player is not waited for")]
    NotWaiting,
    /// The deadline has passed.
    #[error("the deadline has passed")]
    Expired,
    /// The deadline is not missed yet, as far as known now.
    #[error("the deadline has not passed")]
    NotYet {
        /// When it is missed; absent without a deadline.
        deadline: Option<DateTime<Utc>>,
    },
    /// Zero, or more than allowed for one wait.
    #[error("more time is something, and a week at most for one wait")]
    Extension,
}

impl PlayerClock {
    /// A clock at the start of a match.
    #[must_use]
    pub fn new(settings: &ClockSettings) -> Self {
        let bank = settings.bank().map_or(Span::ZERO, |bank| bank.start);
        Self { bank, missed_turns: 0, wait: None }
    }

    /// The deadline of the wait.
    #[must_use]
    pub fn deadline(&self) -> Option<DateTime<Utc>> {
        self.wait.and_then(|wait| wait.deadline)
    }
}

/// Applies a change to a clock, at a time that the caller read after taking the lock, with the current calendar.
///
/// # Errors
/// The reason for the refusal; nothing has changed. Of `Played` and `Missed`, exactly one is refused at any time.
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

/// How long the player's clock has run in this wait, up to a time. For display: the time left is bank plus extension
/// less this.
#[must_use]
pub fn running_time(settings: &ClockSettings, wait: &Wait, calendar: &Calendar, at: DateTime<Utc>) -> Span {
    let stops = Stops::new(settings, calendar, wait.quiet_hours);
    stops.running(micros(wait.began_at), micros(at))
}

/// The deadline, computed from stored facts only, not from the current time.
fn by_facts(settings: &ClockSettings, bank: Span, wait: &Wait, calendar: &Calendar) -> Option<DateTime<Utc>> {
    settings.bank()?;
    let stops = Stops::new(settings, calendar, wait.quiet_hours);
    let reached = stops.reached(micros(wait.began_at), bank.plus(wait.extension)).map(time)?;
    Some(wait.not_before.map_or(reached, |floor| reached.max(floor)))
}

/// The later of two deadlines; `None` is never.
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

    /// Adds a stop of the clock at the beginning of a wait.
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
            // A change that gives time never takes any, even if the time zone data have changed.
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
        if by <= Span::ZERO || extension > MOST_EXTENSION {
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
        // A calendar that has not moved the deadline yet counts, too.
        let deadline = later_of(wait.deadline, by_facts(settings, self.clock.bank, &wait, calendar));
        let over = deadline.is_some_and(|deadline| self.at >= later(deadline, GRACE));
        match reason {
            Reason::TurnUsed if over => return Err(ClockError::Expired),
            Reason::TurnMissed if !over => return Err(ClockError::NotYet { deadline }),
            Reason::TurnUsed => self.clock.missed_turns = 0,
            Reason::TurnMissed => self.clock.missed_turns = self.clock.missed_turns.saturating_add(1),
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

    /// Adopts new values, with a ledger line if they differ.
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
