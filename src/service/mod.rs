//! Use cases: one function is one intention of a user and one transaction. Neither HTTP nor SQL is known here.
//!
//! A write runs as a task of its own (`durable`): a client that vanishes cannot stop it half way.

pub mod accounts;
mod durable;
pub mod error;
mod gifts;
pub mod history;
pub mod list;
pub mod lobby;
mod lobby_change;
pub mod played_round;
pub mod replay;
pub mod status;
pub mod table;
pub mod turns;
pub mod view;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::auth::password::Passwords;
use crate::auth::token::Tokens;
use crate::store::Store;

pub use error::ServiceError;

/// Everything that the use cases work with. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    store: Store,
    passwords: Passwords,
    tokens: Tokens,
    runtime: Handle,
    writes: TaskTracker,
}

impl Services {
    /// Puts the parts together; writes run on `runtime`.
    pub fn new(store: Store, passwords: Passwords, tokens: Tokens, runtime: Handle) -> Self {
        Self { store, passwords, tokens, runtime, writes: TaskTracker::new() }
    }

    /// Whether the database answers now.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        drop(self.store.connection().await?);
        Ok(())
    }

    /// Waits until no write is running, to be called when no new ones can come.
    pub async fn finish_writes(&self) {
        self.writes.close();
        self.writes.wait().await;
    }
}
