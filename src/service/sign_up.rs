//! Who may come in: everybody, who has an invitation, or nobody. Asked by whatever makes a new account for somebody.

use diesel_async::AsyncPgConnection;
use sha2::{Digest, Sha256};

use super::{ServiceError, Services};
use crate::store::sign_up_invitations::{sign_up_invitation_is_good, sign_up_invitation_use_in_txn};

/// Who may come in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SignUp {
    /// Everybody.
    #[default]
    Open,
    /// Who has an invitation of an administrator.
    Invitation,
    /// Nobody: an administrator makes the accounts.
    Closed,
}

impl SignUp {
    /// As it is printed.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invitation => "invitation",
            Self::Closed => "closed",
        }
    }
}

/// Somebody who may come in, as far as could be seen beforehand.
#[derive(Clone, Copy)]
pub(super) struct Admission(Option<[u8; 32]>);

impl Services {
    /// Who may come in here.
    #[must_use]
    pub fn who_may_sign_up(&self) -> SignUp {
        self.sign_up
    }

    /// Looks whether somebody may come in, before any work is done for them.
    ///
    /// # Errors
    /// `SignUpClosed`, `InvitationRequired`, `InvitationInvalid`.
    pub(super) async fn admit(&self, invitation: Option<&str>) -> Result<Admission, ServiceError> {
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
    /// Uses the invitation up, in the transaction that makes the account: if that fails, it has not been used.
    ///
    /// # Errors
    /// `InvitationInvalid` if others were faster.
    pub(super) async fn use_up_in_txn(self, connection: &AsyncPgConnection) -> Result<(), ServiceError> {
        let Some(hash) = self.0 else { return Ok(()) };
        if sign_up_invitation_use_in_txn(connection, &hash).await? {
            return Ok(());
        }
        Err(ServiceError::InvitationInvalid)
    }
}

/// What is stored of a code, however it was typed: in small letters, with or without hyphens.
pub(super) fn hash_of_code(code: &str) -> [u8; 32] {
    let plain: String = code.chars().filter(|letter| letter.is_ascii_alphanumeric()).collect();
    Sha256::digest(plain.to_ascii_uppercase()).into()
}
