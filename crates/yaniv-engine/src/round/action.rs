//! Actions of players as values, and their notation (rules §12). Legality is decided by the match.

use std::fmt;
use std::str::FromStr;

use crate::cards::card::{Card, parse_code};
use crate::cards::set::Cards;
use crate::error::BadNotation;

/// The source of the card drawn at the end of a play.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Draw {
    /// The top of the stock, `#`.
    Stock,
    /// A card picked up from the pile.
    Pile(Card),
    /// Nothing can be drawn, `-`.
    Nothing,
}

/// The word of a call: 1 to 16 letters a–z.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Word(Box<str>);

/// One action. Playing it is [`Match::play`](crate::Match::play).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Discard, then draw: `4D5DXR7D+#`.
    Play {
        /// The discard, in the order thrown.
        cards: Cards,
        /// The draw.
        draw: Draw,
    },
    /// `call`, or `call:WORD`; without a word, the right one is assumed.
    Call {
        /// The word, if given.
        word: Option<Word>,
    },
    /// Put the card just drawn on the pile: `slam`, `slam:first`.
    Slam {
        /// At the low end of a run, where the card fits at both; otherwise ignored and not recorded
        /// ([`Match::as_recorded`](crate::Match::as_recorded)).
        first: bool,
    },
    /// Ask for a card that the player to act could pick up: `ask:4D`.
    Ask(Card),
    /// Answer a request: the asker gets the card.
    Give,
    /// Answer a request: the player to act takes the card.
    Keep,
    /// Answer a call: "Onderkluft".
    Challenge,
    /// Answer a call: show the hand.
    Expose,
    /// Answer a call over the limit: exchange hands with the caller.
    Swap,
    /// Answer a call over the limit: keep one's hand.
    Stay,
    /// Pass with an empty hand where a call is not allowed.
    Pass,
    /// Leave the match.
    Resign,
}

impl Action {
    /// The kind as a word, without cards: `play`, `call`, `slam`, `ask`, …
    pub const fn kind(&self) -> &'static str {
        match self {
            Action::Play { .. } => "play",
            Action::Call { .. } => "call",
            Action::Slam { .. } => "slam",
            Action::Ask(_) => "ask",
            Action::Give => "give",
            Action::Keep => "keep",
            Action::Challenge => "challenge",
            Action::Expose => "expose",
            Action::Swap => "swap",
            Action::Stay => "stay",
            Action::Pass => "pass",
            Action::Resign => "resign",
        }
    }
}

impl Word {
    /// The letters.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Word {
    type Err = BadNotation;

    fn from_str(text: &str) -> Result<Word, BadNotation> {
        if (1..=16).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_lowercase()) {
            Ok(Word(text.into()))
        } else {
            Err(BadNotation::new("a word has 1 to 16 letters a-z"))
        }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for Draw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Draw::Stock => f.write_str("#"),
            Draw::Pile(card) => card.fmt(f),
            Draw::Nothing => f.write_str("-"),
        }
    }
}

impl FromStr for Draw {
    type Err = BadNotation;

    fn from_str(text: &str) -> Result<Draw, BadNotation> {
        match text {
            "#" => Ok(Draw::Stock),
            "-" => Ok(Draw::Nothing),
            card => card.parse().map(Draw::Pile).map_err(|_| BadNotation::new("a draw is #, a card or -")),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Play { cards, draw } => write!(f, "{cards}+{draw}"),
            Action::Call { word: Some(word) } => write!(f, "call:{word}"),
            Action::Slam { first: true } => f.write_str("slam:first"),
            Action::Ask(card) => write!(f, "ask:{card}"),
            other => f.write_str(other.kind()),
        }
    }
}

impl FromStr for Action {
    type Err = BadNotation;

    fn from_str(text: &str) -> Result<Action, BadNotation> {
        if let Some((cards, draw)) = text.split_once('+') {
            return Ok(Action::Play { cards: parse_cards(cards)?, draw: draw.parse()? });
        }
        if let Some(word) = text.strip_prefix("call:") {
            return Ok(Action::Call { word: Some(word.parse()?) });
        }
        if let Some(card) = text.strip_prefix("ask:") {
            return Ok(Action::Ask(card.parse()?));
        }
        Ok(match text {
            "call" => Action::Call { word: None },
            "slam" => Action::Slam { first: false },
            "slam:first" => Action::Slam { first: true },
            "give" => Action::Give,
            "keep" => Action::Keep,
            "challenge" => Action::Challenge,
            "expose" => Action::Expose,
            "swap" => Action::Swap,
            "stay" => Action::Stay,
            "pass" => Action::Pass,
            "resign" => Action::Resign,
            _ => return Err(BadNotation::new("no action is written like this")),
        })
    }
}

fn parse_cards(text: &str) -> Result<Cards, BadNotation> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.is_empty() || !rest.is_empty() {
        return Err(BadNotation::new("a discard is one or more cards"));
    }
    pairs.iter().map(|&[rank, suit]| parse_code(rank, suit).ok_or(BadNotation::CARD)).collect()
}
