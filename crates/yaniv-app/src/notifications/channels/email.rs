//! E-mail channels: the address of an account.
//!
//! It gets notifications as other channels do, and messages about the account itself; with it, a forgotten password can
//! be reset (`lifecycle::password_reset`).
//!
//! An account has at most one address, and one that waits for its verification and then takes the place of the first.
//! Addresses are not unique among accounts, so that nothing reveals whether an address is known.

use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::accounts::account_rows::account_lock;
use yaniv_db::accounts::email_codes::{EMAIL_REMOVED, VERIFY_EMAIL, email_code_find};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::channels::{
    ChannelRow, EMAIL, FORMER_EMAIL, channel_delete_in_txn, channel_insert_in_txn, channel_list,
};
use yaniv_db::notifications::email_channels::{
    email_channel_find, email_channel_list, email_channel_retire_in_txn, email_channel_take_back_in_txn,
    email_channel_unsubscribe, email_channel_verify_in_txn,
};
use yaniv_db::notifications::scan_positions::announcement_begin_all_in_txn;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;
use yaniv_outbound::mail::is_address;

use crate::kernel::boxed;
use crate::kernel::readable_codes::secret_code_hash;
use crate::notifications::channels::channel::{Channel, NewEmail};
use crate::notifications::channels::email_limits::{
    count_address_in_txn, count_code_in_txn, count_new_code_in_txn,
};
use crate::notifications::channels::kinds::{Kind, Kinds};
use crate::notifications::channels::manage::{MOST_CHANNELS, row};
use crate::notifications::outbox::email::enqueue_code_in_txn;
use crate::{ServiceError, Services};

impl Services {
    /// Whether this service sends e-mail.
    #[must_use]
    pub fn sends_email(&self) -> bool {
        self.notices.mail.is_on()
    }

    /// Creates an e-mail channel and sends the code that verifies it. Needs the password: who has a session only must not
    /// be able to reset it.
    ///
    /// The same address again is the same channel: it keeps its settings, and gets another code unless it is verified.
    ///
    /// # Errors
    /// `EmailOff`, `TooManyChannels`, `TooManyEmails`, `TooManyAddresses`, `EmailsFull`, and those of `check_owner`.
    #[boxed]
    pub async fn create_email_channel(&self, access: Access, new: NewEmail) -> Result<Channel, ServiceError> {
        let NewEmail { address, proof, mut changes } = new;
        self.check_email(&address)?;
        changes.kinds = Some(changes.kinds.unwrap_or_else(Kinds::of_email));
        let domain = address.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
        let row = row(access.account, EMAIL, (&address, domain), &changes)?;
        self.check_owner(access, proof).await?;
        let most = self.most_codes;
        let entered = self
            .durably(true, false, move |mut connection, _| {
                let row = row.clone();
                async move {
                    connection.transaction(async |connection| enter(connection, row, most).await).await
                }
            })
            .await;
        if matches!(entered, Err(ServiceError::EmailsFull(_))) {
            self.metrics.email_codes_refused.inc();
            tracing::warn!(most, "no code was sent to a new e-mail address: YANIV_EMAIL_CODES is reached");
        }
        let row = entered?;
        self.notices.seen.want(true);
        self.notices.wake.ring();
        Ok(row.into())
    }

    /// Checks that e-mail can be sent, and to this address.
    ///
    /// # Errors
    /// `EmailOff`, `InvalidField`.
    pub(crate) fn check_email(&self, address: &str) -> Result<(), ServiceError> {
        if !self.sends_email() {
            return Err(ServiceError::EmailOff);
        }
        if is_address(address) {
            return Ok(());
        }
        let detail = "must be an e-mail address like ada@example.org, in ASCII, with at most 254 characters";
        Err(ServiceError::InvalidField { field: "email", detail })
    }

    /// Verifies an e-mail channel by its code, in the place of the account's earlier address; or takes a former address
    /// back. Idempotent while the code is valid.
    ///
    /// # Errors
    /// `EmailCodeInvalid`.
    #[boxed]
    pub async fn verify_email(&self, code: &str) -> Result<(), ServiceError> {
        let hash = secret_code_hash(code).ok_or(ServiceError::EmailCodeInvalid)?;
        self.durably(true, false, move |mut connection, _| async move {
            connection.transaction(async |connection| verify(connection, &hash).await).await
        })
        .await?;
        self.notices.wake.ring();
        Ok(())
    }

