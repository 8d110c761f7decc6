//! What is stored besides the log, held against what the log comes to.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use yaniv_engine::{Match, Preset, RecordResult};

use super::clocks::{Clocks, SeatClock, missed_at};
use super::creation::PUBLIC;
use super::fsck::{Findings, Stored};
use super::fsck_log::Replayed;
use super::status::Status;
use super::table::Table;
use crate::store::gifts::GiftRow;
use crate::store::match_audit::AuditOpen;
use crate::store::rounds::RoundRow;

/// So long after the end it may take until seats say that a match is over: it is noted by the way, and looked for every hour.
const NOTED_WITHIN: TimeDelta = TimeDelta::hours(2);
/// So much later than it should a match may be looked at: what fails is put off.
const PUT_OFF: TimeDelta = TimeDelta::hours(1);

/// Compares everything that is stored.
pub(super) fn compare(stored: &Stored, replayed: &Replayed, findings: &mut Findings) {
    let table = &replayed.table;
    settled(stored, table, findings);
    state(stored, table, findings);
    clocks(stored, table, findings);
    attention(stored, table, findings);
    seats(stored, table, findings);
    rounds(&stored.rows.rounds, table, findings);
    gifts(stored, replayed, findings);
    codes(stored, replayed, findings);
    open(stored, table, findings);
}

fn settled(stored: &Stored, table: &Table, findings: &mut Findings) {
    let row = &stored.rows.row;
    findings.compare("matches.started_at", time(row.started_at), time(table.started_at));
    findings.compare("matches.finished_at", time(row.finished_at), time(table.finished_at));
    let preset = row.preset.as_deref().map(str::parse::<Preset>);
    let is_it = |preset: Preset| preset.options() == *table.rules().options();
    if preset.is_some_and(|preset| !preset.is_ok_and(is_it)) {
        findings.differs("matches.preset: not what the rules are");
    }
    if row.rated && (row.preset.is_none() || row.sandbox) {
        findings.differs("matches.rated: it cannot be");
    }
    if usize::try_from(row.size).is_ok_and(|size| table.players.len() > size) {
        findings.differs("matches.size: fewer than have joined");
    }
}

fn state(stored: &Stored, table: &Table, findings: &mut Findings) {
    let state = &stored.rows.state;
    findings.compare("match_states.version", state.version, table.version);
    findings.compare("match_states.status", state.status.as_str(), table.status.as_str());
    findings.compare("match_states.waiting_on", state.waiting_on, table.waiting_on());
    findings.compare("match_states.updated_at", time(Some(state.updated_at)), time(Some(table.at)));
    findings.compare_hidden("match_states.state", &state.state, &table.game.as_ref().map(Match::to_bytes));
    let counted = i16::try_from(stored.rows.gifts.len()).unwrap_or(i16::MAX);
    findings.compare("match_states.gifts", state.gifts, counted);
}

/// They are stored as they stood before the newest entry, with what that did to them: what counts is what they come to.
fn clocks(stored: &Stored, table: &Table, findings: &mut Findings) {
    const WHAT: &str = "match_states.clocks";
    let Some(text) = &stored.rows.state.clocks else {
        // Before there were clocks, none were stored; and there are none before the start.
        let none = stored.rows.row.pace.is_none() || matches!(table.stored_clocks(), Ok(None));
        if !none {
            findings.differs(WHAT);
        }
        return;
    };
    let mut read = table.clone();
    if read.read_clocks(text).is_err() || known(&read.clocks, stored) != known(&table.clocks, stored) {
        findings.differs(WHAT);
    }
}

/// The clocks that a log still explains: a calendar is taken out of it with the account that it was of.
fn known<'a>(clocks: &'a Clocks, stored: &Stored) -> (i64, Vec<&'a SeatClock>) {
    let gone = |seat: usize| stored.audit.seats.get(seat).is_some_and(|row| row.deleted_at.is_some());
    let seats = clocks.seats.iter().enumerate().filter(|(seat, _)| !gone(*seat));
    (clocks.ahead, seats.map(|(_, clock)| clock).collect())
}

