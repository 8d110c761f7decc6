//! What every room uses: durable writes, idempotency keys, background workers, the batcher, pages of lists, the database's clock,
//! calendars.

pub mod batcher;
pub mod calendars;
pub mod database_clock;
pub mod durable_write;
pub mod idempotency;
pub mod page;
pub mod worker;
