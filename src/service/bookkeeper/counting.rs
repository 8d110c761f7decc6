//! Counting a match: its log, played again by the engine from the first deal, a round at a time. The same log always comes to the
//! same figures, whoever counts it.

use chrono::{DateTime, Utc};
use yaniv_clock::Clock;
use yaniv_engine::{Action, CallOutcome, Match, Played, RoundResult, Seat, SeedChain, Shuffler};

use super::figures::Figures;
use super::replies::note_reply;
use crate::service::ServiceError;
use crate::service::settled::Settings;
use crate::service::table_clock::goes_on;
use crate::service::view::stored_action;
use crate::store::StoreError;
use crate::store::actions::{
    ActionRow, FLAG_BOT, FLAG_MISSED, KIND_ACTION, KIND_HELD, KIND_RETURNED, KIND_STARTED,
};
use crate::store::matches::MatchRow;

/// What has been counted of a match so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Counted {
    /// Rounds that are over.
    pub(super) rounds: i16,
    /// Actions in them.
    pub(super) actions: i64,
    /// What they say, by seat.
    pub(super) seats: Vec<Figures>,
    /// When the match ended.
    pub(super) ended_at: Option<DateTime<Utc>>,
    /// When each seat was in a round that ended, last.
    pub(super) last_rounds: Vec<Option<DateTime<Utc>>>,
}

/// A match that is being counted.
#[derive(Clone)]
pub(super) struct Counting {
    game: Match,
    shuffler: Shuffler,
    has_clock: bool,
    counted: Counted,
    seats: Vec<Sitting>,
    /// Whether the player who called last has done so, and nothing in their place.
    called_by_player: bool,
    /// Where it goes what is said of a seat that the match does not have.
    nobody: (Figures, Sitting),
}

/// What has to be known of a seat while its match is counted.
#[derive(Clone, Debug, Default)]
struct Sitting {
    /// They were dealt cards in this round.
    dealt: bool,
    /// Rounds that they have won in a row.
    run: i32,
    /// Since when they are waited for.
    waited_since: Option<DateTime<Utc>>,
}

impl Counting {
    /// The first deal of a match.
    ///
    /// # Errors
    /// If what is stored of it is damaged.
    pub(super) fn new(row: &MatchRow, client_seeds: &[String]) -> Result<Self, ServiceError> {
        let root = <[u8; 32]>::try_from(row.secret.as_slice())
            .map_err(|_| StoreError::Damaged("secret of a match".to_owned()))?;
        let settings = Settings::try_from(row)?;
        let count = u8::try_from(client_seeds.len()).map_err(ServiceError::internal)?;
        let shuffler = Shuffler::new(SeedChain::new(root), &settings.shuffled_as(), client_seeds);
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
            has_clock: settings.pace.clock.clock != Clock::None,
            counted,
            seats: vec![Sitting::default(); seats],
            called_by_player: false,
            nobody: <(Figures, Sitting)>::default(),
        };
        counting.deal();
        Ok(counting)
    }

    /// What has been counted, as of the last round that is over.
    pub(super) fn counted(&self) -> &Counted {
        &self.counted
    }

    /// Counts an entry of the log; says whether it ended a round. What comes after the last round that is over is not to be
    /// counted, as it would be in none of the figures or in some.
    ///
    /// # Errors
    /// `Damaged`, if it cannot have happened.
    pub(super) fn push(&mut self, row: &ActionRow) -> Result<bool, ServiceError> {
        if row.kind == KIND_STARTED {
            self.await_players(row.at);
            return Ok(false);
        }
        let Some(seat) = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new) else {
            return Ok(false);
        };
        match row.kind {
            KIND_ACTION => self.play(seat, row),
            KIND_HELD => {
                self.figures(seat).missed += 1;
                Ok(false)
            }
            KIND_RETURNED => {
                let waits = self.game.to_act().contains(&seat);
                self.sitting(seat).waited_since = waits.then_some(row.at);
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn play(&mut self, seat: Seat, row: &ActionRow) -> Result<bool, ServiceError> {
        let action = stored_action(row)?;
        let played = self
            .game
            .play(seat, &action, &self.shuffler)
            .map_err(|refused| StoreError::Damaged(format!("action {}: {}", row.version, refused.detail)))?;
        let own = row.flags & (FLAG_MISSED | FLAG_BOT) == 0;
        self.counted.actions += 1;
        if row.flags & FLAG_MISSED != 0 {
            self.figures(seat).missed += 1;
        }
        if own && matches!(action, Action::Slam { .. }) {
            self.figures(seat).slam_downs += 1;
        }
        if played.call.is_some_and(scores) {
            self.called_by_player = own;
        }
        self.end_waits(seat, &action, &played, own, row.at);
        let Some(end) = &played.round_ended else { return Ok(false) };
        self.end_round(end.result.as_ref(), row.at);
        if let Some(result) = &played.match_ended {
            for (figures, place) in self.counted.seats.iter_mut().zip(&result.ranking) {
                figures.place = Some(i16::from(*place));
            }
            self.counted.ended_at = Some(row.at);
        }
        Ok(true)
    }

    /// Ends the wait for who has acted, and those for who is not waited for any more; and begins new ones.
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
            // Who left before it was scored has lost nothing by it.
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
        self.counted.seats.get_mut(seat.index()).unwrap_or(&mut self.nobody.0)
    }

    fn sitting(&mut self, seat: Seat) -> &mut Sitting {
        self.seats.get_mut(seat.index()).unwrap_or(&mut self.nobody.1)
    }

    /// Notes who was dealt cards.
    fn deal(&mut self) {
        let game = &self.game;
        for (number, sitting) in (0..).zip(&mut self.seats) {
            sitting.dealt = !game.is_out(Seat::new(number));
        }
    }
}

/// Who won a round: who called rightly; otherwise, of those who defeated the call, whoever had least.
fn winners(result: &RoundResult) -> Vec<Seat> {
    if result.right {
        return vec![result.caller];
    }
    let points = |seat: &Seat| result.points.get(seat.index()).copied().unwrap_or_default();
    let least = result.defeated_by.iter().map(points).min();
    result.defeated_by.iter().filter(|seat| Some(points(seat)) == least).copied().collect()
}

/// Whether a call that led to this is one by which the round is scored.
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
