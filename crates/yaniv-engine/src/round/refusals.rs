//! Refusals of plays and calls, in terms that their player can act on. They mention only the player's own hand, the
//! pile, the rules, and whether there is a stock.

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::error::{Code, PlayError};
use crate::round::action::{Draw, Word};
use crate::round::meld::{self, Fault};
use crate::round::state::RoundState;
use crate::rules::rule_set::Rules;

/// The kind of action needs one of these values of an option.
pub(crate) fn not_in_rules(option: &'static str, needed: &[&'static str]) -> PlayError {
    let detail = format!("these rules do not have this action: it needs {option} {}", needed.join(" or "));
    let refusal = PlayError::with(Code::NotAllowedByRules, detail).about("option", option);
    needed.iter().fold(refusal, |refusal, value| refusal.about("needed", *value))
}

/// Cards of a discard that the hand does not have. Each is a parameter `card`, after its place, from 0, in `place`.
pub(crate) fn not_in_hand(hand: &Bag, cards: &[Card]) -> PlayError {
    let mut left = hand.clone();
    let missing: Vec<(usize, Card)> =
        cards.iter().copied().enumerate().filter(|(_, card)| !left.remove(*card)).collect();
    let codes: Vec<&str> = missing.iter().map(|(_, card)| card.code()).collect();
    let refusal = PlayError::with(Code::CardNotInHand, format!("you do not hold {}", codes.join(", ")));
    missing.into_iter().fold(refusal, |refusal, (place, card)| {
        refusal.about("place", place.to_string()).about("card", card.code())
    })
}

/// Cards that are not a discard in this order.
pub(crate) fn not_a_discard(rules: &Rules, cards: &[Card], fault: Fault) -> PlayError {
    match fault {
        Fault::OutOfOrder => PlayError::new(
            Code::RunOutOfOrder,
            "these cards are a run in another order: it is thrown ascending or descending",
        ),
        Fault::NotAMeld => {
            let (reason, detail) = why_no_meld(rules, cards);
            PlayError::with(Code::NotAMeld, detail).about("reason", reason)
        }
    }
}

/// Why cards are neither a set nor a run: a word for programs, and a sentence.
fn why_no_meld(rules: &Rules, cards: &[Card]) -> (&'static str, String) {
    let options = rules.options();
    let naturals: Vec<Card> = cards.iter().copied().filter(|card| !card.is_joker()).collect();
    let jokers = cards.len() - naturals.len();
    let Some(first) = naturals.first() else {
        return ("jokers_alone", "jokers alone are a set only with the option joker_pair".to_owned());
    };
    let one_rank = naturals.iter().all(|card| card.rank() == first.rank());
    let one_suit = naturals.iter().all(|card| card.suit_index() == first.suit_index());
    let mut ranks: Vec<Option<u8>> = naturals.iter().map(|card| card.rank()).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let (reason, detail) = if cards.len() > usize::from(rules.top_place()) {
        ("too_many_cards", "no set or run has so many cards".to_owned())
    } else if one_rank && jokers > 0 && cards.len() < 3 {
        ("joker_in_set", "a joker joins a set only with the option jokers_in_sets".to_owned())
    } else if !one_suit && !one_rank {
        ("different_suits", "a set has cards of one rank, a run cards of one suit".to_owned())
    } else if cards.len() < 3 {
        ("too_few_cards", "a run has three cards or more".to_owned())
    } else if jokers > 0 && !options.jokers_in_runs {
        ("joker_in_run", "a joker is part of a run only with the option jokers_in_runs".to_owned())
    } else if naturals.len() < usize::from(options.min_naturals) {
        let least = options.min_naturals;
        ("too_few_naturals", format!("a run has {least} cards or more that are no jokers"))
    } else if ranks.len() < naturals.len() {
        ("equal_ranks", "a run has each rank once".to_owned())
    } else {
        ("not_consecutive", "a run has consecutive ranks, and a joker for each that is missing".to_owned())
    };
    (reason, detail)
}

/// More points than a call may have.
pub(crate) fn over_limit(points: u16, limit: u16) -> PlayError {
    let detail = format!("your hand has {points} points; you may call with {limit} or less");
    PlayError::with(Code::CallOverLimit, detail)
        .about("points", points.to_string())
        .about("limit", limit.to_string())
}

/// A call word that the rules do not have. Each known word is a parameter `known_word`.
pub(crate) fn unknown_word(rules: &Rules, word: &Word) -> PlayError {
    let known = &rules.options().call_words;
    let detail = format!("{} is not a word of these rules; known are {}", word.as_str(), known.join(", "));
    let refusal = PlayError::with(Code::UnknownWord, detail).about("word", word.as_str());
    known.iter().fold(refusal, |refusal, word| refusal.about("known_word", word.as_str()))
}

/// A call before all players have had enough turns.
pub(crate) fn too_early(rules: &Rules) -> PlayError {
    let least = rules.options().min_turns;
    let detail = format!("you may call when each player has had {least} turns in this round");
    PlayError::with(Code::CallTooEarly, detail).about("min_turns", least.to_string())
}

impl RoundState {
    /// A draw that is not possible. Each that is possible is a parameter `available`: `stock`, `nothing` or a card.
    pub(crate) fn not_drawable(&self, draw: Draw) -> PlayError {
        let (name, what) = match draw {
            Draw::Stock => ("draw", "stock"),
            Draw::Nothing => ("draw", "nothing"),
            Draw::Pile(card) => ("card", card.code()),
        };
        let wrong = match draw {
            Draw::Stock => "the stock is empty".to_owned(),
            Draw::Nothing => "there is something to draw".to_owned(),
            Draw::Pile(card) => format!("{} cannot be picked up", card.code()),
        };
        self.with_available(Code::DrawNotAvailable, &wrong).about(name, what)
    }

    /// A card that cannot be asked for, as it cannot be picked up.
    pub(crate) fn not_askable(&self, card: Card) -> PlayError {
        let cards: Vec<&str> = self.pile.pickable().map(Card::code).collect();
        let detail = format!("{} cannot be picked up; can be: {}", card.code(), cards.join(", "));
        let refusal = PlayError::with(Code::DrawNotAvailable, detail).about("asked_card", card.code());
        cards.into_iter().fold(refusal, |refusal, card| refusal.about("available", card))
    }

    fn with_available(&self, code: Code, wrong: &str) -> PlayError {
        let mut available: Vec<&str> = self.pile.pickable().map(Card::code).collect();
        if !self.stock.is_empty() {
            available.insert(0, "stock");
        }
        if available.is_empty() {
            available.push("nothing");
        }
        let detail = format!("{wrong}; possible draws: {}", available.join(", "));
        let refusal = PlayError::with(code, detail);
        available.into_iter().fold(refusal, |refusal, draw| refusal.about("available", draw))
    }
}

/// The refusal of a discard, if there is one.
pub(crate) fn check_discard(rules: &Rules, hand: &Bag, cards: &[Card]) -> Result<(), PlayError> {
    if !hand.contains_all(cards) {
        return Err(not_in_hand(hand, cards));
    }
    meld::classify(rules, cards).map(|_| ()).map_err(|fault| not_a_discard(rules, cards, fault))
}
