//! What one player may know of a match.
//!
//! The types have no place for other people's cards: positions come from the engine's view of one seat, rounds only
//! when they are over, and log entries through `LogEntry::for_viewer`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_engine::{Action, CallOutcome, Card, Seat, SeatView};

use super::ServiceError;
use super::cause::Cause;
use super::clocks::Clocks;
use super::join_code::JoinCode;
use super::played_round::PlayedRound;
use super::replay::Names;
use super::settled::{Player, Settings};
use super::status::Status;
use super::table::Table;
use crate::ids::AccountId;
use crate::store::StoreError;
use crate::store::actions::{
    ActionRow, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_RECYCLED, KIND_CALENDAR, KIND_CLOCK, KIND_CODE,
    KIND_HELD, KIND_JOINED, KIND_LEFT, KIND_NO_CODE, KIND_NUDGED, KIND_RETURNED, KIND_STARTED, OUTCOME_SHIFT,
};
use crate::store::gifts::GiftRow;

/// A match as one of its players may see it.
#[derive(Debug)]
pub struct MatchView {
    /// What is settled.
    pub settings: Arc<Settings>,
    /// Where it is in its life.
    pub status: Status,
    /// Number of entries in the log.
    pub version: i32,
    /// Code that lets people in.
    pub join_code: Arc<JoinCode>,
    /// When the newest one was accepted.
    pub updated_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// The viewer's seat.
    pub you: Option<Seat>,
    /// Who takes part, by seat.
    pub players: Arc<Vec<Player>>,
    /// The clocks.
    pub clocks: Arc<Clocks>,
    /// Seats whose players are waited for, a bit each.
    pub waiting_on: i16,
    /// The position, from the viewer's seat.
    pub game: Option<SeatView>,
    /// Rounds that are over.
    pub rounds: Arc<Vec<PlayedRound>>,
    /// The dedication of the turned-up card of the round in play.
    pub gift: Option<GiftRow>,
    /// What happened of late.
    pub recent: Vec<LogEntry>,
}

impl MatchView {
    /// The view of an account; without a seat, that of a guest who may look before joining.
    pub fn new(table: &Table, viewer: AccountId, recent: Vec<LogEntry>) -> Self {
        let you = table.seat_of(viewer);
        Self {
            settings: Arc::clone(&table.settings),
            status: table.status,
            version: table.version,
            join_code: Arc::clone(&table.join_code),
            updated_at: table.at,
            started_at: table.started_at,
            finished_at: table.finished_at,
            you,
            players: Arc::clone(&table.players),
            clocks: Arc::clone(&table.clocks),
            waiting_on: table.waiting_on(),
            game: table.game.as_ref().map(|game| game.view(you)),
            rounds: Arc::clone(&table.rounds),
            gift: table.gift().cloned(),
            recent,
        }
    }
}

/// An entry of the log, with what the viewer may know of it.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// 1, 2, 3 … without a gap.
    pub version: i32,
    /// When it was accepted.
    pub at: DateTime<Utc>,
    /// Round that it belongs to; 0 before play.
    pub round: i16,
    /// Seat of the player; none before play.
    pub seat: Option<i16>,
    /// Name of the player.
    pub username: String,
    /// What it was.
    pub kind: EntryKind,
    /// Who or what has made it.
    pub cause: Cause,
    /// The stock was refilled.
    pub recycled: bool,
    /// It ended the round.
    pub ended_round: bool,
    /// It ended the match.
    pub ended_match: bool,
}

/// What an entry of the log was.
#[derive(Clone, Debug)]
pub enum EntryKind {
    /// Somebody took a seat.
    Joined,
    /// Somebody left before the start.
    Left,
    /// The first cards were dealt.
    Started,
    /// Another code lets people in.
    CodeRenewed,
    /// The code lets nobody in any more.
    CodeRevoked,
    /// The player has other vacations or quiet hours.
    CalendarChanged,
    /// A bot holds the seat of an absent player.
    SeatHeld,
    /// Its owner has taken the seat back.
    SeatTakenBack,
    /// The player has reminded those in these seats.
    Nudged(Vec<i16>),
    /// The clock of a sandbox was moved.
    ClockMoved,
    /// An action in play, and what the viewer may know of what came of it.
    Action(Box<ActionEntry>),
}

