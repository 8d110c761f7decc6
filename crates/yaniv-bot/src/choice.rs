//! The decision of a bot: the entry point, which selects by what the seat may do now.

use yaniv_engine::Action;

use crate::answers;
use crate::calls;
use crate::dice::Dice;
use crate::expert::Expert;
use crate::level::Level;
use crate::plays;
use crate::safe::safe_turn;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// An easy bot plays one turn in seven without look-ahead.
const CARELESS: usize = 7;

/// The action of a bot whose seat is to act; `None` if it is not.
///
/// In a round that may never end, because no call is possible, it resigns after 400 turns.
pub fn decide(sight: &Sight<'_>, level: Level, seed: u64) -> Option<Action> {
    if level == Level::Expert
        && let Some(expert) = Expert::fitting(sight.rules)
    {
        return expert.decide(sight, seed);
    }
    by_estimate(sight, level, seed)
}

impl Expert {
    /// As [`decide`], with these networks.
    pub fn decide(&self, sight: &Sight<'_>, seed: u64) -> Option<Action> {
        let legal = sight.view.legal.as_ref()?;
        let weighed = self.weigh(sight, legal).best(sight);
        weighed.or_else(|| by_estimate(sight, Level::Hard, seed))
    }
}

/// A decision without networks.
fn by_estimate(sight: &Sight<'_>, level: Level, seed: u64) -> Option<Action> {
    let legal = sight.view.legal.as_ref()?;
    let mut dice = Dice::new(seed);
    let unseen = Unseen::count(sight);
    if legal.challenge {
        return Some(calls::answer(sight, &unseen, level));
    }
    if legal.swap {
        return Some(answers::offer(sight, &unseen, level, &mut dice));
    }
    if legal.give {
        return Some(answers::request(sight, level));
    }
    if legal.call && calls::wants_to_call(sight, &unseen, level) {
        return Some(Action::Call { word: None });
    }
    if !sight.view.to_act.contains(&sight.seat) {
        return None;
    }
    if calls::is_endless(sight) {
        return Some(Action::Resign);
    }
    let play = match level {
        Level::Easy if dice.one_in(CARELESS) => plays::greedy(sight, legal, &mut dice),
        _ => plays::best(sight, legal, &unseen, level, &mut dice),
    };
    play.or_else(|| safe_turn(sight.view, sight.rules))
}

/// An action of a bot whose seat is not to act: a slam-down or a card request. `None` if it does neither.
pub fn volunteer(sight: &Sight<'_>, level: Level) -> Option<Action> {
    let legal = sight.view.legal.as_ref()?;
    if legal.slam.is_some() {
        return Some(Action::Slam { first: false });
    }
    answers::ask(sight, legal, level)
}
