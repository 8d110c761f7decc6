//! Rows of `moderation_decisions`: what moderators have decided about accounts.

use chrono::{DateTime, Utc};
use diesel::dsl::not;
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::moderation::moderators::account_with_bots;
use crate::schema::moderation_decisions;

/// A decision as it is stored.
#[derive(Clone, Debug, Insertable, Queryable, Selectable)]
#[diesel(table_name = moderation_decisions)]
pub struct DecisionRow {
    /// Identifier.
    pub id: Uuid,
    /// The account that it is about.
    pub account_id: Uuid,
    /// `KIND_…`.
    pub kind: String,
    /// Why; the account sees it, except of a dismissal.
    pub reason: String,
    /// When a mute or a suspension ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// The match of the report.
    pub match_id: Option<Uuid>,
    /// The round of the dedication.
    pub round: Option<i16>,
    /// The text that was removed.
    pub removed_text: Option<String>,
    /// When it was made.
    pub decided_at: DateTime<Utc>,
    /// The moderator; none: an administrator.
    pub moderator_id: Option<Uuid>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
}

/// `kind` of a decision that nothing is done.
pub const KIND_DISMISSAL: &str = "dismissal";
/// `kind` of a warning.
pub const KIND_WARNING: &str = "warning";
/// `kind` of a mute.
pub const KIND_MUTE: &str = "mute";
/// `kind` of a suspension.
pub const KIND_SUSPENSION: &str = "suspension";
/// `kind` of the removal of a dedication.
pub const KIND_DEDICATION_REMOVAL: &str = "dedication_removal";
/// `kind` of the removal of a display name.
pub const KIND_NAME_REMOVAL: &str = "name_removal";

/// Stores a decision.
///
/// # Errors
/// Any database error.
pub async fn decision_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &DecisionRow,
) -> Result<(), StoreError> {
    diesel::insert_into(moderation_decisions::table).values(new.clone()).execute(&mut connection).await?;
    Ok(())
}

/// A decision, locked until the transaction ends.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn decision_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<DecisionRow>, StoreError> {
    let row = moderation_decisions::table.find(id).for_no_key_update().select(DecisionRow::as_select());
    Ok(row.first(&mut connection).await.optional()?)
}

/// Marks a decision as undone.
///
/// # Errors
/// Any database error.
pub async fn decision_undo_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(moderation_decisions::table.find(id))
        .set(moderation_decisions::undone_at.eq(at))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// A page of the decisions before an identifier, newest first: about one account, or about all but one.
///
/// # Errors
/// Any database error.
pub async fn decision_list(
    mut connection: &AsyncPgConnection,
    account: Option<AccountId>,
    without: Uuid,
    before: Uuid,
    limit: i64,
) -> Result<Vec<DecisionRow>, StoreError> {
    let mut query = moderation_decisions::table
        .filter(moderation_decisions::id.lt(before))
        .filter(not(moderation_decisions::account_id.eq_any(account_with_bots(without))))
        .order(moderation_decisions::id.desc())
        .limit(limit)
        .select(DecisionRow::as_select())
        .into_boxed();
    if let Some(account) = account {
        query = query.filter(moderation_decisions::account_id.eq(account.0));
    }
    Ok(query.load(&mut connection).await?)
}

/// A page of the sanctions of an account before an identifier, newest first.
///
/// # Errors
/// Any database error.
pub async fn sanction_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    before: Uuid,
    limit: i64,
) -> Result<Vec<DecisionRow>, StoreError> {
    Ok(moderation_decisions::table
        .filter(moderation_decisions::account_id.eq(account.0))
        .filter(moderation_decisions::kind.ne(KIND_DISMISSAL))
        .filter(moderation_decisions::id.lt(before))
        .order(moderation_decisions::id.desc())
        .limit(limit)
        .select(DecisionRow::as_select())
        .load(&mut connection)
        .await?)
}

/// When the mute of an account ends, or of the owner of a bot; none: it is not muted.
///
/// # Errors
/// Any database error.
pub async fn muted_until(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = Nullable<Timestamptz>)]
        until: Option<DateTime<Utc>>,
    }
    let found: Found = diesel::sql_query(
        "SELECT max(until) AS until FROM moderation_decisions WHERE kind = 'mute' AND undone_at IS NULL \
         AND until > clock_timestamp() AND account_id IN \
         (SELECT id FROM accounts WHERE id = $1 UNION SELECT owner_id FROM accounts WHERE id = $1)",
    )
    .bind::<SqlUuid, _>(account.0)
    .get_result(&mut connection)
    .await?;
    Ok(found.until)
}

/// Erases the texts of the decisions about an account.
///
/// # Errors
/// Any database error.
pub async fn decision_erase_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::update(moderation_decisions::table.filter(moderation_decisions::account_id.eq(account.0)))
        .set((moderation_decisions::reason.eq(""), moderation_decisions::removed_text.eq(None::<String>)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
