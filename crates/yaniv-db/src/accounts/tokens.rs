//! Rows of `personal_tokens`: API tokens for bots, scripts and apps. The token format is defined in the application
//! layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, TokenId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{accounts, personal_tokens};

/// A token as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = personal_tokens)]
pub struct PersonalTokenRow {
    /// Identifier.
    pub id: Uuid,
    /// Account that the token authenticates.
    pub account_id: Uuid,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// Last use, to the day; to the minute in older rows.
    pub last_used_at: Option<DateTime<Utc>>,
    /// When it was revoked.
    pub ended_at: Option<DateTime<Utc>>,
    /// Scope bits: 1 read, 2 play, 4 account.
    pub scopes: i16,
    /// Name given by the owner, or the `client_id` of the app.
    pub name: String,
    /// Hash of the secret.
    pub hash: Vec<u8>,
    /// Origin or scheme of the app that got it by OAuth.
    pub issued_to: Option<String>,
}

/// Stores a new token; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn personal_token_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &PersonalTokenRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(personal_tokens::table).values(new.clone());
    insert.on_conflict(personal_tokens::id).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// Valid tokens of an account, newest first.
///
/// # Errors
/// Any database error.
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

/// The valid token with this hash, and the current time.
///
/// # Errors
/// Any database error.
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

/// A token, valid or not.
///
/// # Errors
/// Any database error.
pub async fn personal_token_find_by_id(
    mut connection: &AsyncPgConnection,
    id: TokenId,
) -> Result<Option<PersonalTokenRow>, StoreError> {
    let found = personal_tokens::table.find(id.0).select(PersonalTokenRow::as_select());
    Ok(found.first(&mut connection).await.optional()?)
}

/// Whether a token is valid: neither revoked nor expired.
///
/// # Errors
/// Any database error.
pub async fn personal_token_is_valid(
    mut connection: &AsyncPgConnection,
    id: TokenId,
) -> Result<bool, StoreError> {
    let valid = personal_tokens::table
        .find(id.0)
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::expires_at.gt(clock_timestamp()))
        .count();
    Ok(valid.get_result::<i64>(&mut connection).await? > 0)
}

/// Records that a token was used.
///
/// # Errors
/// Any database error.
pub async fn personal_token_touch(
    mut connection: &AsyncPgConnection,
    id: TokenId,
    day: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(personal_tokens::table.find(id.0))
        .filter(personal_tokens::last_used_at.is_null().or(personal_tokens::last_used_at.lt(day)))
        .set(personal_tokens::last_used_at.eq(day))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Revokes a token of this account. Returns whether it exists, revoked before or now.
///
/// # Errors
/// Any database error.
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

/// Revokes all tokens of an account and its bots except this one; returns their identifiers.
///
/// # Errors
/// Any database error.
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
