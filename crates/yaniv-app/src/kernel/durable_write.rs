//! Writes that survive their client, their connection and a restart of the database.
//!
//! A connection that dies after a statement was sent leaves the outcome unknown. A retry on a new connection
//! first waits for the match's lock, that is, until the first transaction has committed or rolled back. Then
//! the idempotency key shows which of the two happened, or the write is simply repeated.

use std::future::Future;
use std::time::{Duration, Instant};

use tracing::Instrument;
use yaniv_db::{PooledConnection, StoreError};

use crate::{ServiceError, Services};

/// How long a write is retried after its connection was lost.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the caller waits; the write continues without it.
const ANSWER_WITHIN: Duration = Duration::from_secs(12);

/// Outcome of one try of a write.
pub(crate) enum Try<T> {
    /// The write has a final result, success or failure.
    Known(Result<T, ServiceError>),
    /// The connection was lost.
    Lost(StoreError),
    /// A concurrent request with the same key was faster: its result can be read now.
    Raced,
}

impl<T> From<Result<T, ServiceError>> for Try<T> {
    fn from(result: Result<T, ServiceError>) -> Self {
        match result {
            Err(ServiceError::Unavailable(error @ (StoreError::ConnectionLost(_) | StoreError::Silent))) => {
                Self::Lost(error)
            }
            Err(ServiceError::Raced) => Self::Raced,
            known => Self::Known(known),
        }
    }
}

impl Services {
    /// Runs a write to its end, even if the caller goes away.
    ///
    /// `attempt` gets a connection and whether an earlier try may still have an open transaction, which it
    /// has to wait for before it reads. Only a write with a key is `repeatable`: without a key its outcome
    /// cannot be determined. `lost` says that one try has been lost already.
    pub(crate) async fn durably<T, A, F>(
        &self,
        repeatable: bool,
        lost: bool,
        attempt: A,
    ) -> Result<T, ServiceError>
    where
        T: Send + 'static,
        A: Fn(PooledConnection, bool) -> F + Send + 'static,
        F: Future<Output = Result<T, ServiceError>> + Send + 'static,
    {
        let services = self.clone();
        let write = async move { services.until_known(repeatable, lost, attempt).await };
        let task = self.writes.spawn_on(write.in_current_span(), &self.runtime);
        match tokio::time::timeout(ANSWER_WITHIN, task).await {
            Ok(Ok(result)) => result,
            Ok(Err(panicked)) => Err(ServiceError::internal(panicked)),
            Err(_) => Err(ServiceError::OutcomeUnknown),
        }
    }

    async fn until_known<T, A, F>(&self, repeatable: bool, lost: bool, attempt: A) -> Result<T, ServiceError>
    where
        A: Fn(PooledConnection, bool) -> F,
        F: Future<Output = Result<T, ServiceError>>,
    {
        let begun = Instant::now();
        let mut lost = lost;
        loop {
            let connection = match self.store.connection().await {
                Ok(connection) => Some(connection),
                Err(_) if lost => None,
                Err(error) => return Err(error.into()),
            };
            if let Some(connection) = connection {
                match attempt(connection, lost).await.into() {
                    // The lost transaction still holds the lock: its outcome is unknown.
                    Try::Known(Err(ServiceError::Busy)) if lost => {}
                    Try::Known(result) => return result,
                    Try::Raced => {}
                    Try::Lost(_) if !repeatable => return Err(ServiceError::OutcomeUnknown),
                    Try::Lost(error) => {
                        tracing::warn!(error = %error, "a write lost its connection; finding out what became of it");
                        lost = true;
                    }
                }
            }
            if begun.elapsed() > PATIENCE {
                return Err(ServiceError::OutcomeUnknown);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}
