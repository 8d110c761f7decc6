//! What moderators read: the queue, one report, the decisions. Each read is in the audit log. What is about
//! their own account and its bots they do not see: who has reported them is not for them.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_rows::{AccountName, account_find_by_username, username_map};
use yaniv_db::moderation::decisions::decision_list;
use yaniv_db::moderation::reports::{ReportWithDecision, report_find, report_list_closed, report_list_open};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::moderation::decision::{Decision, named_decisions};
use crate::moderation::moderator::Moderator;
use crate::moderation::report::Report;
use crate::{Page, ServiceError, Services};

/// A report as moderators see it.
#[derive(Clone, Debug)]
pub struct QueuedReport {
    /// The report.
    pub report: Report,
    /// Name of the reporter; none: the service, or an account that is gone.
    pub reporter: Option<String>,
    /// Whether the service made it.
    pub automatic: bool,
    /// The name or the dedication as it was then.
    pub seen_text: String,
    /// When it was closed.
    pub closed_at: Option<DateTime<Utc>>,
    /// What was decided.
    pub decision: Option<Decision>,
}

/// Which reports are listed.
#[derive(Clone, Debug)]
pub struct QueueQuery {
    /// The closed ones, newest first, instead of the open ones, oldest first.
    pub closed: bool,
    /// Cursor of the page.
    pub cursor: Option<String>,
    /// Maximum number of reports.
    pub limit: i64,
}

impl Services {
    /// A page of the queue.
    ///
    /// # Errors
    /// `ModeratorOnly`; `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn report_queue(
        &self,
        moderator: AccountId,
        query: QueueQuery,
    ) -> Result<Page<QueuedReport>, ServiceError> {
        let moderator = Moderator::Account(moderator);
        let mut connection = self.store.connection().await?;
        connection.transaction(async |connection| list_reports(connection, &moderator, &query).await).await
    }

    /// A report.
    ///
    /// # Errors
    /// `ModeratorOnly`, `ReportNotFound`.
    #[boxed]
    pub async fn queued_report(&self, moderator: AccountId, id: Uuid) -> Result<QueuedReport, ServiceError> {
        let moderator = Moderator::Account(moderator);
        let mut connection = self.store.connection().await?;
        connection.transaction(async |connection| show_report(connection, &moderator, id).await).await
    }

    /// The decisions about an account, or all, newest first.
    ///
    /// # Errors
    /// `ModeratorOnly`, `AccountNotFound`; `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn decisions(
        &self,
        moderator: AccountId,
        username: Option<&str>,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<Decision>, ServiceError> {
        let moderator = Moderator::Account(moderator);
        let asked = PageQuery::new(cursor, limit)?;
        let mut connection = self.store.connection().await?;
        connection
            .transaction(async |connection| list_decisions(connection, &moderator, username, asked).await)
            .await
    }
}

/// A page of the queue.
///
/// # Errors
/// As `Services::report_queue`.
pub(crate) async fn list_reports(
    connection: &Connection,
    moderator: &Moderator,
    query: &QueueQuery,
) -> Result<Page<QueuedReport>, ServiceError> {
    moderator.hold(connection).await?;
    let asked = PageQuery::new(query.cursor.as_deref(), query.limit)?;
    let rows = if query.closed {
        report_list_closed(connection, moderator.own(), asked.after.unwrap_or(Uuid::max()), asked.rows())
            .await?
    } else {
        report_list_open(connection, moderator.own(), asked.after.unwrap_or_default(), asked.rows()).await?
    };
    let Page { items, next_cursor } = asked.page(rows, |(row, _)| row.id);
    moderator.note(connection, "reports.list", None, None).await?;
    Ok(Page { items: queued(connection, items).await?, next_cursor })
}

/// A report.
///
/// # Errors
/// As `Services::queued_report`.
pub(crate) async fn show_report(
    connection: &Connection,
    moderator: &Moderator,
    id: Uuid,
) -> Result<QueuedReport, ServiceError> {
    moderator.hold(connection).await?;
    let found = report_find(connection, moderator.own(), id).await?;
    let found = found.ok_or(ServiceError::ReportNotFound)?;
    moderator.note(connection, "reports.show", Some(found.0.subject_id), None).await?;
    queued(connection, vec![found]).await?.pop().ok_or(ServiceError::ReportNotFound)
}

async fn list_decisions(
    connection: &Connection,
    moderator: &Moderator,
    username: Option<&str>,
    asked: PageQuery<Uuid>,
) -> Result<Page<Decision>, ServiceError> {
    moderator.hold(connection).await?;
    let account = match username {
        Some(name) => {
            let row = account_find_by_username(connection, name).await?;
            Some(AccountId(row.ok_or(ServiceError::AccountNotFound)?.id))
        }
        None => None,
    };
    let before = asked.after.unwrap_or(Uuid::max());
    let rows = decision_list(connection, account, moderator.own(), before, asked.rows()).await?;
    let Page { items, next_cursor } = asked.page(rows, |row| row.id);
    moderator.note(connection, "decisions.list", account.map(|account| account.0), None).await?;
    Ok(Page { items: named_decisions(connection, items).await?, next_cursor })
}

/// Adds the names to reports.
async fn queued(
    connection: &Connection,
    found: Vec<ReportWithDecision>,
) -> Result<Vec<QueuedReport>, ServiceError> {
    let ids = found.iter().flat_map(|(row, _)| [Some(row.subject_id), row.reporter_id]).flatten();
    let names = username_map(connection, &ids.collect::<Vec<_>>()).await?;
    let decisions = found.iter().filter_map(|(_, decision)| decision.clone()).collect::<Vec<_>>();
    let decisions =
        if decisions.is_empty() { Vec::new() } else { named_decisions(connection, decisions).await? };
    let decisions: HashMap<Uuid, Decision> =
        decisions.into_iter().map(|decision| (decision.id, decision)).collect();
    Ok(found.iter().map(|found| queued_of(found, &names, &decisions)).collect())
}

fn queued_of(
    found: &ReportWithDecision,
    names: &HashMap<Uuid, AccountName>,
    decisions: &HashMap<Uuid, Decision>,
) -> QueuedReport {
    let row = &found.0;
    let name = |id: Uuid| names.get(&id).map(|name| name.username.clone());
    QueuedReport {
        report: Report::new(found, name(row.subject_id).unwrap_or_default()),
        reporter: row.reporter_id.and_then(name),
        automatic: row.automatic,
        seen_text: row.seen_text.clone(),
        closed_at: row.closed_at,
        decision: row.decision_id.and_then(|id| decisions.get(&id).cloned()),
    }
}
