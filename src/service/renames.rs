//! What accounts are called since they were renamed lately, in memory: matches that call them otherwise are not kept. Names
//! change seldom, when a guest claims an account and when one is deleted.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::table::Table;

/// How long a name is remembered: longer than a match that was read before may be on its way.
const REMEMBERED: Duration = Duration::from_secs(600);

/// Names that were changed. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Renames(Arc<List>);

#[derive(Default)]
struct List {
    /// Whether there is any: most of the time nobody was renamed, and nothing is locked.
    any: AtomicBool,
    /// By account, each with when it was heard of.
    names: RwLock<HashMap<Uuid, (String, Instant)>>,
}

impl Renames {
    /// Notes what accounts are called now; says whether any of it is new.
    pub(super) fn hear(&self, names: Vec<(Uuid, String)>) -> bool {
        if names.is_empty() {
            return false;
        }
        let now = Instant::now();
        let mut known = self.0.names.write().unwrap_or_else(PoisonError::into_inner);
        let mut new = false;
        for (account, name) in names {
            let before = known.insert(account, (name.clone(), now));
            new |= before.is_none_or(|(before, _)| before != name);
        }
        self.0.any.store(true, Ordering::SeqCst);
        new
    }

    /// Whether somebody at a match is called otherwise by now.
    pub(super) fn contradict(&self, table: &Table) -> bool {
        if !self.0.any.load(Ordering::SeqCst) {
            return false;
        }
        let known = self.0.names.read().unwrap_or_else(PoisonError::into_inner);
        table
            .players
            .iter()
            .any(|player| known.get(&player.account.0).is_some_and(|(name, _)| *name != player.username))
    }

    /// Forgets what was heard of long ago.
    pub(super) fn forget(&self) {
        let mut known = self.0.names.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (_, heard)| heard.elapsed() < REMEMBERED);
        self.0.any.store(!known.is_empty(), Ordering::SeqCst);
    }
}
