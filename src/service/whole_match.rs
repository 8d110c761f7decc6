//! A match that is made and played from its beginning to wherever it is left, as the rows that are stored of it.
//!
//! For programs that fill a database with many: what they store is what the service would have stored, as it is made by the same code.

use chrono::{DateTime, Utc};
use yaniv_bot::Level;
use yaniv_engine::{Action, Match, RecordResult, Seat};

use super::ServiceError;
use super::cause::Cause;
use super::creation::{Drawn, NewMatch, new_row};
use super::lobby_change::{entry_of, state_of};
use super::played_round::PlayedRound;
use super::saves::new_entry;
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use super::table_start::Calendars;
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::actions::{ActionRow, KIND_ACTION, KIND_JOINED, KIND_LEFT, KIND_STARTED};
use crate::store::matches::{MatchRow, StateRow};
use crate::store::rounds::RoundRow;

/// A match under way.
pub struct WholeMatch {
    row: MatchRow,
    table: Table,
    log: Vec<ActionRow>,
}

/// Everything that is stored of a match.
pub struct WholeRows {
    /// What is settled.
    pub row: MatchRow,
    /// What changes.
    pub state: StateRow,
    /// Account, number and client seed of who takes part, by seat.
    pub seats: Vec<(AccountId, i16, String)>,
    /// The log.
    pub log: Vec<ActionRow>,
    /// Rounds that are over.
    pub rounds: Vec<RoundRow>,
    /// When it was over.
    pub closed_at: Option<DateTime<Utc>>,
}

impl WholeMatch {
    /// A match that was created at a time, with a code and a secret of the caller's choice.
    ///
    /// # Errors
    /// If the rules are not valid.
    pub fn new(
        new: &NewMatch,
        (id, code, secret): (MatchId, String, [u8; 32]),
        at: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
        let drawn = Drawn { id, secret: secret.to_vec(), commitment: String::new() };
        let mut row = MatchRow { code, ..new_row(new, drawn, at)? };
        // Its chain of seeds is the table's own: it is worked out once.
        let table = Table::empty(&row)?;
        row.commitment = table.seed_chain().commitment().to_hex();
        Ok(Self { row, table, log: Vec::new() })
    }

    /// Somebody takes a seat; a bot of the house has a level.
    pub fn join(&mut self, account: AccountId, level: Option<Level>, client_seed: &str, at: DateTime<Utc>) {
        let stored_seat = self.table.players.last().map_or(0, |last| last.stored_seat.saturating_add(1));
        let (username, client_seed) = (String::new(), client_seed.to_owned());
        let detail = client_seed.clone();
        let player = Player { account, username, bot: level.is_some(), level, client_seed, stored_seat };
        self.table.join(player, at);
        self.log.push(entry_of(&self.table, account, KIND_JOINED, detail, None));
    }

    /// Somebody leaves before the start.
    pub fn leave(&mut self, account: AccountId, at: DateTime<Utc>) {
        self.table.leave(account, at);
        self.log.push(entry_of(&self.table, account, KIND_LEFT, String::new(), None));
    }

    /// The first cards are dealt.
    ///
    /// # Errors
    /// If so many cannot play by these rules.
    pub fn start(&mut self, account: AccountId, at: DateTime<Utc>) -> Result<(), ServiceError> {
        self.table.start(&Calendars::new(), at)?;
        self.log.push(entry_of(&self.table, account, KIND_STARTED, String::new(), None));
        Ok(())
    }

    /// A player acts.
    ///
    /// # Errors
    /// What the rules say.
    pub fn play(&mut self, seat: Seat, action: &Action, at: DateTime<Utc>) -> Result<(), ServiceError> {
        let step = self.table.play(seat, action, Cause::Player)?;
        let entry = new_entry(&step);
        self.log.push(ActionRow {
            match_id: self.row.id,
            at,
            key_hash: None,
            fingerprint: None,
            version: self.table.version,
            round: i16::try_from(step.played.round).map_err(ServiceError::internal)?,
            flags: entry.flags,
            seat: Some(i16::from(seat.number())),
            kind: KIND_ACTION,
            account_id: None,
            detail: entry.detail,
            drew: entry.drew,
        });
        self.table.stamp(&step, at);
        Ok(())
    }

    /// The position, once it has started.
    pub fn game(&self) -> Option<&Match> {
        self.table.game.as_ref()
    }

    /// The rows.
    ///
    /// # Errors
    /// Only if they cannot be printed.
    pub fn rows(self) -> Result<WholeRows, ServiceError> {
        let Self { mut row, table, log } = self;
        row.started_at = table.started_at;
        row.finished_at = table.finished_at;
        let seats = table.players.iter();
        let seats = seats.map(|player| (player.account, player.stored_seat, player.client_seed.clone()));
        let is_over = matches!(table.status, Status::Finished | Status::Cancelled);
        Ok(WholeRows {
            row,
            state: state_of(&table)?,
            seats: seats.collect(),
            rounds: table.rounds.iter().map(round_row).collect::<Result<_, _>>()?,
            closed_at: is_over.then_some(table.at),
            log,
        })
    }
}

fn round_row(played: &PlayedRound) -> Result<RoundRow, ServiceError> {
    let damaged = |_| StoreError::Damaged(format!("round {}", played.round));
    let print = |result: &RecordResult| serde_json::to_value(result).map_err(ServiceError::internal);
    Ok(RoundRow {
        round: i16::try_from(played.round).map_err(damaged)?,
        starter: i16::from(played.starter.number()),
        last_version: played.last_version,
        result: played.result.as_ref().map(print).transpose()?,
        ended_at: played.ended_at,
    })
}
