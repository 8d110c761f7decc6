//! Estimates of the look-ahead for each considered action, for the analysis of a decision afterwards.

use yaniv_engine::{Action, Cards, Legal};

use crate::answers;
use crate::calls;
use crate::expert::{Expert, Value};
use crate::level::Level;
use crate::plays::{PlayCost, play_costs};
use crate::sight::Sight;
use crate::unseen::Unseen;

/// An action with its estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Appraisal {
    /// The action.
    pub action: Action,
    /// In points of the score sheet, relative to a reference action of the same list: the best play in a turn;
    /// exposing, staying or giving in an answer. More is better.
    pub worth: f64,
    /// The chance to have the lowest score of the round, 0 to 1; `None` if only points are estimated.
    pub chance: Option<f64>,
}

/// What the chance to win a round that decides the match counts, in points.
pub(crate) const POINTS_OF_MATCH: f64 = 40.0;

/// The actions that a bot of level `expert` considers, the one it would choose first, and `also`.
///
/// The other actions are sorted by estimate. `also` is ignored if it is not such an action. Empty if the seat is not to
/// act.
///
/// The estimates are those of [`decide`](crate::decide), from what the seat has seen. In a turn with rules that
/// networks were trained for, they are the values of the networks ([`expert`](crate::expert)), which consider the
/// totals of the match; the chance to win the round is known only there. In a round that decides the match, a certain win
/// is worth 40 points. Otherwise they look one turn ahead, without
/// the totals. The estimate of a play combines the points left after the next turn; a quarter of the points held until
/// then; the ability to call (2.5 points); and the value of the discard to the next player. The estimate of a call
/// combines the probability that others hold less and the scores in that case. Of many possible discards, the twelve
/// that leave the fewest points are considered, and `also`, which is never ranked above the bot's own choice. Actions
/// without an estimate are omitted: resignations, slam-downs, card requests, and calls over the limit.
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
    // A stable sort: among equal estimates, the bot's preference comes first.
    list.sort_by(|one, other| other.worth.total_cmp(&one.worth));
    list
}

/// Two answers; the first has this advantage over the second.
fn compared(first: Action, gain: Option<f64>, second: Action) -> Vec<Appraisal> {
    let mut list = vec![Appraisal { action: second, worth: 0.0, chance: None }];
    list.extend(gain.map(|worth| Appraisal { action: first, worth, chance: None }));
    list
}

/// A turn by the values of networks; `None` if they give none.
fn valued(sight: &Sight<'_>, legal: &Legal, thrown: Option<&Cards>) -> Option<Vec<Appraisal>> {
    let weighing = Expert::fitting(sight.rules)?.weigh_and(sight, legal, thrown);
    let own = weighing.plays.iter().filter(|play| play.closely);
    let best = own.map(|play| play.value).max_by_key(|value| value.worth(sight))?;
    let worth = |value: Value| {
        let more = f64::from(value.worth(sight) - best.worth(sight)) / 1000.0;
        if sight.decides_match() { more * POINTS_OF_MATCH } else { more }
    };
    let appraisal = |action, value: Value| Appraisal {
        action,
        worth: worth(value),
        chance: Some(f64::from(value.wins.clamp(0, 1000)) / 1000.0),
    };
    let mut list: Vec<Appraisal> =
        weighing.plays.iter().map(|play| appraisal(play.action(), play.value)).collect();
    list.extend(weighing.call.map(|call| appraisal(Action::Call { word: None }, call)));
    let choice = weighing.best(sight);
    list.sort_by_key(|one| Some(&one.action) != choice.as_ref());
    let most = list.first().map_or(0.0, |first| first.worth);
    list.iter_mut().for_each(|one| one.worth = one.worth.min(most));
    Some(list)
}

/// A turn: call, play, or the remaining actions. Among equal estimates, the bot's preference comes first.
fn turn(sight: &Sight<'_>, legal: &Legal, unseen: &Unseen, also: Option<&Action>) -> Vec<Appraisal> {
    let thrown = match also {
        Some(Action::Play { cards, .. }) => Some(cards),
        _ => None,
    };
    if let Some(list) = valued(sight, legal, thrown) {
        return list;
    }
    let within = sight.within_limit(sight.points());
    let gain = if within { calls::call_gain(sight, unseen) } else { 0.0 };
    let wanted = legal.call && calls::wants_to_call(sight, unseen, Level::Hard);
    let call = |worth| Appraisal { action: Action::Call { word: None }, worth, chance: None };
    let mut list = Vec::new();
    if wanted {
        list.push(call(gain.max(0.0)));
    } else if calls::is_endless(sight) {
        list.push(Appraisal { action: Action::Resign, worth: 0.0, chance: None });
    }
    let plays = play_costs(sight, legal, unseen, Level::Hard, thrown);
    // Plays added for `also` are not candidates of the bot.
    let closely = plays.iter().filter(|play| play.closely);
    let least = closely.map(|play| play.cost).min_by(f64::total_cmp).unwrap_or(0.0);
    list.extend(plays.into_iter().map(|PlayCost { cards, draw, cost, .. }| Appraisal {
        action: Action::Play { cards: cards.clone(), draw },
        worth: (least - cost).min(0.0),
        chance: None,
    }));
    if legal.call && within && !wanted {
        list.push(call(gain.min(0.0)));
    }
    if list.is_empty() && legal.pass {
        list.push(Appraisal { action: Action::Pass, worth: 0.0, chance: None });
    }
    list
}
