//! All ratings again, from the logs of the matches alone. While this goes on nobody else rates; what has ended meanwhile is
//! rated with the rest.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::ServiceError;
use super::rater::AT_A_TIME;
use super::rating_order::{RatedMatch, rate_all_in_txn};
use super::replay;
use super::status::Status;
use crate::ids::MatchId;
use crate::store::rating_queue::{
    rating_forget_all_in_txn, rating_lock, rating_unlock, unrated_count, unrated_done_in_txn, unrated_list,
};
use crate::store::{Store, StoreError};

/// Forgets all ratings and works them out anew; says now and then how many matches are done, and how many there are.
///
/// Answers how many there were. If it is broken off, the instances go on with what is left.
///
/// # Errors
/// `Busy` if somebody else rates for too long, those of the database, and logs that are damaged.
pub async fn rebuild_ratings(store: &Store, said: impl Fn(i64, i64)) -> Result<i64, ServiceError> {
    let mut connection = store.connection().await?;
    rating_lock(&connection).await?;
    connection
        .transaction(async |connection| Ok::<_, ServiceError>(rating_forget_all_in_txn(connection).await?))
        .await?;
    let (all, mut done) = (unrated_count(&connection).await?, 0_i64);
    loop {
        said(done, all);
        let rated = connection.transaction(async |connection| rate_some(connection).await).await?;
        if rated == 0 {
            break;
        }
        done = done.saturating_add(rated);
    }
    rating_unlock(&connection).await?;
    Ok(done)
}

async fn rate_some(connection: &AsyncPgConnection) -> Result<i64, ServiceError> {
    let rows = unrated_list(connection, AT_A_TIME).await?;
    let mut matches = Vec::new();
    for row in rows.iter().filter(|row| row.status == Status::Finished.as_str()) {
        matches.push(from_log(connection, MatchId(row.id)).await?);
    }
    rate_all_in_txn(connection, matches).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    unrated_done_in_txn(connection, &ids).await?;
    i64::try_from(ids.len()).map_err(ServiceError::internal)
}

/// What is to be rated of a match: by its log, played again.
async fn from_log(connection: &AsyncPgConnection, id: MatchId) -> Result<RatedMatch, ServiceError> {
    let table = replay::from_log(connection, id).await?;
    let damaged = || StoreError::Damaged(format!("log of {id}"));
    let game = table.game.as_ref().ok_or_else(damaged)?;
    let preset = table.settings.preset.clone().ok_or_else(damaged)?;
    let players = table.players.iter().map(|player| (player.account.0, player.bot)).collect();
    RatedMatch::of(id.0, table.at, preset, game, players)
}
