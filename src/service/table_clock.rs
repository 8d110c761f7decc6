//! A match and its clocks: who is waited for, what each step does to the clocks, and when to look at the match again.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_clock::{Calendar, Change, ClockSettings};
use yaniv_engine::{Action, CallOutcome, Match, Played, Seat};

use super::ServiceError;
use super::cause::Cause;
use super::clock_form::ClocksForm;
use super::clocks::{LedgerLine, Lines, Turned};
use super::status::Status;
use super::table::Table;
use crate::store::StoreError;

impl Table {
    /// Seats whose players have to act, a bit each. Those that bots hold have nobody who has to.
    pub fn waiting_on(&self) -> i16 {
        let seats = self.game.as_ref().map(Match::to_act).unwrap_or_default();
        let waiting = seats.iter().filter(|seat| !self.plays_itself(**seat));
        waiting.fold(0, |bits, seat| bits | 1 << seat.number())
    }

    /// Whether the match waits for the player of a seat.
    pub fn waits_for(&self, seat: Seat) -> bool {
        self.waiting_on() >> seat.number() & 1 == 1
    }

    /// Whether a bot plays this seat by itself.
    pub fn plays_itself(&self, seat: Seat) -> bool {
        self.clocks.is_held(seat.number()) || self.player(seat).is_some_and(|player| player.level.is_some())
    }

    /// When to look whether something has to be done by itself, by the database's clock.
    pub fn check_at(&self) -> Option<DateTime<Utc>> {
        self.next_check(self.at).map(|at| self.clocks.real(at))
    }

    /// The same as of a time of the match: what was due before it has been done.
    pub(super) fn next_check(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let game = self.game.as_ref().filter(|_| self.status == Status::Running)?;
        if game.to_act().into_iter().any(|seat| self.plays_itself(seat)) {
            return Some(self.at);
        }
        self.clocks.next_due(&self.clock_settings(), now)
    }

    /// The clocks, as they are stored; none before the start.
    ///
    /// # Errors
    /// Only if they cannot be printed.
    pub(super) fn stored_clocks(&self) -> Result<Option<String>, ServiceError> {
        let some = !self.clocks.seats.is_empty() || self.clocks.ahead != 0;
        some.then(|| self.clocks.to_stored(&self.turning)).transpose()
    }

    /// Takes clocks over from their stored form.
    ///
    /// # Errors
    /// `Damaged`.
    pub(super) fn read_clocks(&mut self, stored: &str) -> Result<(), StoreError> {
        let (clocks, turning) = ClocksForm::read(stored)?;
        self.clocks = Arc::new(clocks);
        self.turn_clocks(&turning);
        Ok(())
    }

    /// Counts steps at the time of the newest entry.
    pub(super) fn turn_clocks(&mut self, steps: &[Turned]) {
        let (settings, at) = (self.clock_settings(), self.at);
        let clocks = Arc::make_mut(&mut self.clocks);
        let mut lines = Lines::new();
        for step in steps {
            lines.extend(clocks.turn(&settings, step, at));
        }
        // Nobody waits for who is out: their days are nobody's business any more.
        let out = |seat: &u8| self.game.as_ref().is_some_and(|game| game.is_out(Seat::new(*seat)));
        (0..clocks.count()).filter(out).for_each(|seat| clocks.forget_calendar(seat));
        self.write(lines);
    }

    /// What a step that has been played does to the clocks.
    pub(super) fn turned(&self, seat: Seat, action: &Action, played: &Played, cause: Cause) -> Turned {
        Turned {
            seat: seat.number(),
            done: !goes_on(action, played),
            missed: cause == Cause::Missed,
            dealt: played.round_ended.is_some(),
            waiting: self.waiting_on(),
        }
    }

    /// A bot takes the seat of somebody who has let the deadline pass.
    pub(super) fn hold(&mut self, seat: Seat, at: DateTime<Utc>) {
        self.step(at);
        let settings = self.clock_settings();
        let lines = Arc::make_mut(&mut self.clocks).hold(&settings, seat.number(), at);
        self.write(lines);
    }

    /// The owner takes the seat back.
    pub(super) fn give_back(&mut self, seat: Seat, at: DateTime<Utc>) {
        self.step(at);
        let settings = self.clock_settings();
        let waits = self.game.as_ref().is_some_and(|game| game.to_act().contains(&seat));
        let lines = Arc::make_mut(&mut self.clocks).give_back(&settings, seat.number(), waits, at);
        self.write(lines);
    }

    /// A player's calendar is another from now on.
    pub(super) fn set_calendar(
        &mut self,
        seat: Seat,
        calendar: Calendar,
        change: Option<Change>,
        at: DateTime<Utc>,
    ) {
        self.step(at);
        let settings = self.clock_settings();
        let clocks = Arc::make_mut(&mut self.clocks);
        let lines = clocks.set_calendar(&settings, seat.number(), calendar, change, at);
        self.write(lines);
    }

    /// Something that changes neither position nor clocks.
    pub(super) fn pass_by(&mut self, at: DateTime<Utc>) {
        self.step(at);
    }

    /// Moves the time of the match ahead of the database's by so many microseconds more.
    pub(super) fn move_clock(&mut self, by: i64, at: DateTime<Utc>) {
        let clocks = Arc::make_mut(&mut self.clocks);
        clocks.ahead = clocks.ahead.saturating_add(by);
        self.step(at);
    }

    /// How time is counted.
    pub(super) fn clock_settings(&self) -> ClockSettings {
        self.settings.pace.clock
    }

    fn write(&mut self, lines: Lines) {
        let version = self.version;
        if let Some(ledger) = &mut self.ledger {
            ledger.extend(lines.into_iter().map(|(seat, entry)| LedgerLine { version, seat, entry }));
        }
    }
}

/// Whether a seat is waited for as before, though it has acted.
pub(super) fn goes_on(action: &Action, played: &Played) -> bool {
    match action {
        // Who answers a request is on turn, and stays it.
        Action::Ask(_) | Action::Give | Action::Keep | Action::Slam { .. } => true,
        Action::Call { .. } => played.call == Some(CallOutcome::DrewThree),
        _ => false,
    }
}
