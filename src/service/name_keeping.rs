//! Taking names, so that nobody's passes for another's: under a lock for what a name looks like.

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::ServiceError;
use super::names::look;
use crate::store::StoreError;
use crate::store::account_names::{look_find, look_lock_in_txn};
use crate::store::accounts::{AccountRow, NewAccount, account_insert};

/// Stores an account, if no other's name looks like one of its names.
///
/// # Errors
/// `UsernameTaken`, `DisplayNameTaken`.
pub(super) async fn store_account(
    connection: &AsyncPgConnection,
    new: &NewAccount,
) -> Result<AccountRow, ServiceError> {
    let seen = look(&new.username);
    let looks: Vec<&str> = std::iter::once(seen.as_str()).chain(new.display_skeleton.as_deref()).collect();
    look_lock_in_txn(connection, &looks).await?;
    check_username_look(connection, &seen, new.id).await?;
    // What is wrong with the username is said first: whoever lost an answer and asks again has to hear that it is taken.
    let row = account_insert(connection, new).await.map_err(taken)?;
    if let Some(seen) = &new.display_skeleton {
        check_display_look(connection, seen, new.id).await?;
    }
    Ok(row)
}

/// Keeps a username for an account until the transaction ends, if it does not look like another's display name. That
/// it is nobody's username is for the database to say.
///
/// # Errors
/// `UsernameTaken`.
pub(super) async fn hold_username(
    connection: &AsyncPgConnection,
    username: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    let seen = look(username);
    look_lock_in_txn(connection, &[&seen]).await?;
    check_username_look(connection, &seen, account).await
}

/// Keeps a display name for an account until the transaction ends, if it does not look like another's name.
///
/// # Errors
/// `DisplayNameTaken`.
pub(super) async fn hold_display_name(
    connection: &AsyncPgConnection,
    seen: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    look_lock_in_txn(connection, &[seen]).await?;
    check_display_look(connection, seen, account).await
}

async fn check_username_look(
    connection: &AsyncPgConnection,
    seen: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    let found = look_find(connection, seen, account).await?;
    if found.by_display_name || found.by_username { Err(ServiceError::UsernameTaken) } else { Ok(()) }
}

async fn check_display_look(
    connection: &AsyncPgConnection,
    seen: &str,
    account: Uuid,
) -> Result<(), ServiceError> {
    let found = look_find(connection, seen, account).await?;
    if found.by_display_name || found.by_username { Err(ServiceError::DisplayNameTaken) } else { Ok(()) }
}

/// Which name is in use, where the database refused one.
pub(super) fn taken(error: StoreError) -> ServiceError {
    match error {
        StoreError::Taken(constraint) if constraint == "accounts_display_skeleton_key" => {
            ServiceError::DisplayNameTaken
        }
        StoreError::Taken(_) => ServiceError::UsernameTaken,
        other => other.into(),
    }
}
