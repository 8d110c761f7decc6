//! Sign-up policy: open, by invitation, or closed. Checked by every use case that creates an account for a
//! player.

use sha2::{Digest, Sha256};
use yaniv_db::Connection;
use yaniv_db::accounts::sign_up_invitations::{sign_up_invitation_is_good, sign_up_invitation_use_in_txn};

use crate::{ServiceError, Services};

/// The sign-up policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SignUp {
    /// Open to everyone.
    #[default]
    Open,
    /// By invitation of an administrator.
    Invitation,
    /// Closed: an administrator creates the accounts.
    Closed,
}

impl SignUp {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invitation => "invitation",
            Self::Closed => "closed",
        }
    }
}

/// A passed check of the policy, with the hash of the invitation if there was one.
#[derive(Clone, Copy)]
pub(crate) struct Admission(Option<[u8; 32]>);

impl Services {
    /// The policy of this service.
    #[must_use]
    pub fn who_may_sign_up(&self) -> SignUp {
        self.sign_up
    }

    /// Checks the policy before any expensive work.
    ///
    /// # Errors
    /// `SignUpClosed`, `InvitationRequired`, `InvitationInvalid`.
    pub(crate) async fn admit(&self, invitation: Option<&str>) -> Result<Admission, ServiceError> {
        match self.sign_up {
            SignUp::Open => Ok(Admission(None)),
            SignUp::Closed => Err(ServiceError::SignUpClosed),
            SignUp::Invitation => {
                let hash = hash_of_code(invitation.ok_or(ServiceError::InvitationRequired)?);
                if sign_up_invitation_is_good(&*self.store.connection().await?, &hash).await? {
                    return Ok(Admission(Some(hash)));
                }
                Err(ServiceError::InvitationInvalid)
            }
        }
    }
}

impl Admission {
    /// Uses the invitation up, in the transaction that creates the account: if that fails, it stays unused.
    ///
    /// # Errors
    /// `InvitationInvalid` if it was used up meanwhile.
    pub(crate) async fn use_up_in_txn(self, connection: &Connection) -> Result<(), ServiceError> {
        let Some(hash) = self.0 else { return Ok(()) };
        if sign_up_invitation_use_in_txn(connection, &hash).await? {
            return Ok(());
        }
        Err(ServiceError::InvitationInvalid)
    }
}

/// Hash of an invitation code; case and hyphens are ignored.
pub(crate) fn hash_of_code(code: &str) -> [u8; 32] {
    let plain: String = code.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    Sha256::digest(plain.to_ascii_uppercase()).into()
}
