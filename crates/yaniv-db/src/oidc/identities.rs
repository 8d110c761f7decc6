//! The linked identity of an account: find, link, unlink.
//!
//! Accounts whose deletion has begun are not found here.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::AccountRow;
use crate::error::StoreError;
use crate::schema::accounts;

/// Finds the account of an identity.
///
/// # Errors
/// Any database error.
pub async fn identity_find(
    mut connection: &AsyncPgConnection,
    issuer: &str,
    subject: &str,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::oidc_issuer.eq(issuer))
        .filter(accounts::oidc_subject.eq(subject))
        .filter(accounts::deletion_asked_at.is_null())
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Finds the account of an identity, and locks it against changes until the transaction ends.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn identity_hold_in_txn(
    mut connection: &AsyncPgConnection,
    issuer: &str,
    subject: &str,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::oidc_issuer.eq(issuer))
        .filter(accounts::oidc_subject.eq(subject))
        .filter(accounts::deletion_asked_at.is_null())
        .for_share()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Links an identity to a locked account in place of an earlier one; none unlinks it.
///
/// # Errors
/// `Taken` if it is the identity of another account.
pub async fn identity_update_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    identity: Option<(&str, &str)>,
) -> Result<(), StoreError> {
    diesel::update(accounts::table.find(account.0))
        .set((
            accounts::oidc_issuer.eq(identity.map(|(issuer, _)| issuer)),
            accounts::oidc_subject.eq(identity.map(|(_, subject)| subject)),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}
