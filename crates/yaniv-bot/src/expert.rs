//! The level `expert`: plays and calls by the value that small networks give them, trained by self-play
//! (`docs/bots.md`). Where no weights fit the rules, and in answers to others, the bot is `hard`.

mod chance;
mod families;
mod hand;
mod inputs;
mod network;
mod plays;
mod stored;
mod table;
mod totals;
mod trail;

use yaniv_engine::{Action, Card, Cards, Draw, Legal, PhaseKind};

use crate::calls::is_late;
pub use crate::expert::families::Family;
use crate::expert::hand::{Hand, Values};
use crate::expert::inputs::{BEYOND_NEED, Block, NEEDS, NO_NEED};
pub use crate::expert::inputs::{CALL_INPUTS, Inputs, PLAY_INPUTS};
pub use crate::expert::network::{MOST_WEIGHT, Network, POINTS_SCALE, SATURATION, Value, Weights};
use crate::expert::plays::{Around, discard_inputs, draw_inputs, hand_inputs};
pub use crate::expert::stored::BadWeights;
use crate::expert::table::Table;
use crate::hands::without;
use crate::plays::choices_and;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// Hidden units of the network of plays.
pub const PLAY_UNITS: usize = 48;
/// Hidden units of the network of calls.
pub const CALL_UNITS: usize = 16;

/// The networks of a family of rule sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expert {
    /// Values the situation after a turn.
    pub plays: Network<PLAY_UNITS>,
    /// Values a call.
    pub calls: Network<CALL_UNITS>,
}

/// The options of a turn with their values.
#[derive(Clone, Debug, Default)]
pub struct Weighing<'a> {
    /// The plays that are considered: at most twelve choices of cards, in each order, with each draw.
    pub plays: Vec<WeighedPlay<'a>>,
    /// The value of a call, if one is allowed.
    pub call: Option<Value>,
}

/// A play with its value.
#[derive(Clone, Debug)]
pub struct WeighedPlay<'a> {
    /// The discard.
    pub cards: &'a Cards,
    /// The draw.
    pub draw: Draw,
    /// The value; for a draw from the stock, the mean over all unseen cards.
    pub value: Value,
    /// Whether the bot considers the play by itself.
    pub(crate) closely: bool,
}

impl WeighedPlay<'_> {
    /// The play as an action.
    pub fn action(&self) -> Action {
        Action::Play { cards: self.cards.clone(), draw: self.draw }
    }
}

impl Expert {
    /// Makes reductions of totals count for nothing: for rules without any, from which nothing is learned about them.
    pub fn ignore_reductions(&mut self) {
        for block in NEEDS {
            all_as(&mut self.plays.rows, block, 0);
            all_as(&mut self.calls.rows, block, 0);
        }
        for block in BEYOND_NEED {
            all_as(&mut self.plays.rows, block, NO_NEED);
        }
    }

    /// The values of the options of a turn.
    ///
    /// None outside the phases `turn` and `must_play`, with a hand of no points, and after 200 turns: then the bot does as
    /// `hard`.
    pub fn weigh<'a>(&self, sight: &Sight<'_>, legal: &'a Legal) -> Weighing<'a> {
        self.weigh_and(sight, legal, None)
    }

    /// As `weigh`, with the plays of these cards last, if missing.
    pub(crate) fn weigh_and<'a>(
        &self,
        sight: &Sight<'_>,
        legal: &'a Legal,
        also: Option<&'a Cards>,
    ) -> Weighing<'a> {
        let in_turn = matches!(sight.view.phase, PhaseKind::Turn | PhaseKind::MustPlay);
        if !in_turn || sight.points() == 0 || is_late(sight) {
            return Weighing::default();
        }
        let unseen = &Unseen::count(sight);
        let (around, table) = (Around::of(sight, unseen), Table::of(sight, unseen));
        let sums = self.plays.sums(table.inputs().as_slice());
        let mut plays = Vec::new();
        let mut inputs = Inputs::default();
        for choice in choices_and(sight, legal, also) {
            let left = Hand::of(sight.rules, &choice.left);
            inputs.clear();
            discard_inputs(&mut inputs, sight, unseen, choice.cards);
            let mut thrown = sums;
            thrown.add(&self.plays, inputs.as_slice());
            for draw in &legal.draws {
                inputs.clear();
                draw_inputs(&mut inputs, sight, unseen.shown(), choice.cards, *draw);
                let mut drawn = thrown;
                drawn.add(&self.plays, inputs.as_slice());
                let mut with = |card: Option<Card>| {
                    let mut hand = left;
                    if let Some(card) = card {
                        hand.add(sight.rules, card);
                    }
                    inputs.clear();
                    hand_inputs(&mut inputs, &around, &hand);
                    let mut all = drawn;
                    all.add(&self.plays, inputs.as_slice());
                    all.value(&self.plays)
                };
                let value = match draw {
                    Draw::Pile(card) => with(Some(*card)),
                    Draw::Nothing => with(None),
                    Draw::Stock => mean(unseen, &left, &mut with),
                };
                plays.push(WeighedPlay { cards: choice.cards, draw: *draw, value, closely: choice.closely });
            }
        }
        let may_call = legal.call && sight.within_limit(sight.points());
        let call = may_call.then(|| self.calls.value(table.call_inputs(around.values()).as_slice()));
        Weighing { plays, call }
    }
}

