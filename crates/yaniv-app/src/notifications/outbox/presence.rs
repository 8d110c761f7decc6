//! Presence: recent reads of matches by players, and the versions that they saw.
//!
//! Each instance buffers reads in memory and writes them to the database in batches, per player and match
//! once in ten seconds, so that other instances know them and no read waits. A play is a read, too, but is
//! recorded only while any account has a channel: for the home screen, the log has it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;
use yaniv_db::notifications::last_seen::LookRow;
use yaniv_model::ids::{AccountId, MatchId};

/// Minimum time between two writes of the same player and match.
const PAUSE: Duration = Duration::from_secs(10);
/// How long a read is kept in memory.
const KEPT: Duration = Duration::from_secs(60);
/// Maximum number of buffered reads; above it, a player may be notified of something already seen.
const MOST: usize = 50_000;
/// Reads per write.
const AT_A_TIME: usize = 1000;

/// Recent reads. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Inner>);

#[derive(Default)]
struct Inner {
    wanted: AtomicBool,
    looks: Mutex<HashMap<(Uuid, Uuid), Look>>,
}

struct Look {
    last: Instant,
    noted: Option<Instant>,
    version: i32,
    read: bool,
}

impl Look {
    /// Whether it has to be written now.
    fn is_due(&self, now: Instant) -> bool {
        self.noted.is_none_or(|noted| self.last > noted && now.duration_since(noted) >= PAUSE)
    }
}

impl Seen {
    /// Sets whether any account has a channel; if not, plays are not recorded.
    pub(crate) fn want(&self, wanted: bool) {
        self.0.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Whether any account is known to have a channel.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::Relaxed)
    }

    /// Records a read of a match at a version.
    pub(crate) fn read(&self, account: AccountId, id: MatchId, version: i32) {
        self.saw(account, id, version, true);
    }

    /// Records that a player has played, which made this version.
    pub(crate) fn played(&self, account: AccountId, id: MatchId, version: i32) {
        if self.is_wanted() {
            self.saw(account, id, version, false);
        }
    }

    /// The newest version that a player has seen lately at this instance.
    pub(crate) fn version(&self, account: AccountId, id: MatchId) -> Option<i32> {
        self.looks().get(&(account.0, id.0)).map(|look| look.version)
    }

    fn saw(&self, account: AccountId, id: MatchId, version: i32, read: bool) {
        let (mut looks, now) = (self.looks(), Instant::now());
        if let Some(look) = looks.get_mut(&(account.0, id.0)) {
            look.last = now;
            look.version = look.version.max(version);
            look.read |= read;
        } else if looks.len() < MOST {
            looks.insert((account.0, id.0), Look { last: now, noted: None, version, read });
        }
    }

    /// Takes the reads to be written now, and marks them as written.
    pub(crate) fn due(&self) -> Vec<LookRow> {
        let (mut looks, now) = (self.looks(), Instant::now());
        looks.retain(|_, look| {
            look.is_due(now) || look.last > look.noted.unwrap_or(now) || now.duration_since(look.last) < KEPT
        });
        let due = looks.iter_mut().filter(|(_, look)| look.is_due(now)).take(AT_A_TIME);
        due.map(|(&(account_id, match_id), look)| {
            look.noted = Some(now);
            let ago = now.duration_since(look.last).as_secs_f64();
            LookRow { account_id, match_id, version: look.version, ago, read: look.read }
        })
        .collect()
    }

    /// Marks reads as not written, after a failed write.
    pub(crate) fn not_noted(&self, rows: &[LookRow]) {
        let mut looks = self.looks();
        for row in rows {
            if let Some(look) = looks.get_mut(&(row.account_id, row.match_id)) {
                look.noted = None;
            }
        }
    }

    fn looks(&self) -> MutexGuard<'_, HashMap<(Uuid, Uuid), Look>> {
        self.0.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_is_noted_once_in_a_while() {
        let seen = Seen::default();
        let (ada, id) = (AccountId(Uuid::from_u128(1)), MatchId(Uuid::from_u128(2)));
        seen.played(ada, id, 4);
        assert!(seen.due().is_empty(), "no account has a channel");
        seen.read(ada, id, 5);
        assert_eq!(seen.due().len(), 1);
        seen.want(true);
        seen.played(ada, id, 6);
        assert!(seen.due().is_empty(), "it has just been noted");
        assert_eq!(seen.looks().len(), 1, "and waits for its turn");
        assert_eq!(seen.version(ada, id), Some(6));
        let failed = LookRow { account_id: ada.0, match_id: id.0, version: 6, ago: 0.0, read: true };
        seen.not_noted(&[failed]);
        assert_eq!(seen.due().len(), 1);
    }
}
