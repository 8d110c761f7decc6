//! Test environment of a trial: database, instances, proxies, and bugs planted from outside.

pub mod database;
pub mod moved_clock;
pub mod plants;
pub mod proxy;
pub mod stage;
pub mod standing;
pub mod tls;
