//! Rows of `sessions`: log-ins that last. What a refresh token has to be is not known here.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Double};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::sessions;
use crate::ids::{AccountId, SessionId};

/// A session as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    /// Its identifier.
    pub id: Uuid,
    /// Who is logged in.
    pub account_id: Uuid,
    /// When they logged in.
    pub created_at: DateTime<Utc>,
    /// The log-in or the newest refresh.
    pub last_used_at: DateTime<Utc>,
    /// When the current secret was made.
    pub rotated_at: DateTime<Utc>,
    /// When it ends by itself.
    pub expires_at: DateTime<Utc>,
    /// When it was ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Name that the client gave.
    pub device: String,
    /// Of the current secret.
    pub hash: Vec<u8>,
    /// Of the one before.
    pub previous_hash: Option<Vec<u8>>,
    /// By which the current one follows from the one before.
    pub salt: Option<Vec<u8>>,
}

/// Stores a new session; the same one again changes nothing.
///
/// # Errors
/// Only those of the database.
pub async fn session_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &SessionRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(sessions::table).values(new.clone());
    insert.on_conflict(sessions::id).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// Locks a session and reads it.
///
/// # Errors
/// `Busy` if others hold it for too long.
pub async fn session_lock(
    mut connection: &AsyncPgConnection,
    id: SessionId,
) -> Result<Option<SessionRow>, StoreError> {
    let row = sessions::table.find(id.0).for_update().select(SessionRow::as_select());
    Ok(row.first(&mut connection).await.optional()?)
}

/// Gives a locked session its next secret.
///
/// # Errors
/// Only those of the database.
pub async fn session_rotate_in_txn(
    mut connection: &AsyncPgConnection,
    row: &SessionRow,
) -> Result<(), StoreError> {
    diesel::update(sessions::table.find(row.id))
        .set((
            sessions::hash.eq(&row.hash),
            sessions::previous_hash.eq(&row.previous_hash),
            sessions::salt.eq(&row.salt),
            sessions::rotated_at.eq(row.rotated_at),
            sessions::last_used_at.eq(row.last_used_at),
            sessions::expires_at.eq(row.expires_at),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Ends a session of this account. Whether there is one, ended before or now.
///
/// # Errors
/// Only those of the database.
pub async fn session_end(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: SessionId,
) -> Result<bool, StoreError> {
    let of_account = sessions::table.find(id.0).filter(sessions::account_id.eq(account.0));
    diesel::update(of_account.filter(sessions::ended_at.is_null()))
        .set(sessions::ended_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    let found: i64 = of_account.count().get_result(&mut connection).await?;
    Ok(found > 0)
}

/// Ends all sessions of an account but this one, and says which.
///
/// # Errors
/// Only those of the database.
pub async fn session_end_others(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kept: Option<SessionId>,
) -> Result<Vec<Uuid>, StoreError> {
    let kept = kept.map_or(Uuid::nil(), |kept| kept.0);
    let others = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::id.ne(kept));
    Ok(diesel::update(others)
        .set(sessions::ended_at.eq(clock_timestamp().nullable()))
        .returning(sessions::id)
        .get_results(&mut connection)
        .await?)
}

/// Ends sessions of an account, so that only so many are left, and says which.
///
/// First go those that were never refreshed though their access token, which lives so long, has expired: clients that log
/// in each time leave them. Then those not used for longest.
///
/// # Errors
/// Only those of the database.
pub async fn session_end_surplus_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    left: i64,
    access_token: TimeDelta,
) -> Result<Vec<Uuid>, StoreError> {
    let forsaken = sql::<Bool>("previous_hash IS NULL AND created_at < now() - make_interval(secs => ")
        .bind::<Double, _>(access_token.as_seconds_f64())
        .sql(")");
    let surplus: Vec<Uuid> = sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .order((forsaken.asc(), sessions::last_used_at.desc()))
        .offset(left)
        .select(sessions::id)
        .load(&mut connection)
        .await?;
    if surplus.is_empty() {
        return Ok(surplus);
    }
    diesel::update(sessions::table.filter(sessions::id.eq_any(&surplus)))
        .filter(sessions::ended_at.is_null())
        .set(sessions::ended_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(surplus)
}

/// Sessions of an account that are open, the newest use at the top.
///
/// # Errors
/// Only those of the database.
pub async fn session_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<Vec<SessionRow>, StoreError> {
    Ok(sessions::table
        .filter(sessions::account_id.eq(account.0))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(clock_timestamp()))
        .order((sessions::last_used_at.desc(), sessions::id.desc()))
        .limit(limit)
        .select(SessionRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Whether a session is open now.
///
/// # Errors
/// Only those of the database.
pub async fn session_is_open(mut connection: &AsyncPgConnection, id: SessionId) -> Result<bool, StoreError> {
    let open = sessions::table.find(id.0).filter(sessions::ended_at.is_null()).count();
    Ok(open.get_result::<i64>(&mut connection).await? > 0)
}
