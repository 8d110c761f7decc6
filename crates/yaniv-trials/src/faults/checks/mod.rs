//! Checks: what clients were told, compared with the database and the engine.

pub mod checker;
pub mod ledger;
pub mod masks;
pub mod pool;
pub mod replay;
pub mod twins;
