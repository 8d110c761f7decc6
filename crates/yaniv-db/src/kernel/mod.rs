//! Connections to the database and what all queries share: the URL and TLS, servers and their timelines, pools.
//!
//! Also transactions, pipelined and prepared statements, migrations, server checks, secrets, the database clock,
//! counters, counts of a day, idempotency keys, the backlog.

pub mod backlog;
pub mod clock;
pub(crate) mod connect_error;
pub mod counters;
pub mod daily_counts;
pub mod database_url;
pub mod idempotency_keys;
pub mod migrations;
pub mod pipeline;
pub mod pool;
pub(crate) mod prepared;
pub mod secrets;
pub mod server_check;
pub(crate) mod servers;
pub(crate) mod timelines;
pub(crate) mod tls;
pub mod transaction;
