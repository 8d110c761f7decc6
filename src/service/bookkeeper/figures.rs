//! What the rounds of a match say of one seat, and by how much that has become more. What each figure is, is said in
//! docs/statistics.md.

use super::replies::{add_list, list_since};
use crate::store::totals::TotalFigures;

/// What the rounds of a match that are over say of a seat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Figures {
    /// Rounds in which they were dealt cards.
    pub(super) rounds: i32,
    /// Those that they won.
    pub(super) rounds_won: i32,
    /// Most of them in a row.
    pub(super) best_run: i32,
    /// Calls that were right.
    pub(super) calls_right: i32,
    /// Calls that were wrong.
    pub(super) calls_wrong: i32,
    /// Points in hand at both.
    pub(super) call_points: i32,
    /// Rounds that another ended and they did not win.
    pub(super) rounds_lost: i32,
    /// Points in hand at the end of those.
    pub(super) points_lost: i32,
    /// How often their total was replaced.
    pub(super) reductions: i32,
    /// Slam-downs.
    pub(super) slam_downs: i32,
    /// Actions that ended a wait in time.
    pub(super) in_time: i32,
    /// Deadlines that passed.
    pub(super) missed: i32,
    /// Wrong calls of others that they defeated, by the seat of the caller.
    pub(super) inflicted: Vec<i32>,
    /// How long others waited, in buckets.
    pub(super) replies: Vec<i32>,
    /// Place, once the match is over.
    pub(super) place: Option<i16>,
}

impl Figures {
    /// What has come since they stood so.
    pub(super) fn since(&self, before: &Self) -> TotalFigures {
        let inflicted = |figures: &Self| figures.inflicted.iter().sum::<i32>();
        let mut places = Vec::new();
        if let (Some(place), None) = (self.place, before.place) {
            places = vec![0; usize::try_from(place).unwrap_or_default().saturating_sub(1)];
            places.push(1);
        }
        TotalFigures {
            rounds: self.rounds - before.rounds,
            rounds_won: self.rounds_won - before.rounds_won,
            // Of this it is the most that counts.
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
