//! Transactions, migrations, server checks, secrets, the database clock.

pub mod clock;
pub mod migrations;
pub mod secrets;
pub mod server_check;
pub mod transaction;
