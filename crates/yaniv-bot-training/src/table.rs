//! A match in play with the public events of its round, and what a round was worth.

#![expect(clippy::as_conversions, reason = "points and numbers of seats are exact in a float")]

use yaniv_bot::{History, Sight};
use yaniv_engine::{
    Action, Match, Played, PublicSeat, RoundResult, Rules, Seat, SeatView, SeedChain, Shuffler,
};

use crate::learner::Outcome;

/// A match between bots.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) state: Match,
    shuffler: Shuffler,
    pub(crate) history: History,
}

impl Table {
    /// Deals; the same seed gives the same cards.
    pub(crate) fn deal(rules: &Rules, players: u8, seed: u64) -> Option<Table> {
        let mut root = [0; 32];
        root[..8].copy_from_slice(&seed.to_le_bytes());
        let client_seeds = vec![String::new(); usize::from(players)];
        let shuffler = Shuffler::new(SeedChain::new(root), "training", &client_seeds);
        let state = Match::start(rules, players, &shuffler).ok()?;
        Some(Table { history: History::new(state.round()), state, shuffler })
    }

    pub(crate) fn sight<'a>(&'a self, view: &'a SeatView, seat: Seat) -> Sight<'a> {
        Sight { view, rules: self.state.rules(), seat, history: &self.history }
    }

    /// Plays an action; `None` if it is refused.
    pub(crate) fn play(&mut self, seat: Seat, action: &Action) -> Option<Played> {
        let played = self.state.play(seat, action, &self.shuffler).ok()?;
        self.history.note(seat, action, None, played.recycled);
        if self.history.round() != self.state.round() {
            self.history = History::new(self.state.round());
        }
        Some(played)
    }

    /// How the match stands.
    pub(crate) fn standing(&self) -> Standing {
        let seats = self.state.view(None).seats;
        let all_out = seats.iter().all(|seat| seat.out);
        let winner = self.state.result().and_then(|result| result.winner).filter(|_| all_out);
        let stays = |seat: &PublicSeat| !seat.out || winner == Some(seat.seat);
        Standing { totals: seats.iter().map(|seat| stays(seat).then_some(seat.total)).collect() }
    }
}

/// The totals of a match between two rounds, by seat; `None` of those that are out, except the winner.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Standing {
    pub(crate) totals: Vec<Option<i32>>,
}

/// How much the points until elimination weigh in the chance to win a match: a fit to the chances of `yaniv`, 71 % from 0 :
/// 50 and 92 % from 100 : 180.
const STEEPNESS: f32 = 5.0;
/// No round is worth more points than these: to a player who is far behind, a little hope is worth hundreds.
const MOST_POINTS: f32 = 80.0;

impl Standing {
    /// Points that a seat may still score, plus half of the elimination total; `None` if it is out.
    fn room(&self, rules: &Rules, seat: usize) -> Option<f32> {
        let limit = i32::from(rules.options().elimination);
        let total = self.totals.get(seat).copied().flatten()?;
        Some(((limit - total).max(0) + limit / 2) as f32)
    }

    /// The match equity of a seat, its chance to win the match, estimated from the room that each has.
    fn chance(&self, rules: &Rules, seat: usize) -> f32 {
        let weight = |seat| self.room(rules, seat).map_or(0.0, |room| (room * room) * (room * room) * room);
        let all: f32 = (0..self.totals.len()).map(weight).sum();
        if all > 0.0 { weight(seat) / all } else { 1.0 / self.totals.len().max(1) as f32 }
    }

    /// What a chance of 1 is in points of the score: at these totals, a point more or less changes the chance to win by
    /// the reciprocal.
    fn points_of_chance(&self, rules: &Rules, seat: usize) -> f32 {
        let chance = self.chance(rules, seat);
        let slope = |seat| self.room(rules, seat).map(|room| STEEPNESS / room);
        let others: Vec<f32> = (0..self.totals.len()).filter(|one| *one != seat).filter_map(slope).collect();
        let mean = others.iter().sum::<f32>() / others.len().max(1) as f32;
        let slope = (slope(seat).unwrap_or(0.0) + mean) / 2.0;
        1.0 / (chance * (1.0 - chance) * slope).max(1e-6)
    }
}

