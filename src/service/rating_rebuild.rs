//! All ratings again, from the logs of the matches alone. While this goes on nobody else rates; what has ended meanwhile is
//! rated with the rest.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::ServiceError;
use super::rating_order::{RatedMatch, rate_all_in_txn};
use super::replay;
use super::status::Status;
use crate::ids::MatchId;
use crate::store::rating_queue::{
    rating_forget_all_in_txn, rating_lock, rating_unlock, unrated_count, unrated_done_in_txn, unrated_list,
};
use crate::store::{Store, StoreError};

/// Matches that are rated in a transaction.
const AT_A_TIME: i64 = 500;

/// Forgets all ratings and works them out anew; says now and then how many matches are done, and how many there are.
///
/// Answers how many there were, and which of them are damaged and so have no part in it. If it is broken off, the instances go on with
/// what is left.
///
/// # Errors
/// `Busy` if somebody else rates for too long, and those of the database.
pub async fn rebuild_ratings(
    store: &Store,
    said: impl Fn(i64, i64),
) -> Result<(i64, Vec<Uuid>), ServiceError> {
    let mut connection = store.connection().await?;
    rating_lock(&connection).await?;
    connection
        .transaction(async |connection| Ok::<_, ServiceError>(rating_forget_all_in_txn(connection).await?))
        .await?;
    let (all, mut done) = (unrated_count(&connection).await?, 0_i64);
    let mut damaged = Vec::new();
    loop {
        said(done, all);
        let (rated, more) = connection.transaction(async |connection| rate_some(connection).await).await?;
        damaged.extend(more);
        if rated == 0 {
            break;
        }
        done = done.saturating_add(rated);
    }
    rating_unlock(&connection).await?;
    Ok((done, damaged))
}

/// How many, and which of them are damaged.
async fn rate_some(connection: &AsyncPgConnection) -> Result<(i64, Vec<Uuid>), ServiceError> {
    let rows = unrated_list(connection, AT_A_TIME).await?;
    let (mut matches, mut damaged) = (Vec::new(), Vec::new());
    for row in rows.iter().filter(|row| row.status == Status::Finished.as_str()) {
        match from_log(connection, MatchId(row.id)).await {
            Ok(rated) => matches.push(rated),
            Err(error @ ServiceError::Internal(_)) => {
                tracing::error!(%error, match_id = %row.id, "a match cannot be rated");
                damaged.push(row.id);
            }
            Err(error) => return Err(error),
        }
    }
    rate_all_in_txn(connection, matches).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    unrated_done_in_txn(connection, &ids).await?;
    Ok((i64::try_from(ids.len()).map_err(ServiceError::internal)?, damaged))
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
