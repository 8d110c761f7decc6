//! Who moderates, and the entries of the audit log, which also has the reads of moderators.

use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::accounts::audit_log::{AuditEntryRow, audit_entry_insert_in_txn};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::moderation::moderators::moderator_hold_in_txn;
use yaniv_db::moderation::reports::ReportRow;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// Who moderates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moderator {
    /// A moderator, by the API.
    Account(AccountId),
    /// An administrator of this name, at the command line.
    Administrator(String),
}

impl Moderator {
    /// The account, if it is one.
    pub(crate) fn account(&self) -> Option<AccountId> {
        match self {
            Self::Account(account) => Some(*account),
            Self::Administrator(_) => None,
        }
    }

    /// The account about which, and about whose bots, it reads and decides nothing: its own, or none.
    pub(crate) fn own(&self) -> Uuid {
        self.account().map_or(Uuid::nil(), |account| account.0)
    }

    /// Checks that it is a moderator, and stays one until the transaction ends.
    ///
    /// # Errors
    /// `ModeratorOnly`.
    pub(crate) async fn hold(&self, connection: &Connection) -> Result<(), ServiceError> {
        match self {
            Self::Account(account) => hold_moderator(connection, *account).await,
            Self::Administrator(_) => Ok(()),
        }
    }

    /// The same before a decision, which refers to its account: accounts are locked first, as by their deletion.
    ///
    /// # Errors
    /// `ModeratorOnly`.
    pub(crate) async fn hold_to_decide(&self, connection: &Connection) -> Result<(), ServiceError> {
        if let Self::Account(account) = self {
            account_keep_in_txn(connection, &[account.0]).await?;
        }
        self.hold(connection).await
    }

    /// Checks that it may decide a report: a moderator has not filed it, and it is not about another moderator, who could
    /// answer in kind. An administrator decides every report.
    ///
    /// # Errors
    /// `ModeratorInvolved`.
    pub(crate) async fn check_apart(
        &self,
        connection: &Connection,
        report: &ReportRow,
    ) -> Result<(), ServiceError> {
        let Self::Account(account) = self else { return Ok(()) };
        let about_moderator = moderator_hold_in_txn(connection, AccountId(report.subject_id)).await?;
        if about_moderator || report.reporter_id == Some(account.0) {
            return Err(ServiceError::ModeratorInvolved);
        }
        Ok(())
    }

    /// Adds an entry to the audit log.
    pub(crate) async fn note(
        &self,
        connection: &Connection,
        action: &str,
        subject: Option<Uuid>,
        reason: Option<&str>,
    ) -> Result<(), ServiceError> {
        let by = match self {
            Self::Account(account) => format!("moderator {account}"),
            Self::Administrator(name) => name.clone(),
        };
        let entry = AuditEntryRow {
            id: Uuid::now_v7(),
            at: clock_read(connection).await?,
            by,
            action: action.to_owned(),
            subject_id: subject,
            reason: reason.filter(|reason| !reason.is_empty()).map(str::to_owned),
        };
        Ok(audit_entry_insert_in_txn(connection, &entry).await?)
    }
}

async fn hold_moderator(connection: &Connection, account: AccountId) -> Result<(), ServiceError> {
    if moderator_hold_in_txn(connection, account).await? { Ok(()) } else { Err(ServiceError::ModeratorOnly) }
}
