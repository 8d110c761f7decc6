//! Comparison of the stored state of a match with the replay of its log. Derived data is compared in
//! `admin::integrity::derived`.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use yaniv_db::admin::match_audit::AuditOpen;
use yaniv_db::matches::dedications::DedicationRow;
use yaniv_db::matches::rounds::RoundRow;
use yaniv_engine::{Match, Preset};
use yaniv_match::MatchState;
use yaniv_match::clocks::{Clocks, SeatClock, missed_at};
use yaniv_match::finished_round::RoundScore;
use yaniv_match::settings::PUBLIC;
use yaniv_match::status::Status;

use crate::admin::integrity::check::{Findings, Stored};
use crate::admin::integrity::log::Replayed;
use crate::matches::load::at_round_start;

/// Time after the end of a match within which its seats must be closed: usually at once, otherwise by the
/// hourly housekeeping.
const NOTED_WITHIN: TimeDelta = TimeDelta::hours(2);
/// Maximum delay of a scheduled check of a match: failed checks are postponed.
const PUT_OFF: TimeDelta = TimeDelta::hours(1);

/// Compares the stored state.
pub(crate) fn compare(stored: &Stored, replayed: &Replayed, findings: &mut Findings) {
    let match_state = &replayed.state;
    settled(stored, match_state, findings);
    state(stored, match_state, findings);
    clocks(stored, match_state, findings);
    attention(stored, match_state, findings);
    seats(stored, match_state, findings);
    rounds(&stored.rows.rounds, match_state, findings);
    dedications(stored, replayed, findings);
    codes(stored, replayed, findings);
    open(stored, match_state, findings);
}

fn settled(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    let row = &stored.rows.row;
    findings.compare("matches.started_at", time(row.started_at), time(match_state.started_at()));
    findings.compare("matches.finished_at", time(row.finished_at), time(match_state.finished_at()));
    let preset = row.preset.as_deref().map(str::parse::<Preset>);
    let is_it = |preset: Preset| preset.options() == *match_state.rules().options();
    if preset.is_some_and(|preset| !preset.is_ok_and(is_it)) {
        findings.differs("matches.preset: not what the rules are");
    }
    if row.rated && (row.preset.is_none() || row.sandbox) {
        findings.differs("matches.rated: it cannot be");
    }
    if usize::try_from(row.size).is_ok_and(|size| match_state.players().len() > size) {
        findings.differs("matches.size: fewer than have joined");
    }
}

fn state(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    let state = &stored.rows.state;
    findings.compare("match_states.version", state.version, match_state.version());
    findings.compare("match_states.status", state.status.as_str(), match_state.status().as_str());
    findings.compare("match_states.waiting_on", state.waiting_on, match_state.waiting_on());
    findings.compare("match_states.updated_at", time(Some(state.updated_at)), time(Some(match_state.at())));
    position(state.state.as_deref(), match_state, findings);
    let counted = i16::try_from(stored.rows.dedications.len()).unwrap_or(i16::MAX);
    findings.compare("match_states.gifts", state.gifts, counted);
}

/// A state stored before actions were counted does not contain their number.
fn position(stored: Option<&[u8]>, match_state: &MatchState, findings: &mut Findings) {
    let read = stored.map(|bytes| Match::from_bytes(match_state.rules(), bytes));
    let same = match (read, match_state.game()) {
        (None, None) => true,
        (Some(Ok(mut game)), Some(made)) => {
            if let (None, Some(actions)) = (game.actions(), made.actions()) {
                game.set_actions(u64::from(actions));
            }
            game == *made
        }
        _ => false,
    };
    if !same {
        findings.differs("match_states.state");
    }
}

/// Compares the clocks after the newest entry. They are stored as before that entry, together with its
/// effect.
fn clocks(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    const WHAT: &str = "match_states.clocks";
    let Some(text) = &stored.rows.state.clocks else {
        // Matches older than the clocks have none, nor has a match before its start.
        let none = stored.rows.row.pace.is_none() || matches!(match_state.stored_clocks(), Ok(None));
        if !none {
            findings.differs(WHAT);
        }
        return;
    };
    let read = match_state.clocks_of(text);
    if !read.is_ok_and(|read| known(&read, stored) == known(match_state.clocks(), stored)) {
        findings.differs(WHAT);
    }
}

/// Compares a stored start of a round at the current version of the replay, if there is one.
pub(crate) fn round_start(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    let version = match_state.version();
    let Some(start) = stored.audit.starts.iter().find(|start| start.version == version) else { return };
    let state = match_state.game().map(Match::to_bytes);
    findings.compare_hidden(&format!("rounds.next_state of version {version}"), &start.state, &state);
    let again = at_round_start(match_state, start);
    if !again.is_ok_and(|again| known(again.clocks(), stored) == known(match_state.clocks(), stored)) {
        findings.differs(format!("rounds.next_clocks of version {version}"));
    }
}

