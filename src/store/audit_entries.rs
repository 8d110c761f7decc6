//! Rows of `audit_entries`: what administrators have done and looked at. They are added and read, nothing else; the
//! database refuses anything else.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::{accounts, audit_entries};

/// An entry as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = audit_entries)]
pub struct AuditEntryRow {
    /// Its identifier.
    pub id: Uuid,
    /// When.
    pub at: DateTime<Utc>,
    /// Who.
    pub by: String,
    /// What.
    pub action: String,
    /// The account or the invitation.
    pub subject_id: Option<Uuid>,
    /// Why.
    pub reason: Option<String>,
}

/// Adds an entry.
///
/// # Errors
/// Only those of the database.
pub async fn audit_entry_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &AuditEntryRow,
) -> Result<(), StoreError> {
    diesel::insert_into(audit_entries::table).values(new.clone()).execute(&mut connection).await?;
    Ok(())
}

/// The newest entries, of one subject or of all, the newest at the top; each with the name of the account, if there is one.
///
/// # Errors
/// Only those of the database.
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
