//! Change channel: a `LISTEN`/`NOTIFY` channel between the instances, on a connection of its own.

use std::pin::pin;

use diesel::sql_types::{Array, Text};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use futures_util::StreamExt;

use crate::error::StoreError;
use crate::kernel::pool::CheckedConnection;
use crate::{PooledConnection, Store};

/// The longest message, in bytes; PostgreSQL refuses longer ones.
pub const LONGEST_MESSAGE: usize = 7_999;

/// The open channel. Whatever is sent, this instance receives as well.
pub struct ChangeChannel(CheckedConnection);

impl ChangeChannel {
    /// Opens a connection and listens.
    ///
    /// # Errors
    /// Those of `Store::lane_connection`, and any database error.
    pub async fn open(store: &Store) -> Result<Self, StoreError> {
        // Detached from the pool: a pooled connection would queue messages without end.
        let mut connection = PooledConnection::take(store.lane_connection().await?);
        connection.batch_execute("LISTEN yaniv_changes").await?;
        Ok(Self(connection))
    }

    /// Checks that the server is still the one to use.
    ///
    /// # Errors
    /// `Unavailable` if it is not, or does not answer.
    pub async fn check(&mut self) -> Result<(), StoreError> {
        self.0.check().await.map_err(|unfit| StoreError::Unavailable(Box::new(unfit)))
    }

    /// Sends messages, in one statement.
    ///
    /// # Errors
    /// Any database error.
    pub async fn send(&mut self, messages: &[String]) -> Result<(), StoreError> {
        diesel::sql_query("SELECT pg_notify('yaniv_changes', m) FROM unnest($1) AS m")
            .bind::<Array<Text>, _>(messages)
            .execute(&mut *self.0)
            .await?;
        Ok(())
    }

    /// Waits for the next message. No message is lost if the future is dropped.
    ///
    /// # Errors
    /// `ConnectionLost`.
    pub async fn next(&mut self) -> Result<String, StoreError> {
        match pin!(self.0.notifications_stream()).next().await {
            Some(notification) => Ok(notification?.payload),
            None => Err(StoreError::ConnectionLost(diesel::result::Error::BrokenTransactionManager)),
        }
    }
}
