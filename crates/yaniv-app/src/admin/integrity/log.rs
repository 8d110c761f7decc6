//! Replay of a log, entry by entry: it has no gap, each entry can follow those before it, and its recorded
//! effects are those of the replay.

use chrono::TimeDelta;
use yaniv_db::lobby::join_codes::JoinCodeRow;
use yaniv_db::matches::log::ActionRow;
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::event::{LogEvent, LoggedEvent};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::state::Step;

use crate::admin::integrity::check::{Findings, Stored};
use crate::admin::integrity::state::round_start;
use crate::matches::log::{action_columns, event_of};

/// Maximum difference by which an entry's time may be before that of the previous entry.
const CLOCK_SET_BACK: TimeDelta = TimeDelta::minutes(-5);

/// Result of a replay.
pub(crate) struct Replayed {
    /// The match after the last entry.
    pub(crate) state: MatchState,
    /// The rounds dealt, from the first on.
    pub(crate) dealt: Vec<DealtRound>,
    /// Join codes after the first.
    pub(crate) codes: Vec<JoinCodeRow>,
}

/// A dealt round.
pub(crate) struct DealtRound {
    /// Number of the round, from 1.
    pub(crate) round: i16,
    /// Seat of the dealer.
    pub(crate) dealer: i16,
    /// Version of the entry that dealt it.
    pub(crate) from: i32,
    /// Version of its first action.
    pub(crate) begun: Option<i32>,
}

/// Replays the log of a match from its start; `None` if it cannot be replayed to its end.
pub(crate) fn replay(empty: MatchState, stored: &Stored, findings: &mut Findings) -> Option<Replayed> {
    let mut replayed = Replayed { state: empty, dealt: Vec::new(), codes: Vec::new() };
    let mut earlier = stored.rows.row.created_at;
    for (version, row) in (1..).zip(&stored.log) {
        // A machine's clock may be adjusted, and another machine may take over.
        if row.at.signed_duration_since(earlier) < CLOCK_SET_BACK {
            findings.differs(format!("actions.at of version {version}: long before the one before it"));
        }
        earlier = row.at;
        if row.version != version {
            findings.differs(format!("actions: version {version} is missing"));
            return None;
        }
        let round = replayed.round();
        let Ok(entry) = event_of(row) else {
            findings.differs(format!("actions: version {version} cannot follow those before it"));
            return None;
        };
        if !could_act(&entry, &replayed.state) {
            findings.differs(format!("actions.flags of version {version}: it was not so"));
        }
        let Ok(step) = replayed.state.fold(&entry, &stored.names) else {
            findings.differs(format!("actions: version {version} cannot follow those before it"));
            return None;
        };
        check_entry(row, (&entry, step.as_ref()), round, findings);
        replayed.note(&entry);
        round_start(stored, &replayed.state, findings);
    }
    Some(replayed)
}

impl Replayed {
    /// Round in play; 0 before the start.
    fn round(&self) -> i16 {
        let round = self.state.game().map_or(0, yaniv_engine::Match::round);
        i16::try_from(round).unwrap_or(i16::MAX)
    }

    /// Records a deal, the first action of a round, or a new join code.
    fn note(&mut self, entry: &LoggedEvent) {
        if let LogEvent::CodeRenewed { .. } | LogEvent::CodeRevoked { .. } = entry.event {
            let (code, expires_at) = (self.state.join_code().code.clone(), self.state.join_code().expires_at);
            let match_id = self.state.id().0;
            self.codes.push(JoinCodeRow { match_id, version: entry.version, code, expires_at });
        }
        if let Some(last) = self.dealt.last_mut()
            && entry.action().is_some()
        {
            last.begun.get_or_insert(entry.version);
        }
        let round = self.round();
        let known = self.dealt.last().map_or(0, |last| last.round);
        if let Some(game) = self.state.game().filter(|game| round > known && !game.is_over()) {
            let dealer = i16::from(game.dealer().number());
            self.dealt.push(DealtRound { round, dealer, from: entry.version, begun: None });
        }
    }
}

/// Checks the origin of an action: its deadline was missed, or a bot played the seat.
fn could_act(entry: &LoggedEvent, state: &MatchState) -> bool {
    let late = |seat: Seat| state.clocks().is_late(&state.clock_settings(), seat.number(), entry.at);
    match &entry.event {
        LogEvent::SeatHeld { seat } => late(*seat),
        LogEvent::Action(action) => match action.origin {
            ActionOrigin::Missed => late(action.seat),
            ActionOrigin::Bot => state.clocks().is_held(action.seat.number()),
            ActionOrigin::Player | ActionOrigin::Order => true,
        },
        _ => true,
    }
}

/// Older entries recorded a slam-down as requested; now it is `slam` if the card fits in one way only.
fn was_recorded_so(stored: &str, recorded: &str) -> bool {
    stored == "slam:first" && recorded == "slam"
}

/// Compares an entry with its replay; `round` is the round in play before it.
fn check_entry(
    row: &ActionRow,
    (entry, step): (&LoggedEvent, Option<&Step>),
    round: i16,
    findings: &mut Findings,
) {
    let version = row.version;
    findings.compare(&format!("actions.round of version {version}"), row.round, round);
    let played = step.zip(entry.event.seat()).map(|(step, seat)| action_columns(&step.event(seat)));
    let (flags, drew) = match played {
        Some(columns) => {
            if columns.detail != row.detail && !was_recorded_so(&row.detail, &columns.detail) {
                findings.differs(format!("actions.detail of version {version}"));
            }
            (columns.flags, columns.drew)
        }
        None => (0, None),
    };
    findings.compare(&format!("actions.flags of version {version}"), row.flags, flags);
    findings.compare_hidden(&format!("actions.drew of version {version}"), &row.drew, &drew);
    let before_play = entry.event.account().is_some();
    if row.seat.is_some() == before_play || row.account_id.is_some() != before_play {
        findings.differs(format!("actions: seat or account of version {version}"));
    }
    if row.key_hash.is_some() != row.fingerprint.is_some() {
        findings.differs(format!("actions: key of version {version}"));
    }
}
