//! Reservation of names under a lock on their skeleton, so that no two accounts have names that look alike.
//! The form of names is checked in `accounts::names`.

use uuid::Uuid;
use yaniv_db::accounts::account_names::{look_find, look_lock_in_txn};
use yaniv_db::accounts::account_rows::{AccountRow, NewAccount, account_insert};
use yaniv_db::{Connection, StoreError};

use crate::ServiceError;
use crate::accounts::names::look;

/// Stores an account if neither of its names looks like one of another account.
///
/// # Errors
/// `UsernameTaken`, `DisplayNameTaken`.
pub(crate) async fn store_account(
    connection: &Connection,
    new: &NewAccount,
) -> Result<AccountRow, ServiceError> {
    let seen = look(&new.username);
    let looks: Vec<&str> = std::iter::once(seen.as_str()).chain(new.display_skeleton.as_deref()).collect();
    look_lock_in_txn(connection, &looks).await?;
    check_username_look(connection, &seen, new.id).await?;
    // The username is checked first: a client that retries after a lost response has to get `UsernameTaken`.
    let row = account_insert(connection, new).await.map_err(taken)?;
    if let Some(seen) = &new.display_skeleton {
        check_display_look(connection, seen, new.id).await?;
    }
    Ok(row)
}

/// Reserves a username until the transaction ends, if it looks like no other account's display name.
///
/// Its uniqueness among usernames is checked by the database.
///
/// # Errors
/// `UsernameTaken`.
pub(crate) async fn hold_username(
    connection: &Connection,
    username: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    let seen = look(username);
    look_lock_in_txn(connection, &[&seen]).await?;
    check_username_look(connection, &seen, account).await
}

/// Reserves a display name until the transaction ends, if it looks like no other account's name.
///
/// # Errors
/// `DisplayNameTaken`.
pub(crate) async fn hold_display_name(
    connection: &Connection,
    seen: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    look_lock_in_txn(connection, &[seen]).await?;
    check_display_look(connection, seen, account).await
}

async fn check_username_look(connection: &Connection, seen: &str, account: Uuid) -> Result<(), ServiceError> {
    let found = look_find(connection, seen, account).await?;
    if found.by_display_name || found.by_username { Err(ServiceError::UsernameTaken) } else { Ok(()) }
}

async fn check_display_look(connection: &Connection, seen: &str, account: Uuid) -> Result<(), ServiceError> {
    let found = look_find(connection, seen, account).await?;
    if found.by_display_name || found.by_username { Err(ServiceError::DisplayNameTaken) } else { Ok(()) }
}

/// Maps a violated unique constraint to the name that is in use.
pub(crate) fn taken(error: StoreError) -> ServiceError {
    match error {
        StoreError::Taken(constraint) if constraint == "accounts_display_skeleton_key" => {
            ServiceError::DisplayNameTaken
        }
        StoreError::Taken(_) => ServiceError::UsernameTaken,
        other => other.into(),
    }
}
