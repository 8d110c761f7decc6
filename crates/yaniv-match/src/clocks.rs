//! The clocks of a match: one per seat, changed by the steps of play. Deadlines are computed by
//! `yaniv_clock`; here is which seats are waited for. The stored form is in `clocks_codec`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use yaniv_clock::{Calendar, Change, ClockSettings, Entry, GRACE, PlayerClock, Thresholds, advance};

use crate::clocks_codec::ClocksForm;
use crate::error::MatchError;

/// The clock of a seat.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatClock {
    /// Bank and deadline.
    pub clock: PlayerClock,
    /// The calendar that pauses the clock.
    pub calendar: Arc<Calendar>,
    /// A bot holds the seat for its owner; the clock does not run.
    pub held: bool,
}

/// Clock change of a step of play, applied once its time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockStep {
    /// The acting seat.
    pub seat: u8,
    /// Their turn or answer is complete.
    pub done: bool,
    /// Timeout: the step was played for them after the deadline.
    pub missed: bool,
    /// Another round was dealt: all waits are restarted.
    pub dealt: bool,
    /// Bit mask of the seats that have to act now.
    pub waiting: i16,
}

/// A line of the ledger: one change of a clock.
#[derive(Clone, Debug)]
pub struct LedgerLine {
    /// Version of the log entry that caused it.
    pub version: i32,
    /// The seat of the clock.
    pub seat: u8,
    /// The change.
    pub entry: Entry,
}

/// The clocks of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clocks {
    /// Clocks by seat; empty before the start.
    pub seats: Vec<SeatClock>,
    /// Microseconds by which match time is ahead of database time; not 0 only in sandboxes.
    pub ahead: i64,
}

/// Ledger entries of a change, with their seats.
pub type Lines = Vec<(u8, Entry)>;

impl Clocks {
    /// Clocks at the start; no wait has begun.
    pub fn start(settings: &ClockSettings, calendars: Vec<Arc<Calendar>>, ahead: i64) -> Self {
        let clock = PlayerClock::new(settings);
        let seats = calendars.into_iter().map(|calendar| SeatClock { clock, calendar, held: false });
        Self { seats: seats.collect(), ahead }
    }

    /// Parses the stored form; `at` is the time of the match's newest entry.
    pub fn from_stored(
        stored: &str,
        settings: &ClockSettings,
        at: DateTime<Utc>,
    ) -> Result<Self, MatchError> {
        let (mut clocks, clock_steps) = ClocksForm::read(stored)?;
        for step in &clock_steps {
            clocks.turn(settings, step, at);
        }
        Ok(clocks)
    }

