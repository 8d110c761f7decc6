//! Rows of `channels`: where accounts want to be told. What is sent there is in `deliveries`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::channels;
use crate::ids::{AccountId, ChannelId};

/// The format of a channel that is no webhook.
pub const WEB_PUSH: &str = "web_push";

/// A channel. Not to be printed: its address and its secret are its owner's.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = channels)]
pub struct ChannelRow {
    /// Its identifier.
    pub id: Uuid,
    /// Whose it is.
    pub account_id: Uuid,
    /// Of a web push: the log-in that made it.
    pub session_id: Option<Uuid>,
    /// `web_push`, or the form of a webhook.
    pub format: String,
    /// What its owner calls it.
    pub name: String,
    /// Where it leads.
    pub url: String,
    /// Host and port of it.
    pub host: String,
    /// The page that a notice opens.
    pub link: Option<String>,
    /// Bits: what it is told of.
    pub kinds: i16,
    /// Whether nothing holds a notice up.
    pub immediate: bool,
    /// What signs, or what is shared with the browser.
    pub secret: Vec<u8>,
    /// What signed before.
    pub previous_secret: Option<Vec<u8>>,
    /// Until when that signs besides.
    pub previous_until: Option<DateTime<Utc>>,
    /// Of a web push: the browser's key.
    pub public_key: Option<Vec<u8>>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Newest success.
    pub delivered_at: Option<DateTime<Utc>>,
    /// First failure after that.
    pub failing_since: Option<DateTime<Utc>>,
    /// When the other side said that it is gone.
    pub ended_at: Option<DateTime<Utc>>,
}

/// What is to be changed of a channel; what is none stays.
#[derive(Clone, Debug, Default, AsChangeset)]
#[diesel(table_name = channels)]
pub struct ChannelChange {
    /// What its owner calls it.
    pub name: Option<String>,
    /// The page that a notice opens; an inner none takes it away.
    pub link: Option<Option<String>>,
    /// What it is told of.
    pub kinds: Option<i16>,
    /// Whether nothing holds a notice up.
    pub immediate: Option<bool>,
    /// An inner none: it is there again.
    pub ended_at: Option<Option<DateTime<Utc>>>,
}

/// Stores a new channel; the same one again changes nothing.
///
/// # Errors
/// Only those of the database.
pub async fn channel_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(channels::table).values(row.clone());
    insert.on_conflict(channels::id).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// The channels of an account, the newest at the top.
///
/// # Errors
/// Only those of the database.
pub async fn channel_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq(account.0))
        .order(channels::id.desc())
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// A channel of this account.
///
/// # Errors
/// Only those of the database.
pub async fn channel_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChannelId,
) -> Result<Option<ChannelRow>, StoreError> {
    Ok(channels::table
        .find(id.0)
        .filter(channels::account_id.eq(account.0))
        .select(ChannelRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Those of some accounts that are there and are told of one of these kinds.
///
/// # Errors
/// Only those of the database.
pub async fn channel_list_listening(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq_any(accounts))
        .filter(channels::ended_at.is_null())
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Changes a channel of this account, and answers it.
///
/// # Errors
/// Only those of the database.
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
    Ok(diesel::update(channels::table.find(id.0).filter(channels::account_id.eq(account.0)))
        .set(change)
        .returning(ChannelRow::as_returning())
        .get_result(&mut connection)
        .await
        .optional()?)
}

/// Puts what a browser says of a subscription in the place of what it said before.
///
/// # Errors
/// Only those of the database.
pub async fn channel_replace_keys_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    diesel::update(channels::table.find(row.id))
        .set((
            channels::session_id.eq(row.session_id),
            channels::name.eq(&row.name),
            channels::link.eq(&row.link),
            channels::kinds.eq(row.kinds),
            channels::immediate.eq(row.immediate),
            channels::secret.eq(&row.secret),
            channels::public_key.eq(&row.public_key),
            channels::ended_at.eq(None::<DateTime<Utc>>),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Gives a webhook another secret; the one before is good until then.
///
/// # Errors
/// Only those of the database.
pub async fn channel_rotate(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChannelId,
    secret: &[u8],
    until: DateTime<Utc>,
) -> Result<Option<ChannelRow>, StoreError> {
    let webhooks = channels::table
        .find(id.0)
        .filter(channels::account_id.eq(account.0))
        .filter(channels::format.ne(WEB_PUSH));
    Ok(diesel::update(webhooks)
        .set((
            channels::previous_secret.eq(channels::secret.nullable()),
            channels::previous_until.eq(Some(until)),
            channels::secret.eq(secret),
        ))
        .returning(ChannelRow::as_returning())
        .get_result(&mut connection)
        .await
        .optional()?)
}

/// Deletes a channel of this account, with everything that waits for it.
///
/// # Errors
/// Only those of the database.
pub async fn channel_delete(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChannelId,
) -> Result<bool, StoreError> {
    let found = channels::table.find(id.0).filter(channels::account_id.eq(account.0));
    Ok(diesel::delete(found).execute(&mut connection).await? > 0)
}

/// Notes what the other side said: that all is well, that it fails, or that it is gone.
///
/// # Errors
/// Only those of the database.
pub async fn channel_note(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    said: Said,
) -> Result<(), StoreError> {
    let channel = channels::table.find(id);
    match said {
        Said::Well => {
            diesel::update(channel)
                .set((
                    channels::delivered_at.eq(clock_timestamp().nullable()),
                    channels::failing_since.eq(None::<DateTime<Utc>>),
                ))
                .execute(&mut connection)
                .await?
        }
        Said::Failed => {
            diesel::update(channel.filter(channels::failing_since.is_null()))
                .set(channels::failing_since.eq(clock_timestamp().nullable()))
                .execute(&mut connection)
                .await?
        }
        Said::Gone => {
            diesel::update(channel)
                .set(channels::ended_at.eq(clock_timestamp().nullable()))
                .execute(&mut connection)
                .await?
        }
    };
    Ok(())
}

/// What the other side said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// It has taken a notice.
    Well,
    /// It has not.
    Failed,
    /// It is gone for good.
    Gone,
}

/// Deletes what belonged to an account that is being deleted.
///
/// # Errors
/// Only those of the database.
pub async fn channel_delete_all_in_txn(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    let theirs = channels::table.filter(channels::account_id.eq_any(accounts));
    diesel::delete(theirs).execute(&mut connection).await?;
    Ok(())
}

/// Deletes channels that have been gone for so long.
///
/// # Errors
/// Only those of the database.
pub async fn channel_forget(
    mut connection: &AsyncPgConnection,
    before: DateTime<Utc>,
) -> Result<(), StoreError> {
    let gone = channels::table.filter(channels::ended_at.lt(before));
    diesel::delete(gone).execute(&mut connection).await?;
    Ok(())
}
