//! Transactions, pipelined statements, migrations, server checks, secrets, the database clock, idempotency keys.

pub mod clock;
pub mod idempotency_keys;
pub mod migrations;
pub mod pipeline;
pub mod secrets;
pub mod server_check;
pub mod transaction;
