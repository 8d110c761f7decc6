//! When to call, and how to answer another player's call.

use yaniv_engine::{Action, OverLimit, Response, WrongCallOthers};

use crate::estimate::Worth;
use crate::level::Level;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// From this number of turns in a round on, a bot makes every legal call: where each call is too risky, the round would
/// never end.
const PATIENCE: u16 = 200;
/// From this number of turns without a possible call on, a bot resigns: the round would never end.
const ENDLESS: u16 = 400;

/// Value of playing on, as a share of the points that the others hold now.
const GOING_ON: f64 = 0.6;
/// Points that a final turn removes from a hand.
const FINAL_TURN: usize = 4;
/// Highest points with which a medium bot calls if there is no limit, or a higher one.
const ALWAYS_LOW: u16 = 7;

/// Whether to call, if a call is legal.
pub(crate) fn wants_to_call(sight: &Sight<'_>, unseen: &Unseen, level: Level) -> bool {
    let points = sight.points();
    if sight.hand().is_empty() {
        return true;
    }
    if !sight.within_limit(points) {
        let ends = matches!(sight.rules.options().over_limit, OverLimit::Penalty | OverLimit::Eliminate);
        return ends && is_late(sight);
    }
    if points == 0 || is_late(sight) {
        return true;
    }
    match level {
        Level::Easy => points <= ALWAYS_LOW,
        Level::Medium => points <= ALWAYS_LOW && right(sight, unseen) > 0.3,
        Level::Hard | Level::Expert => call_gain(sight, unseen) > 0.0,
    }
}

/// Whether the round has reached `PATIENCE` turns.
pub(crate) fn is_late(sight: &Sight<'_>) -> bool {
    sight.turns() >= PATIENCE
}

/// Whether the round has reached `ENDLESS` turns.
pub(crate) fn is_endless(sight: &Sight<'_>) -> bool {
    sight.turns() >= ENDLESS
}

/// The answer to a call: expose or challenge.
pub(crate) fn answer(sight: &Sight<'_>, unseen: &Unseen, level: Level) -> Action {
    let points = sight.points();
    let challenges = match level {
        Level::Easy => points <= 1,
        Level::Medium => points <= 2,
        Level::Hard | Level::Expert => challenge_gain(sight, unseen).is_some_and(|gain| gain > 0.0),
    };
    if challenges { Action::Challenge } else { Action::Expose }
}

/// Probability that no player defeats a call.
fn right(sight: &Sight<'_>, unseen: &Unseen) -> f64 {
    let options = sight.rules.options();
    let defeats = sight.points() + u16::from(options.tie_is_wrong && options.response != Response::Challenge);
    let stands = |other| 1.0 - hand_after_call(sight, unseen, other).below(defeats);
    sight.others().map(stands).product()
}

/// Estimate of another player's hand when the call is decided.
fn hand_after_call(sight: &Sight<'_>, unseen: &Unseen, other: &yaniv_engine::PublicSeat) -> Worth {
    let worth = Worth::of(other, unseen, sight.rules);
    if sight.rules.options().response == Response::FinalTurn { worth.less(FINAL_TURN) } else { worth }
}

/// How many points a call is worth more than playing on: the expected scores of the others, less the caller's own.
pub(crate) fn call_gain(sight: &Sight<'_>, unseen: &Unseen) -> f64 {
    let options = sight.rules.options();
    let others: Vec<f64> = sight.others().map(|other| hand_after_call(sight, unseen, other).mean()).collect();
    let count = f64::from(u32::try_from(others.len().max(1)).unwrap_or(1));
    let theirs = others.iter().sum::<f64>() / count;
    let wrong_theirs = match options.wrong_call_others {
        WrongCallOthers::Hand | WrongCallOthers::FirstLowestZero | WrongCallOthers::LowestZero => {
            theirs * 0.6
        }
        WrongCallOthers::AboveCaller => theirs * 0.5,
        WrongCallOthers::None => 0.0,
    };
    let right = right(sight, unseen);
    let loss = f64::from(sight.points()) + f64::from(options.wrong_call_penalty) - wrong_theirs;
    let going_on = GOING_ON * theirs - f64::from(sight.points()) / 2.0;
    (right * theirs - (1.0 - right) * loss) - going_on
}

/// How many points a challenge is worth more than exposing the hand; `None` without a call.
pub(crate) fn challenge_gain(sight: &Sight<'_>, unseen: &Unseen) -> Option<f64> {
    let options = sight.rules.options();
    let caller = sight.others().find(|other| Some(other.seat) == sight.view.caller)?;
    let worth = Worth::of(caller, unseen, sight.rules).at_most(options.call_limit.unwrap_or(u16::MAX - 1));
    // On a tie the first caller wins; all other challengers are later.
    let mine = sight.points();
    let lower = 1.0 - worth.below(mine + 1);
    let penalty = f64::from(options.wrong_call_penalty);
    let count = f64::from(u32::try_from(sight.others().count().max(1)).unwrap_or(1));
    let won = (worth.mean() + penalty) / count;
    let lost = f64::from(mine) + penalty;
    Some((lower * won - (1.0 - lower) * lost) + f64::from(mine))
}
