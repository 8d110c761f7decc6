//! Command-line session of an administrator, past HTTP.
//!
//! Each command is one transaction with an entry in the audit log, including those that only read. Running
//! instances learn of changes through the database, as of each other's. No code here reads a position: no
//! command can show a live hand.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_auth::password::Passwords;
use yaniv_db::accounts::account_rows::{AccountRow, account_find_by_username};
use yaniv_db::accounts::audit_log::{AuditEntryRow, audit_entry_list};
use yaniv_db::{Connection, PooledConnection, Store, Transactions};

use crate::ServiceError;
use crate::kernel::boxed;
use crate::moderation::moderator::Moderator;

/// Maximum length of a reason, in characters.
const LONGEST_REASON: usize = 500;
/// Maximum length of an administrator's name, in characters.
const LONGEST_NAME: usize = 200;

/// An administrator at the command line.
pub struct Admin {
    pub(crate) store: Store,
    pub(crate) passwords: Passwords,
    by: String,
    reason: Option<String>,
}

/// An entry of the audit log.
pub struct AuditEntry {
    /// Time of the command.
    pub at: DateTime<Utc>,
    /// Name of the administrator.
    pub by: String,
    /// The command.
    pub action: String,
    /// The account or the invitation.
    pub subject: Option<Uuid>,
    /// Name of the account, if the subject is one that still exists.
    pub username: Option<String>,
    /// Reason given.
    pub reason: Option<String>,
}

impl Admin {
    /// Opens a session on this database, with the administrator's name and reason.
    ///
    /// # Errors
    /// `InvalidField`.
    pub fn new(store: Store, by: String, reason: Option<String>) -> Result<Self, ServiceError> {
        let fits = |text: &str, most| {
            (1..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
        };
        if !fits(&by, LONGEST_NAME) {
            return Err(ServiceError::InvalidField { field: "as", detail: "must be 1 to 200 characters" });
        }
        if reason.as_ref().is_some_and(|reason| !fits(reason, LONGEST_REASON)) {
            let detail = "must be 1 to 500 characters on one line";
            return Err(ServiceError::InvalidField { field: "reason", detail });
        }
        Ok(Self { store, passwords: Passwords::new(1), by, reason })
    }

    /// The newest entries of the audit log, for one account or all.
    ///
    /// # Errors
    /// `AccountNotFound`, and those of the database.
    #[boxed]
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

    pub(crate) async fn connection(&self) -> Result<PooledConnection, ServiceError> {
        Ok(self.store.connection().await?)
    }

    /// The administrator as a moderator.
    pub(crate) fn moderator(&self) -> Moderator {
        Moderator::Administrator(self.by.clone())
    }

    /// The reason, if one was given.
    pub(crate) fn given_reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    /// The reason, for commands that require one.
    ///
    /// # Errors
    /// `InvalidField`.
    pub(crate) fn reason(&self) -> Result<&str, ServiceError> {
        let missing = ServiceError::InvalidField { field: "reason", detail: "must be given" };
        self.given_reason().ok_or(missing)
    }

    /// Adds an entry to the audit log.
    pub(crate) async fn note(
        &self,
        connection: &Connection,
        action: &str,
        subject: Option<Uuid>,
    ) -> Result<(), ServiceError> {
        self.moderator().note(connection, action, subject, self.given_reason()).await
    }
}

/// The account of this name.
///
/// # Errors
/// `AccountNotFound`.
pub(crate) async fn named(connection: &Connection, username: &str) -> Result<AccountRow, ServiceError> {
    account_find_by_username(connection, username).await?.ok_or(ServiceError::AccountNotFound)
}
