//! Rows of `authorization_codes`: codes that apps exchange for tokens. The form of a code is in the application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, TokenId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{authorization_codes, sessions};

/// A code as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = authorization_codes)]
pub struct AuthorizationCodeRow {
    /// Hash of the secret.
    pub hash: Vec<u8>,
    /// The session in which the player allowed the app.
    pub session_id: Uuid,
    /// What the app calls itself.
    pub client_id: String,
    /// Where the code was sent.
    pub redirect_uri: String,
    /// SHA-256 of the code verifier.
    pub code_challenge: Vec<u8>,
    /// Scope bits: 1 read, 2 play, 4 account.
    pub scopes: i16,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// The token that it was exchanged for.
    pub token_id: Option<Uuid>,
}

/// Stores a code; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn authorization_code_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &AuthorizationCodeRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(authorization_codes::table).values(row.clone());
    insert.on_conflict(authorization_codes::hash).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// A code, which may have expired or been used, and the account of its session.
///
/// # Errors
/// Any database error.
pub async fn authorization_code_find(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
) -> Result<Option<(AuthorizationCodeRow, AccountId)>, StoreError> {
    let found: Option<(AuthorizationCodeRow, Uuid)> = authorization_codes::table
        .inner_join(sessions::table)
        .filter(authorization_codes::hash.eq(hash))
        .select((AuthorizationCodeRow::as_select(), sessions::account_id))
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found.map(|(row, account)| (row, AccountId(account))))
}

/// Uses a code up: it was exchanged for this token.
///
/// # Errors
/// Any database error.
pub async fn authorization_code_use_in_txn(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
    token: TokenId,
) -> Result<(), StoreError> {
    diesel::update(authorization_codes::table.find(hash))
        .set(authorization_codes::token_id.eq(token.0))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the codes of these accounts.
///
/// # Errors
/// Any database error.
pub async fn authorization_code_delete_all(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    let own = sessions::table.filter(sessions::account_id.eq_any(accounts)).select(sessions::id);
    diesel::delete(authorization_codes::table.filter(authorization_codes::session_id.eq_any(own)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes expired codes.
///
/// # Errors
/// Any database error.
pub async fn authorization_code_forget(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::delete(authorization_codes::table.filter(authorization_codes::expires_at.lt(clock_timestamp())))
        .execute(&mut connection)
        .await?;
    Ok(())
}
