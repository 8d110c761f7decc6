//! Selection of discard and draw.

use yaniv_engine::{Action, Card, Cards, Draw, Legal, PhaseKind};

use crate::dice::Dice;
use crate::hands::{Weights, cost, offered, without};
use crate::level::Level;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// Highest number of choices of cards considered closely, those that leave the fewest points first.
const CLOSELY: usize = 12;
/// Highest number of unseen cards tried as a draw from the stock.
const TRIED: usize = 60;
/// Value of a card to a player who is known to hold one that goes with it.
const GOES_WITH: f64 = 5.0;
/// Points that the next player gains by a draw from the stock.
const STOCK: f64 = 5.5;

/// Cards to throw, in some order, with the cards that remain.
pub(crate) struct Choice<'a> {
    pub(crate) cards: &'a Cards,
    pub(crate) left: Vec<Card>,
    pub(crate) closely: bool,
}

/// A play with its cost.
pub(crate) struct PlayCost<'a> {
    pub(crate) cards: &'a Cards,
    pub(crate) draw: Draw,
    /// In points, as computed by `hands::cost`; less is better.
    pub(crate) cost: f64,
    /// Whether the bot considers the play, without `also`.
    pub(crate) closely: bool,
}

/// The best play of a bot with look-ahead; `None` if no discard is legal.
pub(crate) fn best(
    sight: &Sight<'_>,
    legal: &Legal,
    unseen: &Unseen,
    level: Level,
    dice: &mut Dice,
) -> Option<Action> {
    let mut best: Option<(f64, Action)> = None;
    for PlayCost { cards, draw, cost, .. } in play_costs(sight, legal, unseen, level, None) {
        let better = best
            .as_ref()
            .is_none_or(|(least, _)| cost < least - 1e-9 || ((cost - least).abs() <= 1e-9 && dice.one_in(2)));
        if better {
            best = Some((cost, Action::Play { cards: cards.clone(), draw }));
        }
    }
    best.map(|(_, action)| action)
}

/// The plays considered closely, each with its cost. Those that throw `also` are added last, if missing.
pub(crate) fn play_costs<'a>(
    sight: &Sight<'_>,
    legal: &'a Legal,
    unseen: &Unseen,
    level: Level,
    also: Option<&'a Cards>,
) -> Vec<PlayCost<'a>> {
    let weights = Weights::of(level);
    let last_turn = sight.view.phase == PhaseKind::FinalTurn;
    let mut play_costs = Vec::new();
    let mut costs: Vec<(Vec<Card>, Vec<f64>)> = Vec::new();
    for choice in choices_and(sight, legal, also) {
        let mut key = choice.cards.to_vec();
        key.sort_unstable();
        let place = costs.iter().position(|(cards, _)| *cards == key).unwrap_or_else(|| {
            costs.push((key, draw_costs(sight, legal, unseen, (weights, last_turn), &choice.left)));
            costs.len() - 1
        });
        let fed = if last_turn || weights.feed <= 0.0 {
            0.0
        } else {
            weights.feed * feed(sight, unseen, choice.cards)
        };
        let drawn = costs.get(place).map_or(&[][..], |(_, costs)| costs.as_slice());
        let with_draws = legal.draws.iter().zip(drawn);
        play_costs.extend(with_draws.map(|(draw, cost)| PlayCost {
            cards: choice.cards,
            draw: *draw,
            cost: cost + fed,
            closely: choice.closely,
        }));
    }
    play_costs
}

/// A play without look-ahead: usually the heaviest discard; picks up only low cards.
pub(crate) fn greedy(sight: &Sight<'_>, legal: &Legal, dice: &mut Dice) -> Option<Action> {
    let points = |cards: &Cards| sight.rules.points(cards);
    let most = legal.discards.iter().map(points).max()?;
    let heaviest: Vec<&Cards> = legal.discards.iter().filter(|cards| points(cards) == most).collect();
    let cards =
        if dice.one_in(5) { dice.pick(&legal.discards)?.clone() } else { (*dice.pick(&heaviest)?).clone() };
    let low = |draw: &&Draw| matches!(draw, Draw::Pile(card) if sight.rules.card_points(*card) <= 2);
    let draw = legal.draws.iter().find(low).or(legal.draws.first())?;
    Some(Action::Play { cards, draw: *draw })
}

