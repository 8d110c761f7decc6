//! What an administrator does on the command line, past HTTP.
//!
//! Each command is one transaction with an entry of the audit log, those that only look included. Instances that run hear
//! of it like of each other, from the database.
//!
//! Nothing here reads a position: no command can show a live hand.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use rand::seq::IndexedRandom;
use uuid::Uuid;

use super::ServiceError;
use super::creation::CODE_ALPHABET;
use crate::auth::password::Passwords;
use crate::store::accounts::{AccountRow, account_find_by_username};
use crate::store::audit_entries::{AuditEntryRow, audit_entry_insert_in_txn, audit_entry_list};
use crate::store::clock::clock_read;
use crate::store::{Connection, Store};

/// Longest reason, in characters.
const LONGEST_REASON: usize = 500;
/// Longest name of an administrator, in characters.
const LONGEST_NAME: usize = 200;

/// Somebody at the command line.
pub struct Admin {
    pub(super) store: Store,
    pub(super) passwords: Passwords,
    by: String,
    reason: Option<String>,
}

/// An entry of the audit log.
pub struct AuditEntry {
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub by: String,
    /// What.
    pub action: String,
    /// The account or the invitation.
    pub subject: Option<Uuid>,
    /// Name of the account, if it is one and is still there.
    pub username: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

impl Admin {
    /// Somebody who works on this database, under a name, for a reason.
    ///
    /// # Errors
    /// `InvalidField`.
    pub fn new(store: Store, by: String, reason: Option<String>) -> Result<Self, ServiceError> {
        let fits = |text: &str, most| {
            (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
        };
        if !fits(&by, LONGEST_NAME) {
            return Err(ServiceError::InvalidField { field: "as", detail: "has to be 1 to 200 characters" });
        }
        if reason.as_ref().is_some_and(|reason| !fits(reason, LONGEST_REASON)) {
            let detail = "has to be 1 to 500 characters on one line";
            return Err(ServiceError::InvalidField { field: "reason", detail });
        }
        Ok(Self { store, passwords: Passwords::new(1), by, reason })
    }

    /// The newest entries of the audit log, of one account or of all.
    ///
    /// # Errors
    /// `AccountNotFound`, and those of the database.
    pub async fn audit(&self, username: Option<&str>, limit: i64) -> Result<Vec<AuditEntry>, ServiceError> {
        let rows = self
            .connection()
            .await?
            .transaction(async |connection| {
                let account = match username {
                    Some(username) => Some(named(connection, username).await?.id),
                    None => None,
                };
                let rows = audit_entry_list(connection, account, limit).await?;
                self.note(connection, "audit", account).await?;
                Ok::<_, ServiceError>(rows)
            })
            .await?;
        let entry = |(row, username): (AuditEntryRow, Option<String>)| {
            let AuditEntryRow { at, by, action, subject_id: subject, reason, .. } = row;
            AuditEntry { at, by, action, subject, username, reason }
        };
        Ok(rows.into_iter().map(entry).collect())
    }

    pub(super) async fn connection(&self) -> Result<Connection, ServiceError> {
        Ok(self.store.connection().await?)
    }

    /// Why, where a reason has to be given.
    ///
    /// # Errors
    /// `InvalidField`.
    pub(super) fn reason(&self) -> Result<&str, ServiceError> {
        let missing = ServiceError::InvalidField { field: "reason", detail: "has to be given" };
        self.reason.as_deref().ok_or(missing)
    }

    /// Adds an entry to the audit log.
    pub(super) async fn note(
        &self,
        connection: &AsyncPgConnection,
        action: &str,
        subject: Option<Uuid>,
    ) -> Result<(), ServiceError> {
        let entry = AuditEntryRow {
            id: Uuid::now_v7(),
            at: clock_read(connection).await?,
            by: self.by.clone(),
            action: action.to_owned(),
            subject_id: subject,
            reason: self.reason.clone(),
        };
        Ok(audit_entry_insert_in_txn(connection, &entry).await?)
    }
}

/// The account of this name.
///
/// # Errors
/// `AccountNotFound`.
pub(super) async fn named(
    connection: &AsyncPgConnection,
    username: &str,
) -> Result<AccountRow, ServiceError> {
    account_find_by_username(connection, username).await?.ok_or(ServiceError::AccountNotFound)
}

/// Letters by chance in groups, which people can read to each other.
pub(super) fn drawn(groups: usize, length: usize) -> String {
    let letters = |_| -> String {
        let drawn = (0..length).filter_map(|_| CODE_ALPHABET.choose(&mut rand::rng()));
        drawn.map(|letter| char::from(*letter)).collect()
    };
    (0..groups).map(letters).collect::<Vec<_>>().join("-")
}
