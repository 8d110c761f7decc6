//! Pipelined statements: sent together, in one round trip.

use futures_util::future::join;

use crate::error::StoreError;

/// Runs two statements on one connection, in this order, without waiting for the first before the second is sent. Nest
/// it for more.
///
/// The server executes them in the order in which they were first polled: a statement that has to be prepared holds the
/// connection's cache of statements, which is fair, and the next ones wait for it.
///
/// # Errors
/// That of the statement that failed first: in a transaction, those after it fail because of it.
pub async fn both<A, B>(
    first: impl Future<Output = Result<A, StoreError>>,
    second: impl Future<Output = Result<B, StoreError>>,
) -> Result<(A, B), StoreError> {
    match join(first, second).await {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (Err(first), Err(second)) => Err(if first.is_aftermath() { second } else { first }),
        (Err(error), Ok(_)) | (Ok(_), Err(error)) => Err(error),
    }
}
