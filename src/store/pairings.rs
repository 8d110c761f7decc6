//! Rows of `pairings`: requests to be paired. What waits is read and changed only under the lock of its wish.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::{pairings, wishes};
use super::wishes::WishRow;
use crate::ids::{AccountId, MatchId, PairingId};

/// A request to be paired.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = pairings)]
pub struct PairingRow {
    /// Its identifier.
    pub id: Uuid,
    /// What is asked for.
    pub wish_id: Vec<u8>,
    /// Who asks.
    pub account_id: Uuid,
    /// The match, once there is one; before, the group that the request waits in.
    pub match_id: Uuid,
    /// The player's part of the shuffles.
    pub client_seed: String,
    /// That of the group.
    pub commitment: String,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When it no longer counts, unless it has been paired.
    pub expires_at: DateTime<Utc>,
    /// When the match was made.
    pub paired_at: Option<DateTime<Utc>>,
    /// When it was taken back, or found to have expired.
    pub withdrawn_at: Option<DateTime<Utc>>,
}

/// Finds a request of an account, with its wish. Others have none.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: PairingId,
) -> Result<Option<(PairingRow, WishRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(wishes::table)
        .filter(pairings::id.eq(id.0))
        .filter(pairings::account_id.eq(account.0))
        .select((PairingRow::as_select(), WishRow::as_select()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// Requests of an account that wait, newest first, with their wishes; there are not many.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_list_waiting(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Vec<(PairingRow, WishRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(wishes::table)
        .filter(pairings::account_id.eq(account.0))
        .filter(pairings::paired_at.is_null().and(pairings::withdrawn_at.is_null()))
        .filter(pairings::expires_at.gt(now))
        .order(pairings::id.desc())
        .select((PairingRow::as_select(), WishRow::as_select()))
        .load(&mut connection)
        .await?)
}

/// Requests of an account that come after one, whatever has become of them, by identifier, with their wishes.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_list_all(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: Uuid,
    limit: i64,
) -> Result<Vec<(PairingRow, WishRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(wishes::table)
        .filter(pairings::account_id.eq(account.0))
        .filter(pairings::id.gt(after))
        .order(pairings::id)
        .limit(limit)
        .select((PairingRow::as_select(), WishRow::as_select()))
        .load(&mut connection)
        .await?)
}

/// How many requests of an account wait.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_count_waiting(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    Ok(pairings::table
        .filter(pairings::account_id.eq(account.0))
        .filter(pairings::paired_at.is_null().and(pairings::withdrawn_at.is_null()))
        .filter(pairings::expires_at.gt(now))
        .select(count_star())
        .first(&mut connection)
        .await?)
}

/// All requests that wait for a wish, oldest first; those that have expired are noted as taken back.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_queue_in_txn(
    mut connection: &AsyncPgConnection,
    wish: &[u8],
    now: DateTime<Utc>,
) -> Result<Vec<PairingRow>, StoreError> {
    let mut waiting: Vec<PairingRow> = pairings::table
        .filter(pairings::wish_id.eq(wish))
        .filter(pairings::paired_at.is_null().and(pairings::withdrawn_at.is_null()))
        .order((pairings::created_at, pairings::id))
        .select(PairingRow::as_select())
        .load(&mut connection)
        .await?;
    let expired: Vec<Uuid> = waiting.iter().filter(|row| row.expires_at <= now).map(|row| row.id).collect();
    if !expired.is_empty() {
        diesel::update(pairings::table.filter(pairings::id.eq_any(&expired)))
            .set(pairings::withdrawn_at.eq(pairings::expires_at.nullable()))
            .execute(&mut connection)
            .await?;
        waiting.retain(|row| row.expires_at > now);
    }
    Ok(waiting)
}

/// Stores a new request.
///
/// # Errors
/// Only those of the database: under the lock of the wish there is no other that waits.
pub async fn pairing_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &PairingRow,
) -> Result<(), StoreError> {
    diesel::insert_into(pairings::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Gives a request that waits another client seed.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_reseed_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    client_seed: &str,
) -> Result<(), StoreError> {
    diesel::update(pairings::table.find(id))
        .set(pairings::client_seed.eq(client_seed))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Notes that everybody who waits for a match has it.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_settle_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(pairings::table.filter(pairings::id.eq_any(ids)))
        .set(pairings::paired_at.eq(at))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Takes a request back; says whether it still waited.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_withdraw_in_txn(
    mut connection: &AsyncPgConnection,
    id: PairingId,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let changed = diesel::update(pairings::table.find(id.0))
        .filter(pairings::paired_at.is_null().and(pairings::withdrawn_at.is_null()))
        .set(pairings::withdrawn_at.eq(at))
        .execute(&mut connection)
        .await?;
    Ok(changed == 1)
}

/// Deletes so many requests that were over so long ago, and says how many.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_forget_old(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    limit: i64,
) -> Result<i64, StoreError> {
    let deleted = diesel::sql_query(
        "DELETE FROM pairings WHERE id IN (SELECT id FROM pairings \
         WHERE COALESCE(paired_at, withdrawn_at, expires_at) < now() - make_interval(secs => $1) LIMIT $2)",
    )
    .bind::<Double, _>(ago.as_seconds_f64())
    .bind::<BigInt, _>(limit)
    .execute(&mut connection)
    .await?;
    Ok(i64::try_from(deleted).unwrap_or(limit))
}

impl PairingRow {
    /// The match, or what will be one.
    pub fn group(&self) -> MatchId {
        MatchId(self.match_id)
    }
}
