//! Rows of `channels`: push subscriptions, webhooks and e-mail addresses of accounts. Notifications sent to them
//! are in `deliveries`; what only e-mail has is in `email_channels`.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChannelId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{channels, personal_tokens, sessions};

/// Format of push channels. Formats other than this, `EMAIL` and `FORMER_EMAIL` are webhooks.
pub const WEB_PUSH: &str = "web_push";
/// Format of e-mail channels.
pub const EMAIL: &str = "email";
/// Format of e-mail channels that were replaced or removed, and can be taken back. Their owners do not see them.
pub const FORMER_EMAIL: &str = "former_email";

/// A channel. No `Debug`: address and secret are private to the owner.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = channels)]
pub struct ChannelRow {
    /// Identifier.
    pub id: Uuid,
    /// The owning account.
    pub account_id: Uuid,
    /// Session that created it, with which it ends; web push only.
    pub session_id: Option<Uuid>,
    /// `web_push`, `email`, `former_email`, or the format of a webhook.
    pub format: String,
    /// Name given by the owner.
    pub name: String,
    /// Address of the webhook, the push endpoint or the mailbox.
    pub url: String,
    /// Host and port of the address; domain of the mailbox.
    pub host: String,
    /// Page that a notification opens.
    pub link: Option<String>,
    /// Bitmask of subscribed kinds.
    pub kinds: i16,
    /// Whether notifications are sent immediately, without any delay.
    pub immediate: bool,
    /// Signing secret of a webhook, or the secret shared with the browser.
    pub secret: Vec<u8>,
    /// Previous signing secret.
    pub previous_secret: Option<Vec<u8>>,
    /// Until when the previous secret also signs.
    pub previous_until: Option<DateTime<Utc>>,
    /// Public key of the browser; web push only.
    pub public_key: Option<Vec<u8>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Newest successful delivery.
    pub delivered_at: Option<DateTime<Utc>>,
    /// First failure after that.
    pub failing_since: Option<DateTime<Utc>>,
    /// When the destination reported that it is gone.
    pub ended_at: Option<DateTime<Utc>>,
    /// When the owner proved access to the mailbox; e-mail only.
    pub verified_at: Option<DateTime<Utc>>,
    /// Personal token that created it.
    pub token_id: Option<Uuid>,
}

/// Changes of a channel; none leaves a field as it is.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = channels)]
pub struct ChannelChange {
    /// Name given by the owner.
    pub name: Option<String>,
    /// Page that a notification opens; an inner none clears it.
    pub link: Option<Option<String>>,
    /// Bitmask of subscribed kinds.
    pub kinds: Option<i16>,
    /// Whether notifications are sent immediately, without any delay.
    pub immediate: Option<bool>,
    /// An inner none: the channel is active again.
    pub ended_at: Option<Option<DateTime<Utc>>>,
    /// An inner none: the next digest is to be scheduled.
    pub digest_at: Option<Option<DateTime<Utc>>>,
}

/// A condition on channels.
type Condition = Box<dyn BoxableExpression<channels::table, Pg, SqlType = Bool>>;

/// A push channel exists only while its session is open, and a channel that a token created while the token is valid,
/// however they end. The row stays until theirs is deleted. A former e-mail address is no channel.
fn of_open_access() -> Condition {
    let open = sessions::table
        .filter(channels::session_id.eq(sessions::id.nullable()))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(clock_timestamp()));
    let valid = personal_tokens::table
        .filter(channels::token_id.eq(personal_tokens::id.nullable()))
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::expires_at.gt(clock_timestamp()));
    let of_session = channels::session_id.is_null().or(exists(open));
    let of_token = channels::token_id.is_null().or(exists(valid));
    Box::new(of_session.and(of_token).and(channels::format.ne(FORMER_EMAIL)))
}

/// Stores a new channel; repeating it changes nothing.
///
/// # Errors
/// `Taken("channels_endpoint_key")` if another channel has this push endpoint.
pub async fn channel_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(channels::table).values(row.clone());
    insert.on_conflict(channels::id).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// The channels of an account, newest first.
