//! What every room uses: durable writes, background workers, the batcher, the database's clock, cursor times,
//! calendars.

pub mod batcher;
pub mod calendars;
pub mod cursor_time;
pub mod database_clock;
pub mod durable_write;
pub mod worker;
