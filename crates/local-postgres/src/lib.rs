//! A private PostgreSQL on Unix, for a service that was started without a database URL, and for tests.
//!
//! - [`Cluster`] is durable and belongs to a service: it survives crashes of the service and of the server.
//! - [`TestDatabase`] is a database for one test, on a non-durable server shared by all tests.
//! - [`TestCluster`] is durable and belongs to one test, which may kill it.
//! - [`not_checked()`] reports what a test had to skip.
//! - [`find`] locates the programs for all of them, and fetches them if there are none.
//!
//! All functions block, and may be called inside and outside of an asynchronous runtime. Servers listen only on a
//! socket in a private directory, and require no password. This crate knows no tables or migrations.
//!
//! Environment variables:
//! - `LOCAL_POSTGRES_BIN`: a directory with the programs to use;
//! - `LOCAL_POSTGRES_SKIP_INSTALLED`: if set, installed programs are ignored;
//! - `YANIV_DATA_DIR`: the result of [`default_dir`].

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