/// Nothing can be stuck: a match in which something is due is looked at.
fn attention(stored: &Stored, table: &Table, findings: &mut Findings) {
    let Some(game) = table.game.as_ref().filter(|_| table.status == Status::Running) else { return };
    let itself = game.to_act().into_iter().any(|seat| table.plays_itself(seat));
    let deadlines = table.clocks.seats.iter().filter_map(|seat| seat.clock.deadline()).map(missed_at);
    let due = if itself { Some(table.at) } else { deadlines.min() };
    if let Some(due) = due.map(|due| table.clocks.real(due)) {
        let latest = due.max(stored.audit.now).checked_add_signed(PUT_OFF);
        if stored.rows.state.check_at.is_none_or(|at| latest.is_some_and(|latest| at > latest)) {
            findings.differs("match_states.check_at: it is not looked at in time");
        }
    }
    let ordered = stored.audit.orders.iter().fold(0_i16, |bits, seat| bits | 1 << seat);
    if ordered & !stored.audit.ordered != 0 {
        findings.differs("match_states.ordered: standing orders that are not looked at");
    }
}

fn seats(stored: &Stored, table: &Table, findings: &mut Findings) {
    let given = &stored.audit.seats;
    findings.compare("seats", given.len(), table.players.len());
    for (row, player) in given.iter().zip(table.players.iter()) {
        let seat = player.stored_seat;
        findings.compare("seats.seat", row.seat, seat);
        findings.compare_hidden(&format!("seats.account_id of {seat}"), &row.account, &player.account.0);
        let what = format!("seats.client_seed of {seat}");
        findings.compare_hidden(&what, &row.client_seed, &player.client_seed);
    }
    let is_over = matches!(table.status, Status::Finished | Status::Cancelled);
    let closed = given.iter().filter(|row| row.closed_at.is_some()).count();
    let long_over = stored.audit.now.signed_duration_since(table.clocks.real(table.at)) > NOTED_WITHIN;
    if (!is_over && closed > 0) || (is_over && long_over && closed < given.len()) {
        findings.differs("seats.closed_at: not as the match is");
    }
}

fn rounds(given: &[RoundRow], table: &Table, findings: &mut Findings) {
    findings.compare("rounds", given.len(), table.rounds.len());
    for (row, played) in given.iter().zip(table.rounds.iter()) {
        let round = played.round;
        findings.compare("rounds.round", i32::from(row.round), i32::from(round));
        let starter = i16::from(played.starter.number());
        findings.compare(&format!("rounds.starter of {round}"), row.starter, starter);
        let what = format!("rounds.last_version of {round}");
        findings.compare(&what, row.last_version, played.last_version);
        let ended = time(Some(played.ended_at));
        findings.compare(&format!("rounds.ended_at of {round}"), time(Some(row.ended_at)), ended);
        let result = row.result.clone().map(serde_json::from_value::<RecordResult>).transpose();
        if !result.is_ok_and(|result| result == played.result) {
            findings.differs(format!("rounds.result of {round}"));
        }
    }
}

/// A dedication is the dealer's, made between the deal of its round and the first action in it.
fn gifts(stored: &Stored, replayed: &Replayed, findings: &mut Findings) {
    for GiftRow { round, seat, after_version, .. } in &stored.rows.gifts {
        let dealt = replayed.dealt.iter().find(|dealt| dealt.round == *round);
        let fits = dealt.is_some_and(|dealt| {
            dealt.dealer == *seat
                && *after_version >= dealt.from
                && dealt.begun.is_none_or(|begun| *after_version < begun)
        });
        if !fits {
            findings.differs(format!("gifts of round {round}: nobody can have made it"));
        }
    }
}

fn codes(stored: &Stored, replayed: &Replayed, findings: &mut Findings) {
    let given = &stored.rows.codes;
    findings.compare("join_codes", given.len(), replayed.codes.len());
    for (row, made) in given.iter().zip(&replayed.codes) {
        findings.compare("join_codes.version", row.version, made.version);
        let what = format!("join_codes of version {}", made.version);
        findings.compare_hidden(&what, &(&row.code, row.expires_at), &(&made.code, made.expires_at));
    }
}

/// A public match is in the list of open ones as long as it waits. Afterwards it may be, for a while.
fn open(stored: &Stored, table: &Table, findings: &mut Findings) {
    if table.settings.visibility != PUBLIC || table.status != Status::Waiting {
        return;
    }
    let size = table.settings.size;
    let taken = i16::try_from(table.players.len()).unwrap_or(size);
    let code = Arc::clone(&table.join_code);
    let row = AuditOpen {
        code: code.code.clone(),
        preset: table.settings.preset.clone(),
        size,
        free: size.saturating_sub(taken),
        code_expires_at: code.expires_at,
    };
    findings.compare_hidden("open_matches", &stored.audit.open, &Some(row));
}

fn time(at: Option<DateTime<Utc>>) -> String {
    at.map_or_else(|| "none".to_owned(), |at| at.to_rfc3339_opts(SecondsFormat::Micros, true))
}
