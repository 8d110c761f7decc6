//! Rows of `pairings`: pairing requests. Waiting requests are read and changed only under the lock of their
//! criteria.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, MatchId, PairingId};

use crate::error::StoreError;
use crate::matchmaking::pairing_criteria::PairingCriteriaRow;
use crate::schema::{pairing_criteria, pairings};

/// A pairing request.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = pairings)]
pub struct PairingRow {
    /// Identifier.
    pub id: Uuid,
    /// Its pairing criteria.
    pub wish_id: Vec<u8>,
    /// Who asks.
    pub account_id: Uuid,
    /// Identifier of the match, or, before it exists, of the group in which the request waits.
    pub match_id: Uuid,
    /// The player's seed for the shuffles.
    pub client_seed: String,
    /// Commitment of the group.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires, unless it was paired before.
    pub expires_at: DateTime<Utc>,
    /// When the match was created.
    pub paired_at: Option<DateTime<Utc>>,
    /// When it was withdrawn or found expired.
    pub withdrawn_at: Option<DateTime<Utc>>,
}

/// Finds a request of this account, with its criteria.
///
/// # Errors
/// Any database error.
pub async fn pairing_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: PairingId,
) -> Result<Option<(PairingRow, PairingCriteriaRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(pairing_criteria::table)
        .filter(pairings::id.eq(id.0))
        .filter(pairings::account_id.eq(account.0))
        .select((PairingRow::as_select(), PairingCriteriaRow::as_select()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// Waiting requests of an account, newest first, with their criteria; there are few.
///
/// # Errors
/// Any database error.
pub async fn pairing_list_waiting(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<Vec<(PairingRow, PairingCriteriaRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(pairing_criteria::table)
        .filter(pairings::account_id.eq(account.0))
        .filter(pairings::paired_at.is_null().and(pairings::withdrawn_at.is_null()))
        .filter(pairings::expires_at.gt(now))
        .order(pairings::id.desc())
        .select((PairingRow::as_select(), PairingCriteriaRow::as_select()))
        .load(&mut connection)
        .await?)
}

/// A page of an account's requests in any state, after an identifier, with their criteria.
///
/// # Errors
/// Any database error.
pub async fn pairing_list_all(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: Uuid,
    limit: i64,
) -> Result<Vec<(PairingRow, PairingCriteriaRow)>, StoreError> {
    Ok(pairings::table
        .inner_join(pairing_criteria::table)
        .filter(pairings::account_id.eq(account.0))
        .filter(pairings::id.gt(after))
        .order(pairings::id)
        .limit(limit)
        .select((PairingRow::as_select(), PairingCriteriaRow::as_select()))
        .load(&mut connection)
        .await?)
}

/// The number of waiting requests of an account.
///
/// # Errors
/// Any database error.
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

/// All waiting requests with these criteria, oldest first; marks expired ones as withdrawn.
///
/// # Errors
/// Any database error.
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
/// Any database error. Under the lock of the criteria there is no other waiting request to conflict with.
pub async fn pairing_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &PairingRow,
) -> Result<(), StoreError> {
    diesel::insert_into(pairings::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Replaces the client seed of a waiting request.
///
/// # Errors
/// Any database error.
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

/// Marks all waiting requests of a group as paired.
///
/// # Errors
/// Any database error.
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

/// Withdraws a request; returns whether it was still waiting.
///
/// # Errors
/// Any database error.
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

/// Deletes a batch of requests that ended longer ago than this; returns their number.
///
/// # Errors
/// Any database error.
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
    /// Identifier of the match, existing or future.
    pub fn group(&self) -> MatchId {
        MatchId(self.match_id)
    }
}
