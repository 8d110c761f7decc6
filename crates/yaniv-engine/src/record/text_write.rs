//! Writer of the compact form of a record, `yaniv-text/1` (docs/records.md): one line per item. The reader is in
//! `text_read.rs`. Conversions between the two forms are lossless.

use std::fmt::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cards::card::Card;
use crate::record::document::{Drew, Record, RecordAction, RecordPlayer, RecordResult, RecordRound};
use crate::record::time::to_seconds;
use crate::rules::options::RuleOptions;
use crate::rules::preset::Preset;

/// Characters, besides letters and digits, that a name or seed may have without quotes.
pub(crate) const PLAIN_TEXT: &str = "_.-";
/// The same for an action.
pub(crate) const PLAIN_ACTION: &str = "+#:-";
/// The same for a time.
pub(crate) const PLAIN_TIME: &str = ":.-";

/// Why a text is not a record, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadText {
    /// The line number, from 1.
    pub line: usize,
    /// The fault: lower case, no full stop.
    pub what: String,
}

impl Record {
    /// The first line of the compact form.
    pub const TEXT_FORMAT: &'static str = "yaniv-text/1";

    /// The compact form. It is that of a record of [`Record::FORMAT`], regardless of `format`.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_text(&mut out);
        out
    }

    fn write_text(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "{}", Self::TEXT_FORMAT)?;
        writeln!(out, "match {}", text(&self.match_id, PLAIN_TEXT))?;
        writeln!(out, "rules {}", rules(&self.rules))?;
        writeln!(out, "commitment {}", self.commitment.to_hex())?;
        for RecordPlayer { seat, name, client_seed } in &self.players {
            write!(out, "player {seat} {}", text(name, PLAIN_TEXT))?;
            if !client_seed.is_empty() {
                write!(out, " {}", text(client_seed, PLAIN_TEXT))?;
            }
            out.push('\n');
        }
        let mut clock = None;
        for round in &self.rounds {
            write_round(out, round, &mut clock)?;
        }
        if let Some(result) = &self.result {
            let winner = result.winner.map_or_else(|| "-".to_owned(), |seat| seat.to_string());
            writeln!(out, "result {winner} {}", list(&result.ranking))?;
        }
        Ok(())
    }
}

fn write_round(out: &mut String, round: &RecordRound, clock: &mut Option<i64>) -> fmt::Result {
    let seed = round.seed.map_or_else(|| "-".to_owned(), |seed| seed.to_hex());
    writeln!(out, "round {} {} {seed}", round.round, round.starter)?;
    write!(out, "dealt {}", round.upcard.code())?;
    write_hands(out, &round.hands)?;
    if let Some(gift) = &round.gift {
        writeln!(out, "gift {} {}", gift.seat, text(&gift.text, PLAIN_TEXT))?;
    }
    if !round.actions.is_empty() {
        out.push_str("played");
        for action in &round.actions {
            write_action(out, action, clock)?;
        }
        out.push('\n');
    }
    if let Some(RecordResult { caller, hands, points, scores, totals, reduced, out: gone }) = &round.result {
        write!(out, "scored {caller} {} {} {}", list(points), list(scores), list(totals))?;
        write!(out, " {} {}", list(reduced), list(gone))?;
        write_hands(out, hands)?;
    }
    Ok(())
}

/// Writes ` SEAT:ACTION` and the other known data. A time is written as seconds since the previous one, if both are
/// whole.
fn write_action(out: &mut String, action: &RecordAction, clock: &mut Option<i64>) -> fmt::Result {
    write!(out, " {}:{}", action.seat, text(&action.action, PLAIN_ACTION))?;
    match &action.drew {
        None => {}
        Some(Drew::One(card)) => write!(out, "={}", card.code())?,
        Some(Drew::Three(cards)) => write!(out, "=({})", codes(cards))?,
    }
    if let Some(at) = &action.at {
        let now = to_seconds(at);
        match now.zip(*clock).map(|(now, before)| now - before) {
            Some(passed @ 0..) => write!(out, "@+{passed}")?,
            _ => write!(out, "@{}", text(at, PLAIN_TIME))?,
        }
        *clock = now.or(*clock);
    }
    if let Some(automatic) = &action.automatic {
        write!(out, "!{}", text(automatic, PLAIN_TEXT))?;
    }
    Ok(())
}

fn write_hands(out: &mut String, hands: &[Vec<Card>]) -> fmt::Result {
    for hand in hands {
        write!(out, " {}", if hand.is_empty() { "-".to_owned() } else { codes(hand) })?;
    }
    out.push('\n');
    Ok(())
}

fn codes(cards: &[Card]) -> String {
    cards.iter().map(|card| card.code()).collect()
}

/// Comma-separated numbers; a hyphen if empty.
fn list<T: ToString>(numbers: &[T]) -> String {
    if numbers.is_empty() {
        return "-".to_owned();
    }
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// A plain text unchanged; any other as a JSON string, which has no line break.
fn text(text: &str, plain: &str) -> String {
    let is_plain = !text.is_empty() && text.chars().all(|letter| is_plain(letter, plain));
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}

pub(crate) fn is_plain(letter: char, plain: &str) -> bool {
    letter.is_ascii_alphanumeric() || plain.contains(letter)
}

/// The nearest preset and the differences from it, as a person would write it.
fn rules(options: &RuleOptions) -> String {
    let wanted = object(options);
    let differing = |preset: &Preset| -> (&'static str, Map<String, Value>) {
        let given = object(&preset.options());
        let other = wanted.iter().filter(|(name, value)| given.get(*name) != Some(*value));
        (preset.as_str(), other.map(|(name, value)| (name.clone(), value.clone())).collect())
    };
    let nearest = Preset::ALL.iter().map(differing).min_by_key(|(_, differing)| differing.len());
    let (name, differing) = nearest.unwrap_or_default();
    if differing.is_empty() { name.to_owned() } else { format!("{name} {}", Value::Object(differing)) }
}

fn object(options: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(options) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

impl fmt::Display for BadText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl std::error::Error for BadText {}