///
/// # Errors
/// Any database error.
pub async fn channel_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq(account.0))
        .filter(of_open_access())
        .order(channels::id.desc())
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// A channel of this account.
///
/// # Errors
/// Any database error.
pub async fn channel_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChannelId,
) -> Result<Option<ChannelRow>, StoreError> {
    Ok(channels::table
        .find(id.0)
        .filter(channels::account_id.eq(account.0))
        .filter(of_open_access())
        .select(ChannelRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Finds and locks the push channel of an endpoint, of any account, even if its session has ended.
///
/// # Errors
/// Any database error.
pub async fn channel_lock_by_endpoint(
    mut connection: &AsyncPgConnection,
    endpoint: &str,
) -> Result<Option<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::format.eq(WEB_PUSH))
        .filter(channels::url.eq(endpoint))
        .for_update()
        .select(ChannelRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// The active channels of these accounts, of any kinds, except unverified e-mail addresses.
///
/// # Errors
/// Any database error.
pub async fn channel_list_listening(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq_any(accounts))
        .filter(channels::ended_at.is_null())
        .filter(channels::format.ne(EMAIL).or(channels::verified_at.is_not_null()))
        .filter(of_open_access())
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Changes a channel of this account and returns it.
///
/// # Errors
/// Any database error.
pub async fn channel_update(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChannelId,
    change: &ChannelChange,
) -> Result<Option<ChannelRow>, StoreError> {
    let nothing = change.name.is_none()
        && change.link.is_none()
        && change.kinds.is_none()
        && change.immediate.is_none()
        && change.ended_at.is_none();
    if nothing {
        return channel_find(connection, account, id).await;
    }
    let found =
        channels::table.find(id.0).filter(channels::account_id.eq(account.0)).filter(of_open_access());
    Ok(diesel::update(found)
        .set(change)
        .returning(ChannelRow::as_returning())
        .get_result(&mut connection)
        .await
        .optional()?)
}

/// Sets the keys and the session or token of a push channel. The owner's settings stay.
///
/// # Errors
/// Any database error.
pub async fn channel_replace_keys_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    sent: &ChannelRow,
) -> Result<ChannelRow, StoreError> {
    Ok(diesel::update(channels::table.find(id))
        .set((
            channels::session_id.eq(sent.session_id),
            channels::token_id.eq(sent.token_id),
            channels::secret.eq(&sent.secret),
            channels::public_key.eq(&sent.public_key),
            channels::ended_at.eq(None::<DateTime<Utc>>),
        ))
        .returning(ChannelRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Deletes a channel of any account and its queued notifications.
///
/// # Errors
/// Any database error.
pub async fn channel_delete_in_txn(mut connection: &AsyncPgConnection, id: Uuid) -> Result<(), StoreError> {
    diesel::delete(channels::table.find(id)).execute(&mut connection).await?;
    Ok(())
}

/// Records the result of a delivery: success, failure, or gone.
///
/// # Errors
/// Any database error.
pub async fn channel_note(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    said: DeliveryResult,
) -> Result<(), StoreError> {
    let channel = channels::table.find(id);
    match said {
        DeliveryResult::Well => {
            diesel::update(channel)
                .set((
                    channels::delivered_at.eq(clock_timestamp().nullable()),
                    channels::failing_since.eq(None::<DateTime<Utc>>),
                ))
                .execute(&mut connection)
                .await?
        }
        DeliveryResult::Failed => {
            diesel::update(channel.filter(channels::failing_since.is_null()))
                .set(channels::failing_since.eq(clock_timestamp().nullable()))
                .execute(&mut connection)
                .await?
        }
        DeliveryResult::Gone => {
            diesel::update(channel)
                .set(channels::ended_at.eq(clock_timestamp().nullable()))
                .execute(&mut connection)
                .await?
        }
    };
    Ok(())
}

/// Result of a delivery to a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryResult {
    /// The notification was accepted.
    Well,
    /// The delivery failed.
    Failed,
    /// The destination is gone for good.
    Gone,
}

/// Deletes the channels of accounts that are being deleted.
///
/// # Errors
/// Any database error.
pub async fn channel_delete_all_in_txn(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    let theirs = channels::table.filter(channels::account_id.eq_any(accounts));
    diesel::delete(theirs).execute(&mut connection).await?;
    Ok(())
}

/// Deletes channels that have been gone since before a time.
///
/// # Errors
/// Any database error.
pub async fn channel_forget(
    mut connection: &AsyncPgConnection,
    before: DateTime<Utc>,
) -> Result<(), StoreError> {
    let gone = channels::table.filter(channels::ended_at.lt(before));
    diesel::delete(gone).execute(&mut connection).await?;
    Ok(())
}
