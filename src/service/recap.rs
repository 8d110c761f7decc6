//! What happened in a match since its player last looked, in short: put together of the log as the player may know it, of the
//! rounds that are over, and of what the match waits for.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_engine::{Action, CallOutcome, Legal, Seat};

use super::cause::Cause;
use super::clocks::Clocks;
use super::played_round::PlayedRound;
use super::replay::{names_at, names_of};
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use super::view::{EntryKind, LogEntry};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{action_last_own, action_list};

/// Entries of the log that a recap sums up at most: the newest.
const MOST_ENTRIES: i32 = 500;
/// Entries of them that it shows.
const SHOWN: usize = 30;

/// What happened since.
pub struct Recap {
    /// Version of the match now.
    pub version: i32,
    /// Version after which it sums up what happened.
    pub after: i32,
    /// Where the match is in its life.
    pub status: Status,
    /// Round in play, or the last one; none before the start.
    pub round: Option<u16>,
    /// Rounds that ended since.
    pub rounds: Vec<PlayedRound>,
    /// Calls since, oldest first.
    pub calls: Vec<RecapCall>,
    /// Everybody, by seat.
    pub seats: Vec<RecapSeat>,
    /// The newest entries since, oldest first.
    pub recent: Vec<LogEntry>,
    /// Whether the match waits for the viewer.
    pub your_turn: bool,
    /// Until when.
    pub your_deadline: Option<DateTime<Utc>>,
    /// What the viewer may do now.
    pub you_may: Vec<&'static str>,
    /// The match's clocks, which say what time it is there.
    pub clocks: Arc<Clocks>,
}

/// A call.
pub struct RecapCall {
    /// Its entry of the log.
    pub version: i32,
    /// In which round.
    pub round: i16,
    /// Whose.
    pub seat: i16,
    /// What followed.
    pub outcome: Option<CallOutcome>,
}

/// What a player did since, and how they stand.
pub struct RecapSeat {
    /// The seat.
    pub seat: Seat,
    /// Who sits there.
    pub player: Player,
    /// Plays since, whoever made them.
    pub plays: u32,
    /// Calls since.
    pub calls: u32,
    /// Actions since that were done because a deadline had passed.
    pub absences: u32,
    /// Actions since of a bot that holds the seat.
    pub by_bot: u32,
    /// Actions since of standing orders.
    pub by_orders: u32,
    /// When the player last did something since, by themselves.
    pub last_acted_at: Option<DateTime<Utc>>,
    /// Whether a bot holds the seat.
    pub held: bool,
    /// Whether the match waits for the player.
    pub waited_for: bool,
    /// Until when.
    pub deadline: Option<DateTime<Utc>>,
    /// No longer takes part.
    pub out: bool,
    /// Sum of the scores.
    pub total: i32,
    /// What was added to it since.
    pub scored: i32,
}

impl Services {
    /// What happened after a version; if none is given, after what the caller did last by themselves.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller has a seat.
    pub async fn recap(
        &self,
        account: AccountId,
        id: MatchId,
        after: Option<i32>,
    ) -> Result<Recap, ServiceError> {
        let table = self.table_for(account, id).await?;
        let you = table.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
        let connection = self.store.connection().await?;
        let after = match after {
            Some(after) => after,
            None => action_last_own(&connection, id, you.number().into()).await?.unwrap_or(0),
        };
        let after = after.clamp(table.version.saturating_sub(MOST_ENTRIES).max(0), table.version);
        let rows = match table.tail_after(after) {
            Some(rows) => rows.to_vec(),
            None => action_list(&connection, id, after, table.version, MOST_ENTRIES.into()).await?,
        };
        let mut names = names_of(&connection, &rows).await?;
        names.extend(names_at(&table));
        let entries = LogEntry::all_for_viewer(&rows, &names, &table, account)?;
        Ok(Recap::new(&table, you, after, entries))
    }
}

