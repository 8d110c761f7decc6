//! Rows of `sign_up_invitations`: codes that allow registration. The format of a code is defined in the
//! application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::sign_up_invitations;

/// An invitation as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = sign_up_invitations)]
pub struct SignUpInvitationRow {
    /// Identifier.
    pub id: Uuid,
    /// Hash of the code.
    pub code_hash: Vec<u8>,
    /// Note of the administrator.
    pub note: String,
    /// Number of registrations it allows.
    pub uses: i32,
    /// Number of registrations so far.
    pub used: i32,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

/// Whether a code is valid now.
///
/// # Errors
/// Any database error.
pub async fn sign_up_invitation_is_good(
    mut connection: &AsyncPgConnection,
    code_hash: &[u8],
) -> Result<bool, StoreError> {
    let good = sign_up_invitations::table
        .filter(sign_up_invitations::code_hash.eq(code_hash))
        .filter(sign_up_invitations::used.lt(sign_up_invitations::uses))
        .filter(sign_up_invitations::revoked_at.is_null())
        .filter(sign_up_invitations::expires_at.gt(clock_timestamp()));
    Ok(good.count().get_result::<i64>(&mut connection).await? > 0)
}

/// Uses a code once if it is valid now. Locks the row until the transaction ends, so the last use cannot be
/// taken twice.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn sign_up_invitation_use_in_txn(
    mut connection: &AsyncPgConnection,
    code_hash: &[u8],
) -> Result<bool, StoreError> {
    let good = sign_up_invitations::table
        .filter(sign_up_invitations::code_hash.eq(code_hash))
        .filter(sign_up_invitations::used.lt(sign_up_invitations::uses))
        .filter(sign_up_invitations::revoked_at.is_null())
        .filter(sign_up_invitations::expires_at.gt(clock_timestamp()));
    let used = diesel::update(good)
        .set(sign_up_invitations::used.eq(sign_up_invitations::used + 1))
        .execute(&mut connection)
        .await?;
    Ok(used > 0)
}

/// Stores a new invitation.
///
/// # Errors
/// Any database error.
pub async fn sign_up_invitation_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &SignUpInvitationRow,
) -> Result<(), StoreError> {
    diesel::insert_into(sign_up_invitations::table).values(new.clone()).execute(&mut connection).await?;
    Ok(())
}

/// All invitations, newest first.
///
/// # Errors
/// Any database error.
pub async fn sign_up_invitation_list(
    mut connection: &AsyncPgConnection,
    limit: i64,
) -> Result<Vec<SignUpInvitationRow>, StoreError> {
    Ok(sign_up_invitations::table
        .order(sign_up_invitations::id.desc())
        .limit(limit)
        .select(SignUpInvitationRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Revokes an invitation and returns it, if it exists; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn sign_up_invitation_revoke_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<SignUpInvitationRow>, StoreError> {
    diesel::update(sign_up_invitations::table.find(id).filter(sign_up_invitations::revoked_at.is_null()))
        .set(sign_up_invitations::revoked_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    let row = sign_up_invitations::table.find(id).select(SignUpInvitationRow::as_select());
    Ok(row.first(&mut connection).await.optional()?)
}
