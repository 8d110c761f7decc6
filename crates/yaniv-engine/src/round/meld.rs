//! Melds: legal discards (rules §4), their canonical form (rules §12), the cards that can be picked up from them, and
//! slam-downs on them. The discards of a hand are listed in `discards.rs`.

use crate::cards::card::Card;
use crate::cards::set::Cards;
use crate::rules::choices::{Pickup, SlamDown};
use crate::rules::rule_set::Rules;

/// A discard, valid in the order thrown.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meld {
    Single,
    Set,
    Run(Run),
}

/// The places, 1 to 14, that a run covers.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    low: u8,
    high: u8,
    suit: u8,
    ascending: bool,
}

/// Why cards are not a discard.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Another order of the cards would be a run.
    OutOfOrder,
    NotAMeld,
}

/// Where a slam-down goes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlamFit {
    /// On a set or a single card: thrown last.
    Set,
    /// On a run, at its low or its high end, or at either.
    Run { low: bool, high: bool, ascending: bool },
}

/// Length of the longest discard that any pack allows.
pub(crate) const LONGEST: usize = 64;

/// Classifies cards in the order thrown.
pub(crate) fn classify(rules: &Rules, cards: &[Card]) -> Result<Meld, Fault> {
    match cards {
        [] => Err(Fault::NotAMeld),
        _ if cards.len() > LONGEST => Err(Fault::NotAMeld),
        [_] => Ok(Meld::Single),
        _ if is_set(rules, cards) => Ok(Meld::Set),
        _ => match read_run(rules, cards) {
            Some(run) => Ok(Meld::Run(run)),
            None if could_be_run(rules, cards) => Err(Fault::OutOfOrder),
            None => Err(Fault::NotAMeld),
        },
    }
}

/// The canonical form of a discard (rules §12).
pub(crate) fn canonical(rules: &Rules, cards: &[Card]) -> Result<Cards, Fault> {
    let pickup = rules.options().pickup;
    let mut form = cards.to_vec();
    match classify(rules, cards)? {
        Meld::Single => {}
        Meld::Set => {
            let fixed_end = usize::from(matches!(pickup, Pickup::Ends | Pickup::Top));
            let fixed_start = usize::from(pickup == Pickup::Ends);
            if let (Some(first), [.., last]) = (cards.first(), cards)
                && pickup == Pickup::Ends
                && first > last
            {
                form.reverse();
            }
            let end = form.len() - fixed_end;
            if let Some(middle) = form.get_mut(fixed_start..end) {
                middle.sort_unstable();
            }
        }
        Meld::Run(run) => {
            if !run.ascending && pickup != Pickup::Top {
                form.reverse();
            }
            let mut jokers: Vec<Card> = form.iter().copied().filter(|card| card.is_joker()).collect();
            jokers.sort_unstable();
            for (place, joker) in form.iter_mut().filter(|card| card.is_joker()).zip(jokers) {
                *place = joker;
            }
        }
    }
    Ok(form.into())
}

/// Cards of a pile that can be picked up: bit `i` for its card `i`. At most 64 cards.
pub(crate) fn pickable(rules: &Rules, pile: &[Card]) -> u64 {
    let Some(last) = pile.len().checked_sub(1) else {
        return 0;
    };
    let top = 1_u64 << last.min(63);
    let all = top | (top - 1);
    match rules.options().pickup {
        Pickup::Ends => top | 1,
        Pickup::Any => all,
        Pickup::Top => top,
        Pickup::EndsOfRuns if pile.len() <= 2 || is_set(rules, pile) => all,
        Pickup::EndsOfRuns => top | 1,
    }
}

/// Whether a card just drawn can be slammed on this pile. Its source is not checked here.
pub(crate) fn slam_fit(rules: &Rules, pile: &[Card], card: Card) -> Option<SlamFit> {
    match classify(rules, pile).ok()? {
        Meld::Single | Meld::Set => {
            let fits = is_set_of(rules, pile.iter().copied().chain([card]));
            fits.then_some(SlamFit::Set)
        }
        Meld::Run(_) if rules.options().slam_down == SlamDown::StockSets => None,
        Meld::Run(run) => {
            let low = run.low > 1 && stands_for(rules, card, run.low - 1, run.suit);
            let high = run.high < rules.top_place() && stands_for(rules, card, run.high + 1, run.suit);
            (low || high).then_some(SlamFit::Run { low, high, ascending: run.ascending })
        }
    }
}

