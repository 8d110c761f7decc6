//! What an action costs against a better one, and how certain that is.

use yaniv_engine::Action;

use crate::appraise::{Appraisal, POINTS_OF_MATCH};
use crate::sight::Sight;

/// What an action costs against a better one, with the errors of the estimates.
///
/// An error is what trainings with different seeds disagree by, and what all of them misjudge on average, when both actions
/// are played on.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Cost {
    /// In points of the score sheet.
    pub points: f64,
    /// The error of `points`; `None` if it is not known.
    pub points_error: Option<f64>,
    /// Chance to have the lowest score of the round; `None` if only points are estimated.
    pub chance: Option<f64>,
    /// The error of `chance`; `None` as `chance`.
    pub chance_error: Option<f64>,
}

/// Error model of a cost: a constant error, and one proportional to the cost in points; independent of each other. A fit to
/// what `yaniv-bot-training errors` measures (`docs/bots.md`).
struct Errors {
    points: [f64; 2],
    chance: [f64; 2],
}

/// Between two plays, which one network values.
const OF_PLAYS: Errors = Errors { points: [0.8, 0.26], chance: [0.018, 0.003] };
/// Between a call and a play, which two networks value.
const OF_CALLS: Errors = Errors { points: [2.5, 0.3], chance: [0.05, 0.003] };

impl Cost {
    /// What `action` costs against `best`.
    pub fn of(sight: &Sight<'_>, action: &Appraisal, best: &Appraisal) -> Cost {
        let points = (best.worth - action.worth).max(0.0);
        let chances = best.chance.zip(action.chance);
        let is_call = |one: &Appraisal| matches!(one.action, Action::Call { .. });
        let errors = if is_call(best) == is_call(action) { OF_PLAYS } else { OF_CALLS };
        let same = action.action == best.action;
        let error = |[constant, share]: [f64; 2]| if same { 0.0 } else { constant.hypot(share * points) };
        let chance_error = chances.map(|_| error(errors.chance));
        let by_chance = chance_error.filter(|_| sight.decides_match()).map(|error| error * POINTS_OF_MATCH);
        Cost {
            points,
            points_error: by_chance.or(chances.map(|_| error(errors.points))),
            chance: chances.map(|(best, own)| (best - own).max(0.0)),
            chance_error,
        }
    }
}
