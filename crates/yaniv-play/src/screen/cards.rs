//! Card codes of the API: points, and parsing of typed cards.

use yaniv_client::types::{Card, RuleSet};

/// Points of a card by these rules.
pub(crate) fn points(card: &str, rules: &RuleSet) -> i32 {
    let worth = &rules.points;
    match (card.chars().next(), rules.one_eyed_jacks) {
        (Some('J'), Some(points)) if card == "JH" || card == "JS" => points,
        (Some('A'), _) => worth.ace,
        (Some('T'), _) => 10,
        (Some('J'), _) => worth.jack,
        (Some('Q'), _) => worth.queen,
        (Some('K'), _) => worth.king,
        (Some('X'), _) => worth.joker,
        (Some(digit), _) => digit.to_digit(10).and_then(|number| i32::try_from(number).ok()).unwrap_or(0),
        (None, _) => 0,
    }
}

/// Points of several cards.
pub(crate) fn total(cards: &[Card], rules: &RuleSet) -> i32 {
    cards.iter().map(|card| points(card, rules)).sum()
}

/// Rank of a card: ace 1, king 13; none for a joker.
pub(crate) fn rank(card: &str) -> Option<u8> {
    let place = "A23456789TJQK".find(card.chars().next()?)?;
    u8::try_from(place + 1).ok()
}

/// Parses a word of cards: `7H`, `7h8h9h`, `10S`, `joker`, but not `♥7`. `None` if it is not one.
///
/// A joker may be `X` if its colour does not matter.
pub(crate) fn parse(word: &str) -> Option<Vec<String>> {
    let upper = word.to_uppercase().replace("JOKER", "X").replace("10", "T");
    let mut letters = upper.chars().peekable();
    let mut cards = Vec::new();
    while let Some(letter) = letters.next() {
        if letter == 'X' {
            let colour = letters.next_if(|next| matches!(next, 'B' | 'R'));
            cards.push(colour.map_or_else(|| "X".to_owned(), |colour| format!("X{colour}")));
            continue;
        }
        let suit = match letters.next()? {
            suit @ ('C' | 'D' | 'H' | 'S') => suit,
            '\u{2663}' => 'C',
            '\u{2666}' => 'D',
            '\u{2665}' => 'H',
            '\u{2660}' => 'S',
            _ => return None,
        };
        if !"A23456789TJQK".contains(letter) {
            return None;
        }
        cards.push(format!("{letter}{suit}"));
    }
    (!cards.is_empty()).then_some(cards)
}

/// Whether a card matches the typed one.
pub(crate) fn is_meant(typed: &str, card: &str) -> bool {
    typed == card || (typed == "X" && card.starts_with('X'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_can_be_typed_in_many_ways() {
        let typed = |word| parse(word).map(|cards| cards.join(" "));
        assert_eq!(typed("7h").as_deref(), Some("7H"));
        assert_eq!(typed("7h8h9H").as_deref(), Some("7H 8H 9H"));
        assert_eq!(typed("10s").as_deref(), Some("TS"));
        assert_eq!(typed("joker").as_deref(), Some("X"));
        assert_eq!(typed("xr7\u{2665}").as_deref(), Some("XR 7H"));
        assert_eq!(typed("7"), None);
        assert_eq!(typed("1H"), None);
        assert_eq!(typed("stock"), None);
    }
}
