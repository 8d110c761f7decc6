//! Counts a match: replays its log from the first deal, round by round. Deterministic: the same log gives the
//! same figures. Storing is in `batch`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_clock::Clock;
use yaniv_db::StoreError;
use yaniv_db::matches::match_rows::MatchRow;
use yaniv_engine::{Action, CallOutcome, Match, Played, RoundResult, Seat, SeedChain, Shuffler};
use yaniv_match::event::{ActionEvent, LogEvent, LoggedEvent};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::state::goes_on;

use crate::ServiceError;
use crate::matches::load::settings_of;
use crate::statistics::figures::Figures;
use crate::statistics::reply_times::note_reply;

/// Figures of a match so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    /// Number of finished rounds.
    pub(crate) rounds: i16,
    /// Number of actions in them.
    pub(crate) actions: i64,
    /// Figures by seat.
    pub(crate) seats: Vec<Figures>,
    /// When the match ended.
    pub(crate) ended_at: Option<DateTime<Utc>>,
    /// Time of the last finished round that each seat was dealt into.
    pub(crate) last_rounds: Vec<Option<DateTime<Utc>>>,
}

/// A match that is being counted.
#[derive(Clone)]
pub(crate) struct Counting {
    game: Match,
    shuffler: Shuffler,
    has_clock: bool,
    counted: Counted,
    seats: Vec<Sitting>,
    /// Whether the last call was made by the player or their standing order, not by a timeout or a bot
    /// that holds the seat.
    called_by_player: bool,
    /// Placeholder for a seat that the match does not have.
    outside: (Figures, Sitting),
}

/// State of a seat while its match is counted.
#[derive(Clone, Debug, Default)]
struct Sitting {
    /// The seat was dealt cards in this round.
    dealt: bool,
    /// Rounds won in a row.
    run: i32,
    /// When the current wait for the seat began.
    waited_since: Option<DateTime<Utc>>,
}

