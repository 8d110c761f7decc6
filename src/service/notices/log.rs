//! What was sent to a channel, for its owner; and the test of it.

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::announce::{Event, row};
use super::kinds::Kind;
use crate::ids::{AccountId, ChannelId};
use crate::service::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::channels::channel_find;
use crate::store::clock::clock_read;
use crate::store::deliveries::{
    DELIVERED, DROPPED, DeliveryRow, FAILED, delivery_find, delivery_find_test, delivery_insert_all_in_txn,
    delivery_list,
};

/// How a notice stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryStatus {
    /// It is to be sent, perhaps again.
    Waiting,
    /// It has arrived.
    Delivered,
    /// It was given up.
    Failed,
    /// It was no longer worth telling.
    Dropped,
}

impl DeliveryStatus {
    /// As it is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Dropped => "dropped",
        }
    }
}

/// A notice, as the owner of its channel sees it.
#[derive(Clone, Debug)]
pub struct LoggedDelivery {
    /// Its identifier.
    pub id: Uuid,
    /// What it is of.
    pub kind: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// When it happened.
    pub happened_at: DateTime<Utc>,
    /// How it stands.
    pub status: DeliveryStatus,
    /// How often it was tried.
    pub attempts: i16,
    /// When it was tried last.
    pub tried_at: Option<DateTime<Utc>>,
    /// When it is tried next.
    pub next_at: Option<DateTime<Utc>>,
    /// What was answered last.
    pub answer: Option<i16>,
    /// Why nothing was, or why it was dropped.
    pub reason: Option<String>,
    /// When it ended.
    pub done_at: Option<DateTime<Utc>>,
}

/// A page of the log.
pub struct DeliveryPage {
    /// The newest at the top.
    pub items: Vec<LoggedDelivery>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl From<DeliveryRow> for LoggedDelivery {
    fn from(row: DeliveryRow) -> Self {
        let status = match row.outcome.as_deref() {
            Some(DELIVERED) => DeliveryStatus::Delivered,
            Some(FAILED) => DeliveryStatus::Failed,
            Some(DROPPED) => DeliveryStatus::Dropped,
            _ => DeliveryStatus::Waiting,
        };
        Self {
            id: row.id,
            kind: row.kind,
            match_id: row.match_id,
            challenge_id: row.challenge_id,
            happened_at: row.happened_at,
            status,
            attempts: row.attempts,
            tried_at: row.tried_at.filter(|_| row.attempts > 0),
            next_at: Some(row.due_at).filter(|_| status == DeliveryStatus::Waiting),
            answer: row.answer,
            reason: row.failure,
            done_at: row.done_at,
        }
    }
}

impl Services {
    /// What browsers subscribe with.
    #[must_use]
    pub fn push_key(&self) -> &str {
        self.notices.push_key()
    }

    /// What was sent to a channel of the caller in the last days, and what is to be sent, the newest at the top.
    ///
    /// # Errors
    /// `ChannelNotFound`; `InvalidParameter` for a cursor that no answer gave.
    pub async fn deliveries(
        &self,
        account: AccountId,
        id: ChannelId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<DeliveryPage, ServiceError> {
        let before = cursor
            .map(|cursor| Uuid::try_parse(cursor).map_err(|_| ServiceError::InvalidParameter("cursor")))
            .transpose()?;
        let connection = self.store.connection().await?;
        channel_find(&connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
        // One more than asked for tells whether there is another page.
        let mut rows = delivery_list(&connection, id, before, limit.saturating_add(1)).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.id.simple().to_string());
        Ok(DeliveryPage { items: rows.into_iter().map(Into::into).collect(), next_cursor })
    }

    /// Sends a test to a channel of the caller, tried once. While one is under way, that is it.
    ///
    /// # Errors
    /// `ChannelNotFound`; `ChannelGone` if the other side has said that it is.
    pub async fn test_channel(
        &self,
        account: AccountId,
        id: ChannelId,
    ) -> Result<LoggedDelivery, ServiceError> {
        let row = self
            .durably(true, false, move |connection, _| async move {
                let channel =
                    channel_find(&connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
                if channel.ended_at.is_some() {
                    return Err(ServiceError::ChannelGone);
                }
                if let Some(waiting) = delivery_find_test(&connection, account, id).await? {
                    return Ok(waiting);
                }
                let new = row(&test(account, clock_read(&connection).await?), &channel);
                delivery_insert_all_in_txn(&connection, std::slice::from_ref(&new)).await?;
                Ok(delivery_find(&connection, new.id).await?.ok_or(StoreError::NotFound)?)
            })
            .await?;
        self.notices.wake.notify_one();
        Ok(row.into())
    }
}

fn test(account: AccountId, at: DateTime<Utc>) -> Event {
    Event {
        kind: Kind::Test,
        account: account.0,
        match_id: None,
        version: None,
        challenge_id: None,
        deadline: None,
        at,
        key: format!("test:{}", Uuid::now_v7().simple()),
    }
}
