//! Playing a log again, entry by entry: it has no gap, each entry can follow those before it, and says of what came of it what came of
//! it.

use chrono::TimeDelta;

use super::cause::Cause;
use super::fsck::{Findings, Stored};
use super::replay::fold;
use super::saves::new_entry;
use super::table::{Step, Table};
use crate::store::actions::{
    ActionRow, KIND_ACTION, KIND_CODE, KIND_HELD, KIND_JOINED, KIND_LEFT, KIND_NO_CODE, KIND_STARTED,
};
use crate::store::join_codes::JoinCodeRow;

/// So far an entry may be before the one before it.
const CLOCK_SET_BACK: TimeDelta = TimeDelta::minutes(-5);

/// What a log comes to.
pub(super) struct Replayed {
    /// The match after its last entry.
    pub(super) table: Table,
    /// Rounds that were dealt, from the first on.
    pub(super) dealt: Vec<DealtRound>,
    /// Codes after the first.
    pub(super) codes: Vec<JoinCodeRow>,
}

/// A round that was dealt.
pub(super) struct DealtRound {
    /// From 1.
    pub(super) round: i16,
    /// Who had to deal.
    pub(super) dealer: i16,
    /// Version that dealt it.
    pub(super) from: i32,
    /// Version of its first action.
    pub(super) begun: Option<i32>,
}

/// Plays the log of a match again, from before its first entry; nothing if it cannot be played to its end.
pub(super) fn replay(empty: Table, stored: &Stored, findings: &mut Findings) -> Option<Replayed> {
    let mut replayed = Replayed { table: empty, dealt: Vec::new(), codes: Vec::new() };
    let mut earlier = stored.rows.row.created_at;
    for (version, row) in (1..).zip(&stored.log) {
        // The clock of a machine may be set, and another may take over.
        if row.at.signed_duration_since(earlier) < CLOCK_SET_BACK {
            findings.differs(format!("actions.at of version {version}: long before the one before it"));
        }
        earlier = row.at;
        if row.version != version {
            findings.differs(format!("actions: version {version} is missing"));
            return None;
        }
        let round = replayed.round();
        if !could_act(row, &replayed.table) {
            findings.differs(format!("actions.flags of version {version}: it was not so"));
        }
        let Ok(step) = fold(&mut replayed.table, row, &stored.names) else {
            findings.differs(format!("actions: version {version} cannot follow those before it"));
            return None;
        };
        check_entry(row, step.as_ref(), round, findings);
        replayed.note(row);
    }
    Some(replayed)
}

impl Replayed {
    /// Round in play; 0 before.
    fn round(&self) -> i16 {
        let round = self.table.game.as_ref().map_or(0, yaniv_engine::Match::round);
        i16::try_from(round).unwrap_or(i16::MAX)
    }

    /// Notes what an entry has dealt, begun or exchanged.
    fn note(&mut self, row: &ActionRow) {
        if let KIND_CODE | KIND_NO_CODE = row.kind {
            let (code, expires_at) = (self.table.join_code.code.clone(), self.table.join_code.expires_at);
            self.codes.push(JoinCodeRow { match_id: row.match_id, version: row.version, code, expires_at });
        }
        if let Some(last) = self.dealt.last_mut()
            && row.is_action()
        {
            last.begun.get_or_insert(row.version);
        }
        let round = self.round();
        let known = self.dealt.last().map_or(0, |last| last.round);
        if let Some(game) = self.table.game.as_ref().filter(|game| round > known && !game.is_over()) {
            let dealer = i16::from(game.dealer().number());
            self.dealt.push(DealtRound { round, dealer, from: row.version, begun: None });
        }
    }
}

/// Whether what is said to have acted could have, as the match stood: the deadline was missed, or a bot held the seat.
fn could_act(row: &ActionRow, table: &Table) -> bool {
    let Some(seat) = row.seat.and_then(|seat| u8::try_from(seat).ok()) else { return true };
    let late = || table.clocks.is_late(&table.clock_settings(), seat, row.at);
    match Cause::of(row.flags) {
        Cause::Missed => late(),
        Cause::Bot => table.clocks.is_held(seat),
        Cause::Player | Cause::Order => row.kind != KIND_HELD || late(),
    }
}

/// Compares an entry with what was played; `round` is the one that was in play before it.
fn check_entry(row: &ActionRow, step: Option<&Step>, round: i16, findings: &mut Findings) {
    let version = row.version;
    let before_play = [KIND_JOINED, KIND_LEFT, KIND_STARTED, KIND_CODE, KIND_NO_CODE].contains(&row.kind);
    findings.compare(&format!("actions.round of version {version}"), row.round, round);
    let (flags, drew) = match step.map(new_entry) {
        Some(entry) => {
            if entry.detail != row.detail {
                findings.differs(format!("actions.detail of version {version}"));
            }
            (entry.flags, entry.drew)
        }
        None => (0, None),
    };
    findings.compare(&format!("actions.flags of version {version}"), row.flags, flags);
    findings.compare_hidden(&format!("actions.drew of version {version}"), &row.drew, &drew);
    if row.seat.is_some() == before_play || row.account_id.is_some() != before_play {
        findings.differs(format!("actions: seat or account of version {version}"));
    }
    if row.key_hash.is_some() != row.fingerprint.is_some() {
        findings.differs(format!("actions: key of version {version}"));
    }
    if step.is_some() != (row.kind == KIND_ACTION) {
        findings.differs(format!("actions.kind of version {version}"));
    }
}
