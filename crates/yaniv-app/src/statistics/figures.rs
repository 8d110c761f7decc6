//! Figures of one seat in a match, and their difference to earlier figures. They are defined in
//! docs/statistics.md; counting is in `counting`.

use yaniv_db::statistics::player_stats::TotalFigures;

use crate::statistics::reply_times::{add_list, list_since};

/// Figures of a seat, from the finished rounds of a match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    /// Rounds dealt into.
    pub(crate) rounds: i32,
    /// Rounds won.
    pub(crate) rounds_won: i32,
    /// Longest run of rounds won.
    pub(crate) best_run: i32,
    /// Right calls.
    pub(crate) calls_right: i32,
    /// Wrong calls.
    pub(crate) calls_wrong: i32,
    /// Points in hand at all calls.
    pub(crate) call_points: i32,
    /// Rounds ended by another player and not won.
    pub(crate) rounds_lost: i32,
    /// Points in hand at the end of lost rounds.
    pub(crate) points_lost: i32,
    /// Number of times the total was replaced.
    pub(crate) reductions: i32,
    /// Slam-downs.
    pub(crate) slam_downs: i32,
    /// Turns and answers made before the deadline.
    pub(crate) in_time: i32,
    /// Deadlines missed.
    pub(crate) missed: i32,
    /// Defeated wrong calls of others, by the seat of the caller.
    pub(crate) inflicted: Vec<i32>,
    /// Reply times, as a histogram.
    pub(crate) replies: Vec<i32>,
    /// Place, once the match is over.
    pub(crate) place: Option<i16>,
}

impl Figures {
    /// The difference to earlier figures.
    pub(crate) fn since(&self, before: &Self) -> TotalFigures {
        let inflicted = |figures: &Self| figures.inflicted.iter().sum::<i32>();
        let mut places = Vec::new();
        if let (Some(place), None) = (self.place, before.place) {
            places = vec![0; usize::try_from(place).unwrap_or_default().saturating_sub(1)];
            places.push(1);
        }
        TotalFigures {
            rounds: self.rounds - before.rounds,
            rounds_won: self.rounds_won - before.rounds_won,
            // The maximum counts, not the difference.
            best_run: self.best_run,
            calls_right: self.calls_right - before.calls_right,
            calls_wrong: self.calls_wrong - before.calls_wrong,
            inflicted: inflicted(self) - inflicted(before),
            call_points: i64::from(self.call_points) - i64::from(before.call_points),
            points_lost: i64::from(self.points_lost) - i64::from(before.points_lost),
            rounds_lost: self.rounds_lost - before.rounds_lost,
            reductions: self.reductions - before.reductions,
            slam_downs: self.slam_downs - before.slam_downs,
            in_time: self.in_time - before.in_time,
            missed: self.missed - before.missed,
            places,
            replies: list_since(&self.replies, &before.replies),
        }
    }
}

/// Adds to a total.
pub(crate) fn add(to: &mut TotalFigures, added: &TotalFigures) {
    to.rounds += added.rounds;
    to.rounds_won += added.rounds_won;
    to.best_run = to.best_run.max(added.best_run);
    to.calls_right += added.calls_right;
    to.calls_wrong += added.calls_wrong;
    to.inflicted += added.inflicted;
    to.call_points += added.call_points;
    to.points_lost += added.points_lost;
    to.rounds_lost += added.rounds_lost;
    to.reductions += added.reductions;
    to.slam_downs += added.slam_downs;
    to.in_time += added.in_time;
    to.missed += added.missed;
    add_list(&mut to.places, &added.places);
    add_list(&mut to.replies, &added.replies);
}
