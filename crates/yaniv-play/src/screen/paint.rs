//! Formatting of cards and text: suit symbols and colours where the terminal supports them, plain letters elsewhere.

use std::env;
use std::io::{IsTerminal, stdout};

use yaniv_client::types::Card;

/// Fits even a small terminal.
const WIDTH: usize = 78;

/// Capabilities of the terminal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paint {
    colour: bool,
    symbols: bool,
}

impl Paint {
    /// Detects them: no colour without a terminal or with `NO_COLOR`; suit symbols if the locale is UTF-8.
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

    /// Several cards.
    pub(crate) fn cards(self, cards: &[Card]) -> String {
        cards.iter().map(|card| self.card(card)).collect::<Vec<_>>().join(" ")
    }

    /// Several cards, padded with spaces to a width; colour codes have no width.
    pub(crate) fn padded(self, cards: &[Card], width: usize) -> String {
        format!("{}{}", self.cards(cards), " ".repeat(width.saturating_sub(self.width(cards))))
    }

    /// Width of several cards.
    pub(crate) fn width(self, cards: &[Card]) -> usize {
        Self { colour: false, ..self }.cards(cards).chars().count()
    }

    /// Emphasised text.
    pub(crate) fn bold(self, text: &str) -> String {
        self.styled("1", text)
    }

    /// De-emphasised text.
    pub(crate) fn dim(self, text: &str) -> String {
        self.styled("2", text)
    }

    fn styled(self, code: &str, text: &str) -> String {
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Wraps a text to the terminal's width; all lines but the first are indented by this many spaces.
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
