//! Use cases: one function is one intention of a user and one transaction. Neither HTTP nor SQL is known here.
//!
//! A write is done by a task of its own: what has gathered of plain actions by one for all of them (`gather`, `saves`),
//! everything else by one for each (`durable`). A client that vanishes cannot stop it half way.

pub mod access;
pub mod accounts;
pub mod admin;
pub mod admin_accounts;
pub mod admin_invitations;
pub mod asked_pairing;
pub mod bots;
mod caretaker;
pub mod challenge;
mod challenge_answers;
pub mod challenges;
pub mod creation;
mod deletion;
mod durable;
mod ended;
pub mod error;
pub mod export;
mod gather;
mod gifts;
pub mod guests;
pub mod history;
pub mod join_code;
pub mod list;
pub mod lobby;
mod lobby_change;
pub mod looks;
mod made_match;
mod name_keeping;
mod names;
pub mod notices;
pub mod open_matches;
mod paired_match;
pub mod pairing;
pub mod password_checks;
pub mod people;
pub mod personal_tokens;
pub mod played_round;
pub mod profiles;
mod refresh;
mod rematches;
mod renames;
pub mod replay;
mod saves;
pub mod sessions;
pub mod settled;
pub mod sign_up;
pub mod status;
pub mod table;
mod table_rows;
mod tables;
pub mod turns;
pub mod view;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::access::KnownTokens;
use self::ended::Ended;
use self::gather::{Gatherer, Lane};
use self::notices::Notices;
use self::saves::{Saved, Saver};
use self::sign_up::SignUp;
use self::tables::{Tables, Versions};
use crate::auth::Keeper;
use crate::store::Store;
use crate::store::action_save::ActionSave;
use crate::store::match_versions::MatchVersion;

pub use error::ServiceError;

/// Requests to be paired that an instance works on at a time. Those for the same wish go one after the other in any case;
/// more would wait with a connection in their hands, which others need.
const PAIRING_AT_ONCE: usize = 2;

/// Everything that the use cases work with. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    store: Store,
    keeper: Keeper,
    ended: Ended,
    known_tokens: KnownTokens,
    runtime: Handle,
    writes: TaskTracker,
    tables: Tables,
    versions: Gatherer<Uuid, Option<MatchVersion>>,
    saves: Gatherer<Arc<ActionSave>, Saved>,
    pairing_turns: Arc<Semaphore>,
    sign_up: SignUp,
    notices: Notices,
}

impl Services {
    /// Puts the parts together; what is asked of the database runs on `runtime`. Of matches, so many bytes are kept in
    /// memory, roughly.
    pub fn new(
        store: Store,
        keeper: Keeper,
        runtime: Handle,
        memory: u64,
        sign_up: SignUp,
        notices: Notices,
    ) -> Self {
        let writes = TaskTracker::new();
        let versions = Gatherer::new(&runtime, &writes, Versions(Lane::new(store.clone())));
        let saves = Gatherer::new(&runtime, &writes, Saver(Lane::new(store.clone())));
        let (ended, known_tokens) = (Ended::default(), KnownTokens::default());
        let (tables, pairing_turns) = (Tables::new(memory), Arc::new(Semaphore::new(PAIRING_AT_ONCE)));
        Self {
            store,
            keeper,
            ended,
            known_tokens,
            runtime,
            writes,
            tables,
            versions,
            saves,
            pairing_turns,
            sign_up,
            notices,
        }
    }

    /// Whether the database answers now.
    ///
    /// # Errors
    /// If it does not.
    pub async fn ready(&self) -> Result<(), ServiceError> {
        drop(self.store.connection().await?);
        Ok(())
    }

    /// Waits until no write is running, to be called when no new ones can come; for ten seconds at most, as the database
    /// may have fallen silent.
    pub async fn finish_writes(&self) {
        self.writes.close();
        if tokio::time::timeout(Duration::from_secs(10), self.writes.wait()).await.is_err() {
            tracing::error!(left = self.writes.len(), "writes did not end: what became of them is not known");
        }
    }
}
