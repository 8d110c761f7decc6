//! Commands of an administrator on reports and moderators. Reports are those of the API
//! (`crate::moderation`).

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::accounts::account_rows::{KIND_PERSON, account_lock};
use yaniv_db::moderation::moderators::{moderator_delete_in_txn, moderator_insert_in_txn, moderator_list};
use yaniv_model::ids::AccountId;

use crate::admin::session::{Admin, named};
use crate::kernel::boxed;
use crate::moderation::decide::decide;
use crate::moderation::decision::{Decision, DecisionKind, NewDecision};
use crate::moderation::queue::{QueueQuery, QueuedReport, list_reports, show_report};
use crate::moderation::undo::undo;
use crate::{Page, ServiceError};

/// A moderator.
pub struct AdminModerator {
    /// Username of the account.
    pub username: String,
    /// When it was added.
    pub added_at: DateTime<Utc>,
}

impl Admin {
    /// A page of the queue.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that was not printed.
    #[boxed]
    pub async fn reports(&self, query: &QueueQuery) -> Result<Page<QueuedReport>, ServiceError> {
        let mut connection = self.connection().await?;
        connection
            .transaction(async |connection| list_reports(connection, &self.moderator(), query).await)
            .await
    }

    /// A report.
    ///
    /// # Errors
    /// `ReportNotFound`.
    #[boxed]
    pub async fn report(&self, id: Uuid) -> Result<QueuedReport, ServiceError> {
        let mut connection = self.connection().await?;
        connection.transaction(async |connection| show_report(connection, &self.moderator(), id).await).await
    }

    /// Decides a report; the reason is that of the command.
    ///
    /// # Errors
    /// `ReportNotFound`, `ReportClosed`, `AccountNotFound`, `InvalidField`.
    #[boxed]
    pub async fn decide_report(
        &self,
        id: Uuid,
        kind: DecisionKind,
        until: Option<DateTime<Utc>>,
    ) -> Result<Decision, ServiceError> {
        let reason = self.given_reason().unwrap_or_default().to_owned();
        let new = NewDecision { kind, reason, until };
        let mut connection = self.connection().await?;
        Ok(decide(&mut connection, &self.moderator(), id, new).await?.decision)
    }

    /// Undoes the decision of a report.
    ///
    /// # Errors
    /// `ReportNotFound`, `ReportOpen`.
    #[boxed]
    pub async fn undo_decision(&self, id: Uuid) -> Result<Decision, ServiceError> {
        let mut connection = self.connection().await?;
        Ok(undo(&mut connection, &self.moderator(), id, self.given_reason()).await?.decision)
    }

    /// Lets an account have tokens with the scope `moderate`; idempotent.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidField` for a bot or a guest.
    #[boxed]
    pub async fn add_moderator(&self, username: &str) -> Result<(), ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let row = named(connection, username).await?;
                if row.kind != KIND_PERSON {
                    let detail = "is a bot or a guest";
                    return Err(ServiceError::InvalidField { field: "username", detail });
                }
                let row = account_lock(connection, AccountId(row.id)).await?;
                let id = row.ok_or(ServiceError::AccountNotFound)?.id;
                moderator_insert_in_txn(connection, AccountId(id)).await?;
                self.note(connection, "moderators.add", Some(id)).await
            })
            .await
    }

    /// Takes the role away, and revokes the tokens with the scope; returns their number. Idempotent.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn remove_moderator(&self, username: &str) -> Result<usize, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = named(connection, username).await?.id;
                // A token that is created meanwhile comes before, and is revoked, or after, and is refused.
                account_lock(connection, AccountId(id)).await?.ok_or(ServiceError::AccountNotFound)?;
                let ended = moderator_delete_in_txn(connection, &[id]).await?;
                self.note(connection, "moderators.remove", Some(id)).await?;
                Ok(ended.len())
            })
            .await
    }

    /// All moderators, by name.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
    pub async fn moderators(&self) -> Result<Vec<AdminModerator>, ServiceError> {
        let rows = self
            .connection()
            .await?
            .transaction(async |connection| {
                self.note(connection, "moderators.list", None).await?;
                Ok::<_, ServiceError>(moderator_list(connection).await?)
            })
            .await?;
        let moderator = |row: yaniv_db::moderation::moderators::ModeratorRow| AdminModerator {
            username: row.username,
            added_at: row.added_at,
        };
        Ok(rows.into_iter().map(moderator).collect())
    }
}
