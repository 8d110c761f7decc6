//! Rebuild of all ratings from the match logs alone. It holds the rating lock, so the workers pause; matches
//! that end meanwhile are rated with the rest. Normal rating is in `worker`.

use uuid::Uuid;
use yaniv_db::ratings::queue::{
    rating_forget_all_in_txn, rating_lock, rating_unlock, unrated_count, unrated_done_in_txn, unrated_list,
};
use yaniv_db::{Connection, Store, StoreError, Transactions};
use yaniv_match::status::Status;
use yaniv_model::ids::MatchId;

use crate::ServiceError;
use crate::matches::repeated_write;
use crate::ratings::order::{RatedMatch, rate_all_in_txn};

/// Matches per transaction.
const AT_A_TIME: i64 = 500;

/// Deletes all ratings and computes them again; reports progress as matches done, of how many.
///
/// Returns the number of matches and the damaged ones, which are left unrated. If it is interrupted, the
/// workers rate the rest.
///
/// # Errors
/// `Busy` if the lock is not free in time, and those of the database.
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

/// Rates a batch; returns the number of matches, and the damaged ones.
async fn rate_some(connection: &Connection) -> Result<(i64, Vec<Uuid>), ServiceError> {
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

/// The rated match, from a replay of its log.
async fn from_log(connection: &Connection, id: MatchId) -> Result<RatedMatch, ServiceError> {
    let state = repeated_write::from_log(connection, id).await?;
    let damaged = || StoreError::Damaged(format!("log of {id}"));
    let game = state.game().ok_or_else(damaged)?;
    let preset = state.settings().preset.clone().ok_or_else(damaged)?;
    let players = state.players().iter().map(|player| (player.account.0, player.bot)).collect();
    RatedMatch::of(id.0, state.at(), preset, game, players)
}
