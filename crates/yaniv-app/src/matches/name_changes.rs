//! Recent name changes of accounts, in memory: the match cache rejects matches with outdated names.
//!
//! Names rarely change: when a player sets a display name, a guest claims an account, or an account is deleted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use uuid::Uuid;
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_match::MatchState;
use yaniv_match::settings::Player;

/// How long a name change is kept: longer than any load of a match that began before it.
const REMEMBERED: Duration = Duration::from_secs(600);

/// Recent name changes. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Renames(Arc<List>);

#[derive(Default)]
struct List {
    /// Whether there are any. Usually there are none, and the lock is not taken.
    any: AtomicBool,
    /// Current names and time of learning them, by account.
    names: RwLock<HashMap<Uuid, (CurrentNames, Instant)>>,
}

impl Renames {
    /// Records current names; returns whether any of them is new.
    pub(crate) fn hear(&self, names: Vec<CurrentNames>) -> bool {
        if names.is_empty() {
            return false;
        }
        let now = Instant::now();
        let mut known = self.0.names.write().unwrap_or_else(PoisonError::into_inner);
        let mut new = false;
        for current in names {
            let before = known.insert(current.id, (current.clone(), now));
            new |= before.is_none_or(|(before, _)| before != current);
        }
        self.0.any.store(true, Ordering::SeqCst);
        new
    }

    /// Whether a player of the match has another name now.
    pub(crate) fn contradict(&self, state: &MatchState) -> bool {
        if !self.0.any.load(Ordering::SeqCst) {
            return false;
        }
        let known = self.0.names.read().unwrap_or_else(PoisonError::into_inner);
        let outdated = |player: &Player| {
            let current = known.get(&player.account.0).map(|(current, _)| current);
            current.is_some_and(|current| {
                current.username != player.username || current.display_name != player.display_name
            })
        };
        state.players().iter().any(outdated)
    }

    /// Drops name changes older than `REMEMBERED`.
    pub(crate) fn forget(&self) {
        let mut known = self.0.names.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, heard)| heard.elapsed() < REMEMBERED);
        self.0.any.store(!known.is_empty(), Ordering::SeqCst);
    }
}