/// The clocks that the log still determines: the deletion of an account removes its calendar from the log.
fn known<'a>(clocks: &'a Clocks, stored: &Stored) -> (i64, Vec<&'a SeatClock>) {
    let gone = |seat: usize| stored.audit.seats.get(seat).is_some_and(|row| row.deletion_asked_at.is_some());
    let seats = clocks.seats.iter().enumerate().filter(|(seat, _)| !gone(*seat));
    (clocks.ahead, seats.map(|(_, clock)| clock).collect())
}

/// Checks that the match cannot get stuck: the scheduler has to check it once an action is due.
fn attention(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    let Some(game) = match_state.game().filter(|_| match_state.status() == Status::Running) else {
        return;
    };
    let itself = game.to_act().into_iter().any(|seat| match_state.plays_itself(seat));
    let deadlines = match_state.clocks().seats.iter().filter_map(|seat| seat.clock.deadline()).map(missed_at);
    let due = if itself { Some(match_state.at()) } else { deadlines.min() };
    if let Some(due) = due.map(|due| match_state.clocks().real(due)) {
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

fn seats(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    let given = &stored.audit.seats;
    findings.compare("seats", given.len(), match_state.players().len());
    for (row, player) in given.iter().zip(match_state.players().iter()) {
        let seat = player.stored_seat;
        findings.compare("seats.seat", row.seat, seat);
        findings.compare_hidden(&format!("seats.account_id of {seat}"), &row.account, &player.account.0);
        let what = format!("seats.client_seed of {seat}");
        findings.compare_hidden(&what, &row.client_seed, &player.client_seed);
    }
    let is_over = matches!(match_state.status(), Status::Finished | Status::Cancelled);
    let closed = given.iter().filter(|row| row.closed_at.is_some()).count();
    let long_over =
        stored.audit.now.signed_duration_since(match_state.clocks().real(match_state.at())) > NOTED_WITHIN;
    if (!is_over && closed > 0) || (is_over && long_over && closed < given.len()) {
        findings.differs("seats.closed_at: not as the match is");
    }
}

fn rounds(given: &[RoundRow], match_state: &MatchState, findings: &mut Findings) {
    findings.compare("rounds", given.len(), match_state.rounds().len());
    for (row, played) in given.iter().zip(match_state.rounds().iter()) {
        let round = played.round;
        findings.compare("rounds.round", i32::from(row.round), i32::from(round));
        let starter = i16::from(played.starter.number());
        findings.compare(&format!("rounds.starter of {round}"), row.starter, starter);
        let what = format!("rounds.last_version of {round}");
        findings.compare(&what, row.last_version, played.last_version);
        let ended = time(Some(played.ended_at));
        findings.compare(&format!("rounds.ended_at of {round}"), time(Some(row.ended_at)), ended);
        let stored = row.result.clone().map(serde_json::from_value::<RoundScore>).transpose();
        let same = |stored: Option<RoundScore>| match (&stored, &played.score) {
            (Some(stored), Some(replayed)) => stored.is(replayed),
            (stored, replayed) => stored.is_none() && replayed.is_none(),
        };
        if !stored.is_ok_and(same) {
            findings.differs(format!("rounds.result of {round}"));
        }
    }
}

/// Checks that dedications are the dealer's, made between the deal of the round and its first action.
fn dedications(stored: &Stored, replayed: &Replayed, findings: &mut Findings) {
    for DedicationRow { round, seat, after_version, .. } in &stored.rows.dedications {
        let dealt = replayed.dealt.iter().find(|dealt| dealt.round == *round);
        let fits = dealt.is_some_and(|dealt| {
            dealt.dealer == *seat
                && *after_version >= dealt.from
                && dealt.begun.is_none_or(|begun| *after_version < begun)
        });
        if !fits {
            findings.differs(format!("dedications of round {round}: no player can have made it"));
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

/// Checks that a waiting public match is in the list of open matches. After its start it may stay there for a
/// while.
fn open(stored: &Stored, match_state: &MatchState, findings: &mut Findings) {
    if match_state.settings().visibility != PUBLIC || match_state.status() != Status::Waiting {
        return;
    }
    let size = match_state.settings().size;
    let taken = i16::try_from(match_state.players().len()).unwrap_or(size);
    let code = Arc::clone(match_state.join_code());
    let row = AuditOpen {
        code: code.code.clone(),
        preset: match_state.settings().preset.clone(),
        size,
        free: size.saturating_sub(taken),
        code_expires_at: code.expires_at,
    };
    findings.compare_hidden("open_matches", &stored.audit.open, &Some(row));
}

fn time(at: Option<DateTime<Utc>>) -> String {
    at.map_or_else(|| "none".to_owned(), |at| at.to_rfc3339_opts(SecondsFormat::Micros, true))
}
