//! Rows of `sessions`: lasting logins with a refresh token. Token formats are in the application layer.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Binary, Bool, Double};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, SessionId};

use crate::accounts::transfer_codes::transfer_code_delete_all;
use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::sessions;

/// A session as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = sessions)]
pub struct SessionRow {
    /// Identifier.
    pub id: Uuid,
    /// Account that is logged in.
    pub account_id: Uuid,
    /// Time of the login.
    pub created_at: DateTime<Utc>,
    /// Time of the login or the newest refresh.
    pub last_used_at: DateTime<Utc>,
    /// When the current secret was created.
    pub rotated_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Name given by the client.
    pub device: String,
    /// Hash of the current secret.
    pub hash: Vec<u8>,
    /// Hash of the previous secret.
    pub previous_hash: Option<Vec<u8>>,
    /// Salt that derives the current secret from the previous one; kept until an access token of the newest
    /// refresh is used.
    pub salt: Option<Vec<u8>>,
}

/// Stores a new session; repeating it changes nothing.
///
/// # Errors
/// Any database error.
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
/// `Busy` if the lock is not acquired in time.
pub async fn session_lock(
    mut connection: &AsyncPgConnection,
    id: SessionId,
) -> Result<Option<SessionRow>, StoreError> {
    let row = sessions::table.find(id.0).for_update().select(SessionRow::as_select());
    Ok(row.first(&mut connection).await.optional()?)
}

/// Rotates the secret of a locked session.
///
/// # Errors
/// Any database error.
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

/// Confirms that an access token of the newest refresh was used, if the hash of the current secret still has
/// this prefix.
///
/// # Errors
/// Any database error.
pub async fn session_confirm(
    mut connection: &AsyncPgConnection,
    id: SessionId,
    generation: [u8; 4],
) -> Result<(), StoreError> {
    let current = sql::<Bool>("substring(hash FROM 1 FOR 4) = ").bind::<Binary, _>(generation.to_vec());
    diesel::update(sessions::table.find(id.0).filter(sessions::salt.is_not_null()).filter(current))
        .set(sessions::salt.eq(None::<Vec<u8>>))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Ends a session of this account. Returns whether it exists, ended before or now.
///
/// # Errors
/// Any database error.
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

/// Ends all sessions of an account except this one, and voids its transfer codes; returns the identifiers of
/// the sessions.
///
/// # Errors
/// Any database error.
pub async fn session_end_others(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kept: Option<SessionId>,
) -> Result<Vec<Uuid>, StoreError> {
    transfer_code_delete_all(connection, &[account.0]).await?;
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

/// Ends sessions of an account beyond the allowed number; returns their identifiers.
///
/// First those that were never refreshed although their access token has expired, as left by clients that log
/// in each time. Then the least recently used.
///
/// # Errors
/// Any database error.
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

/// Open sessions of an account, most recently used first.
///
/// # Errors
/// Any database error.
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
/// Any database error.
pub async fn session_is_open(mut connection: &AsyncPgConnection, id: SessionId) -> Result<bool, StoreError> {
    let open = sessions::table.find(id.0).filter(sessions::ended_at.is_null()).count();
    Ok(open.get_result::<i64>(&mut connection).await? > 0)
}