/// An action in play.
#[derive(Clone, Debug)]
pub struct ActionEntry {
    /// The action.
    pub action: Action,
    /// Cards drawn from the stock, if the viewer may know them; the card slammed down, which everybody sees.
    pub cards: Vec<Card>,
    /// What followed, if it was a call.
    pub outcome: Option<CallOutcome>,
}

impl LogEntry {
    /// Several rows, as `for_viewer` does one.
    ///
    /// # Errors
    /// If a row is damaged.
    pub fn all_for_viewer(
        rows: &[ActionRow],
        names: &Names,
        table: &Table,
        viewer: AccountId,
    ) -> Result<Vec<Self>, ServiceError> {
        rows.iter().map(|row| Self::for_viewer(row, names, table, viewer)).collect()
    }

    /// Takes out of a row what the viewer may not know: the cards that others drew in a round that is not over.
    ///
    /// # Errors
    /// If the row is damaged.
    pub fn for_viewer(
        row: &ActionRow,
        names: &Names,
        table: &Table,
        viewer: AccountId,
    ) -> Result<Self, ServiceError> {
        let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
        let player = seat.and_then(|seat| table.player(seat));
        let username = match player {
            Some(player) => player.username.clone(),
            None => row
                .account()
                .and_then(|account| names.get(&account.0))
                .map(|name| name.username.clone())
                .unwrap_or_default(),
        };
        let kind = match row.kind {
            KIND_JOINED => EntryKind::Joined,
            KIND_LEFT => EntryKind::Left,
            KIND_STARTED => EntryKind::Started,
            KIND_CODE => EntryKind::CodeRenewed,
            KIND_NO_CODE => EntryKind::CodeRevoked,
            KIND_CALENDAR => EntryKind::CalendarChanged,
            KIND_HELD => EntryKind::SeatHeld,
            KIND_RETURNED => EntryKind::SeatTakenBack,
            KIND_NUDGED => EntryKind::Nudged(nudged_seats(&row.detail)),
            KIND_CLOCK => EntryKind::ClockMoved,
            _ => {
                let action = stored_action(row)?;
                let own = player.is_some_and(|player| player.account == viewer);
                let open = own || table.is_round_over(row.round) || matches!(action, Action::Slam { .. });
                let drew = row.drew.iter().flatten().filter(|_| open);
                let cards = drew.map(|&index| stored_card(index)).collect::<Result<_, _>>()?;
                EntryKind::Action(Box::new(ActionEntry { action, cards, outcome: stored_outcome(row.flags) }))
            }
        };
        Ok(Self {
            version: row.version,
            at: row.at,
            round: row.round,
            seat: row.seat,
            username,
            kind,
            cause: Cause::of(row.flags),
            recycled: row.flags & FLAG_RECYCLED != 0,
            ended_round: row.flags & FLAG_ENDED_ROUND != 0,
            ended_match: row.flags & FLAG_ENDED_MATCH != 0,
        })
    }
}

fn nudged_seats(detail: &str) -> Vec<i16> {
    detail.split(',').filter_map(|seat| seat.parse().ok()).collect()
}

/// The action of a row.
///
/// # Errors
/// If the row is damaged.
pub fn stored_action(row: &ActionRow) -> Result<Action, ServiceError> {
    row.detail.parse().map_err(|_| StoreError::Damaged(format!("action {}", row.version)).into())
}

fn stored_card(index: u8) -> Result<Card, ServiceError> {
    Card::from_index(index).ok_or_else(|| StoreError::Damaged(format!("card {index}")).into())
}

/// The bits of `flags` for what followed a call.
pub(super) fn outcome_flags(outcome: Option<CallOutcome>) -> i16 {
    let place = CallOutcome::ALL.iter().position(|one| Some(*one) == outcome);
    place.and_then(|place| i16::try_from(place + 1).ok()).map_or(0, |number| number << OUTCOME_SHIFT)
}

fn stored_outcome(flags: i16) -> Option<CallOutcome> {
    let number = usize::try_from(flags >> OUTCOME_SHIFT).ok()?;
    CallOutcome::ALL.get(number.checked_sub(1)?).copied()
}