impl Recap {
    fn new(table: &Table, you: Seat, after: i32, entries: Vec<LogEntry>) -> Self {
        let rounds = table.rounds.iter().filter(|round| round.last_version > after).cloned().collect();
        let calls = entries.iter().filter_map(RecapCall::of).collect();
        let seats = (0_u8..).map(Seat::new).zip(table.players.iter());
        let seats =
            seats.map(|(seat, player)| RecapSeat::new(table, seat, player, after, &entries)).collect();
        let mut recent = entries;
        recent.drain(..recent.len().saturating_sub(SHOWN));
        let wait = table.clocks.seat(you.number()).and_then(|seat| seat.clock.wait);
        Self {
            version: table.version,
            after,
            status: table.status,
            round: table.game.as_ref().map(yaniv_engine::Match::round),
            rounds,
            calls,
            seats,
            recent,
            your_turn: table.waits_for(you),
            your_deadline: wait.and_then(|wait| wait.deadline),
            you_may: choices(table, you),
            clocks: Arc::clone(&table.clocks),
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
    fn new(table: &Table, seat: Seat, player: &Player, after: i32, entries: &[LogEntry]) -> Self {
        let number = i16::from(seat.number());
        let own = || entries.iter().filter(move |entry| entry.seat == Some(number));
        let kind = |kind: &str| count(own().filter(|entry| entry.kind.is_action(kind)));
        let cause = |cause: Cause| {
            count(own().filter(|entry| matches!(entry.kind, EntryKind::Action(_)) && entry.cause == cause))
        };
        let game = table.game.as_ref();
        let total = game.map_or(0, |game| game.total(seat));
        let wait = table.clocks.seat(seat.number()).and_then(|seat| seat.clock.wait);
        Self {
            seat,
            player: player.clone(),
            plays: kind("play"),
            calls: kind("call"),
            absences: cause(Cause::Missed),
            by_bot: cause(Cause::Bot),
            by_orders: cause(Cause::Order),
            last_acted_at: own().rfind(|entry| entry.is_own_doing()).map(|entry| entry.at),
            held: table.clocks.is_held(seat.number()),
            waited_for: table.waits_for(seat),
            deadline: wait.and_then(|wait| wait.deadline),
            out: game.is_some_and(|game| game.is_out(seat)),
            total,
            scored: total.saturating_sub(total_before(table, seat, after)),
        }
    }
}

/// What a seat had when the match stood at a version.
fn total_before(table: &Table, seat: Seat, version: i32) -> i32 {
    let before = table.rounds.iter().rev().filter(|round| round.last_version <= version);
    let mut results = before.filter_map(|round| round.result.as_ref());
    results.next().and_then(|result| result.totals.get(seat.index()).copied()).unwrap_or(0)
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}

/// What a seat may do now, besides resigning.
fn choices(table: &Table, you: Seat) -> Vec<&'static str> {
    if table.clocks.is_held(you.number()) && table.status == Status::Running {
        return vec!["take_seat_back"];
    }
    let view = table.game.as_ref().filter(|_| table.status == Status::Running);
    let Some(legal) = view.and_then(|game| game.view(Some(you)).legal) else { return Vec::new() };
    named(&legal)
}

fn named(legal: &Legal) -> Vec<&'static str> {
    let names = [
        (!legal.discards.is_empty(), "play"),
        (legal.call, "call"),
        (legal.pass, "pass"),
        (legal.slam.is_some(), "slam_down"),
        (!legal.ask.is_empty(), "ask_for_card"),
        (legal.give, "answer_request"),
        (legal.challenge, "answer_call"),
        (legal.swap, "answer_swap"),
    ];
    names.into_iter().filter(|(may, _)| *may).map(|(_, name)| name).collect()
}

impl EntryKind {
    /// Whether it is an action in play of this kind.
    fn is_action(&self, kind: &str) -> bool {
        matches!(self, Self::Action(entry) if entry.action.kind() == kind)
    }
}

impl LogEntry {
    /// Whether its player did it, and nothing else for them.
    fn is_own_doing(&self) -> bool {
        let by_player = matches!(
            self.kind,
            EntryKind::Action(_) | EntryKind::SeatTakenBack | EntryKind::Nudged(_) | EntryKind::Joined
        );
        by_player && self.cause == Cause::Player
    }
}
