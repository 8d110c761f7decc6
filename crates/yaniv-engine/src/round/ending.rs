//! Consequences of a score: totals, bonus, reductions, eliminations, the end of the match, the next starter (rules §5
//! and §8).

#![expect(clippy::indexing_slicing, reason = "lists by seat have a place for each of the ten possible seats")]

use crate::cards::seat::Seat;
use crate::round::event::{MatchResult, RoundEnd, RoundResult};
use crate::round::phase::Phase;
use crate::round::scoring::{BySeat, Verdict, score};
use crate::round::state::{Departure, MAX_PLAYERS, RoundState};
use crate::rules::choices::{AllOut, EliminationAt, End, TieStarter};
use crate::rules::rule_set::Rules;

/// What follows a round.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Next {
    Round { starter: u8, sudden_death: bool },
    MatchOver,
}

/// The eliminated seats, and what the others do.
struct Fate {
    out: [bool; MAX_PLAYERS],
    goes_on: GoesOn,
}

enum GoesOn {
    Yes { sudden_death: bool },
    Won(Option<u8>),
}

impl RoundState {
    /// Scores the round and ends it.
    pub(crate) fn settle(&mut self, rules: &Rules, caller: u8, verdict: Verdict) -> (RoundEnd, Next) {
        let result = score(rules, self, caller, verdict);
        let hands = self.places().map(|(_, place)| place.hand.to_vec()).collect();
        let reduced = self.add_to_totals(rules, caller, &result.scores, result.right);
        let fate = self.fate(rules);
        let out: Vec<Seat> =
            self.active().filter(|seat| fate.out[usize::from(*seat)]).map(Seat::new).collect();
        for seat in &out {
            self.seat_mut(seat.number()).departure =
                Some(Departure { round: self.round, order: Departure::AT_END });
        }
        let next = match fate.goes_on {
            GoesOn::Won(winner) => {
                self.phase = Phase::MatchOver { winner };
                Next::MatchOver
            }
            GoesOn::Yes { sudden_death } => {
                self.phase = Phase::RoundOver;
                let winner = result.challenge_winner.filter(|seat| self.seat(*seat).is_active());
                let starter = winner.unwrap_or_else(|| self.next_starter(rules, caller, &result.points));
                Next::Round { starter, sudden_death }
            }
        };
        let listed = |list: &BySeat| list[..usize::from(self.players)].to_vec();
        let defeats = |seat: &u8| result.defeaters[usize::from(*seat)];
        let result = RoundResult {
            caller: Seat::new(caller),
            right: result.right,
            defeated_by: (0..self.players).filter(defeats).map(Seat::new).collect(),
            hands,
            points: listed(&result.points),
            scores: listed(&result.scores),
            totals: self.places().map(|(_, place)| place.total).collect(),
            reduced,
            out,
            next_starter: match next {
                Next::Round { starter, .. } => Some(Seat::new(starter)),
                Next::MatchOver => None,
            },
        };
        (RoundEnd { round: self.round, result: Some(result) }, next)
    }

    /// Ends the round without a score (rules §8): the caller left while the others answered, or a limit was reached.
    pub(crate) fn end_unscored(&mut self, rules: &Rules) -> (RoundEnd, Next) {
        self.slam = None;
        let next = if self.is_last_round() {
            self.phase = Phase::MatchOver { winner: self.only_lowest(self.active()) };
            Next::MatchOver
        } else {
            self.phase = Phase::RoundOver;
            let same = self.seat(self.starter).is_active();
            let starter = if same { self.starter } else { self.next_active(rules, self.starter) };
            Next::Round { starter, sudden_death: self.sudden_death }
        };
        (RoundEnd { round: self.round, result: None }, next)
    }

    /// The result, when the match is over.
    pub(crate) fn match_result(&self) -> Option<MatchResult> {
        let Phase::MatchOver { winner } = self.phase else {
            return None;
        };
        Some(MatchResult { winner: winner.map(Seat::new), ranking: self.ranking() })
    }

    /// The place of each seat: a later departure first, then the lower total (rules §8).
    pub(crate) fn ranking(&self) -> Vec<u8> {
        let still_in = Departure { round: u16::MAX, order: Departure::AT_END };
        let standing = |seat: u8| (self.seat(seat).departure.unwrap_or(still_in), -self.seat(seat).total);
        let place = |(seat, _)| {
            let better = self.places().filter(|(other, _)| standing(*other) > standing(seat)).count();
            u8::try_from(better + 1).unwrap_or(u8::MAX)
        };
        self.places().map(place).collect()
    }

