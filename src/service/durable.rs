//! Writes that survive their client, their connection and a restart of the database.
//!
//! A connection that dies after a statement was sent leaves the outcome unknown. Then a new connection first waits
//! for the lock of the match, that is, until the ghost of the first has committed or died; after that the key says
//! which of the two it was, or the write is simply done again.

use std::future::Future;
use std::time::{Duration, Instant};

use super::{ServiceError, Services};
use crate::store::{Connection, StoreError};

/// How long a write is tried again after its connection was lost.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(100);
/// How long the client waits; the write goes on without it.
const ANSWER_WITHIN: Duration = Duration::from_secs(12);

/// How a try of a write ended.
pub(super) enum Try<T> {
    /// It is decided, for or against.
    Known(Result<T, ServiceError>),
    /// The connection was lost.
    Lost(StoreError),
    /// A twin was faster: its answer can be had now.
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
    /// Runs a write to its end whatever becomes of the caller. `attempt` gets a connection and whether an earlier
    /// try may have left a ghost, which it has to wait for before it looks. Only a write with a key is `repeatable`:
    /// without one nobody could tell whether it has happened. `lost` says that a try has been lost already.
    pub(super) async fn durably<T, A, F>(
        &self,
        repeatable: bool,
        lost: bool,
        attempt: A,
    ) -> Result<T, ServiceError>
    where
        T: Send + 'static,
        A: Fn(Connection, bool) -> F + Send + 'static,
        F: Future<Output = Result<T, ServiceError>> + Send + 'static,
    {
        let services = self.clone();
        let write = async move { services.until_known(repeatable, lost, attempt).await };
        let task = self.writes.spawn_on(write, &self.runtime);
        match tokio::time::timeout(ANSWER_WITHIN, task).await {
            Ok(Ok(result)) => result,
            Ok(Err(panicked)) => Err(ServiceError::internal(panicked)),
            Err(_) => Err(ServiceError::OutcomeUnknown),
        }
    }

    async fn until_known<T, A, F>(&self, repeatable: bool, lost: bool, attempt: A) -> Result<T, ServiceError>
    where
        A: Fn(Connection, bool) -> F,
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
                    // The ghost still holds the lock: what becomes of it is not known yet.
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
