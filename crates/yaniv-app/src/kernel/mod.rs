//! What every room uses: durable writes, idempotency keys, background workers, the batcher, bounds, pages of lists, the database's clock,
//! calendars, mutes, metrics.

pub mod batcher;
pub mod bounds;
pub mod calendars;
pub mod database_clock;
pub mod durable_write;
pub mod idempotency;
pub mod metrics;
pub(crate) mod mutes;
pub mod page;
pub mod readable_codes;
pub mod worker;

/// Boxes the future of a use case, so that it is compiled in this crate. The compiler generates the code of an async
/// function, with the queries in it, where its future is polled: without this in yaniv-http, and again in each program.
pub(crate) use async_recursion::async_recursion as boxed;
