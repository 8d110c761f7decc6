//! Deciding a report: by the API, and at the command line.

use chrono::SubsecRound;
use uuid::Uuid;
use yaniv_db::accounts::account_changes::{AccountChange, account_update_in_txn};
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_db::accounts::account_rows::{AccountRow, account_lock};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::dedications::dedication_empty_in_txn;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::moderation::decisions::{DecisionRow, decision_insert_in_txn, decision_lock_in_txn};
use yaniv_db::moderation::reports::{
    ABOUT_NAME, ReportRow, report_close_in_txn, report_find, report_lock_in_txn,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::profiles::current_names;
use crate::kernel::boxed;
use crate::matchmaking::leave_waiting::leave_waiting;
use crate::moderation::decision::{Decision, DecisionKind, NewDecision, named_decisions};
use crate::moderation::moderator::Moderator;
use crate::moderation::suspension::{Ended, suspend};
use crate::{ServiceError, Services};

/// A decision, and what running instances have to learn of it.
pub(crate) struct Decided {
    /// The decision.
    pub(crate) decision: Decision,
    /// Sessions and tokens that were ended.
    pub(crate) ended: Ended,
    /// The names of an account that lost or regained its display name.
    pub(crate) renamed: Option<CurrentNames>,
}

impl Services {
    /// Decides a report. The same decision again, by the same moderator, changes nothing.
    ///
    /// # Errors
    /// `ModeratorOnly`, `ModeratorInvolved`, `ReportNotFound`, `ReportClosed`, `AccountNotFound`, `InvalidField`.
    #[boxed]
    pub async fn decide_report(
        &self,
        moderator: AccountId,
        report: Uuid,
        new: NewDecision,
    ) -> Result<Decision, ServiceError> {
        let moderator = Moderator::Account(moderator);
        let decided = self
            .durably(true, false, move |mut connection, _| {
                let (moderator, new) = (moderator.clone(), new.clone());
                async move { decide(&mut connection, &moderator, report, new).await }
            })
            .await?;
        Ok(self.learn_of(decided))
    }

    /// Makes this instance learn at once what others learn within a second.
    pub(crate) fn learn_of(&self, decided: Decided) -> Decision {
        self.ended.add(decided.ended.sessions);
        self.ended.add(decided.ended.personal_tokens);
        self.match_cache.hear(decided.renamed.into_iter().collect());
        decided.decision
    }
}

/// Decides a report in a transaction.
///
/// # Errors
/// As `Services::decide_report`.
pub(crate) async fn decide(
    connection: &mut Connection,
    moderator: &Moderator,
    report: Uuid,
    new: NewDecision,
) -> Result<Decided, ServiceError> {
    // As it is stored.
    let new = NewDecision { until: new.until.map(|until| until.trunc_subsecs(6)), ..new };
    let suspended = new.kind == DecisionKind::Suspension;
    let (decided, subject) = connection
        .transaction(async |connection| {
            moderator.hold_to_decide(connection).await?;
            let (row, account) = lock_report(connection, moderator, report).await?;
            moderator.check_apart(connection, &row).await?;
            if let Some(done) = known(connection, moderator, &row, &new).await? {
                return Ok((done, row.subject_id));
            }
            // After it, so that a retry gets the same answer even when the time is over.
            new.check(clock_read(connection).await?)?;
            let decided = store(connection, moderator, &row, account, new).await?;
            Ok::<_, ServiceError>((decided, row.subject_id))
        })
        .await?;
    if suspended {
        leave_waiting(connection, AccountId(subject)).await?;
    }
    Ok(decided)
}

/// Locks the account of a report, if it is still there, and then the report.
///
/// # Errors
/// `ReportNotFound`, also if the report is about the moderator or one of the moderator's bots.
pub(crate) async fn lock_report(
    connection: &Connection,
    moderator: &Moderator,
    id: Uuid,
) -> Result<(ReportRow, Option<AccountRow>), ServiceError> {
    // The account never changes. It is locked first, as by its deletion.
    let found = report_find(connection, moderator.own(), id).await?;
    let (found, _) = found.ok_or(ServiceError::ReportNotFound)?;
    let account = account_lock(connection, AccountId(found.subject_id)).await?;
    let row = report_lock_in_txn(connection, id).await?.ok_or(ServiceError::ReportNotFound)?;
    Ok((row, account))
}

/// The decision of an earlier try, or of the same request sent before.
///
/// # Errors
/// `ReportClosed` if another decision stands.
async fn known(
    connection: &Connection,
    moderator: &Moderator,
    row: &ReportRow,
    new: &NewDecision,
) -> Result<Option<Decided>, ServiceError> {
    if row.closed_at.is_none() {
        return Ok(None);
    }
    let id = row.decision_id.ok_or(ServiceError::ReportClosed)?;
    let stored = decision_lock_in_txn(connection, id).await?.ok_or(ServiceError::ReportClosed)?;
    if stored.undone_at.is_some() {
        return Ok(None);
    }
    if !new.is(&stored) || stored.moderator_id.map(AccountId) != moderator.account() {
        return Err(ServiceError::ReportClosed);
    }
    Ok(Some(decided(connection, stored, Ended::default(), None).await?))
}

async fn store(
    connection: &Connection,
    moderator: &Moderator,
    report: &ReportRow,
    account: Option<AccountRow>,
    new: NewDecision,
) -> Result<Decided, ServiceError> {
    let now = clock_read(connection).await?;
    let NewDecision { kind, reason, until } = new;
    let mut row = DecisionRow {
        id: Uuid::now_v7(),
        account_id: report.subject_id,
        kind: kind.as_str().to_owned(),
        reason,
        until,
        match_id: report.match_id,
        round: report.round,
        removed_text: None,
        decided_at: now,
        moderator_id: moderator.account().map(|account| account.0),
        undone_at: None,
    };
    let (mut ended, mut renamed) = (Ended::default(), None);
    match (kind, account) {
        (DecisionKind::Dismissal, _) => {}
        (_, None) => return Err(ServiceError::AccountNotFound),
        (DecisionKind::Warning | DecisionKind::Mute, Some(_)) => {}
        (DecisionKind::Suspension, Some(account)) => ended = suspend_once(connection, &account, &row).await?,
        (DecisionKind::DedicationRemoval, Some(_)) => {
            row.removed_text = Some(remove_dedication(connection, report).await?);
        }
        (DecisionKind::NameRemoval, Some(account)) => {
            row.removed_text = Some(name_to_remove(report, &account)?);
            renamed = Some(remove_name(connection, AccountId(account.id)).await?);
        }
    }
    decision_insert_in_txn(connection, &row).await?;
    report_close_in_txn(connection, report, &row).await?;
    let action = format!("reports.{}", row.kind);
    // The reason is in the decision, from which it can be deleted.
    moderator.note(connection, &action, Some(row.account_id), None).await?;
    decided(connection, row, ended, renamed).await
}

/// A decision with its names.
pub(crate) async fn decided(
    connection: &Connection,
    row: DecisionRow,
    ended: Ended,
    renamed: Option<CurrentNames>,
) -> Result<Decided, ServiceError> {
    let decision = named_decisions(connection, vec![row]).await?.pop().ok_or(ServiceError::ReportNotFound)?;
    Ok(Decided { decision, ended, renamed })
}

/// Suspends. One suspension at a time: undoing a second one would have to bring back the first.
async fn suspend_once(
    connection: &Connection,
    account: &AccountRow,
    row: &DecisionRow,
) -> Result<Ended, ServiceError> {
    if account.is_suspended(row.decided_at) {
        return Err(not_possible("is not possible: the account is suspended already"));
    }
    suspend(connection, AccountId(account.id), row.decided_at, row.until, &row.reason).await
}

/// The display name, unless the report is about another one that the account had then.
fn name_to_remove(report: &ReportRow, account: &AccountRow) -> Result<String, ServiceError> {
    let name = account
        .display_name
        .clone()
        .ok_or(not_possible("is not possible: the account has no display name"))?;
    if report.about == ABOUT_NAME && name != report.seen_text {
        return Err(not_possible("is not possible: the account has another display name now"));
    }
    Ok(name)
}

async fn remove_dedication(connection: &Connection, report: &ReportRow) -> Result<String, ServiceError> {
    let (Some(id), Some(round)) = (report.match_id, report.round) else {
        return Err(not_possible("is not possible: the report is not about a dedication"));
    };
    match_lock(connection, MatchId(id)).await?;
    let removed = dedication_empty_in_txn(connection, MatchId(id), round).await?;
    removed.ok_or(not_possible("is not possible: the dedication has been removed already"))
}

async fn remove_name(connection: &Connection, account: AccountId) -> Result<CurrentNames, ServiceError> {
    let change =
        AccountChange { display_name: Some(None), display_skeleton: Some(None), ..AccountChange::default() };
    Ok(current_names(&account_update_in_txn(connection, account, &change).await?))
}

fn not_possible(detail: &'static str) -> ServiceError {
    ServiceError::InvalidField { field: "kind", detail }
}
