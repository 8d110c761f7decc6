//! Transactions for the application layer: commit on success, roll back on error.

use diesel::result::Error;
use diesel_async::{AnsiTransactionManager, TransactionManager};
use tracing::Instrument;
use yaniv_model::traces::TRACES;

use crate::Connection;
use crate::error::StoreError;

/// Read-only snapshot.
const SNAPSHOT: &str = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A closure that runs inside a transaction, with a `Send` future.
pub trait Work<C, R>: AsyncFnOnce(C) -> R + FnOnce(C) -> <Self as Work<C, R>>::Future {
    /// The future of the closure.
    type Future: Future<Output = R>;
}

impl<F, C, R, Fut> Work<C, R> for F
where
    F: AsyncFnOnce(C) -> R + FnOnce(C) -> Fut,
    Fut: Future<Output = R>,
{
    type Future = Fut;
}

/// A connection that can run transactions.
pub trait Transactions {
    /// Runs `work` in a transaction: commits on success, rolls back on error.
    ///
    /// # Errors
    /// Errors of the work; any database error.
    fn transaction<'a, 'c, T, E, F>(&'c mut self, work: F) -> impl Future<Output = Result<T, E>> + Send + 'c
    where
        for<'r> F: AsyncFnOnce(&'r mut Connection) -> Result<T, E>
            + Work<&'r mut Connection, Result<T, E>, Future: Send>
            + Send
            + 'a,
        E: From<StoreError> + Send + 'a,
        T: Send + 'a,
        'a: 'c;

    /// Runs read-only `work` on one snapshot.
    ///
    /// # Errors
    /// Errors of the work; any database error.
    fn snapshot<'a, 'c, T, E, F>(&'c mut self, work: F) -> impl Future<Output = Result<T, E>> + Send + 'c
    where
        for<'r> F: AsyncFnOnce(&'r mut Connection) -> Result<T, E>
            + Work<&'r mut Connection, Result<T, E>, Future: Send>
            + Send
            + 'a,
        E: From<StoreError> + Send + 'a,
        T: Send + 'a,
        'a: 'c;
}

impl Transactions for Connection {
    async fn transaction<'a, 'c, T, E, F>(&'c mut self, work: F) -> Result<T, E>
    where
        for<'r> F: AsyncFnOnce(&'r mut Connection) -> Result<T, E>
            + Work<&'r mut Connection, Result<T, E>, Future: Send>
            + Send
            + 'a,
        E: From<StoreError> + Send + 'a,
        T: Send + 'a,
        'a: 'c,
    {
        let transaction = async {
            AnsiTransactionManager::begin_transaction(self).await.map_err(StoreError::from)?;
            let result = work(&mut *self).await;
            end(self, result).await
        };
        transaction.instrument(tracing::trace_span!(target: TRACES, "transaction")).await
    }

    async fn snapshot<'a, 'c, T, E, F>(&'c mut self, work: F) -> Result<T, E>
    where
        for<'r> F: AsyncFnOnce(&'r mut Connection) -> Result<T, E>
            + Work<&'r mut Connection, Result<T, E>, Future: Send>
            + Send
            + 'a,
        E: From<StoreError> + Send + 'a,
        T: Send + 'a,
        'a: 'c,
    {
        let snapshot = async {
            AnsiTransactionManager::begin_transaction_sql(self, SNAPSHOT).await.map_err(StoreError::from)?;
            let result = work(&mut *self).await;
            end(self, result).await
        };
        snapshot.instrument(tracing::trace_span!(target: TRACES, "snapshot")).await
    }
}

async fn end<T, E: From<StoreError>>(connection: &mut Connection, result: Result<T, E>) -> Result<T, E> {
    match result {
        Ok(value) => {
            AnsiTransactionManager::commit_transaction(connection).await.map_err(StoreError::from)?;
            Ok(value)
        }
        Err(error) => match AnsiTransactionManager::rollback_transaction(connection).await {
            // The work's own error is the one that broke the transaction.
            Ok(()) | Err(Error::BrokenTransactionManager) => Err(error),
            Err(failed) => Err(StoreError::from(failed).into()),
        },
    }
}
