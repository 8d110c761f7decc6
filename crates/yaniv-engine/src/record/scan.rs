//! Scanner for the lines of the compact form of a record: words, numbers, cards, quoted texts. The meaning of the lines
//! is in `text_read.rs`.

use std::str::FromStr;

use crate::cards::card::Card;
use crate::record::text_write::is_plain;

/// The rest of a line. Errors are described in words.
pub(crate) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(line: &'a str) -> Scanner<'a> {
        Scanner { rest: line }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Consumes this text if it comes next.
    pub(crate) fn take(&mut self, next: &str) -> bool {
        let rest = self.rest.strip_prefix(next);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Requires and consumes this text.
    pub(crate) fn expect(&mut self, next: &str) -> Result<(), String> {
        if self.take(next) { Ok(()) } else { Err(format!("{next:?} is missing")) }
    }

    /// Consumes the rest.
    pub(crate) fn all(&mut self) -> &'a str {
        std::mem::take(&mut self.rest)
    }

    /// Consumes everything up to the next space; may be empty.
    pub(crate) fn word(&mut self) -> &'a str {
        self.until(|letter| letter == ' ')
    }

    /// A word, parsed as a number, a seed, or the like.
    pub(crate) fn parsed<T: FromStr>(&mut self, what: &str) -> Result<T, String> {
        self.word().parse().map_err(|_| format!("there is no {what}"))
    }

    /// The same; a hyphen means none.
    pub(crate) fn optional<T: FromStr>(&mut self, what: &str) -> Result<Option<T>, String> {
        match self.word() {
            "-" => Ok(None),
            word => word.parse().map(Some).map_err(|_| format!("there is no {what}")),
        }
    }

    /// Digits, as a number.
    pub(crate) fn digits<T: FromStr>(&mut self, what: &str) -> Result<T, String> {
        let digits = self.until(|letter| !letter.is_ascii_digit());
        digits.parse().map_err(|_| format!("there is no {what}"))
    }

    /// Comma-separated numbers.
    pub(crate) fn list<T: FromStr>(&mut self, what: &str) -> Result<Vec<T>, String> {
        match self.word() {
            "-" => Ok(Vec::new()),
            word => {
                let numbers = word.split(',').map(str::parse);
                numbers.collect::<Result<_, _>>().map_err(|_| format!("there are no {what}"))
            }
        }
    }

    /// Consecutive hands, to the end of the line.
    pub(crate) fn hands(&mut self) -> Result<Vec<Vec<Card>>, String> {
        let mut hands = Vec::new();
        while self.take(" ") {
            let word = self.word();
            hands.push(if word == "-" { Vec::new() } else { one_card_at_least(cards(word)?)? });
        }
        Ok(hands)
    }

    /// One card.
    pub(crate) fn card(&mut self) -> Result<Card, String> {
        let code = self.rest.get(..2).unwrap_or_default();
        let card = code.parse().map_err(|_| "there is no card".to_owned())?;
        self.rest = self.rest.get(2..).unwrap_or_default();
        Ok(card)
    }

    /// Cards in brackets.
    pub(crate) fn cards_in_brackets(&mut self) -> Result<Vec<Card>, String> {
        self.expect("(")?;
        let cards = cards(self.until(|letter| letter == ')'))?;
        self.expect(")")?;
        Ok(cards)
    }

    /// A text: a JSON string, or letters, digits and these characters.
    pub(crate) fn text(&mut self, plain: &str) -> Result<String, String> {
        if !self.rest.starts_with('"') {
            let text = self.until(|letter| !is_plain(letter, plain));
            return if text.is_empty() { Err("a text is missing".to_owned()) } else { Ok(text.to_owned()) };
        }
        let mut strings = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let text = strings.next().and_then(Result::ok).ok_or("a quoted text is no JSON string")?;
        self.rest = self.rest.get(strings.byte_offset()..).unwrap_or_default();
        Ok(text)
    }

    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(ends).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

fn cards(codes: &str) -> Result<Vec<Card>, String> {
    let mut scanner = Scanner::new(codes);
    let mut cards = Vec::new();
    while !scanner.is_done() {
        cards.push(scanner.card()?);
    }
    Ok(cards)
}

fn one_card_at_least(cards: Vec<Card>) -> Result<Vec<Card>, String> {
    if cards.is_empty() { Err("a hand is missing".to_owned()) } else { Ok(cards) }
}
