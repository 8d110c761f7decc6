//! Rows of `reports`: what players, or the service itself, report for moderators.

use chrono::{DateTime, Utc};
use diesel::dsl::not;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::moderation::decisions::DecisionRow;
use crate::moderation::moderators::account_with_bots;
use crate::schema::{moderation_decisions, reports};

/// `about` of a report on a player's conduct.
pub const ABOUT_PLAYER: &str = "player";
/// `about` of a report on a name.
pub const ABOUT_NAME: &str = "name";
/// `about` of a report on a dedication.
pub const ABOUT_DEDICATION: &str = "dedication";
/// `about` of a report on the play in a match.
pub const ABOUT_MATCH: &str = "match";

/// A report as it is stored.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = reports)]
pub struct ReportRow {
    /// Identifier.
    pub id: Uuid,
    /// Who reports; none: the service, or an account that is gone.
    pub reporter_id: Option<Uuid>,
    /// The account that it is about.
    pub subject_id: Uuid,
    /// `ABOUT_…`.
    pub about: String,
    /// Code of the reason.
    pub reason: String,
    /// The match, if it is about one.
    pub match_id: Option<Uuid>,
    /// The round of the dedication.
    pub round: Option<i16>,
    /// Words of the reporter; empty without.
    pub comment: String,
    /// The name or the dedication as it was then.
    pub seen_text: String,
    /// Whether the service made it.
    pub automatic: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was closed.
    pub closed_at: Option<DateTime<Utc>>,
    /// What was decided.
    pub decision_id: Option<Uuid>,
}

/// A report, and what was decided.
pub type ReportWithDecision = (ReportRow, Option<DecisionRow>);

/// Stores a report; `false` if the reporter, or the service, has an open one about the same.
///
/// # Errors
/// Any database error.
pub async fn report_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &ReportRow,
) -> Result<bool, StoreError> {
    let insert = diesel::insert_into(reports::table).values(new.clone());
    Ok(insert.on_conflict_do_nothing().execute(&mut connection).await? > 0)
}

/// The open report of the same reporter about the same.
///
/// # Errors
/// Any database error.
pub async fn report_find_same(
    mut connection: &AsyncPgConnection,
    new: &ReportRow,
) -> Result<Option<ReportRow>, StoreError> {
    Ok(reports::table
        .filter(reports::subject_id.eq(new.subject_id))
        .filter(reports::reason.eq(&new.reason))
        .filter(reports::about.eq(&new.about))
        .filter(reports::reporter_id.eq(new.reporter_id))
        .filter(reports::match_id.is_not_distinct_from(new.match_id))
        .filter(reports::round.is_not_distinct_from(new.round))
        .filter(reports::closed_at.is_null())
        .select(ReportRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// A report, locked for its decision.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn report_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<ReportRow>, StoreError> {
    let row = reports::table.find(id).for_no_key_update().select(ReportRow::as_select());
    Ok(row.first(&mut connection).await.optional()?)
}

/// A report with its decision, unless it is about this account or one of its bots.
///
/// # Errors
/// Any database error.
pub async fn report_find(
    mut connection: &AsyncPgConnection,
    without: Uuid,
    id: Uuid,
) -> Result<Option<ReportWithDecision>, StoreError> {
    Ok(reports::table
        .find(id)
        .left_join(moderation_decisions::table)
        .filter(not(reports::subject_id.eq_any(account_with_bots(without))))
        .select((ReportRow::as_select(), Option::<DecisionRow>::as_select()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// A page of the reports of an account before an identifier, newest first.
///
/// # Errors
/// Any database error.
pub async fn report_list_of_reporter(
    mut connection: &AsyncPgConnection,
    reporter: AccountId,
    before: Uuid,
    limit: i64,
) -> Result<Vec<ReportWithDecision>, StoreError> {
    Ok(reports::table
        .left_join(moderation_decisions::table)
        .filter(reports::reporter_id.eq(reporter.0))
        .filter(reports::id.lt(before))
        .order(reports::id.desc())
        .limit(limit)
        .select((ReportRow::as_select(), Option::<DecisionRow>::as_select()))
        .load(&mut connection)
        .await?)
}

/// A page of the open reports after an identifier, oldest first, without those about an account
/// and its bots.
///
/// # Errors
/// Any database error.
pub async fn report_list_open(
    mut connection: &AsyncPgConnection,
    without: Uuid,
    after: Uuid,
    limit: i64,
) -> Result<Vec<ReportWithDecision>, StoreError> {
    Ok(reports::table
        .left_join(moderation_decisions::table)
        .filter(reports::closed_at.is_null())
        .filter(not(reports::subject_id.eq_any(account_with_bots(without))))
        .filter(reports::id.gt(after))
        .order(reports::id)
        .limit(limit)
        .select((ReportRow::as_select(), Option::<DecisionRow>::as_select()))
        .load(&mut connection)
        .await?)
}

/// A page of the closed reports before an identifier, newest first, without those about an account
/// and its bots.
///
/// # Errors
/// Any database error.
pub async fn report_list_closed(
    mut connection: &AsyncPgConnection,
    without: Uuid,
    before: Uuid,
    limit: i64,
) -> Result<Vec<ReportWithDecision>, StoreError> {
    Ok(reports::table
        .left_join(moderation_decisions::table)
        .filter(reports::closed_at.is_not_null())
        .filter(not(reports::subject_id.eq_any(account_with_bots(without))))
        .filter(reports::id.lt(before))
        .order(reports::id.desc())
        .limit(limit)
        .select((ReportRow::as_select(), Option::<DecisionRow>::as_select()))
        .load(&mut connection)
        .await?)
}

/// Closes a report by a decision, and those of others about the same that are open or were closed with it before.
///
/// # Errors
/// Any database error.
pub async fn report_close_in_txn(
    mut connection: &AsyncPgConnection,
    report: &ReportRow,
    decision: &DecisionRow,
) -> Result<(), StoreError> {
    let same = reports::subject_id
        .eq(report.subject_id)
        .and(reports::reason.eq(&report.reason))
        .and(reports::about.eq(&report.about))
        .and(reports::match_id.is_not_distinct_from(report.match_id))
        .and(reports::round.is_not_distinct_from(report.round))
        .and(reports::closed_at.is_null().or(reports::decision_id.eq(report.decision_id)));
    diesel::update(reports::table.filter(reports::id.eq(report.id).or(same)))
        .set((reports::closed_at.eq(decision.decided_at), reports::decision_id.eq(decision.id)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Erases an account from the reports: from its own, who made them and their words; of those about it, all
/// texts, and they are closed.
///
/// # Errors
/// Any database error.
pub async fn report_erase_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::update(reports::table.filter(reports::subject_id.eq(account.0)))
        .set((reports::comment.eq(""), reports::seen_text.eq("")))
        .execute(&mut connection)
        .await?;
    diesel::update(
        reports::table.filter(reports::subject_id.eq(account.0)).filter(reports::closed_at.is_null()),
    )
    .set(reports::closed_at.eq(clock_timestamp().nullable()))
    .execute(&mut connection)
    .await?;
    diesel::update(reports::table.filter(reports::reporter_id.eq(account.0)))
        .set((reports::comment.eq(""), reports::reporter_id.eq(None::<Uuid>)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