fn is_set(rules: &Rules, cards: &[Card]) -> bool {
    is_set_of(rules, cards.iter().copied())
}

/// A set: two or more cards of one rank; jokers alone, or with naturals, as the rules allow.
fn is_set_of(rules: &Rules, cards: impl Iterator<Item = Card>) -> bool {
    let (mut group, mut naturals, mut jokers) = (None, 0, 0);
    for card in cards {
        if card.is_joker() {
            jokers += 1;
        } else if *group.get_or_insert(card.group()) == card.group() {
            naturals += 1;
        } else {
            return false;
        }
    }
    let options = rules.options();
    naturals + jokers >= 2
        && match (naturals, jokers) {
            (_, 0) => true,
            (0, _) => options.joker_pair,
            _ => options.jokers_in_sets,
        }
}

/// Whether the card can be at this place of a run in this suit, as itself or as a joker.
fn stands_for(rules: &Rules, card: Card, place: u8, suit: u8) -> bool {
    if card.is_joker() { rules.options().jokers_in_runs } else { card == Card::natural(place, suit) }
}

/// The run formed by the cards in this order. With one natural card both directions may be possible: then ascending.
fn read_run(rules: &Rules, cards: &[Card]) -> Option<Run> {
    let (first, natural) =
        cards.iter().zip(0_u8..).find(|(card, _)| !card.is_joker()).map(|(c, i)| (i, *c))?;
    let naturals = cards.iter().filter(|card| !card.is_joker()).count();
    let len = u8::try_from(cards.len()).ok()?;
    if len < 3 || naturals < usize::from(rules.options().min_naturals) {
        return None;
    }
    let (suit, top) = (natural.suit_index(), rules.top_place());
    let rank = natural.rank()?;
    let places = if rank == 1 && top == 14 { [rank, 14] } else { [rank, rank] };
    for ascending in [true, false] {
        for place in places {
            // The place of the lowest card of the run, when the first natural card has this place.
            let before = if ascending { first } else { len - 1 - first };
            let Some(low) = place.checked_sub(before).filter(|low| *low >= 1) else {
                continue;
            };
            let high = low + (len - 1);
            if high > top {
                continue;
            }
            let fits = cards
                .iter()
                .zip(0_u8..)
                .all(|(card, i)| stands_for(rules, *card, if ascending { low + i } else { high - i }, suit));
            if fits {
                return Some(Run { low, high, suit, ascending });
            }
        }
    }
    None
}

/// Whether the cards are a run in some order.
fn could_be_run(rules: &Rules, cards: &[Card]) -> bool {
    let top = rules.top_place();
    let naturals: Vec<Card> = cards.iter().copied().filter(|card| !card.is_joker()).collect();
    let jokers = cards.len() - naturals.len();
    let Some(suit) = naturals.first().map(|card| card.suit_index()) else {
        return false;
    };
    let options = rules.options();
    if cards.len() < 3
        || cards.len() > usize::from(top)
        || naturals.len() < usize::from(options.min_naturals)
        || (jokers > 0 && !options.jokers_in_runs)
        || naturals.iter().any(|card| card.suit_index() != suit)
    {
        return false;
    }
    let mut places: Vec<u8> = naturals.iter().filter_map(|card| card.rank()).collect();
    places.sort_unstable();
    let window = |places: &[u8]| {
        places.is_sorted_by(|one, next| one < next)
            && matches!(places, [low, .., high] if usize::from(high - low) < cards.len())
            || places.len() == 1
    };
    if window(&places) {
        return true;
    }
    if top == 14 && places.first() == Some(&1) {
        let mut high = places;
        high.remove(0);
        high.push(14);
        return window(&high);
    }
    false
}
