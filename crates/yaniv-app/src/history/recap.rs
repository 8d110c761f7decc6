//! Recap: summary of a match since its player's last action, from the log as visible to the player, the
//! finished rounds, and the actions that the match waits for.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_db::matches::log::action_last_own;
use yaniv_engine::{Action, CallOutcome, Legal, Seat};
use yaniv_match::MatchState;
use yaniv_match::clocks::Clocks;
use yaniv_match::finished_round::FinishedRound;
use yaniv_match::origin::ActionOrigin;
use yaniv_match::settings::Player;
use yaniv_match::status::Status;
use yaniv_match::view::{EntryKind, LogEntry};
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::log::{log_load, names_load, names_of_players};
use crate::{ServiceError, Services};

/// Maximum number of log entries that a recap summarizes: the newest.
const MOST_ENTRIES: i32 = 500;
/// Maximum number of log entries that it contains.
const SHOWN: usize = 30;

/// Summary of a match since a version.
pub struct Recap {
    /// Current version of the match.
    pub version: i32,
    /// Version after which the summary begins.
    pub after: i32,
    /// Status of the match.
    pub status: Status,
    /// Round in play, or the last one; `None` before the start.
    pub round: Option<u16>,
    /// Rounds that ended since.
    pub rounds: Vec<FinishedRound>,
    /// Calls since, oldest first.
    pub calls: Vec<RecapCall>,
    /// Players by seat.
    pub seats: Vec<RecapSeat>,
    /// The newest entries since, oldest first.
    pub recent: Vec<LogEntry>,
    /// Whether the match waits for the viewer.
    pub your_turn: bool,
    /// The viewer's deadline.
    pub your_deadline: Option<DateTime<Utc>>,
    /// The viewer's current options.
    pub you_may: Vec<&'static str>,
    /// The match's clocks, which define its current time.
    pub clocks: Arc<Clocks>,
}

/// A call.
pub struct RecapCall {
    /// Version of its log entry.
    pub version: i32,
    /// Number of the round.
    pub round: i16,
    /// Seat that called.
    pub seat: i16,
    /// Outcome of the call.
    pub outcome: Option<CallOutcome>,
}

/// A player's actions since, and current state.
pub struct RecapSeat {
    /// The seat.
    pub seat: Seat,
    /// The player.
    pub player: Player,
    /// Plays since, by any origin.
    pub plays: u32,
    /// Calls since.
    pub calls: u32,
    /// Actions since that were timeouts.
    pub absences: u32,
    /// Actions since by a bot that plays the seat.
    pub by_bot: u32,
    /// Actions since by standing orders.
    pub by_orders: u32,
    /// The player's last own action since.
    pub last_acted_at: Option<DateTime<Utc>>,
    /// Whether a bot plays the seat.
    pub held: bool,
    /// Whether the match waits for the player.
    pub waited_for: bool,
    /// The player's deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// Whether the player is out.
    pub out: bool,
    /// Sum of the scores.
    pub total: i32,
    /// Change of the total since.
    pub scored: i32,
}

impl Services {
    /// Summarizes the events after a version; by default, after the caller's last own action.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller has a seat.
    #[boxed]
    pub async fn recap(
        &self,
        account: AccountId,
        id: MatchId,
        after: Option<i32>,
    ) -> Result<Recap, ServiceError> {
        let state = self.match_for(account, id).await?;
        let you = state.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
        let connection = self.store.connection().await?;
        let after = match after {
            Some(after) => after,
            None => action_last_own(&connection, id, you.number().into()).await?.unwrap_or(0),
        };
        let after = after.clamp(state.version().saturating_sub(MOST_ENTRIES).max(0), state.version());
        let log = match state.tail_after(after) {
            Some(log) => log.to_vec(),
            None => {
                let (log, _) =
                    log_load(&connection, id, (after, state.version()), MOST_ENTRIES.into()).await?;
                log.into_iter().map(Arc::new).collect()
            }
        };
        let mut names = names_load(&connection, &log).await?;
        names.extend(names_of_players(&state));
        let entries = LogEntry::all_for_viewer(&log, &names, &state, account);
        Ok(Recap::new(&state, you, after, entries))
    }
}

