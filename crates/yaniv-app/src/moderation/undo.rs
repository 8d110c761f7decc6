//! Undoing a decision: gives back what can be given back. The report can then be decided again.

use uuid::Uuid;
use yaniv_db::accounts::account_changes::{AccountChange, account_update_in_txn};
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_db::accounts::account_rows::AccountRow;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::dedications::dedication_set_in_txn;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::moderation::decisions::{
    DecisionRow, KIND_DEDICATION_REMOVAL, KIND_NAME_REMOVAL, KIND_SUSPENSION, decision_lock_in_txn,
    decision_undo_in_txn,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::name_registry::hold_display_name;
use crate::accounts::names::check_display_name;
use crate::accounts::profiles::current_names;
use crate::kernel::boxed;
use crate::moderation::decide::{Decided, decided, lock_report};
use crate::moderation::decision::Decision;
use crate::moderation::moderator::Moderator;
use crate::moderation::suspension::{Ended, restore};
use crate::{ServiceError, Services};

impl Services {
    /// Undoes the decision of a report; idempotent.
    ///
    /// # Errors
    /// `ModeratorOnly`, `ModeratorInvolved`, `ReportNotFound`; `ReportOpen` if nothing has been decided.
    #[boxed]
    pub async fn undo_decision(&self, moderator: AccountId, report: Uuid) -> Result<Decision, ServiceError> {
        let moderator = Moderator::Account(moderator);
        let undone = self
            .durably(true, false, move |mut connection, _| {
                let moderator = moderator.clone();
                async move { undo(&mut connection, &moderator, report, None).await }
            })
            .await?;
        Ok(self.learn_of(undone))
    }
}

/// Undoes the decision of a report in a transaction; the reason is for the audit log.
///
/// # Errors
/// As `Services::undo_decision`.
pub(crate) async fn undo(
    connection: &mut Connection,
    moderator: &Moderator,
    report: Uuid,
    reason: Option<&str>,
) -> Result<Decided, ServiceError> {
    connection
        .transaction(async |connection| {
            moderator.hold_to_decide(connection).await?;
            let (row, account) = lock_report(connection, moderator, report).await?;
            moderator.check_apart(connection, &row).await?;
            let id = row.decision_id.ok_or(ServiceError::ReportOpen)?;
            let mut row = decision_lock_in_txn(connection, id).await?.ok_or(ServiceError::ReportOpen)?;
            let mut renamed = None;
            if row.undone_at.is_none() {
                if let Some(account) = account {
                    renamed = give_back(connection, &account, &row).await?;
                }
                let now = clock_read(connection).await?;
                decision_undo_in_txn(connection, id, now).await?;
                row.undone_at = Some(now);
                moderator.note(connection, "reports.undo", Some(row.account_id), reason).await?;
            }
            decided(connection, row, Ended::default(), renamed).await
        })
        .await
}

/// Gives back what a decision took; returns the account's names if they changed.
async fn give_back(
    connection: &Connection,
    account: &AccountRow,
    row: &DecisionRow,
) -> Result<Option<CurrentNames>, ServiceError> {
    match (row.kind.as_str(), &row.removed_text, row.match_id.zip(row.round)) {
        // A later suspension stays.
        (KIND_SUSPENSION, ..) if account.suspended_at == Some(row.decided_at) => {
            restore(connection, AccountId(account.id)).await?;
            Ok(None)
        }
        (KIND_DEDICATION_REMOVAL, Some(text), Some((id, round))) => {
            match_lock(connection, MatchId(id)).await?;
            dedication_set_in_txn(connection, MatchId(id), round, text).await?;
            Ok(None)
        }
        (KIND_NAME_REMOVAL, Some(name), _) if account.display_name.is_none() => {
            restore_name(connection, account, name).await
        }
        _ => Ok(None),
    }
}

/// Gives a display name back, unless another account has one that looks like it.
async fn restore_name(
    connection: &Connection,
    account: &AccountRow,
    name: &str,
) -> Result<Option<CurrentNames>, ServiceError> {
    let Ok(seen) = check_display_name(name) else { return Ok(None) };
    match hold_display_name(connection, &seen, account.id).await {
        Err(ServiceError::DisplayNameTaken) => return Ok(None),
        other => other?,
    }
    let change = AccountChange {
        display_name: Some(Some(name.to_owned())),
        display_skeleton: Some(Some(seen)),
        ..AccountChange::default()
    };
    let row = account_update_in_txn(connection, AccountId(account.id), &change).await?;
    Ok(Some(current_names(&row)))
}
