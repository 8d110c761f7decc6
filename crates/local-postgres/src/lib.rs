//! A PostgreSQL of one's own, on Unix: for a service that was started without an address of a database, and for
//! tests.
//!
//! - [`Cluster`] is durable and belongs to a service: it survives crashes of the service and of itself.
//! - [`TestDatabase`] is a database for one test, on a server that all tests share and that keeps nothing.
//! - [`TestCluster`] is durable and belongs to one test, which may kill it.
//! - [`not_checked()`] says what a test had to leave out.
//! - [`find`] finds the programs for all of them, and fetches them if there are none.
//!
//! Everything here blocks, and may be called inside and outside of an asynchronous runtime. Servers listen on a socket
//! in a directory that is closed to others, on no port, and ask for no password. What is in a database is no concern
//! of this crate: no tables, no migrations.
//!
//! Environment variables:
//! - `LOCAL_POSTGRES_BIN`: a directory with the programs to use;
//! - `LOCAL_POSTGRES_SKIP_INSTALLED`: if set, what is installed is not looked at;
//! - `YANIV_DATA_DIR`: what [`default_dir`] returns.

#[cfg(not(unix))]
compile_error!("local-postgres needs Unix; elsewhere leave it out and use a server that is installed");

mod account;
mod binaries;
mod cluster;
mod dirs;
mod error;
mod fetch;
mod launch;
mod not_checked;
mod packages;
mod postmaster;
mod shared_server;
mod sql;
mod test_cluster;
mod test_database;
mod unpack;

pub use binaries::{Binaries, find};
pub use cluster::Cluster;
pub use dirs::default_dir;
pub use error::Error;
pub use not_checked::{not_checked, not_installed};
pub use test_cluster::TestCluster;
pub use test_database::TestDatabase;
