//! Commands of an administrator on invitations to register.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::accounts::sign_up_invitations::{
    SignUpInvitationRow, sign_up_invitation_insert_in_txn, sign_up_invitation_list,
    sign_up_invitation_revoke_in_txn,
};
use yaniv_db::kernel::clock::clock_read;

use crate::ServiceError;
use crate::accounts::sign_up_policy::hash_of_code;
use crate::admin::session::Admin;
use crate::kernel::boxed;
use crate::kernel::readable_codes::draw_groups;

/// Maximum length of a note, in characters.
const LONGEST_NOTE: usize = 200;
/// Maximum number of registrations per invitation.
const MOST_USES: i32 = 10_000;
/// Maximum lifetime, in days.
const LONGEST_LIFE: i64 = 366;

/// An invitation, without its code.
pub struct SignUpInvitation {
    /// Its identifier, needed to revoke it.
    pub id: Uuid,
    /// The administrator's note.
    pub note: String,
    /// Number of registrations that it allows.
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

impl From<SignUpInvitationRow> for SignUpInvitation {
    fn from(row: SignUpInvitationRow) -> Self {
        let SignUpInvitationRow { id, note, uses, used, created_at, expires_at, revoked_at, .. } = row;
        Self { id, note, uses, used, created_at, expires_at, revoked_at }
    }
}

impl Admin {
    /// Creates an invitation; returns its code, which is shown only once.
    ///
    /// # Errors
    /// `InvalidField`.
    #[boxed]
    pub async fn create_invitation(
        &self,
        uses: i32,
        days: i64,
        note: String,
    ) -> Result<(SignUpInvitation, String), ServiceError> {
        let wrong = |field, detail| Err(ServiceError::InvalidField { field, detail });
        if !(1..=MOST_USES).contains(&uses) {
            return wrong("uses", "must be 1 to 10000");
        }
        if !(1..=LONGEST_LIFE).contains(&days) {
            return wrong("expires-in-days", "must be 1 to 366");
        }
        if note.chars().count() > LONGEST_NOTE || note.chars().any(char::is_control) {
            return wrong("note", "must be 200 characters at most, on one line");
        }
        let code = draw_groups(4, 4);
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
    #[boxed]
    pub async fn invitations(&self, limit: i64) -> Result<Vec<SignUpInvitation>, ServiceError> {
        let rows = sign_up_invitation_list(&*self.connection().await?, limit).await?;
        Ok(rows.into_iter().map(SignUpInvitation::from).collect())
    }

    /// Revokes an invitation. Accounts that registered with it stay.
    ///
    /// # Errors
    /// `InvitationInvalid` if there is no such invitation.
    #[boxed]
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
