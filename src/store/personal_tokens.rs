//! Rows of `personal_tokens`: tokens for bots and scripts. What a token looks like is not known here.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::{accounts, personal_tokens};
use crate::ids::{AccountId, TokenId};

/// A token as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = personal_tokens)]
pub struct PersonalTokenRow {
    /// Its identifier.
    pub id: Uuid,
    /// Whom it speaks for.
    pub account_id: Uuid,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it stops being accepted.
    pub expires_at: DateTime<Utc>,
    /// Newest use, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub ended_at: Option<DateTime<Utc>>,
    /// Bits: 1 read, 2 play, 4 account.
    pub scopes: i16,
    /// What its owner calls it.
    pub name: String,
    /// Of its secret.
    pub hash: Vec<u8>,
}

/// Stores a new token; the same one again changes nothing.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &PersonalTokenRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(personal_tokens::table).values(new.clone());
    insert.on_conflict(personal_tokens::id).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// Tokens of an account that are good, the newest at the top.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<PersonalTokenRow>, StoreError> {
    Ok(personal_tokens::table
        .filter(personal_tokens::account_id.eq(account.0))
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::expires_at.gt(clock_timestamp()))
        .order(personal_tokens::id.desc())
        .select(PersonalTokenRow::as_select())
        .load(&mut connection)
        .await?)
}

/// The good token of a hash, with the time now.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_find(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
) -> Result<Option<(PersonalTokenRow, DateTime<Utc>)>, StoreError> {
    Ok(personal_tokens::table
        .filter(personal_tokens::hash.eq(hash))
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::expires_at.gt(clock_timestamp()))
        .select((PersonalTokenRow::as_select(), clock_timestamp()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// Notes that a token is used.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_touch(
    mut connection: &AsyncPgConnection,
    id: TokenId,
    minute: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(personal_tokens::table.find(id.0))
        .filter(personal_tokens::last_used_at.is_null().or(personal_tokens::last_used_at.lt(minute)))
        .set(personal_tokens::last_used_at.eq(minute))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Revokes a token of this account. Whether there is one, revoked before or now.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_end(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: TokenId,
) -> Result<bool, StoreError> {
    let of_account = personal_tokens::table.find(id.0).filter(personal_tokens::account_id.eq(account.0));
    diesel::update(of_account.filter(personal_tokens::ended_at.is_null()))
        .set(personal_tokens::ended_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    let found: i64 = of_account.count().get_result(&mut connection).await?;
    Ok(found > 0)
}

/// Revokes all tokens of an account and of its bots but this one, and says which.
///
/// # Errors
/// Only those of the database.
pub async fn personal_token_end_others(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kept: Option<TokenId>,
) -> Result<Vec<Uuid>, StoreError> {
    let kept = kept.map_or(Uuid::nil(), |kept| kept.0);
    let bots = accounts::table.filter(accounts::owner_id.eq(account.0)).select(accounts::id);
    let of_bots = personal_tokens::account_id.eq_any(bots);
    let others = personal_tokens::table
        .filter(personal_tokens::account_id.eq(account.0).or(of_bots))
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::id.ne(kept));
    Ok(diesel::update(others)
        .set(personal_tokens::ended_at.eq(clock_timestamp().nullable()))
        .returning(personal_tokens::id)
        .get_results(&mut connection)
        .await?)
}
