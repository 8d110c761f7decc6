//! A browser creates a passkey for an account: the options, and the answer to them.

use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_auth::passkeys::{
    Attestation, CreationOptions, NewPasskey, PasskeyError, Passkeys, answered_challenge, challenge_hash,
};
use yaniv_db::accounts::account_rows::{AccountRow, account_find};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::deliveries::{PASSKEY_ADDED, account_message_enqueue};
use yaniv_db::passkeys::challenges::passkey_challenge_take_in_txn;
use yaniv_db::passkeys::credentials::{PasskeyRow, passkey_find, passkey_insert_in_txn, passkey_list};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_model::ids::SessionId;

use crate::accounts::password_attempts::Proof;
use crate::accounts::sessions::check_name;
use crate::accounts::tokens::hold;
use crate::kernel::boxed;
use crate::passkeys::credentials::OwnPasskey;
use crate::passkeys::{MOST_PASSKEYS, store_challenge};
use crate::{ServiceError, Services};

/// Default name of a passkey.
const UNNAMED: &str = "unnamed";
/// Name of the unique key of credentials.
const CREDENTIAL_KEY: &str = "passkeys_credential_id_key";

/// Options to create a passkey, and the account that it is for.
pub struct PasskeyStart {
    /// The options.
    pub options: CreationOptions,
    /// Identifier of the account.
    pub account: Uuid,
    /// Its username.
    pub username: String,
    /// Its display name or, without one, its username.
    pub display_name: String,
}

/// A passkey to be added.
#[derive(Clone)]
struct Adding {
    access: Access,
    session: SessionId,
    id: Uuid,
    name: String,
    answer: Attestation,
}

/// Outcome of an attempt.
enum Added {
    Done(PasskeyRow),
    /// The challenge is consumed: the transaction has to be committed.
    Refused(PasskeyError),
}

impl Services {
    /// Options to create a passkey. Needs the owner: who has a session only must not get a log-in of his own.
    ///
    /// # Errors
    /// `PasskeysOff`, `SessionRequired`, `TooManyPasskeys`, and those of `check_owner`.
    #[boxed]
    pub async fn start_passkey(&self, access: Access, proof: Proof) -> Result<PasskeyStart, ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let relying_party = self.relying_party()?;
        let AccountRow { id, username, display_name, password_hash: before, .. } =
            self.check_owner(access, proof).await?;
        let rows = passkey_list(&*self.store.connection().await?, access.account).await?;
        if rows.len() >= MOST_PASSKEYS {
            return Err(ServiceError::TooManyPasskeys);
        }
        let credentials = rows.into_iter().map(|row| row.credential_id).collect();
        let display_name = display_name.unwrap_or_else(|| username.clone());
        let options = relying_party
            .start_registration(id, (&username, &display_name), credentials)
            .map_err(ServiceError::internal)?;
        let (hash, state) = (challenge_hash(&options.challenge), options.state.clone());
        self.durably(true, false, move |mut connection, _| {
            let (state, before) = (state.clone(), before.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        hold(connection, access.account, session, access.account).await?;
                        let row = account_find(connection, access.account).await?;
                        if row.is_none_or(|row| row.password_hash != before) {
                            return Err(ServiceError::WrongPassword);
                        }
                        store_challenge(connection, hash, Some(session), state).await
                    })
                    .await
            }
        })
        .await?;
        Ok(PasskeyStart { options, account: id, username, display_name })
    }

    /// Adds the passkey that a browser has created, and tells the account of it.
    ///
    /// # Errors
    /// `PasskeysOff`, `InvalidField`, `SessionRequired`, `PasskeyExpired`, `PasskeyRefused`, `PasskeyTaken`,
    /// `TooManyPasskeys`; `InvalidToken` if the session has ended meanwhile.
    #[boxed]
    pub async fn add_passkey(
        &self,
        access: Access,
        name: Option<String>,
        answer: Attestation,
    ) -> Result<OwnPasskey, ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let relying_party = self.relying_party()?.clone();
        let name = name.unwrap_or_else(|| UNNAMED.to_owned());
        check_name("name", &name)?;
        let adding = Adding { access, session, id: Uuid::now_v7(), name, answer };
        let added = self
            .durably(true, false, move |mut connection, _| {
                let (relying_party, adding) = (relying_party.clone(), adding.clone());
                async move {
                    connection
                        .transaction(async |connection| add(connection, &relying_party, adding).await)
                        .await
                }
            })
            .await?;
        match added {
            Added::Done(row) => Ok(row.into()),
            Added::Refused(error) => {
                tracing::info!(%error, "a new passkey was refused");
                Err(ServiceError::PasskeyRefused)
            }
        }
    }
}

/// Consumes the challenge, and stores the passkey if the answer is right.
async fn add(
    connection: &Connection,
    relying_party: &Passkeys,
    adding: Adding,
) -> Result<Added, ServiceError> {
    let Adding { access, session, id, name, answer } = adding;
    // A change of the password comes before or after: it ends other sessions, and with them their challenges.
    hold(connection, access.account, session, access.account).await?;
    // Stored by an earlier try whose response was lost.
    if let Some(row) = passkey_find(connection, id).await? {
        return Ok(Added::Done(row));
    }
    let hash = answered_challenge(&answer.client_data).ok_or(ServiceError::PasskeyExpired)?;
    let state = passkey_challenge_take_in_txn(connection, &hash, Some(session)).await?;
    let verified = relying_party.finish_registration(answer, state.ok_or(ServiceError::PasskeyExpired)?);
    let NewPasskey { credential_id, stored } = match verified {
        Ok(verified) => verified,
        Err(error @ PasskeyError::Unreadable(_)) => return Err(ServiceError::internal(error)),
        Err(error) => return Ok(Added::Refused(error)),
    };
    if passkey_list(connection, access.account).await?.len() >= MOST_PASSKEYS {
        return Err(ServiceError::TooManyPasskeys);
    }
    let row = PasskeyRow {
        id,
        account_id: access.account.0,
        credential_id,
        credential: stored,
        name,
        created_at: clock_read(connection).await?,
        last_used_at: None,
    };
    passkey_insert_in_txn(connection, &row).await.map_err(taken)?;
    account_message_enqueue(connection, access.account, PASSKEY_ADDED).await?;
    Ok(Added::Done(row))
}

fn taken(error: StoreError) -> ServiceError {
    match error {
        StoreError::Taken(constraint) if constraint == CREDENTIAL_KEY => ServiceError::PasskeyTaken,
        other => other.into(),
    }
}
