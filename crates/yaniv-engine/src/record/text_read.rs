//! Reader of the compact form of a record (docs/records.md). It is strict: anything outside the format is refused with
//! its line number. Consistency is checked by `verify`.

use std::iter::Peekable;
use std::str::Lines;

use serde_json::Value;

use crate::cards::seat::Seat;
use crate::record::document::{
    Dedication, Drew, Record, RecordAction, RecordPlayer, RecordResult, RecordRound,
};
use crate::record::scan::Scanner;
use crate::record::text_write::{BadText, PLAIN_ACTION, PLAIN_TEXT, PLAIN_TIME};
use crate::record::time::{to_seconds, to_text};
use crate::round::event::MatchResult;
use crate::rules::json::options_from_json;
use crate::rules::options::RuleOptions;

impl Record {
    /// Reads the compact form. Windows line breaks and trailing empty lines are accepted.
    ///
    /// # Errors
    /// The first invalid line, and the reason.
    pub fn from_text(text: &str) -> Result<Record, BadText> {
        let mut reader = Reader { lines: text.lines().peekable(), line: 0, clock: None };
        reader.required(Record::TEXT_FORMAT, |_| Ok(()))?;
        let match_id = reader.required("match", |line| spaced_text(line, PLAIN_TEXT))?;
        let rules = reader.required("rules", rules)?;
        let commitment = reader.required("commitment", |line| {
            line.expect(" ")?;
            line.parsed("commitment")
        })?;
        let mut players = Vec::new();
        while let Some(player) = reader.optional("player", player)? {
            players.push(player);
        }
        let mut rounds = Vec::new();
        while let Some(round) = reader.round()? {
            rounds.push(round);
        }
        let result = reader.optional("result", result)?;
        reader.end()?;
        Ok(Record { format: Record::FORMAT.to_owned(), match_id, rules, commitment, players, rounds, result })
    }
}

/// The lines, and the current position.
struct Reader<'a> {
    lines: Peekable<Lines<'a>>,
    line: usize,
    /// The latest time, in seconds.
    clock: Option<i64>,
}