    /// Converts database time to match time.
    pub fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(TimeDelta::microseconds(self.ahead)).unwrap_or(now)
    }

    /// Converts match time to database time.
    pub fn real(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        at.checked_sub_signed(TimeDelta::microseconds(self.ahead)).unwrap_or(at)
    }

    /// Applies a step of play at its time.
    pub fn turn(&mut self, settings: &ClockSettings, step: &ClockStep, at: DateTime<Utc>) -> Lines {
        let mut lines = Lines::new();
        for seat in 0..self.count() {
            let waits = step.waiting >> seat & 1 == 1;
            let acted = seat == step.seat && step.done;
            let ends = match () {
                () if !self.is_waited_for(seat) => None,
                () if acted && step.missed => Some(Change::Missed),
                () if acted => Some(Change::Played),
                () if !waits || step.dealt => Some(Change::Withdrawn),
                () => None,
            };
            if let Some(change) = ends {
                self.end(settings, seat, change, at, &mut lines);
            }
        }
        for seat in 0..self.count() {
            if step.waiting >> seat & 1 == 1 && !self.is_waited_for(seat) {
                self.change(settings, seat, Change::Began, at, &mut lines);
            }
        }
        lines
    }

    /// A bot takes over the seat of a player who missed the deadline.
    pub fn hold(&mut self, settings: &ClockSettings, seat: u8, at: DateTime<Utc>) -> Lines {
        let mut lines = Lines::new();
        if self.is_waited_for(seat) {
            self.end(settings, seat, Change::Missed, at, &mut lines);
        }
        if let Some(held) = self.seat_mut(seat) {
            held.held = true;
        }
        lines
    }

    /// The owner takes the seat back; a wait begins if it is their turn.
    pub fn give_back(&mut self, settings: &ClockSettings, seat: u8, waits: bool, at: DateTime<Utc>) -> Lines {
        let mut lines = Lines::new();
        if let Some(held) = self.seat_mut(seat) {
            held.held = false;
            held.clock.missed_turns = 0;
        }
        if waits && !self.is_waited_for(seat) {
            self.change(settings, seat, Change::Began, at, &mut lines);
        }
        lines
    }

    /// Sets a player's calendar, and applies the change to a running clock.
    pub fn set_calendar(
        &mut self,
        settings: &ClockSettings,
        seat: u8,
        calendar: Calendar,
        change: Option<Change>,
        at: DateTime<Utc>,
    ) -> Lines {
        let mut lines = Lines::new();
        if let Some(of_seat) = self.seat_mut(seat) {
            of_seat.calendar = Arc::new(calendar);
        }
        if let Some(change) = change.filter(|_| self.is_waited_for(seat)) {
            self.change(settings, seat, change, at, &mut lines);
        }
        lines
    }

    /// Whether the seat has missed its deadline at `at`: `Missed` applies instead of `Played`.
    pub fn is_late(&self, settings: &ClockSettings, seat: u8, at: DateTime<Utc>) -> bool {
        self.seat(seat).is_some_and(|of_seat| {
            of_seat.clock.wait.is_some()
                && advance(settings, &of_seat.clock, &of_seat.calendar, Change::Missed, at).is_ok()
        })
    }

    /// The first seat that has missed its deadline at `at`.
    pub fn late_seat(&self, settings: &ClockSettings, at: DateTime<Utc>) -> Option<u8> {
        (0..self.count()).find(|seat| self.is_late(settings, *seat, at))
    }

    /// The next deadline or reminder after a time.
    pub fn next_due(&self, settings: &ClockSettings, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let due = self.seats.iter().flat_map(|of_seat| {
            let notices = Thresholds::default().times(settings, &of_seat.clock, &of_seat.calendar);
            let notices = notices.into_iter().flatten().map(|(_, at)| at).filter(move |at| *at > after);
            let missed = of_seat.clock.deadline().map(missed_at);
            notices.chain(missed)
        });
        due.min()
    }

    /// The clock of a seat.
    pub fn seat(&self, seat: u8) -> Option<&SeatClock> {
        self.seats.get(usize::from(seat))
    }

    /// Whether a bot holds a seat for its owner.
    pub fn is_held(&self, seat: u8) -> bool {
        self.seat(seat).is_some_and(|seat| seat.held)
    }

    /// Serializes the clocks, with the steps whose time is not known yet.
    ///
    /// # Errors
    /// If serialization fails.
    pub fn to_stored(&self, clock_steps: &[ClockStep]) -> Result<String, MatchError> {
        serde_json::to_string(&ClocksForm::new(self, clock_steps))
            .map_err(|error| MatchError::Damaged(format!("clocks: {error}")))
    }

    fn is_waited_for(&self, seat: u8) -> bool {
        self.seat(seat).is_some_and(|of_seat| of_seat.clock.wait.is_some())
    }

    /// Removes the calendar of a seat.
    pub fn forget_calendar(&mut self, seat: u8) {
        let known = self.seat_mut(seat).filter(|of_seat| *of_seat.calendar != Calendar::default());
        if let Some(of_seat) = known {
            of_seat.calendar = Arc::default();
        }
    }

    /// Number of seats.
    pub fn count(&self) -> u8 {
        u8::try_from(self.seats.len()).unwrap_or(u8::MAX)
    }

    fn seat_mut(&mut self, seat: u8) -> Option<&mut SeatClock> {
        self.seats.get_mut(usize::from(seat))
    }

    /// Ends a wait. The log has precedence: if the clock refuses the change, because the database's clock was
    /// set back, the wait is withdrawn.
    fn end(
        &mut self,
        settings: &ClockSettings,
        seat: u8,
        change: Change,
        at: DateTime<Utc>,
        lines: &mut Lines,
    ) {
        if !self.change(settings, seat, change, at, lines) {
            self.change(settings, seat, Change::Withdrawn, at, lines);
        }
    }

    fn change(
        &mut self,
        settings: &ClockSettings,
        seat: u8,
        change: Change,
        at: DateTime<Utc>,
        lines: &mut Lines,
    ) -> bool {
        let Some(of_seat) = self.seat_mut(seat) else { return false };
        let Ok(step) = advance(settings, &of_seat.clock, &of_seat.calendar, change, at) else { return false };
        of_seat.clock = step.clock;
        lines.extend(step.entries.into_iter().map(|entry| (seat, entry)));
        true
    }
}

/// The time from which a deadline counts as missed: after the grace period.
pub fn missed_at(deadline: DateTime<Utc>) -> DateTime<Utc> {
    let grace = TimeDelta::microseconds(GRACE.microseconds());
    deadline.checked_add_signed(grace).unwrap_or(deadline)
}
