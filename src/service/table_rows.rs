//! A match from its rows, as it stands now.

use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use yaniv_engine::Match;

use super::ServiceError;
use super::played_round::PlayedRound;
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use crate::ids::MatchId;
use crate::store::table_load::{TableRows, table_load};

impl Table {
    /// A match as it stands now, in one round trip; whoever asks.
    ///
    /// # Errors
    /// Those of the database, and stored data that is damaged.
    pub async fn load(connection: &AsyncPgConnection, id: MatchId) -> Result<Option<Self>, ServiceError> {
        table_load(connection, id).await?.map(Self::try_from).transpose()
    }
}

impl TryFrom<TableRows> for Table {
    type Error = ServiceError;

    fn try_from(rows: TableRows) -> Result<Self, ServiceError> {
        let TableRows { row, state, seats, rounds, gifts, keys, mut codes } = rows;
        let mut table = Self::empty(&row)?;
        table.started_at = row.started_at;
        table.finished_at = row.finished_at;
        table.version = state.version;
        table.status = Status::parse(&state.status)?;
        table.at = state.updated_at;
        table.gifts = Arc::new(gifts);
        table.keys = Arc::new(keys);
        if let Some(newest) = codes.pop() {
            table.join_code = Arc::new(newest.into());
        }
        table.players = Arc::new(seats.into_iter().map(Player::from).collect());
        if let Some(bytes) = &state.state {
            table.game = Some(Match::from_bytes(table.rules(), bytes).map_err(ServiceError::internal)?);
            table.shuffler = Some(Arc::new(table.new_shuffler()));
        }
        if let Some(stored) = &state.clocks {
            table.read_clocks(stored)?;
        }
        let rounds: Result<Vec<_>, _> = rounds.into_iter().map(PlayedRound::try_from).collect();
        table.rounds = Arc::new(rounds?);
        Ok(table)
    }
}
