//! The passkeys of an account: list and remove them.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::Transactions;
use yaniv_db::accounts::account_rows::{AccountRow, account_lock};
use yaniv_db::passkeys::credentials::{PasskeyRow, passkey_delete_in_txn, passkey_list};
use yaniv_model::ids::AccountId;
use yaniv_outbound::OidcClient;

use crate::accounts::sessions::day_of;
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// A passkey as its owner sees it.
pub struct OwnPasskey {
    /// Its identifier.
    pub id: Uuid,
    /// Name given by the owner.
    pub name: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// Day of the newest log-in with it.
    pub last_used_on: Option<NaiveDate>,
}

impl From<PasskeyRow> for OwnPasskey {
    fn from(row: PasskeyRow) -> Self {
        let PasskeyRow { id, name, created_at, last_used_at, .. } = row;
        Self { id, name, created_at, last_used_on: last_used_at.map(day_of) }
    }
}

impl Services {
    /// The caller's passkeys, newest first.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
    pub async fn passkeys(&self, account: AccountId) -> Result<Vec<OwnPasskey>, ServiceError> {
        let rows = passkey_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(OwnPasskey::from).collect())
    }

    /// Removes a passkey of the caller. Sessions that began with it stay.
    ///
    /// # Errors
    /// `PasskeyNotFound` unless it is the caller's; `PasswordMissing` if it is the account's only way to log in;
    /// `SessionRequired` for a personal token: a leaked one must not do what the owner cannot undo.
    #[boxed]
    pub async fn delete_passkey(&self, access: Access, id: Uuid) -> Result<(), ServiceError> {
        access.session().ok_or(ServiceError::SessionRequired)?;
        let account = access.account;
        let issuer = self.oidc.as_ref().map(|provider| OidcClient::issuer(provider).to_owned());
        self.durably(true, false, move |mut connection, lost| {
            let issuer = issuer.clone();
            async move {
                connection
                    .transaction(async |connection| {
                        let row =
                            account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
                        let passkeys = passkey_list(connection, account).await?;
                        if !passkeys.iter().any(|passkey| passkey.id == id) {
                            // After a lost answer it may be gone by an earlier try.
                            return if lost { Ok(()) } else { Err(ServiceError::PasskeyNotFound) };
                        }
                        if passkeys.len() == 1 && !has_other_log_in(&row, issuer.as_deref()) {
                            return Err(ServiceError::PasswordMissing);
                        }
                        Ok(passkey_delete_in_txn(connection, account, id).await?)
                    })
                    .await
            }
        })
        .await
    }
}

/// Whether the owner can log in without a passkey: by a password, or by an identity of the present provider.
fn has_other_log_in(row: &AccountRow, issuer: Option<&str>) -> bool {
    row.password().is_some() || (issuer.is_some() && row.oidc_issuer.as_deref() == issuer)
}