impl Counting {
    /// The match at its first deal, with its chain of seeds.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub(crate) fn new(
        row: &MatchRow,
        client_seeds: &[String],
        chain: Arc<SeedChain>,
    ) -> Result<Self, ServiceError> {
        let settings = settings_of(row)?;
        let count = u8::try_from(client_seeds.len()).map_err(ServiceError::internal)?;
        let shuffler = Shuffler::new(chain, &settings.shuffled_as(), client_seeds);
        let game = Match::start(&settings.rules, count, &shuffler)?;
        let seats = usize::from(count);
        let counted = Counted {
            seats: vec![Figures::default(); seats],
            last_rounds: vec![None; seats],
            ..Counted::default()
        };
        let mut counting = Self {
            game,
            shuffler,
            has_clock: settings.time_control.clock.clock != Clock::None,
            counted,
            seats: vec![Sitting::default(); seats],
            called_by_player: false,
            outside: <(Figures, Sitting)>::default(),
        };
        counting.deal();
        Ok(counting)
    }

    /// The figures, complete up to the last finished round.
    pub(crate) fn counted(&self) -> &Counted {
        &self.counted
    }

    /// Counts a log entry; returns whether it ended a round.
    ///
    /// Do not push entries after the last finished round: they would be counted in some figures only.
    ///
    /// # Errors
    /// `Damaged`, if the entry is not possible.
    pub(crate) fn push(&mut self, entry: &LoggedEvent) -> Result<bool, ServiceError> {
        match &entry.event {
            LogEvent::Started { .. } => self.await_players(entry.at),
            LogEvent::Action(action) => return self.play(action, entry),
            LogEvent::SeatHeld { seat } => self.figures(*seat).missed += 1,
            LogEvent::SeatTakenBack { seat } => {
                let waits = self.game.to_act().contains(seat);
                self.sitting(*seat).waited_since = waits.then_some(entry.at);
            }
            _ => {}
        }
        Ok(false)
    }

    fn play(&mut self, event: &ActionEvent, entry: &LoggedEvent) -> Result<bool, ServiceError> {
        let (seat, action, at) = (event.seat, &event.action, entry.at);
        let played = self.game.play(seat, action, &self.shuffler).map_err(|refused| {
            StoreError::Damaged(format!("action {}: {}", entry.version, refused.detail))
        })?;
        let own = matches!(event.origin, ActionOrigin::Player | ActionOrigin::Order);
        self.counted.actions += 1;
        if event.origin == ActionOrigin::Missed {
            self.figures(seat).missed += 1;
        }
        if own && matches!(action, Action::Slam { .. }) {
            self.figures(seat).slam_downs += 1;
        }
        if played.call.is_some_and(scores) {
            self.called_by_player = own;
        }
        self.end_waits(seat, action, &played, own, at);
        let Some(end) = &played.round_ended else { return Ok(false) };
        self.end_round(end.result.as_ref(), at);
        if let Some(result) = &played.match_ended {
            for (figures, place) in self.counted.seats.iter_mut().zip(&result.ranking) {
                figures.place = Some(i16::from(*place));
            }
            self.counted.ended_at = Some(at);
        }
        Ok(true)
    }

    /// Ends the waits for the acting seat and for seats that no longer have to act, and begins new ones.
    fn end_waits(&mut self, seat: Seat, action: &Action, played: &Played, own: bool, at: DateTime<Utc>) {
        let done = !goes_on(action, played);
        let since = self.sitting(seat).waited_since.filter(|_| done);
        if let Some(since) = since {
            self.sitting(seat).waited_since = None;
            if own {
                let has_clock = self.has_clock;
                let figures = self.figures(seat);
                note_reply(&mut figures.replies, at - since);
                figures.in_time += i32::from(has_clock);
            }
        }
        let waiting = self.game.to_act();
        let dealt = played.round_ended.is_some();
        for (number, sitting) in (0..).zip(&mut self.seats) {
            if dealt || !waiting.contains(&Seat::new(number)) {
                sitting.waited_since = None;
            }
        }
        self.await_players(at);
    }

    fn await_players(&mut self, at: DateTime<Utc>) {
        for seat in self.game.to_act() {
            self.sitting(seat).waited_since.get_or_insert(at);
        }
    }

    fn end_round(&mut self, result: Option<&RoundResult>, at: DateTime<Utc>) {
        self.counted.rounds += 1;
        let dealt: Vec<bool> = self.seats.iter().map(|sitting| sitting.dealt).collect();
        for (number, _) in (0..).zip(&dealt).filter(|(_, dealt)| **dealt) {
            let seat = Seat::new(number);
            self.figures(seat).rounds += 1;
            if let Some(last) = self.counted.last_rounds.get_mut(seat.index()) {
                *last = Some(at);
            }
        }
        if let Some(result) = result {
            self.score(result, &dealt);
        }
        self.deal();
    }

    fn score(&mut self, result: &RoundResult, dealt: &[bool]) {
        let points = |seat: Seat| result.points.get(seat.index()).copied().unwrap_or_default();
        let winners = winners(result);
        for (number, _) in (0..).zip(dealt).filter(|(_, dealt)| **dealt) {
            let seat = Seat::new(number);
            // A player who left before the round was scored has not lost it.
            let there = !self.game.is_out(seat) || result.out.contains(&seat);
            if winners.contains(&seat) {
                let sitting = self.sitting(seat);
                sitting.run += 1;
                let run = sitting.run;
                let figures = self.figures(seat);
                figures.rounds_won += 1;
                figures.best_run = figures.best_run.max(run);
            } else {
                self.sitting(seat).run = 0;
                if there && seat != result.caller {
                    let figures = self.figures(seat);
                    figures.rounds_lost += 1;
                    figures.points_lost += points(seat);
                }
            }
        }
        if self.called_by_player {
            let figures = self.figures(result.caller);
            figures.calls_right += i32::from(result.right);
            figures.calls_wrong += i32::from(!result.right);
            figures.call_points += points(result.caller);
        }
        for seat in &result.defeated_by {
            let caller = result.caller.index();
            let inflicted = &mut self.figures(*seat).inflicted;
            if inflicted.len() <= caller {
                inflicted.resize(caller + 1, 0);
            }
            if let Some(count) = inflicted.get_mut(caller) {
                *count += 1;
            }
        }
        for seat in &result.reduced {
            self.figures(*seat).reductions += 1;
        }
    }

    fn figures(&mut self, seat: Seat) -> &mut Figures {
        self.counted.seats.get_mut(seat.index()).unwrap_or(&mut self.outside.0)
    }

    fn sitting(&mut self, seat: Seat) -> &mut Sitting {
        self.seats.get_mut(seat.index()).unwrap_or(&mut self.outside.1)
    }

    /// Records the seats that were dealt cards.
    fn deal(&mut self) {
        let game = &self.game;
        for (number, sitting) in (0..).zip(&mut self.seats) {
            sitting.dealt = !game.is_out(Seat::new(number));
        }
    }
}

/// The winners of a round: the caller if right; otherwise those with the fewest points among the seats that
/// defeated the call.
fn winners(result: &RoundResult) -> Vec<Seat> {
    if result.right {
        return vec![result.caller];
    }
    let points = |seat: &Seat| result.points.get(seat.index()).copied().unwrap_or_default();
    let least = result.defeated_by.iter().map(points).min();
    result.defeated_by.iter().filter(|seat| Some(points(seat)) == least).copied().collect()
}

/// Whether a call with this outcome leads to the scoring of the round.
fn scores(outcome: CallOutcome) -> bool {
    match outcome {
        CallOutcome::Revealed
        | CallOutcome::FinalTurns
        | CallOutcome::Challenged
        | CallOutcome::Penalty
        | CallOutcome::OutOfTurn => true,
        CallOutcome::Eliminated
        | CallOutcome::DrewThree
        | CallOutcome::SwapOffered
        | CallOutcome::Ignored => false,
    }
}