/// The outcome of a round for a seat, of those that took part: the gain in match equity, converted to points of the score,
/// and the share of the lowest score.
pub(crate) fn outcome(
    rules: &Rules,
    before: &Standing,
    result: &RoundResult,
    after: &Standing,
    seat: Seat,
) -> Outcome {
    let score = |seat: usize| result.scores.get(seat).copied().unwrap_or(0);
    let own = score(seat.index());
    let took_part = |seat: &usize| before.totals.get(*seat).is_some_and(Option::is_some);
    let others: Vec<i32> =
        (0..before.totals.len()).filter(|one| *one != seat.index()).filter(took_part).map(score).collect();
    let least = others.iter().copied().min().unwrap_or(i32::MAX);
    let ties = others.iter().filter(|score| **score == own).count();
    let wins = if own <= least { 1.0 / (ties + 1) as f32 } else { 0.0 };
    let grown = after.chance(rules, seat.index()) - before.chance(rules, seat.index());
    let points = (grown * before.points_of_chance(rules, seat.index())).clamp(-MOST_POINTS, MOST_POINTS);
    [points / yaniv_bot::expert::POINTS_SCALE as f32, wins]
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaniv_bot::{Level, decide};
    use yaniv_engine::{Preset, RuleOptions};

    /// A round of two with these totals before and after; the first seat called.
    fn points(before: [i32; 2], scores: [i32; 2], totals: [i32; 2], out: &[u8]) -> f32 {
        let rules = Rules::new(Preset::Yaniv.options()).unwrap();
        let result = RoundResult {
            caller: Seat::new(0),
            right: true,
            defeated_by: Vec::new(),
            hands: Vec::new(),
            points: scores.to_vec(),
            scores: scores.to_vec(),
            totals: totals.to_vec(),
            reduced: Vec::new(),
            out: out.iter().copied().map(Seat::new).collect(),
            next_starter: None,
        };
        let stays = |seat: u8| (!out.contains(&seat)).then_some(totals[usize::from(seat)]);
        let (before, after) = (before.map(Some).to_vec(), vec![stays(0), stays(1)]);
        let [points, _] =
            outcome(&rules, &Standing { totals: before }, &result, &Standing { totals: after }, Seat::new(1));
        points * yaniv_bot::expert::POINTS_SCALE as f32
    }

    #[test]
    fn a_score_is_worth_its_points_where_totals_do_not_matter() {
        let points = points([20, 20], [0, 5], [20, 25], &[]);
        assert!((-5.2..-4.8).contains(&points), "{points}");
    }

    #[test]
    fn who_wins_when_all_go_out_has_won() {
        let rules = Rules::new(RuleOptions { elimination: 10, ..Preset::Yaniv.options() }).unwrap();
        let all_out = (0..200).find_map(|seed| {
            let mut table = Table::deal(&rules, 3, seed)?;
            while let Some(seat) = table.state.next_to_act() {
                let view = table.state.view(Some(seat));
                let action = decide(&table.sight(&view, seat), Level::Easy, seed)?;
                table.play(seat, &action)?;
            }
            let winner = table.state.result()?.winner?;
            let out = table.state.view(None).seats.iter().all(|seat| seat.out);
            out.then(|| (table.standing(), winner))
        });
        let (standing, winner) = all_out.expect("a failed call puts all out");
        for seat in 0..3 {
            let chance = standing.chance(&rules, seat);
            assert_eq!(chance > 0.99, seat == winner.index(), "{chance}");
        }
    }

    #[test]
    fn a_hit_is_worth_what_it_takes_away_and_elimination_the_match() {
        let hit = points([60, 95], [0, 5], [60, 50], &[]);
        assert!((35.0..55.0).contains(&hit), "{hit}");
        let out = points([190, 198], [0, 5], [190, 203], &[1]);
        assert!((-60.0..-35.0).contains(&out), "{out}");
        assert!(points([190, 10], [40, 0], [230, 10], &[0]) > 10.0);
    }
}