impl<'a> Reader<'a> {
    /// Reads the next line, if it begins with this word.
    fn optional<T>(
        &mut self,
        word: &str,
        read: impl FnOnce(&mut Scanner<'a>) -> Result<T, String>,
    ) -> Result<Option<T>, BadText> {
        let is_this = |line: &&str| {
            line.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let Some(line) = self.lines.next_if(is_this) else { return Ok(None) };
        self.line += 1;
        let mut line = Scanner::new(line.get(word.len()..).unwrap_or_default());
        let read = read(&mut line).and_then(|read| {
            if line.is_done() { Ok(read) } else { Err(format!("there is more: {:?}", short(line.all()))) }
        });
        read.map(Some).map_err(|what| BadText { line: self.line, what })
    }

    fn required<T>(
        &mut self,
        word: &str,
        read: impl FnOnce(&mut Scanner<'a>) -> Result<T, String>,
    ) -> Result<T, BadText> {
        let line = self.line + 1;
        let missing = || BadText { line, what: format!("a line with {word:?} is missing") };
        self.optional(word, read)?.ok_or_else(missing)
    }

    /// Whether only empty lines are left.
    fn end(&mut self) -> Result<(), BadText> {
        for line in self.lines.by_ref() {
            self.line += 1;
            if !line.is_empty() {
                let what = format!("this line is not expected here: {:?}", short(line));
                return Err(BadText { line: self.line, what });
            }
        }
        Ok(())
    }

    fn round(&mut self) -> Result<Option<RecordRound>, BadText> {
        let head = self.optional("round", |line| {
            line.expect(" ")?;
            let round = line.parsed("number of the round")?;
            Ok((round, spaced_seat(line)?, line.expect(" ").and_then(|()| line.optional("seed"))?))
        })?;
        let Some((round, starter, seed)) = head else { return Ok(None) };
        let (upcard, hands) = self.required("dealt", |line| {
            line.expect(" ")?;
            Ok((line.card()?, line.hands()?))
        })?;
        let gift = self.optional("gift", |line| {
            Ok(Dedication { seat: spaced_seat(line)?, text: spaced_text(line, PLAIN_TEXT)? })
        })?;
        let mut clock = self.clock;
        let actions = self.optional("played", |line| {
            let mut actions = Vec::new();
            while line.take(" ") {
                actions.push(action(line, &mut clock)?);
            }
            Ok(actions)
        })?;
        self.clock = clock;
        let (actions, result) = (actions.unwrap_or_default(), self.optional("scored", scored)?);
        Ok(Some(RecordRound { round, seed, starter, hands, upcard, gift, actions, result }))
    }
}

fn rules(line: &mut Scanner<'_>) -> Result<RuleOptions, String> {
    line.expect(" ")?;
    let preset = Value::from(line.word());
    let mut options = serde_json::Map::new();
    if line.take(" ") {
        options =
            serde_json::from_str(line.all()).map_err(|_| "what differs from the preset is no JSON object")?;
    }
    if options.insert("preset".to_owned(), preset).is_some() {
        return Err("there are two presets".to_owned());
    }
    options_from_json(&Value::Object(options)).map_err(|error| error.to_string())
}

fn player(line: &mut Scanner<'_>) -> Result<RecordPlayer, String> {
    let (seat, name) = (spaced_seat(line)?, spaced_text(line, PLAIN_TEXT)?);
    let client_seed = if line.is_done() { String::new() } else { spaced_text(line, PLAIN_TEXT)? };
    Ok(RecordPlayer { seat, name, client_seed })
}

/// `SEAT:ACTION[=DRAWN][@TIME][!AUTOMATIC]`.
fn action(line: &mut Scanner<'_>, clock: &mut Option<i64>) -> Result<RecordAction, String> {
    let seat = Seat::new(line.digits("seat")?);
    line.expect(":")?;
    let action = line.text(PLAIN_ACTION)?;
    let drew = match line.take("=") {
        false => None,
        true => Some(match line.card() {
            Ok(card) => Drew::One(card),
            Err(_) => Drew::Three(line.cards_in_brackets()?),
        }),
    };
    let at = if line.take("@") { Some(time(line, clock)?) } else { None };
    let automatic = if line.take("!") { Some(line.text(PLAIN_TEXT)?) } else { None };
    Ok(RecordAction { seat, action, drew, at, automatic })
}

/// A time, or the seconds since the previous one.
fn time(line: &mut Scanner<'_>, clock: &mut Option<i64>) -> Result<String, String> {
    if !line.take("+") {
        let text = line.text(PLAIN_TIME)?;
        *clock = to_seconds(&text).or(*clock);
        return Ok(text);
    }
    let before = clock.ok_or("there is no time before it")?;
    let passed: i64 = line.digits("number of seconds")?;
    let now = before.checked_add(passed).and_then(|now| Some((now, to_text(now)?)));
    let (now, text) = now.ok_or("a time too far away")?;
    *clock = Some(now);
    Ok(text)
}

fn scored(line: &mut Scanner<'_>) -> Result<RecordResult, String> {
    let caller = spaced_seat(line)?;
    let (points, scores) = (spaced_list(line, "points")?, spaced_list(line, "scores")?);
    let totals = spaced_list(line, "totals")?;
    let mut seats = |what: &str| -> Result<Vec<Seat>, String> {
        Ok(spaced_list(line, what)?.into_iter().map(Seat::new).collect())
    };
    let (reduced, out) = (seats("seats that were reduced")?, seats("seats that went out")?);
    Ok(RecordResult { caller, points, scores, totals, reduced, out, hands: line.hands()? })
}

fn result(line: &mut Scanner<'_>) -> Result<MatchResult, String> {
    line.expect(" ")?;
    let winner = line.optional("winner")?.map(Seat::new);
    Ok(MatchResult { winner, ranking: spaced_list(line, "places")? })
}

fn spaced_seat(line: &mut Scanner<'_>) -> Result<Seat, String> {
    line.expect(" ")?;
    line.parsed("seat").map(Seat::new)
}

fn spaced_text(line: &mut Scanner<'_>, plain: &str) -> Result<String, String> {
    line.expect(" ")?;
    line.text(plain)
}

fn spaced_list<T: std::str::FromStr>(line: &mut Scanner<'_>, what: &str) -> Result<Vec<T>, String> {
    line.expect(" ")?;
    line.list(what)
}

/// The beginning of a text, for error messages.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}