impl Recap {
    fn new(state: &MatchState, you: Seat, after: i32, entries: Vec<LogEntry>) -> Self {
        let rounds = state.rounds().iter().filter(|round| round.last_version > after).cloned().collect();
        let calls = entries.iter().filter_map(RecapCall::of).collect();
        let seats = (0_u8..).map(Seat::new).zip(state.players().iter());
        let seats =
            seats.map(|(seat, player)| RecapSeat::new(state, seat, player, after, &entries)).collect();
        let mut recent = entries;
        recent.drain(..recent.len().saturating_sub(SHOWN));
        let wait = state.clocks().seat(you.number()).and_then(|seat| seat.clock.wait);
        Self {
            version: state.version(),
            after,
            status: state.status(),
            round: state.game().map(yaniv_engine::Match::round),
            rounds,
            calls,
            seats,
            recent,
            your_turn: state.waits_for(you),
            your_deadline: wait.and_then(|wait| wait.deadline),
            you_may: choices(state, you),
            clocks: Arc::clone(state.clocks()),
        }
    }
}

impl RecapCall {
    fn of(entry: &LogEntry) -> Option<Self> {
        let EntryKind::Action(action) = &entry.kind else { return None };
        matches!(action.action, Action::Call { .. }).then_some(())?;
        let LogEntry { version, round, seat, .. } = *entry;
        Some(Self { version, round, seat: seat?, outcome: action.outcome })
    }
}

impl RecapSeat {
    fn new(state: &MatchState, seat: Seat, player: &Player, after: i32, entries: &[LogEntry]) -> Self {
        let number = i16::from(seat.number());
        let own = || entries.iter().filter(move |entry| entry.seat == Some(number));
        let kind = |kind: &str| count(own().filter(|entry| entry.kind.is_action(kind)));
        let by = |origin: ActionOrigin| {
            count(own().filter(|entry| matches!(entry.kind, EntryKind::Action(_)) && entry.origin == origin))
        };
        let game = state.game();
        let total = game.map_or(0, |game| game.total(seat));
        let wait = state.clocks().seat(seat.number()).and_then(|seat| seat.clock.wait);
        Self {
            seat,
            player: player.clone(),
            plays: kind("play"),
            calls: kind("call"),
            absences: by(ActionOrigin::Missed),
            by_bot: by(ActionOrigin::Bot),
            by_orders: by(ActionOrigin::Order),
            last_acted_at: own().rfind(|entry| entry.is_own_doing()).map(|entry| entry.at),
            held: state.clocks().is_held(seat.number()),
            waited_for: state.waits_for(seat),
            deadline: wait.and_then(|wait| wait.deadline),
            out: game.is_some_and(|game| game.is_out(seat)),
            total,
            scored: total.saturating_sub(total_before(state, seat, after)),
        }
    }
}

/// A seat's total at a version.
fn total_before(state: &MatchState, seat: Seat, version: i32) -> i32 {
    let before = state.rounds().iter().rev().filter(|round| round.last_version <= version);
    let mut results = before.filter_map(|round| round.score.as_ref());
    results.next().and_then(|score| score.result.totals.get(seat.index()).copied()).unwrap_or(0)
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// A seat's current options, except resigning.
fn choices(state: &MatchState, you: Seat) -> Vec<&'static str> {
    if state.clocks().is_held(you.number()) && state.status() == Status::Running {
        return vec!["take_seat_back"];
    }
    let view = state.game().filter(|_| state.status() == Status::Running);
    let Some(legal) = view.and_then(|game| game.view(Some(you)).legal) else { return Vec::new() };
    named(&legal)
}

fn named(legal: &Legal) -> Vec<&'static str> {
    let names = [
        (!legal.discards.is_empty(), "play"),
        (legal.call, "call"),
        (legal.pass, "pass"),
        (legal.slam.is_some(), "slam_down"),
        (!legal.ask.is_empty(), "request_card"),
        (legal.give, "answer_card_request"),
        (legal.challenge, "answer_call"),
        (legal.swap, "answer_swap"),
    ];
    names.into_iter().filter(|(may, _)| *may).map(|(_, name)| name).collect()
}
