//! Lists of matches: a line for each, those that wait for the caller first.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_engine::Seat;

use super::cursor_time::cursor_time;
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::join_codes::{JoinCodeRow, join_code_list};
use crate::store::match_list::{ListPosition, NOTED, match_list};
use crate::store::seats::{SeatRow, seat_list};
use crate::store::table_load::TableRows;

/// A match, as a line of a list.
pub struct MatchSummary {
    /// The match.
    pub id: MatchId,
    /// Code to share.
    pub code: String,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Where it is in its life.
    pub status: Status,
    /// Number of actions so far.
    pub version: i32,
    /// Seats.
    pub size: i16,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// The caller's seat.
    pub you: Option<Seat>,
    /// Whether it waits for the caller.
    pub your_turn: bool,
    /// Until when it waits for the caller, by the database's clock, also where the match has a time of its own.
    pub deadline: Option<DateTime<Utc>>,
    /// Since when it waits for the caller.
    pub waits_since: Option<DateTime<Utc>>,
    /// Seats that have to act.
    pub to_act: Vec<Seat>,
    /// Round in play, from 1.
    pub round: Option<u16>,
    /// Who takes part, with their totals once play has begun.
    pub players: Vec<(Player, Option<i32>)>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the newest action was accepted.
    pub updated_at: DateTime<Utc>,
}

/// A page of matches.
pub struct MatchPage {
    /// Most urgent first.
    pub items: Vec<MatchSummary>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// The caller's matches: those that wait for the caller first, longest waiting first; then running ones, those
    /// that wait for players and those that are over, each newest change first.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn list_matches(
        &self,
        account: AccountId,
        status: Option<Status>,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<MatchPage, ServiceError> {
        let after = cursor.map(parse_cursor).transpose()?;
        let mut connection = self.store.connection().await?;
        // One more than asked for tells whether there is another page. All of one moment: a match that ends is met once.
        let (status, most) = (status.map(Status::as_str), limit.saturating_add(1));
        let mut snapshot = connection.build_transaction().repeatable_read().read_only();
        let read =
            snapshot.run(async |connection| match_list(connection, account, status, after, most).await);
        let mut rows = read.await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let last = rows.last().filter(|_| more);
        let next_cursor = last.map(|(position, ..)| print_cursor(position));
        let ids: Vec<Uuid> = rows.iter().map(|(_, row, _)| row.id).collect();
        let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
        for seat in seat_list(&connection, &ids).await? {
            seats.entry(seat.match_id).or_default().push(seat);
        }
        let mut codes: HashMap<Uuid, Vec<JoinCodeRow>> = HashMap::new();
        for code in join_code_list(&connection, &ids).await? {
            codes.entry(code.match_id).or_default().push(code);
        }
        let items = rows
            .into_iter()
            .map(|(_, row, state)| {
                let seats = seats.remove(&row.id).unwrap_or_default();
                let codes = codes.remove(&row.id).unwrap_or_default();
                let (rounds, gifts, keys) = (Vec::new(), Vec::new(), Vec::new());
                let rows = TableRows { row, state, seats, rounds, gifts, keys, codes };
                Ok(MatchSummary::new(&Table::try_from(rows)?, account))
            })
            .collect::<Result<_, ServiceError>>()?;
        Ok(MatchPage { items, next_cursor })
    }
}

impl MatchSummary {
    pub(super) fn new(table: &Table, viewer: AccountId) -> Self {
        let you = table.seat_of(viewer);
        let to_act = table.game.as_ref().map(|game| game.to_act().to_vec()).unwrap_or_default();
        let total = |seat: u8| table.game.as_ref().map(|game| game.total(Seat::new(seat)));
        let wait = you.and_then(|seat| table.clocks.seat(seat.number())?.clock.wait);
        let players = (0_u8..).zip(table.players.iter()).map(|(seat, player)| (player.clone(), total(seat)));
        Self {
            id: table.id(),
            code: table.join_code.code.clone(),
            preset: table.settings.preset.clone(),
            status: table.status,
            version: table.version,
            size: table.settings.size,
            rated: table.settings.rated,
            you,
            your_turn: you.is_some_and(|seat| table.waits_for(seat)),
            deadline: wait.and_then(|wait| wait.deadline).map(|at| table.clocks.real(at)),
            waits_since: wait.map(|wait| table.clocks.real(wait.began_at)),
            to_act,
            round: table.game.as_ref().map(yaniv_engine::Match::round),
            players: players.collect(),
            created_at: table.settings.created_at,
            updated_at: table.clocks.real(table.at),
        }
    }
}

/// Opaque to clients: group, microseconds, match.
fn print_cursor(position: &ListPosition) -> String {
    let micros = position.at.timestamp_micros();
    format!("{}.{micros:x}.{}", position.group, position.id.simple())
}

fn parse_cursor(cursor: &str) -> Result<ListPosition, ServiceError> {
    let parse = || {
        let mut parts = cursor.splitn(3, '.');
        let group = parts.next()?.parse().ok()?;
        let micros = i64::from_str_radix(parts.next()?, 16).ok()?;
        let id = Uuid::try_parse(parts.next()?).ok()?;
        let at = cursor_time(micros)?;
        (0..=NOTED).contains(&group).then_some(ListPosition { group, at, id })
    };
    parse().ok_or(ServiceError::InvalidParameter("cursor"))
}