    /// Adds the scores, applies bonus and reductions; returns the seats whose total was replaced.
    fn add_to_totals(&mut self, rules: &Rules, caller: u8, scores: &BySeat, right: bool) -> Vec<Seat> {
        let options = rules.options();
        let two_left = self.active().count() == 2;
        let mut reduced = Vec::new();
        for seat in 0..self.players {
            let scored = scores[usize::from(seat)];
            let place = self.seat_mut(seat);
            if !place.is_active() {
                continue;
            }
            let before = place.total;
            place.total = place.total.saturating_add(scored);
            if let Some(bonus) = options.bonus
                && right
                && seat == caller
                && scored == 0
                && !two_left
            {
                place.successes = place.successes.saturating_add(1);
                if place.successes.is_multiple_of(u16::from(bonus.every)) {
                    place.total = place.total.saturating_sub(i32::from(bonus.points));
                }
            }
            let hit = options.reductions.iter().find(|one| i32::from(one.at) == place.total);
            if let Some(reduction) = hit.filter(|_| place.total != before) {
                place.total = i32::from(reduction.to);
                reduced.push(Seat::new(seat));
            }
        }
        reduced
    }

    fn fate(&self, rules: &Rules) -> Fate {
        let options = rules.options();
        let last_round = self.is_last_round();
        let limit = i32::from(options.elimination);
        let over = |seat: &u8| {
            let total = self.seat(*seat).total;
            let at = options.elimination_at == EliminationAt::Reached && total == limit;
            !self.sudden_death && (total > limit || at)
        };
        let left_in = self.active().filter(|seat| !over(seat)).count();
        let mut out = [false; MAX_PLAYERS];
        self.active().filter(over).for_each(|seat| out[usize::from(seat)] = true);
        if left_in == 0 && options.all_out == AllOut::Replay && !last_round {
            return Fate { out: [false; MAX_PLAYERS], goes_on: GoesOn::Yes { sudden_death: true } };
        }
        let ends = self.sudden_death
            || left_in <= 1
            || last_round
            || (options.end == End::FirstElimination && left_in < self.active().count())
            || options.max_rounds.is_some_and(|rounds| self.round >= u16::from(rounds));
        if !ends {
            return Fate { out, goes_on: GoesOn::Yes { sudden_death: false } };
        }
        // Candidates for the win: the seats that are not out, or all seats if all are out.
        let candidates = self.active().filter(|seat| left_in == 0 || !over(seat));
        let lowest = candidates.clone().map(|seat| self.seat(seat).total).min().unwrap_or(0);
        let winner = self.only_lowest(candidates.clone());
        let goes_on = if winner.is_some() || last_round {
            GoesOn::Won(winner)
        } else {
            candidates.clone().for_each(|seat| out[usize::from(seat)] = self.seat(seat).total != lowest);
            GoesOn::Yes { sudden_death: true }
        };
        if self.sudden_death {
            self.active().for_each(|seat| out[usize::from(seat)] = self.seat(seat).total != lowest);
        }
        Fate { out, goes_on }
    }

    /// The seat with the lowest total, if it is unique.
    fn only_lowest(&self, seats: impl Iterator<Item = u8> + Clone) -> Option<u8> {
        let lowest = seats.clone().map(|seat| self.seat(seat).total).min()?;
        let mut tied = seats.filter(|seat| self.seat(*seat).total == lowest);
        let first = tied.next();
        if tied.next().is_some() { None } else { first }
    }

    /// The lowest hand among active seats; ties are broken by the rule set (rules §5).
    fn next_starter(&self, rules: &Rules, caller: u8, points: &BySeat) -> u8 {
        let from_starter = [self.starter].into_iter().chain(self.after(rules, self.starter));
        let after_caller = self.after(rules, caller);
        let in_order: Vec<u8> = match rules.options().tie_starter {
            TieStarter::LeftOfCaller => after_caller.collect(),
            TieStarter::LeftOfDealer => from_starter.collect(),
        };
        let active = in_order.into_iter().filter(|seat| self.seat(*seat).is_active());
        active.min_by_key(|seat| points[usize::from(*seat)]).unwrap_or(self.starter)
    }
}