/// The choices to consider closely, in every order in which they can be thrown.
fn choices<'a>(sight: &Sight<'_>, legal: &'a Legal) -> Vec<Choice<'a>> {
    let mut sums: Vec<(u16, Vec<Card>)> = Vec::new();
    for cards in &legal.discards {
        let mut sorted = cards.to_vec();
        sorted.sort_unstable();
        if !sums.iter().any(|(_, other)| *other == sorted) {
            sums.push((sight.rules.points(&sorted), sorted));
        }
        // Thousands of discards exist only if almost all cards go together; the first ones are enough.
        if sums.len() >= 200 {
            break;
        }
    }
    sums.sort_by(|(one, first), (other, second)| other.cmp(one).then(second.len().cmp(&first.len())));
    sums.truncate(CLOSELY);
    let wanted = |cards: &&Cards| {
        let mut sorted = cards.to_vec();
        sorted.sort_unstable();
        sums.iter().any(|(_, other)| *other == sorted)
    };
    let hand = sight.hand();
    let found = legal.discards.iter().filter(wanted).take(400);
    found.map(|cards| Choice { cards, left: without(hand, cards), closely: true }).collect()
}

/// The choices to consider closely, and these cards last, if missing.
pub(crate) fn choices_and<'a>(
    sight: &Sight<'_>,
    legal: &'a Legal,
    also: Option<&'a Cards>,
) -> Vec<Choice<'a>> {
    let mut choices = choices(sight, legal);
    if let Some(cards) = also.filter(|also| !choices.iter().any(|choice| choice.cards == *also)) {
        choices.push(Choice { cards, left: without(sight.hand(), cards), closely: false });
    }
    choices
}

/// Cost of being left with these cards and each of the draws.
fn draw_costs(
    sight: &Sight<'_>,
    legal: &Legal,
    unseen: &Unseen,
    (weights, last_turn): (Weights, bool),
    left: &[Card],
) -> Vec<f64> {
    let mut hand = left.to_vec();
    let mut with = |card: Card| {
        hand.push(card);
        let cost = cost(sight, weights, &hand, last_turn);
        hand.pop();
        cost
    };
    let of_draw = |draw: &Draw| match draw {
        Draw::Pile(card) => with(*card),
        Draw::Nothing => cost(sight, weights, left, last_turn),
        Draw::Stock => {
            let (mut sum, mut count) = (0.0, 0.0);
            for (card, times) in unseen.kinds().take(TRIED) {
                let times = f64::from(times);
                sum += times * with(card);
                count += times;
            }
            if count > 0.0 { sum / count } else { cost(sight, weights, left, last_turn) }
        }
    };
    legal.draws.iter().map(of_draw).collect()
}

/// What the next player gains from a discard, compared with the stock.
fn feed(sight: &Sight<'_>, unseen: &Unseen, discard: &[Card]) -> f64 {
    let Some(next) = sight.next() else {
        return 0.0;
    };
    let known = unseen.known(next.seat);
    let gain = |card: Card| {
        let low = STOCK - f64::from(sight.rules.card_points(card));
        let fits = known.iter().any(|held| goes_with(*held, card));
        if fits { low.max(0.0) + GOES_WITH } else { low }
    };
    offered(sight.rules, discard).into_iter().map(gain).fold(0.0, f64::max)
}

/// Whether two cards can be part of one discard.
fn goes_with(one: Card, other: Card) -> bool {
    let (Some(first), Some(second)) = (one.rank(), other.rank()) else {
        return true;
    };
    first == second || (one.suit() == other.suit() && first.abs_diff(second) <= 2)
}
