//! Rows of `notification_positions`: the log scanner's position in each running match that has a player to
//! notify. Kept apart from `match_states`, whose row locks are left to play.

use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, SmallInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;
use crate::schema::{match_states, notification_positions};

/// Scan position and state of a match.
#[derive(Clone, Copy, Debug)]
pub struct Announcing {
    /// Version scanned so far.
    pub told: i32,
    /// Bitmask of the seats that it waited for at that version.
    pub waited_on: i16,
    /// Current version.
    pub version: i32,
    /// Bitmask of the seats that it waits for now.
    pub waiting_on: i16,
    /// Whether it is still running.
    pub running: bool,
    /// Whether it waits for a seat whose standing orders are about to be carried out or voided.
    pub ordered: bool,
}

/// A player of a match.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct Seated {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// The seat.
    #[diesel(sql_type = SmallInt)]
    pub seat: i16,
    /// Whether a bot holds the seat.
    #[diesel(sql_type = Bool)]
    pub held: bool,
}

/// Standing orders are carried out within a second. If they still wait after a minute, something is wrong,
/// and players are notified regardless.
const ORDERED: &str = "match_states.ordered & match_states.waiting_on <> 0 \
     AND match_states.updated_at > now() - interval '1 minute'";

/// Starts scanning a match that has just started, if any player can be notified.
///
/// # Errors
/// Any database error.
pub async fn announcement_begin_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<(), StoreError> {
    let insert = diesel::sql_query(
        "INSERT INTO notification_positions (match_id, version, waiting_on) SELECT $1, 0, 0 WHERE EXISTS \
         (SELECT 1 FROM seats s JOIN channels c ON c.account_id = s.account_id WHERE s.match_id = $1) \
         ON CONFLICT DO NOTHING",
    );
    Prepared(insert.bind::<SqlUuid, _>(id.0)).execute(&mut connection).await?;
    Ok(())
}

/// Starts scanning the running matches of an account, from their current versions on.
///
/// # Errors
/// Any database error.
pub async fn announcement_begin_all_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::sql_query(
        "INSERT INTO notification_positions (match_id, version, waiting_on) \
         SELECT m.match_id, m.version, m.waiting_on FROM seats s JOIN match_states m ON m.match_id = s.match_id \
         WHERE s.account_id = $1 AND m.status = 'running' ON CONFLICT DO NOTHING",
    )
    .bind::<SqlUuid, _>(account.0)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Starts scanning running matches that have players to notify and no position: those that started while a
/// channel was being created.
///
/// # Errors
/// Any database error.
pub async fn announcement_begin_missing(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(
        "INSERT INTO notification_positions (match_id, version, waiting_on) \
         SELECT DISTINCT m.match_id, 0, 0 FROM channels c JOIN seats s ON s.account_id = c.account_id \
         JOIN match_states m ON m.match_id = s.match_id \
         WHERE s.closed_at IS NULL AND m.status = 'running' \
         AND NOT EXISTS (SELECT 1 FROM notification_positions a WHERE a.match_id = m.match_id) \
         ON CONFLICT DO NOTHING",
    )
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Matches with unscanned log entries, oldest first, except the given ones. Matches with waiting standing
/// orders for the current turn are deferred until the orders are processed.
///
/// # Errors
/// Any database error.
pub async fn announcement_list_behind(
    mut connection: &AsyncPgConnection,
    not: &[Uuid],
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Behind {
        #[diesel(sql_type = SqlUuid)]
        match_id: Uuid,
    }
    let rows: Vec<Behind> = diesel::sql_query(format!(
        "SELECT a.match_id FROM notification_positions a JOIN match_states ON match_states.match_id = a.match_id \
         WHERE match_states.version <> a.version AND a.match_id <> ALL($2) AND NOT ({ORDERED}) \
         ORDER BY match_states.updated_at LIMIT $1"
    ))
    .bind::<BigInt, _>(limit)
    .bind::<Array<SqlUuid>, _>(not)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.match_id).collect())
}

/// Locks the position of a match; none if another instance has it. Read the log after this.
///
/// # Errors
/// Any database error.
pub async fn announcement_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<Announcing>, StoreError> {
    let told: Option<(i32, i16)> = notification_positions::table
        .find(id)
        .select((notification_positions::version, notification_positions::waiting_on))
        .for_update()
        .skip_locked()
        .first(&mut connection)
        .await
        .optional()?;
    let Some((told, waited_on)) = told else { return Ok(None) };
    let (version, waiting_on, status, ordered): (i32, i16, String, bool) = match_states::table
        .find(id)
        .select((
            match_states::version,
            match_states::waiting_on,
            match_states::status,
            sql::<Bool>(&format!("({ORDERED})")),
        ))
        .first(&mut connection)
        .await?;
    Ok(Some(Announcing { told, waited_on, version, waiting_on, running: status == "running", ordered }))
}

/// Advances the position of a match, or deletes it if the match is over.
///
/// # Errors
/// Any database error.
pub async fn announcement_advance_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    to: &Announcing,
) -> Result<(), StoreError> {
    let row = notification_positions::table.find(id);
    if to.running {
        diesel::update(row)
            .set((
                notification_positions::version.eq(to.version),
                notification_positions::waiting_on.eq(to.waiting_on),
            ))
            .execute(&mut connection)
            .await?;
    } else {
        diesel::delete(row).execute(&mut connection).await?;
    }
    Ok(())
}

/// The players of a match, and which seats are held by a bot.
///
/// # Errors
/// Any database error.
pub async fn seated_list(mut connection: &AsyncPgConnection, id: Uuid) -> Result<Vec<Seated>, StoreError> {
    Ok(diesel::sql_query(
        "SELECT s.account_id, s.seat, coalesce(h.kind = 'b', false) AS held FROM seats s \
         LEFT JOIN (SELECT DISTINCT ON (seat) seat, kind FROM actions WHERE match_id = $1 AND kind IN ('b', 'r') \
             ORDER BY seat, version DESC) h ON h.seat = s.seat \
         WHERE s.match_id = $1 ORDER BY s.seat",
    )
    .bind::<SqlUuid, _>(id)
    .load(&mut connection)
    .await?)
}
