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
mod attendance;
mod automatic;
pub mod bookkeeper;
pub mod bots;
mod calendar_change;
mod calendar_detail;
mod calendar_edit;
mod calendar_rows;
pub mod calendars;
mod caretaker;
pub mod cause;
pub mod challenge;
mod challenge_answers;
pub mod challenges;
mod clock_form;
pub mod clocks;
pub mod creation;
mod cursor_time;
mod database_time;
mod deletion;
mod durable;
mod ended;
pub mod error;
pub mod events;
pub mod export;
pub mod fsck;
mod fsck_derived;
mod fsck_log;
mod fsck_state;
mod gather;
mod gifts;
pub mod guests;
pub mod history;
pub mod house_bots;
pub mod inbox;
mod inbox_cursor;
pub mod interventions;
pub mod join_code;
pub mod list;
pub mod lobby;
mod lobby_change;
mod locked_turns;
pub mod looks;
mod made_match;
pub mod my_turns;
mod name_keeping;
mod names;
pub mod notices;
pub mod open_matches;
mod order_carrying;
mod order_checks;
pub mod pace;
mod paired_match;
pub mod pairing;
pub mod password_checks;
pub mod past_matches;
pub mod people;
pub mod personal_tokens;
pub mod placed_orders;
pub mod played_round;
pub mod profiles;
pub mod rated_seats;
mod rater;
pub mod rating_math;
mod rating_order;
pub mod rating_rebuild;
pub mod ratings;
pub mod recap;
pub mod record_stream;
mod refresh;
mod rematches;
mod renames;
pub mod replay;
mod replaying;
pub mod round_analysis;
pub mod round_replay;
mod round_walk;
pub mod sandbox;
mod saves;
pub mod sessions;
pub mod settled;
pub mod sign_up;
pub mod standing_orders;
pub mod statistics;
pub mod status;
mod streaks;
mod stream_places;
pub mod streams;
pub mod table;
mod table_clock;
mod table_rows;
mod table_start;
mod tables;
pub mod turns;
pub mod view;
mod watches;
pub mod whole_match;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::access::KnownTokens;
use self::attendance::Attention;
use self::bookkeeper::Bookkeeping;
use self::database_time::DatabaseTime;
use self::ended::Ended;
use self::gather::{Gatherer, Lane};
use self::notices::Notices;
use self::rater::RaterBell;
use self::replaying::Replaying;
use self::saves::{Saved, Saver};
use self::sign_up::SignUp;
use self::streaks::Streaks;
use self::stream_places::Streams;
use self::tables::{Tables, Versions};
use self::watches::Watches;
use crate::auth::Keeper;
use crate::store::Store;
use crate::store::action_save::ActionSave;
use crate::store::match_versions::MatchVersion;

pub use error::ServiceError;

/// Requests to be paired that an instance works on at a time. Those for the same wish go one after the other in any case;
/// more would wait with a connection in their hands, which others need.
const PAIRING_AT_ONCE: usize = 2;

/// What whoever runs the service allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// Who may come in.
    pub sign_up: SignUp,
    /// Whether there are test matches.
    pub sandboxes: bool,
}

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
    sandboxes: bool,
    database_time: DatabaseTime,
    attention: Attention,
    bookkeeping: Bookkeeping,
    watches: Watches,
    streams: Streams,
    notices: Notices,
    rater: RaterBell,
    replaying: Replaying,
    streaks: Streaks,
}

impl Services {
    /// Puts the parts together; what is asked of the database runs on `runtime`. Of matches, so many bytes are kept in
    /// memory, roughly.
    pub fn new(
        store: Store,
        keeper: Keeper,
        runtime: Handle,
        memory: u64,
        allowed: Allowed,
        notices: Notices,
    ) -> Self {
        let writes = TaskTracker::new();
        let versions = Gatherer::new(&runtime, &writes, Versions(Lane::new(store.clone())));
        let saves = Gatherer::new(&runtime, &writes, Saver(Lane::new(store.clone())));
        let (watches, streams) = (Watches::default(), Streams::new(2000, Duration::from_secs(15)));
        watches.ask(store.clone(), &runtime);
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
            sign_up: allowed.sign_up,
            sandboxes: allowed.sandboxes,
            database_time: DatabaseTime::default(),
            attention: Attention::default(),
            bookkeeping: Bookkeeping::default(),
            watches,
            streams,
            notices,
            rater: RaterBell::default(),
            replaying: Replaying::default(),
            streaks: Streaks::default(),
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
