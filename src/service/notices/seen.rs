//! Who has just looked at which match. Every instance remembers looks for a moment and notes them in the database, many at a
//! time and of a player and match once in ten seconds: so that others know, and no reading waits for it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::ids::{AccountId, MatchId};
use crate::store::match_looks::LookRow;

/// How long after a look it is not written down again.
const PAUSE: Duration = Duration::from_secs(10);
/// How long a look is remembered here.
const KEPT: Duration = Duration::from_secs(60);
/// Looks that are remembered at most; beyond that some player is told what they have seen.
const MOST: usize = 50_000;
/// Looks that are noted at a time.
const AT_A_TIME: usize = 1000;

/// Looks of late. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Seen(Arc<Inner>);

#[derive(Default)]
struct Inner {
    wanted: AtomicBool,
    looks: Mutex<HashMap<(Uuid, Uuid), Look>>,
}

struct Look {
    last: Instant,
    noted: Option<Instant>,
}

impl Look {
    /// Whether it has to be written down now.
    fn is_due(&self, now: Instant) -> bool {
        self.noted.is_none_or(|noted| self.last > noted && now.duration_since(noted) >= PAUSE)
    }
}

impl Seen {
    /// Whether anybody has a channel: else nothing is remembered.
    pub(super) fn want(&self, wanted: bool) {
        self.0.wanted.store(wanted, Ordering::Relaxed);
    }

    /// Whether anybody is known to have one.
    pub(super) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::Relaxed)
    }

    /// Somebody looks at a match.
    pub(super) fn saw(&self, account: AccountId, id: MatchId) {
        if !self.is_wanted() {
            return;
        }
        let (mut looks, now) = (self.looks(), Instant::now());
        if let Some(look) = looks.get_mut(&(account.0, id.0)) {
            look.last = now;
        } else if looks.len() < MOST {
            looks.insert((account.0, id.0), Look { last: now, noted: None });
        }
    }

    /// Looks to be noted now. They count as noted.
    pub(super) fn due(&self) -> Vec<LookRow> {
        let (mut looks, now) = (self.looks(), Instant::now());
        looks.retain(|_, look| {
            look.is_due(now) || look.last > look.noted.unwrap_or(now) || now.duration_since(look.last) < KEPT
        });
        let due = looks.iter_mut().filter(|(_, look)| look.is_due(now)).take(AT_A_TIME);
        due.map(|(&(account_id, match_id), look)| {
            look.noted = Some(now);
            LookRow { account_id, match_id, ago: now.duration_since(look.last).as_secs_f64() }
        })
        .collect()
    }

    /// They could not be noted.
    pub(super) fn not_noted(&self, rows: &[LookRow]) {
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
        seen.saw(ada, id);
        assert!(seen.due().is_empty(), "nobody wants to know");
        seen.want(true);
        seen.saw(ada, id);
        assert_eq!(seen.due().len(), 1);
        seen.saw(ada, id);
        assert!(seen.due().is_empty(), "it has just been noted");
        assert_eq!(seen.looks().len(), 1, "and waits for its turn");
        let failed = LookRow { account_id: ada.0, match_id: id.0, ago: 0.0 };
        seen.not_noted(&[failed]);
        assert_eq!(seen.due().len(), 1);
    }
}
