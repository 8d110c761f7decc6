//! Matches as text for `COPY`, table by table, in the columns of the service's rows.

use std::fmt::{self, Write};
use std::pin::pin;

use bytes::Bytes;
use chrono::{DateTime, SecondsFormat, Utc};
use futures_util::SinkExt;
use tokio_postgres::Client;
use yaniv_app::lifecycle::synthetic_match::WholeRows;

use crate::Error;

/// The tables, in the order in which they refer to each other, with the columns that are written.
const TABLES: [(&str, &str); 6] = [
    (
        "matches",
        "id, code, rules, preset, size, seat_order, secret, commitment, created_at, started_at, finished_at, visibility, pace, rated",
    ),
    ("match_states", "match_id, version, status, waiting_on, state, updated_at, gifts, check_at, clocks"),
    ("seats", "match_id, account_id, seat, client_seed, closed_at"),
    (
        "actions",
        "match_id, at, key_hash, fingerprint, version, round, flags, seat, kind, account_id, detail, drew",
    ),
    ("rounds", "match_id, round, starter, last_version, result, ended_at"),
    ("open_matches", "match_id, code, preset, size, free, longest_turn"),
];

/// Rows of several matches, as text.
#[derive(Debug, Default)]
pub struct Copied {
    texts: [String; 6],
    /// Log entries among them.
    pub actions: u64,
}

impl Copied {
    /// Adds a match.
    ///
    /// # Errors
    /// Only if something cannot be printed.
    pub fn push(&mut self, rows: &WholeRows) -> Result<(), Error> {
        let [matches, states, seats, actions, rounds, open] = &mut self.texts;
        let (row, state, id) = (&rows.row, &rows.state, rows.row.id);
        let mut line = Line::of(matches);
        line.put(id)?.text(&row.code)?.text(&row.rules.to_string())?.maybe(row.preset.as_deref())?;
        line.put(row.size)?.text(&row.seat_order)?.bytes(Some(&row.secret))?.text(&row.commitment)?;
        line.time(Some(row.created_at))?.time(row.started_at)?.time(row.finished_at)?;
        line.text(&row.visibility)?.maybe(row.pace.as_ref().map(ToString::to_string).as_deref())?;
        line.put(row.rated)?;
        line.end();
        let mut line = Line::of(states);
        line.put(id)?.put(state.version)?.text(&state.status)?.put(state.waiting_on)?;
        line.bytes(state.state.as_deref())?.time(Some(state.updated_at))?.put(state.gifts)?;
        line.time(state.check_at)?.maybe(state.clocks.as_deref())?;
        line.end();
        for (account, seat, client_seed) in &rows.seats {
            let mut line = Line::of(seats);
            line.put(id)?.put(account.0)?.put(seat)?.text(client_seed)?.time(rows.closed_at)?;
            line.end();
        }
        for entry in &rows.log {
            let mut line = Line::of(actions);
            line.put(id)?.time(Some(entry.at))?.optional(entry.key_hash)?.optional(entry.fingerprint)?;
            line.put(entry.version)?.put(entry.round)?.put(entry.flags)?;
            line.optional(entry.seat)?.put(char::from(entry.kind))?.optional(entry.account_id)?;
            line.text(&entry.detail)?.bytes(entry.drew.as_deref())?;
            line.end();
            self.actions += 1;
        }
        for round in &rows.rounds {
            let mut line = Line::of(rounds);
            line.put(id)?.put(round.round)?.put(round.starter)?.put(round.last_version)?;
            line.maybe(round.result.as_ref().map(ToString::to_string).as_deref())?;
            line.time(Some(round.ended_at))?;
            line.end();
        }
        if row.visibility == "public" && state.status == "waiting" {
            let taken = i16::try_from(rows.seats.len())?;
            // All of them have the default time control.
            let longest = yaniv_match::time_control::TimeControl::default().longest_turn();
            let mut line = Line::of(open);
            line.put(id)?.text(&row.code)?.maybe(row.preset.as_deref())?.put(row.size)?;
            line.put(row.size - taken)?.optional(longest)?;
            line.end();
        }
        Ok(())
    }

    /// Stores the rows, inside a transaction.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn store(self, client: &Client) -> Result<(), Error> {
        for ((table, columns), text) in TABLES.into_iter().zip(self.texts) {
            copy(client, &format!("{table} ({columns})"), text).await?;
        }
        Ok(())
    }
}

/// Stores lines in a table.
///
/// # Errors
/// Those of the database.
pub async fn copy(client: &Client, into: &str, text: String) -> Result<(), Error> {
    if text.is_empty() {
        return Ok(());
    }
    let statement = format!("COPY {into} FROM STDIN");
    let mut sink = pin!(client.copy_in::<_, Bytes>(statement.as_str()).await?);
    sink.send(Bytes::from(text)).await?;
    sink.finish().await?;
    Ok(())
}

/// A line being written.
pub struct Line<'a> {
    out: &'a mut String,
    first: bool,
}

impl<'a> Line<'a> {
    /// A new line at the end of this text.
    pub fn of(out: &'a mut String) -> Self {
        Self { out, first: true }
    }

    /// A value that needs no escaping.
    ///
    /// # Errors
    /// Never: writing to a text does not fail.
    pub fn put(&mut self, value: impl fmt::Display) -> Result<&mut Self, fmt::Error> {
        self.tab();
        write!(self.out, "{value}")?;
        Ok(self)
    }

    /// The same, or NULL.
    ///
    /// # Errors
    /// As above.
    pub fn optional(&mut self, value: Option<impl fmt::Display>) -> Result<&mut Self, fmt::Error> {
        match value {
            Some(value) => self.put(value),
            None => self.put("\\N"),
        }
    }

    /// A text.
    ///
    /// # Errors
    /// As above.
    pub fn text(&mut self, text: &str) -> Result<&mut Self, fmt::Error> {
        self.tab();
        for letter in text.chars() {
            match letter {
                '\\' => self.out.push_str("\\\\"),
                '\t' => self.out.push_str("\\t"),
                '\n' => self.out.push_str("\\n"),
                '\r' => self.out.push_str("\\r"),
                letter => self.out.push(letter),
            }
        }
        Ok(self)
    }

    /// A text, or NULL.
    ///
    /// # Errors
    /// As above.
    pub fn maybe(&mut self, text: Option<&str>) -> Result<&mut Self, fmt::Error> {
        match text {
            Some(text) => self.text(text),
            None => self.put("\\N"),
        }
    }

    /// A time, or NULL.
    ///
    /// # Errors
    /// As above.
    pub fn time(&mut self, at: Option<DateTime<Utc>>) -> Result<&mut Self, fmt::Error> {
        self.optional(at.map(|at| at.to_rfc3339_opts(SecondsFormat::Micros, true)))
    }

    /// Bytes, or NULL.
    ///
    /// # Errors
    /// As above.
    pub fn bytes(&mut self, bytes: Option<&[u8]>) -> Result<&mut Self, fmt::Error> {
        let Some(bytes) = bytes else { return self.put("\\N") };
        self.put("\\\\x")?;
        for byte in bytes {
            write!(self.out, "{byte:02x}")?;
        }
        Ok(self)
    }

    /// Ends the line.
    pub fn end(self) {
        self.out.push('\n');
    }

    fn tab(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.out.push('\t');
        }
    }
}
