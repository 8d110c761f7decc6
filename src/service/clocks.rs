//! The clocks of a match: one for each seat, and what the turns of play do to them. How long anybody has is worked out by
//! `yaniv_clock`; here is who is waited for, and how it is stored.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use yaniv_clock::{Calendar, Change, ClockSettings, Entry, GRACE, PlayerClock, Thresholds, advance};

use super::ServiceError;
use super::clock_form::ClocksForm;

/// The clock of a seat.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatClock {
    /// What is on it, and until when the seat is waited for.
    pub clock: PlayerClock,
    /// What stops it.
    pub calendar: Arc<Calendar>,
    /// A bot holds the seat for its owner: nobody is waited for.
    pub held: bool,
}

/// What a step of play does to the clocks, once its time is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turned {
    /// Who has acted.
    pub seat: u8,
    /// Their turn, or answer, is done.
    pub done: bool,
    /// It was done for them, as the deadline had passed.
    pub missed: bool,
    /// Another round was dealt: all waits are new ones.
    pub dealt: bool,
    /// Who is waited for now, a bit each.
    pub waiting: i16,
}

/// A line of the ledger.
#[derive(Clone, Debug)]
pub struct LedgerLine {
    /// Entry of the log that it came of.
    pub version: i32,
    /// Whose clock it is.
    pub seat: u8,
    /// What changed.
    pub entry: Entry,
}

/// The clocks of a match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clocks {
    /// By seat; none before the start.
    pub seats: Vec<SeatClock>,
    /// So much the match's time is ahead of the database's: in sandboxes.
    pub ahead: i64,
}

/// Lines that a change wrote, with the seat.
pub(super) type Lines = Vec<(u8, Entry)>;

impl Clocks {
    /// At the start, with nobody waited for yet.
    pub fn start(settings: &ClockSettings, calendars: Vec<Arc<Calendar>>, ahead: i64) -> Self {
        let clock = PlayerClock::new(settings);
        let seats = calendars.into_iter().map(|calendar| SeatClock { clock, calendar, held: false });
        Self { seats: seats.collect(), ahead }
    }

    /// The match's time at a time of the database.
    pub fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        now.checked_add_signed(TimeDelta::microseconds(self.ahead)).unwrap_or(now)
    }

    /// The database's time at a time of the match.
    pub fn real(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        at.checked_sub_signed(TimeDelta::microseconds(self.ahead)).unwrap_or(at)
    }

    /// Counts a step of play at its time.
    pub fn turn(&mut self, settings: &ClockSettings, turned: &Turned, at: DateTime<Utc>) -> Lines {
        let mut lines = Lines::new();
        for seat in 0..self.count() {
            let waits = turned.waiting >> seat & 1 == 1;
            let acted = seat == turned.seat && turned.done;
            let ends = match () {
                () if !self.is_waited_for(seat) => None,
                () if acted && turned.missed => Some(Change::Missed),
                () if acted => Some(Change::Played),
                () if !waits || turned.dealt => Some(Change::Withdrawn),
                () => None,
            };
            if let Some(change) = ends {
                self.end(settings, seat, change, at, &mut lines);
            }
        }
        for seat in 0..self.count() {
            if turned.waiting >> seat & 1 == 1 && !self.is_waited_for(seat) {
                self.change(settings, seat, Change::Began, at, &mut lines);
            }
        }
        lines
    }

    /// A bot takes the seat, whose owner has let the deadline pass.
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

    /// The owner takes the seat back, and is waited for if it is their turn.
    pub fn give_back(&mut self, settings: &ClockSettings, seat: u8, waits: bool, at: DateTime<Utc>) -> Lines {
        let mut lines = Lines::new();
        if let Some(held) = self.seat_mut(seat) {
            held.held = false;
            held.clock.missed_in_a_row = 0;
        }
        if waits && !self.is_waited_for(seat) {
            self.change(settings, seat, Change::Began, at, &mut lines);
        }
        lines
    }

    /// A player's calendar is another now, by what is said.
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

    /// Whether it is too late for a seat by then: of "played" and "missed", which it is.
    pub fn is_late(&self, settings: &ClockSettings, seat: u8, at: DateTime<Utc>) -> bool {
        self.seat(seat).is_some_and(|of_seat| {
            of_seat.clock.wait.is_some()
                && advance(settings, &of_seat.clock, &of_seat.calendar, Change::Missed, at).is_ok()
        })
    }

    /// The first seat that has let its deadline pass by then.
    pub fn late_seat(&self, settings: &ClockSettings, at: DateTime<Utc>) -> Option<u8> {
        (0..self.count()).find(|seat| self.is_late(settings, *seat, at))
    }

    /// When the next deadline, or notice of one, is due after a time; nobody is late before.
    pub fn next_due(&self, settings: &ClockSettings, after: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let due = self.seats.iter().flat_map(|of_seat| {
            let notices = Thresholds::default().times(settings, &of_seat.clock, &of_seat.calendar);
            let notices = notices.into_iter().map(|(_, at)| at).filter(move |at| *at > after);
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

    /// As they are stored: as they stand, with what has happened to them at a time that is not known yet.
    ///
    /// # Errors
    /// Only if they cannot be printed.
    pub fn to_stored(&self, turning: &[Turned]) -> Result<String, ServiceError> {
        serde_json::to_string(&ClocksForm::new(self, turning)).map_err(ServiceError::internal)
    }

    fn is_waited_for(&self, seat: u8) -> bool {
        self.seat(seat).is_some_and(|of_seat| of_seat.clock.wait.is_some())
    }

    /// Nothing stops the clock of a seat any more.
    pub fn forget_calendar(&mut self, seat: u8) {
        let known = self.seat_mut(seat).filter(|of_seat| *of_seat.calendar != Calendar::default());
        if let Some(of_seat) = known {
            of_seat.calendar = Arc::default();
        }
    }

    /// How many seats there are.
    pub fn count(&self) -> u8 {
        u8::try_from(self.seats.len()).unwrap_or(u8::MAX)
    }

    fn seat_mut(&mut self, seat: u8) -> Option<&mut SeatClock> {
        self.seats.get_mut(usize::from(seat))
    }

    /// Ends a wait. Whatever the log says happened did happen: where the clock would have it otherwise, as the database's
    /// has been set back, the wait just ends.
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

/// From when on a deadline is missed.
pub(super) fn missed_at(deadline: DateTime<Utc>) -> DateTime<Utc> {
    let grace = TimeDelta::microseconds(GRACE.microseconds());
    deadline.checked_add_signed(grace).unwrap_or(deadline)
}