impl Weighing<'_> {
    /// The options that the bot considers by itself, as actions.
    pub fn options(&self) -> Vec<(Action, Value)> {
        let plays = self.plays.iter().filter(|play| play.closely).map(|play| (play.action(), play.value));
        plays.chain(self.call.map(|call| (Action::Call { word: None }, call))).collect()
    }

    /// The action that is worth most; `None` without options.
    pub fn best(&self, sight: &Sight<'_>) -> Option<Action> {
        // Of equal plays, the first of the list.
        let own = self.plays.iter().rev().filter(|play| play.closely);
        let best = own.max_by_key(|play| play.value.worth(sight));
        match (best, self.call) {
            (Some(play), Some(call)) if play.value.worth(sight) > call.worth(sight) => Some(play.action()),
            (_, Some(_)) => Some(Action::Call { word: None }),
            (play, None) => play.map(WeighedPlay::action),
        }
    }
}

impl Value {
    /// What the bot maximises: points, which win matches; in a round that decides the match, the chance to win it.
    pub fn worth(self, sight: &Sight<'_>) -> i32 {
        if sight.decides_match() { self.wins } else { self.points }
    }
}

/// The inputs of the network of plays for a play and the card that was drawn.
pub fn play_inputs(sight: &Sight<'_>, cards: &[Card], draw: Draw, drawn: Option<Card>) -> Inputs {
    let unseen = Unseen::count(sight);
    let mut inputs = Table::of(sight, &unseen).inputs();
    discard_inputs(&mut inputs, sight, &unseen, cards);
    draw_inputs(&mut inputs, sight, unseen.shown(), cards, draw);
    let mut hand = without(sight.hand(), cards);
    hand.extend(drawn);
    hand_inputs(&mut inputs, &Around::of(sight, &unseen), &Hand::of(sight.rules, &hand));
    inputs
}

/// The inputs of the network of calls.
pub fn call_inputs(sight: &Sight<'_>) -> Inputs {
    Table::of(sight, &Unseen::count(sight)).call_inputs(&Values::of(sight.rules))
}

/// The mean value of a draw from the stock. Cards of a rank that fit no run of the hand have the same value.
fn mean(unseen: &Unseen, left: &Hand, with: &mut impl FnMut(Option<Card>) -> Value) -> Value {
    let (mut points, mut wins, mut cards) = (0_i64, 0_i64, 0_i64);
    let mut alone: Option<(Option<u8>, Value)> = None;
    for (card, count) in unseen.kinds() {
        let value = match alone {
            Some((rank, value)) if rank == card.rank() && left.is_alone(card) => value,
            _ => {
                let value = with(Some(card));
                if left.is_alone(card) {
                    alone = Some((card.rank(), value));
                }
                value
            }
        };
        points += i64::from(value.points) * i64::from(count);
        wins += i64::from(value.wins) * i64::from(count);
        cards += i64::from(count);
    }
    if cards == 0 {
        return with(None);
    }
    let mean = |sum: i64| i32::try_from(sum / cards).unwrap_or(0);
    Value { points: mean(points), wins: mean(wins) }
}

/// Gives all inputs of a block the weights of one of them.
fn all_as<T: Copy>(rows: &mut [T], block: Block, one: usize) {
    if let Some(rows) = rows.get_mut(block.numbers())
        && let Some(one) = rows.get(one).copied()
    {
        rows.fill(one);
    }
}
