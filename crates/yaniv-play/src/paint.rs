//! How cards and words look: suits and colours where the terminal has them, plain letters elsewhere.

use std::env;
use std::io::{IsTerminal, stdout};

use yaniv_client::types::Card;

/// What the terminal can show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    colour: bool,
    symbols: bool,
}

impl Paint {
    /// As the terminal and its environment say: no colour without a terminal or with `NO_COLOR`; suits as symbols
    /// where the locale is UTF-8.
    pub(crate) fn of_terminal() -> Self {
        let set = |name| env::var(name).ok().filter(|value| !value.is_empty());
        let dumb = set("TERM").is_some_and(|terminal| terminal == "dumb");
        let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG")).unwrap_or_default();
        let locale = locale.to_lowercase();
        Self {
            colour: stdout().is_terminal() && set("NO_COLOR").is_none() && !dumb,
            symbols: !dumb && (locale.contains("utf-8") || locale.contains("utf8")),
        }
    }

    /// A card.
    pub(crate) fn card(self, code: &str) -> String {
        let mut letters = code.chars();
        let (rank, suit) = (letters.next().unwrap_or('?'), letters.next().unwrap_or('?'));
        if rank == 'X' {
            return self.styled("1;35", "Joker");
        }
        let rank = if rank == 'T' { "10".to_owned() } else { rank.to_string() };
        let symbol = match suit {
            'C' => '\u{2663}',
            'D' => '\u{2666}',
            'H' => '\u{2665}',
            'S' => '\u{2660}',
            other => other,
        };
        let text = format!("{rank}{}", if self.symbols { symbol } else { suit });
        if matches!(suit, 'D' | 'H') { self.styled("31", &text) } else { text }
    }

    /// Cards in a row.
    pub(crate) fn cards(self, cards: &[Card]) -> String {
        cards.iter().map(|card| self.card(card)).collect::<Vec<_>>().join(" ")
    }

    /// Cards in a row, followed by spaces up to a width: what colours are made of has no width.
    pub(crate) fn padded(self, cards: &[Card], width: usize) -> String {
        let plain = Self { colour: false, ..self }.cards(cards);
        format!("{}{}", self.cards(cards), " ".repeat(width.saturating_sub(plain.chars().count())))
    }

    /// What matters.
    pub(crate) fn bold(self, text: &str) -> String {
        self.styled("1", text)
    }

    /// What matters less.
    pub(crate) fn dim(self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Self { colour: false, symbols: false }
    }
}
