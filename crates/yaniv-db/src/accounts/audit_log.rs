//! Rows of `audit_entries`: actions and reads by administrators. Append-only, enforced by the database.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::{accounts, audit_entries};

/// An entry as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = audit_entries)]
pub struct AuditEntryRow {
    /// Identifier.
    pub id: Uuid,
    /// Time of the action.
    pub at: DateTime<Utc>,
    /// The administrator.
    pub by: String,
    /// The action.
    pub action: String,
    /// The account or the invitation it concerns.
    pub subject_id: Option<Uuid>,
    /// The reason.
    pub reason: Option<String>,
}

/// Adds an entry.
///
/// # Errors
/// Any database error.
pub async fn audit_entry_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &AuditEntryRow,
) -> Result<(), StoreError> {
    diesel::insert_into(audit_entries::table).values(new.clone()).execute(&mut connection).await?;
    Ok(())
}

/// The newest entries, of one subject or of all, newest first, with the account name if the subject is an
/// account.
///
/// # Errors
/// Any database error.
pub async fn audit_entry_list(
    mut connection: &AsyncPgConnection,
    subject: Option<Uuid>,
    limit: i64,
) -> Result<Vec<(AuditEntryRow, Option<String>)>, StoreError> {
    let mut query = audit_entries::table
        .left_join(accounts::table.on(audit_entries::subject_id.eq(accounts::id.nullable())))
        .order(audit_entries::id.desc())
        .limit(limit)
        .select((AuditEntryRow::as_select(), accounts::username.nullable()))
        .into_boxed();
    if let Some(subject) = subject {
        query = query.filter(audit_entries::subject_id.eq(subject));
    }
    Ok(query.load(&mut connection).await?)
}
