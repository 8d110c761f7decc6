//! What was played: the log of a match, its rounds, and the record that anybody can check.

use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use yaniv_engine::{Record, RecordBuilder, RecordPlayer, Seat, Seed};

use super::cause::Cause;
use super::clocks::{Clocks, LedgerLine};
use super::played_round::PlayedRound;
use super::replay::{ledger, names_of};
use super::table::Table;
use super::view::{LogEntry, stored_action};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::actions::{ActionRow, action_list};
use crate::store::gifts::GiftRow;

/// Lines of the ledger on a page, but that those of one entry of the log are not parted.
const LEDGER_LINES: usize = 200;

/// A page of a log.
pub struct LogPage {
    /// Entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// Newest version of the match, whether the page reaches it or not.
    pub version: i32,
    /// The match's clocks, which say what time it is there.
    pub clocks: Arc<Clocks>,
}

/// A page of the ledger of a match's clocks.
pub struct LedgerPage {
    /// Lines, oldest first.
    pub lines: Vec<LedgerLine>,
    /// Version up to which they are all here.
    pub version: i32,
    /// The match's clocks, which say what time it is there.
    pub clocks: Arc<Clocks>,
}

/// What proves the shuffles of a match.
pub struct Fairness {
    /// The match, whose printed form is part of every shuffle.
    pub id: MatchId,
    /// `s[0]`.
    pub commitment: Seed,
    /// The players' parts, by seat.
    pub client_seeds: Vec<String>,
    /// Rounds that are over, with their seeds.
    pub seeds: Vec<(u16, Seed)>,
}

impl Services {
    /// Entries of the log after a version, oldest first, as the caller may know them.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    pub async fn log(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
        limit: i64,
    ) -> Result<LogPage, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        let connection = self.store.connection().await?;
        let rows = action_list(&connection, id, after, table.version, limit).await?;
        let names = names_of(&connection, &rows).await?;
        let entries = LogEntry::all_for_viewer(&rows, &names, &table, account)?;
        Ok(LogPage { entries, version: table.version, clocks: Arc::clone(&table.clocks) })
    }

    /// What changed the clocks after a version, oldest first: worked out from the log.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller has a seat.
    pub async fn clock_changes(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
    ) -> Result<LedgerPage, ServiceError> {
        let table = self.table_for(account, id).await?;
        let clocks = Arc::clone(&table.clocks);
        let ledger = ledger(&*self.store.connection().await?, id, table.version).await?;
        let lines: Vec<LedgerLine> = ledger.into_iter().filter(|line| line.version > after).collect();
        // All lines of a version together.
        let Some(first_left) = lines.get(LEDGER_LINES).map(|line| line.version) else {
            return Ok(LedgerPage { lines, version: table.version, clocks });
        };
        let version = first_left.saturating_sub(1).max(after.saturating_add(1));
        let lines = lines.into_iter().filter(|line| line.version <= version).collect();
        Ok(LedgerPage { lines, version, clocks })
    }

    /// Rounds that are over, with everything open.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    pub async fn rounds(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<Vec<PlayedRound>>, ServiceError> {
        Ok(Arc::clone(&self.table_to_read(account, id).await?.rounds))
    }

    /// What proves the shuffles of a match so far.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    pub async fn fairness(&self, account: AccountId, id: MatchId) -> Result<Fairness, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        let chain = table.seed_chain();
        let over: Vec<u16> = table.rounds.iter().map(|round| round.round).collect();
        // Backwards by one hash each; from the end of the chain it would be up to a thousand each.
        let mut seeds: Vec<(u16, Seed)> = Vec::new();
        for round in over.into_iter().rev() {
            let seed = seeds.last().map_or_else(|| chain.round(round), |(_, later)| later.previous());
            seeds.push((round, seed));
        }
        seeds.reverse();
        let client_seeds = table.players.iter().map(|player| player.client_seed.clone()).collect();
        Ok(Fairness { id, commitment: chain.commitment(), client_seeds, seeds })
    }

    /// The record of a match, played again from its log; of a round that is not over, what the caller may know.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`; `Busy`.
    pub async fn record(&self, account: AccountId, id: MatchId) -> Result<Record, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        if table.game.is_none() {
            return Err(ServiceError::NotStarted);
        }
        let place = self.replaying.place(account)?;
        let rows = log_of(&*self.store.connection().await?, &table).await?;
        let work = move || Ok(replay_record(&table, &rows)?.finish(table.seat_of(account)));
        self.replaying.run(place, work).await
    }
}

/// The log of a match, from which its record is made.
///
/// # Errors
/// Those of the database.
pub(super) async fn log_of(
    connection: &AsyncPgConnection,
    table: &Table,
) -> Result<Vec<ActionRow>, ServiceError> {
    Ok(action_list(connection, table.id(), 0, table.version, i64::MAX).await?)
}

/// The record of a match that has started, played again from its log. The dear part of it: not for the threads that answer.
///
/// # Errors
/// Those of stored data that is damaged.
pub(super) fn replay_record(table: &Table, log: &[ActionRow]) -> Result<RecordBuilder, ServiceError> {
    let players = (0_u8..).zip(table.players.iter()).map(|(seat, player)| RecordPlayer {
        seat: Seat::new(seat),
        name: player.username.clone(),
        client_seed: player.client_seed.clone(),
    });
    let id = table.settings.shuffled_as();
    let mut builder = RecordBuilder::new(table.rules(), &id, players.collect(), table.seed_chain().clone())?;
    dedicate(&mut builder, table)?;
    for row in log.iter().filter(|row| row.is_action()) {
        let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
        let seat = seat.ok_or_else(|| StoreError::Damaged(format!("seat of {}", row.version)))?;
        let at = row.at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        let automatic = Cause::of(row.flags).name().map(str::to_owned);
        let played = builder.push_automatic(seat, &stored_action(row)?, Some(at), automatic);
        let played = played.map_err(ServiceError::internal)?;
        if played.round_ended.is_some() && played.match_ended.is_none() {
            dedicate(&mut builder, table)?;
        }
    }
    Ok(builder)
}

/// Puts the dedication of the round that was just dealt into the record.
fn dedicate(builder: &mut RecordBuilder, table: &Table) -> Result<(), ServiceError> {
    let round = i32::from(builder.state().round());
    let given = |gift: &&GiftRow| i32::from(gift.round) == round && !gift.text.is_empty();
    let Some(gift) = table.gifts.iter().find(given) else { return Ok(()) };
    let seat = Seat::new(u8::try_from(gift.seat).map_err(ServiceError::internal)?);
    builder.gift(seat, &gift.text).map_err(ServiceError::internal)
}
