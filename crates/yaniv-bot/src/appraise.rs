//! What the look-ahead thinks of each action that it weighs: for who wants to know afterwards what a decision was worth.

use yaniv_engine::{Action, Legal};

use crate::answers;
use crate::calls;
use crate::level::Level;
use crate::plays::{PlayCost, play_costs};
use crate::sight::Sight;
use crate::unseen::Unseen;

/// An action with what the look-ahead thinks that it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Appraisal {
    /// The action.
    pub action: Action,
    /// In points of the score sheet, compared with another action of the same list: with the best play where a seat has to
    /// play or call; with showing, staying or giving where it has to answer. More is better.
    pub worth: f64,
}

/// The actions that a bot of level `hard` weighs where its seat is to act, what it would do first; and `also`.
///
/// The others come by what they are worth. `also` is left out if it is no such action. Nothing where the match does not wait for
/// the seat.
///
/// It is the estimate by which [`decide`](crate::decide) decides, and no more than that: one turn ahead, from what the seat
/// has seen. A play is judged by the points that are left after the next turn and, for a quarter, by those held until then;
/// by being able to call (2.5 points); and by what it gives to the next player. A call is judged by how likely others are to hold
/// less, and what it would score then. The total of the match, and what others are up to, do not count. Of many
/// possible discards the twelve that leave the least are looked at, and `also`, which is never thought to be better than
/// what the bot does. Actions without an estimate are left out: resignations, slam-downs, requests for a card, and
/// calls over the limit.
pub fn appraise(sight: &Sight<'_>, also: Option<&Action>) -> Vec<Appraisal> {
    let Some(legal) = sight.view.legal.as_ref() else {
        return Vec::new();
    };
    let unseen = Unseen::count(sight);
    let mut list = if legal.challenge {
        compared(Action::Challenge, calls::challenge_gain(sight, &unseen), Action::Expose)
    } else if legal.swap {
        compared(Action::Swap, answers::swap_gain(sight, &unseen), Action::Stay)
    } else if legal.give {
        compared(Action::Keep, answers::keep_gain(sight, Level::Hard), Action::Give)
    } else if sight.view.to_act.contains(&sight.seat) {
        turn(sight, legal, &unseen, also)
    } else {
        Vec::new()
    };
    // A stable sort: of equals the one that was named first, which is what the bot would rather do.
    list.sort_by(|one, other| other.worth.total_cmp(&one.worth));
    list
}

/// Two answers, the first of which is worth so much more than the second.
fn compared(first: Action, gain: Option<f64>, second: Action) -> Vec<Appraisal> {
    let mut list = vec![Appraisal { action: second, worth: 0.0 }];
    list.extend(gain.map(|worth| Appraisal { action: first, worth }));
    list
}

/// A turn: to call, to play, or what else is left. What the bot would do is named before others that are worth the same.
fn turn(sight: &Sight<'_>, legal: &Legal, unseen: &Unseen, also: Option<&Action>) -> Vec<Appraisal> {
    let within = sight.within_limit(sight.points());
    let gain = if within { calls::call_gain(sight, unseen) } else { 0.0 };
    let wanted = legal.call && calls::wants_to_call(sight, unseen, Level::Hard);
    let call = |worth| Appraisal { action: Action::Call { word: None }, worth };
    let mut list = Vec::new();
    if wanted {
        list.push(call(gain.max(0.0)));
    } else if calls::is_endless(sight) {
        list.push(Appraisal { action: Action::Resign, worth: 0.0 });
    }
    let thrown = match also {
        Some(Action::Play { cards, .. }) => Some(cards),
        _ => None,
    };
    let plays = play_costs(sight, legal, unseen, Level::Hard, thrown);
    // What was added for `also` does not count: the bot would not have looked at it.
    let closely = plays.iter().filter(|play| play.closely);
    let least = closely.map(|play| play.cost).min_by(f64::total_cmp).unwrap_or(0.0);
    list.extend(plays.into_iter().map(|PlayCost { cards, draw, cost, .. }| Appraisal {
        action: Action::Play { cards: cards.clone(), draw },
        worth: (least - cost).min(0.0),
    }));
    if legal.call && within && !wanted {
        list.push(call(gain.min(0.0)));
    }
    if list.is_empty() && legal.pass {
        list.push(Appraisal { action: Action::Pass, worth: 0.0 });
    }
    list
}
