//! The delivery log of a channel, for its owner; and the test of a channel. Sending is in `outbox::deliver`.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::StoreError;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::channels::{EMAIL, channel_find};
use yaniv_db::notifications::deliveries::{
    DELIVERED, DROPPED, DeliveryRow, FAILED, delivery_find, delivery_find_test, delivery_insert_all_in_txn,
    delivery_list,
};
use yaniv_model::ids::{AccountId, ChannelId};

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::enqueue::{Event, row};
use crate::{Page, ServiceError, Services};

/// Status of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryStatus {
    /// Waiting for the first or next attempt.
    Waiting,
    /// Delivered.
    Delivered,
    /// Given up.
    Failed,
    /// Dropped as outdated.
    Dropped,
}

impl DeliveryStatus {
    /// The printed form.
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

/// A notification, as the owner of its channel sees it.
#[derive(Clone, Debug)]
pub struct LoggedDelivery {
    /// Its identifier.
    pub id: Uuid,
    /// The kind of notification.
    pub kind: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// When it happened.
    pub happened_at: DateTime<Utc>,
    /// The status.
    pub status: DeliveryStatus,
    /// Number of attempts.
    pub attempts: i16,
    /// Time of the last attempt.
    pub tried_at: Option<DateTime<Utc>>,
    /// Time of the next attempt.
    pub next_at: Option<DateTime<Utc>>,
    /// HTTP status of the last response.
    pub answer: Option<i16>,
    /// Why there was no response, or why it was dropped.
    pub reason: Option<String>,
    /// When it was delivered, given up or dropped.
    pub done_at: Option<DateTime<Utc>>,
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
    /// The public key for browsers' push subscriptions (VAPID).
    #[must_use]
    pub fn push_key(&self) -> &str {
        self.notices.push_key()
    }

    /// Whether this instance sends notifications.
    #[must_use]
    pub fn sends_notifications(&self) -> bool {
        self.notices.postman.is_on()
    }

    /// A page of the recent and pending notifications of a channel of the caller, newest first.
    ///
    /// # Errors
    /// `ChannelNotFound`; `InvalidParameter` if the cursor is not valid.
    #[boxed]
    pub async fn deliveries(
        &self,
        account: AccountId,
        id: ChannelId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<LoggedDelivery>, ServiceError> {
        let asked = PageQuery::new(cursor, limit)?;
        let connection = self.store.connection().await?;
        channel_find(&connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
        let rows = delivery_list(&connection, id, asked.after, asked.rows()).await?;
        Ok(asked.page(rows, |row| row.id).map(LoggedDelivery::from))
    }

    /// Sends a test to a channel of the caller, in a single attempt. If a test is pending, returns that one.
    ///
    /// # Errors
    /// `ChannelNotFound`; `ChannelGone` if the receiving server reported that it is gone; `EmailNotVerified`;
    /// `NotificationsOff`.
    #[boxed]
    pub async fn test_channel(
        &self,
        account: AccountId,
        id: ChannelId,
    ) -> Result<LoggedDelivery, ServiceError> {
        let on = self.sends_notifications();
        let row = self
            .durably(true, false, move |connection, _| async move {
                let channel =
                    channel_find(&connection, account, id).await?.ok_or(ServiceError::ChannelNotFound)?;
                if channel.ended_at.is_some() {
                    return Err(ServiceError::ChannelGone);
                }
                if channel.format == EMAIL && channel.verified_at.is_none() {
                    return Err(ServiceError::EmailNotVerified);
                }
                if !on {
                    return Err(ServiceError::NotificationsOff);
                }
                if let Some(waiting) = delivery_find_test(&connection, account, id).await? {
                    return Ok(waiting);
                }
                let new = row(&test(account, clock_read(&connection).await?), &channel);
                delivery_insert_all_in_txn(&connection, std::slice::from_ref(&new)).await?;
                Ok(delivery_find(&connection, new.id).await?.ok_or(StoreError::NotFound)?)
            })
            .await?;
        self.notices.wake.ring();
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
