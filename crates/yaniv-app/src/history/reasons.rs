//! Why an action is better than the one that was played: a code with figures, which a client puts into words.

use yaniv_bot::{Appraisal, Sight};
use yaniv_engine::{Action, Cards};

/// A reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The code.
    pub code: &'static str,
    /// The figures, by name.
    pub parameters: Vec<(&'static str, f64)>,
}

impl Reason {
    /// The reason why `better` is better than `played`; `None` for answers to others, which have two sides only.
    pub(crate) fn find(sight: &Sight<'_>, played: &Appraisal, better: &Appraisal) -> Option<Reason> {
        let chances = || {
            let chance = played.chance.map(|chance| ("chance", chance));
            chance.into_iter().chain(better.chance.map(|chance| ("better_chance", chance))).collect()
        };
        let left = |cards: &Cards| {
            let points = sight.view.hand.as_ref().map_or(0, |hand| hand.points);
            f64::from(points.saturating_sub(sight.rules.points(cards)))
        };
        match (&played.action, &better.action) {
            (Action::Play { .. }, Action::Call { .. }) => Some(Reason { code: "call", parameters: chances() }),
            (Action::Call { .. }, Action::Play { .. }) => Some(Reason { code: "no_call", parameters: chances() }),
            (Action::Play { cards, .. }, Action::Play { cards: better, .. }) if cards == better => {
                Some(Reason { code: "draw", parameters: chances() })
            }
            (Action::Play { cards, .. }, Action::Play { cards: better, .. }) => {
                let points = [("points_left", left(cards)), ("better_points_left", left(better))];
                let code = if left(better) < left(cards) { "points_left" } else { "cards_kept" };
                Some(Reason { code, parameters: points.into() })
            }
            _ => None,
        }
    }
}
