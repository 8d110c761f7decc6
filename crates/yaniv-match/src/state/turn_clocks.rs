//! Connects the match state to its clocks: seats to act, clock changes per step, and the time of the next
//! check. The clocks are in `clocks`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_clock::{Calendar, Change, ClockSettings};
use yaniv_engine::{Action, CallOutcome, Match, Played, Seat};

use crate::clocks::{ClockStep, Clocks, LedgerLine, Lines};
use crate::clocks_codec::ClocksForm;
use crate::error::MatchError;
use crate::origin::ActionOrigin;
use crate::state::MatchState;
use crate::status::Status;

impl MatchState {
    /// Bit mask of the seats whose players have to act. Seats played by bots are not in it.
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

    /// When the scheduler has to check the match next, in database time.
    pub fn check_at(&self) -> Option<DateTime<Utc>> {
        self.next_check(self.at).map(|at| self.clocks.real(at))
    }

    /// When the match has to be checked next, in match time. All that is due by `now` is assumed done.
    pub fn next_check(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.next_check_of(&self.clocks, self.at, now)
    }

    /// The same with other clocks and another time of the newest entry.
    pub(super) fn next_check_of(
        &self,
        clocks: &Clocks,
        at: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<DateTime<Utc>> {
        let game = self.game.as_ref().filter(|_| self.status == Status::Running)?;
        if game.to_act().into_iter().any(|seat| self.plays_itself(seat)) {
            return Some(at);
        }
        clocks.next_due(&self.clock_settings(), now)
    }

    /// The stored form of the clocks; `None` before the start.
    ///
    /// # Errors
    /// If serialization fails.
    pub fn stored_clocks(&self) -> Result<Option<String>, MatchError> {
        let some = !self.clocks.seats.is_empty() || self.clocks.ahead != 0;
        some.then(|| self.clocks.to_stored(&self.clock_steps)).transpose()
    }

    /// Reads the clocks from their stored form.
    ///
    /// # Errors
    /// `Damaged`.
    pub(super) fn read_clocks(&mut self, stored: &str) -> Result<(), MatchError> {
        let (clocks, clock_steps) = ClocksForm::read(stored)?;
        self.clocks = Arc::new(clocks);
        self.turn_clocks(&clock_steps);
        Ok(())
    }

    /// Applies steps to the clocks, at the time of the newest entry.
    pub(super) fn turn_clocks(&mut self, steps: &[ClockStep]) {
        let mut clocks = Clocks::clone(&self.clocks);
        let lines = self.turn(&mut clocks, steps, self.at);
        self.clocks = Arc::new(clocks);
        self.write(lines);
    }

    /// Applies steps to clocks at a time.
    pub(super) fn turn(&self, clocks: &mut Clocks, steps: &[ClockStep], at: DateTime<Utc>) -> Lines {
        let settings = self.clock_settings();
        let lines = steps.iter().flat_map(|step| clocks.turn(&settings, step, at)).collect();
        // Eliminated players have no clock: drop their calendar.
        let out = |seat: &u8| self.game.as_ref().is_some_and(|game| game.is_out(Seat::new(*seat)));
        (0..clocks.count()).filter(out).for_each(|seat| clocks.forget_calendar(seat));
        lines
    }

    /// The clock change of a step that was played.
    pub(super) fn clock_step(
        &self,
        seat: Seat,
        action: &Action,
        played: &Played,
        origin: ActionOrigin,
    ) -> ClockStep {
        ClockStep {
            seat: seat.number(),
            done: !goes_on(action, played),
            missed: origin == ActionOrigin::Missed,
            dealt: played.round_ended.is_some(),
            waiting: self.waiting_on(),
        }
    }

    /// A bot takes over the seat of a player who missed the deadline.
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

    /// Sets a player's calendar from now on.
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

    /// Moves match time further ahead of database time, by microseconds.
    pub(super) fn move_clock(&mut self, by: i64, at: DateTime<Utc>) {
        let clocks = Arc::make_mut(&mut self.clocks);
        clocks.ahead = clocks.ahead.saturating_add(by);
        self.step(at);
    }

    /// The clock settings.
    pub fn clock_settings(&self) -> ClockSettings {
        self.settings.time_control.clock
    }

    fn write(&mut self, lines: Lines) {
        let version = self.version;
        if let Some(ledger) = &mut self.ledger {
            ledger.extend(lines.into_iter().map(|(seat, entry)| LedgerLine { version, seat, entry }));
        }
    }
}

/// Whether the seat's turn or answer continues after its action.
pub fn goes_on(action: &Action, played: &Played) -> bool {
    match action {
        // The seat that answers a request is on turn and stays on turn.
        Action::Ask(_) | Action::Give | Action::Keep | Action::Slam { .. } => true,
        Action::Call { .. } => played.call == Some(CallOutcome::DrewThree),
        _ => false,
    }
}