    /// Ends the subscriptions of an e-mail channel by the token in its messages. Returns whether the token is valid.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn unsubscribe(&self, token: &str) -> Result<bool, ServiceError> {
        let Some(channel) = self.keeper.seal.open_unsubscribe_token(token) else { return Ok(false) };
        self.durably(true, false, move |connection, _| async move {
            Ok(email_channel_unsubscribe(&connection, channel).await?)
        })
        .await?;
        Ok(true)
    }
}

/// Stores an e-mail channel, and enqueues its code.
async fn enter(connection: &Connection, mut new: ChannelRow, most: u16) -> Result<ChannelRow, ServiceError> {
    let account = AccountId(new.account_id);
    account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    let known = email_channel_list(connection, account).await?;
    if let Some(same) = known.iter().find(|known| known.url.eq_ignore_ascii_case(&new.url)) {
        if same.verified_at.is_none() {
            send_code(connection, same, most).await?;
        }
        return Ok(same.clone());
    }
    count_address_in_txn(connection, account).await?;
    for unverified in known.iter().filter(|known| known.verified_at.is_none()) {
        channel_delete_in_txn(connection, unverified.id).await?;
    }
    if channel_list(connection, account).await?.len() >= MOST_CHANNELS {
        return Err(ServiceError::TooManyChannels);
    }
    announcement_begin_all_in_txn(connection, account).await?;
    new.created_at = clock_read(connection).await?;
    channel_insert_in_txn(connection, &new).await?;
    send_code(connection, &new, most).await?;
    Ok(new)
}

/// Counts and enqueues the code that verifies an address.
async fn send_code(connection: &Connection, channel: &ChannelRow, most: u16) -> Result<(), ServiceError> {
    count_code_in_txn(connection, Kind::VerifyEmail, &channel.url).await?;
    count_new_code_in_txn(connection, most).await?;
    enqueue_code_in_txn(connection, channel, Kind::VerifyEmail).await
}

async fn verify(connection: &Connection, hash: &[u8]) -> Result<(), ServiceError> {
    if let Some(former) = email_code_find(connection, hash, EMAIL_REMOVED).await? {
        return take_back(connection, former).await;
    }
    let channel = email_code_find(connection, hash, VERIFY_EMAIL).await?;
    let channel = channel.ok_or(ServiceError::EmailCodeInvalid)?;
    let row = email_channel_find(connection, channel, EMAIL).await?;
    let row = row.ok_or(ServiceError::EmailCodeInvalid)?;
    let account = account_lock(connection, AccountId(row.account_id)).await?;
    account.ok_or(ServiceError::EmailCodeInvalid)?;
    for other in email_channel_list(connection, AccountId(row.account_id)).await? {
        if other.id != row.id {
            remove_in_txn(connection, &other).await?;
        }
    }
    Ok(email_channel_verify_in_txn(connection, &row).await?)
}

/// Removes an e-mail channel. A verified address gets a notification with a code that restores it: an attacker who has
/// the session and the password must not silence the owner.
///
/// # Errors
/// Those of the database.
pub(super) async fn remove_in_txn(connection: &Connection, row: &ChannelRow) -> Result<(), ServiceError> {
    if row.verified_at.is_none() {
        return Ok(channel_delete_in_txn(connection, row.id).await?);
    }
    email_channel_retire_in_txn(connection, row).await?;
    enqueue_code_in_txn(connection, row, Kind::EmailRemoved).await
}

/// Makes a former address that of the account again. Repeating it changes nothing while the code is valid.
async fn take_back(connection: &Connection, channel: Uuid) -> Result<(), ServiceError> {
    if email_channel_find(connection, channel, EMAIL).await?.is_some() {
        return Ok(());
    }
    let row = email_channel_find(connection, channel, FORMER_EMAIL).await?;
    let row = row.ok_or(ServiceError::EmailCodeInvalid)?;
    let account = account_lock(connection, AccountId(row.account_id)).await?;
    account.ok_or(ServiceError::EmailCodeInvalid)?;
    let taken = email_channel_take_back_in_txn(connection, &row).await?;
    if taken { Ok(()) } else { Err(ServiceError::EmailCodeInvalid) }
}
