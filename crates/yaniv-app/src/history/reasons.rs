//! Why an action is better than the one that was played: a code with figures, which clients put into words.

use yaniv_bot::{Appraisal, Sight};
use yaniv_engine::{Action, Cards};

/// A reason, with figures of the action that was played and of the better one.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The code.
    pub code: &'static str,
    /// Chances to win the round, 0 to 1: played, better.
    pub chances: Option<[f64; 2]>,
    /// Points left in the hand before the draw: played, better.
    pub points_left: Option<[u16; 2]>,
}

impl Reason {
    /// The reason why `better` is better than `played`; `None` for answers to others, which have two sides only.
    pub(crate) fn find(sight: &Sight<'_>, played: &Appraisal, better: &Appraisal) -> Option<Reason> {
        let chances = || played.chance.zip(better.chance).map(|(played, better)| [played, better]);
        let left = |cards: &Cards| {
            let points = sight.view.hand.as_ref().map_or(0, |hand| hand.points);
            points.saturating_sub(sight.rules.points(cards))
        };
        let by_chance = |code| {
            let chances = chances();
            let grows = chances.is_none_or(|[played, better]| better > played);
            Some(Reason { code: if grows { code } else { "fewer_points" }, chances, points_left: None })
        };
        match (&played.action, &better.action) {
            (Action::Play { .. }, Action::Call { .. }) => by_chance("call"),
            (Action::Call { .. }, Action::Play { .. }) => by_chance("no_call"),
            (Action::Play { cards: one, .. }, Action::Play { cards: other, .. }) if one == other => {
                by_chance("draw")
            }
            (Action::Play { cards: one, .. }, Action::Play { cards: other, .. }) => {
                let points_left = [left(one), left(other)];
                let code = if points_left[1] < points_left[0] { "points_left" } else { "cards_kept" };
                Some(Reason { code, chances: None, points_left: Some(points_left) })
            }
            _ => None,
        }
    }
}
