//! What an administrator does to invitations to register.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncConnection;
use uuid::Uuid;

use super::ServiceError;
use super::admin::{Admin, drawn};
use super::sign_up::hash_of_code;
use crate::store::clock::clock_read;
use crate::store::sign_up_invitations::{
    SignUpInvitationRow, sign_up_invitation_insert_in_txn, sign_up_invitation_list,
    sign_up_invitation_revoke_in_txn,
};

/// Longest note, in characters.
const LONGEST_NOTE: usize = 200;
/// Most people whom an invitation lets in.
const MOST_USES: i32 = 10_000;
/// Longest life, in days.
const LONGEST_LIFE: i64 = 366;

/// An invitation, without its code.
pub struct SignUpInvitation {
    /// Its identifier, by which it is revoked.
    pub id: Uuid,
    /// What its maker wants to remember.
    pub note: String,
    /// How many people it lets in.
    pub uses: i32,
    /// How many it has let in.
    pub used: i32,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it stops letting people in.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
}

impl From<SignUpInvitationRow> for SignUpInvitation {
    fn from(row: SignUpInvitationRow) -> Self {
        let SignUpInvitationRow { id, note, uses, used, created_at, expires_at, revoked_at, .. } = row;
        Self { id, note, uses, used, created_at, expires_at, revoked_at }
    }
}

impl Admin {
    /// Makes an invitation, and answers its code: the only time that it is shown.
    ///
    /// # Errors
    /// `InvalidField`.
    pub async fn create_invitation(
        &self,
        uses: i32,
        days: i64,
        note: String,
    ) -> Result<(SignUpInvitation, String), ServiceError> {
        let wrong = |field, detail| Err(ServiceError::InvalidField { field, detail });
        if !(1..=MOST_USES).contains(&uses) {
            return wrong("uses", "has to be 1 to 10000");
        }
        if !(1..=LONGEST_LIFE).contains(&days) {
            return wrong("expires-in-days", "has to be 1 to 366");
        }
        if note.chars().count() > LONGEST_NOTE || note.chars().any(char::is_control) {
            return wrong("note", "has to be 200 characters at most, on one line");
        }
        let code = drawn(4, 4);
        let row = self
            .connection()
            .await?
            .transaction(async |connection| {
                let now = clock_read(connection).await?;
                let row = SignUpInvitationRow {
                    id: Uuid::now_v7(),
                    code_hash: hash_of_code(&code).to_vec(),
                    note: note.clone(),
                    uses,
                    used: 0,
                    created_at: now,
                    expires_at: now + TimeDelta::days(days),
                    revoked_at: None,
                };
                sign_up_invitation_insert_in_txn(connection, &row).await?;
                self.note(connection, "invitations.create", Some(row.id)).await?;
                Ok::<_, ServiceError>(row)
            })
            .await?;
        Ok((row.into(), code))
    }

    /// The newest invitations.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn invitations(&self, limit: i64) -> Result<Vec<SignUpInvitation>, ServiceError> {
        let rows = sign_up_invitation_list(&*self.connection().await?, limit).await?;
        Ok(rows.into_iter().map(SignUpInvitation::from).collect())
    }

    /// Revokes an invitation. Who has come in by it stays.
    ///
    /// # Errors
    /// `InvitationInvalid` if there is no such invitation.
    pub async fn revoke_invitation(&self, id: Uuid) -> Result<SignUpInvitation, ServiceError> {
        let row = self
            .connection()
            .await?
            .transaction(async |connection| {
                let row = sign_up_invitation_revoke_in_txn(connection, id).await?;
                self.note(connection, "invitations.revoke", Some(id)).await?;
                row.ok_or(ServiceError::InvitationInvalid)
            })
            .await?;
        Ok(row.into())
    }
}
