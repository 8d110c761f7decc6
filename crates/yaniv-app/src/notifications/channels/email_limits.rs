//! Limits of codes by e-mail. They are counted by address and by account, whatever becomes of the channels: otherwise an
//! account that deletes its channel could send e-mails to strangers without end.

use chrono::TimeDelta;
use sha2::{Digest, Sha256};
use yaniv_db::Connection;
use yaniv_db::kernel::counters::{CountKey, Counted};
use yaniv_db::notifications::email_counts::email_count_in_txn;
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::notifications::channels::kinds::Kind;

/// Maximum number of codes of a kind that an address gets within `CODES_WITHIN`. A reset of the passwords of several
/// accounts counts once.
const MOST_CODES: i32 = 3;
/// The period of `MOST_CODES`, and of the codes that all instances together send to new addresses.
pub const CODES_WITHIN: TimeDelta = TimeDelta::hours(1);
/// Maximum number of new addresses of an account within `ADDRESSES_WITHIN`.
const MOST_ADDRESSES: i32 = 5;
/// The period of `MOST_ADDRESSES`; the longest.
pub const ADDRESSES_WITHIN: TimeDelta = TimeDelta::days(1);

/// Counts a code to an address.
///
/// # Errors
/// `TooManyEmails`.
pub(crate) async fn count_code_in_txn(
    connection: &Connection,
    kind: Kind,
    address: &str,
) -> Result<(), ServiceError> {
    let key = key(&[b"code", kind.name().as_bytes(), address.to_ascii_lowercase().as_bytes()]);
    let counted = email_count_in_txn(connection, &key, MOST_CODES, CODES_WITHIN).await?;
    within(counted, ServiceError::TooManyEmails)
}

/// Counts a new address of an account.
///
/// # Errors
/// `TooManyAddresses`.
pub(crate) async fn count_address_in_txn(
    connection: &Connection,
    account: AccountId,
) -> Result<(), ServiceError> {
    let key = key(&[b"address", account.0.as_bytes()]);
    let counted = email_count_in_txn(connection, &key, MOST_ADDRESSES, ADDRESSES_WITHIN).await?;
    within(counted, ServiceError::TooManyAddresses)
}

/// Counts a code to an unverified address, for all accounts and instances together.
///
/// # Errors
/// `EmailsFull`.
pub(crate) async fn count_new_code_in_txn(connection: &Connection, most: u16) -> Result<(), ServiceError> {
    let counted = email_count_in_txn(connection, &key(&[b"all"]), most.into(), CODES_WITHIN).await?;
    within(counted, ServiceError::EmailsFull)
}

fn within(counted: Counted, error: impl FnOnce(TimeDelta) -> ServiceError) -> Result<(), ServiceError> {
    match counted {
        Counted::Yes(_) => Ok(()),
        Counted::No(wait) => Err(error(wait)),
    }
}

fn key(parts: &[&[u8]]) -> CountKey {
    let mut hash = Sha256::new();
    hash.update(b"yaniv e-mails");
    for part in parts {
        hash.update(b" ");
        hash.update(part);
    }
    hash.finalize().into()
}
