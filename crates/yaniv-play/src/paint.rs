//! How cards and words look: suits and colours where the terminal has them, plain letters elsewhere.

use std::env;
use std::io::{IsTerminal, stdout};

use yaniv_client::types::Card;

/// What fits even a small terminal.
const WIDTH: usize = 78;

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
        format!("{}{}", self.cards(cards), " ".repeat(width.saturating_sub(self.width(cards))))
    }

    /// How much room cards in a row take.
    pub(crate) fn width(self, cards: &[Card]) -> usize {
        Self { colour: false, ..self }.cards(cards).chars().count()
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
}

/// A text in lines that fit a terminal; all but the first begin with so many spaces.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let (mut lines, mut width) = (String::new(), 0);
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if width + length > WIDTH && width > indent {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            width = indent;
        }
        lines.push_str(word);
        width += word.chars().count();
    }
    lines
}
