//! Who waits for what at this instance, and the one who asks for all of them: while anybody waits, the database is asked
//! four times a second how their matches stand, in one statement for matches and one for inboxes; while nobody does, it is
//! not asked. What this instance itself writes is told at once. A wake-up that gets lost costs the next look, nothing else.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use super::gather::{Lane, within};
use super::settled::Player;
use crate::ids::{AccountId, MatchId};
use crate::store::watched::{watched_mark_list, watched_version_list};
use crate::store::{Store, StoreError};

/// Between two questions, at least.
const PERIOD: Duration = Duration::from_millis(250);
/// A question that took long is not asked again for so many times as long: waiting must not keep the database busy.
const REST: u32 = 4;
/// Longest wait for an answer.
const SILENCE: Duration = Duration::from_secs(5);

/// Who waits for what. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Watches(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Whether anybody waits: mostly nobody does, and a write locks nothing.
    any: AtomicBool,
    lists: Mutex<Lists>,
    wanted: Arc<Notify>,
}

#[derive(Default)]
struct Lists {
    matches: HashMap<Uuid, Watched>,
    accounts: HashMap<Uuid, Inbox>,
}

/// What is known of a match that somebody waits for.
#[derive(Default)]
struct Watched {
    /// The newest version heard of; 0 before.
    version: watch::Sender<i32>,
    /// What had been heard of when an answer was older than that.
    doubted: Option<i32>,
}

impl Watched {
    /// There is this version. What is older was asked for earlier.
    fn raise(&self, version: i32) {
        self.version.send_if_modified(|heard| {
            let newer = *heard < version;
            *heard = version.max(*heard);
            newer
        });
    }

    /// The database answers this version. If it has been older twice than what was heard of before it was asked the second
    /// time, it has lost that, as one restored from a backup has.
    fn hear(&mut self, version: i32) {
        let heard = *self.version.borrow();
        let doubted = std::mem::take(&mut self.doubted);
        if version >= heard {
            self.raise(version);
        } else if doubted == Some(heard) {
            self.version.send_replace(version);
        } else {
            self.doubted = Some(heard);
        }
    }
}

/// What is known of an account for whose inbox somebody waits.
#[derive(Default)]
struct Inbox {
    /// Goes up whenever there may be something new.
    changes: watch::Sender<u64>,
    /// As it was last heard.
    mark: Option<i64>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Whoever asks sees that there is nobody left, and ends.
        self.wanted.notify_one();
    }
}

impl Watches {
    /// Begins to ask `store`, for as long as there is anybody who could wait.
    pub(super) fn ask(&self, store: Store, runtime: &Handle) {
        let (inner, wanted) = (Arc::downgrade(&self.0), Arc::clone(&self.0.wanted));
        let mut asking = Asking { inner, lane: Lane::new(store), failing: false };
        runtime.spawn(async move {
            loop {
                let begun = Instant::now();
                match AssertUnwindSafe(asking.round()).catch_unwind().await {
                    Ok(Asked::Everything) => tokio::time::sleep(PERIOD.max(begun.elapsed() * REST)).await,
                    Ok(Asked::Nothing) => wanted.notified().await,
                    Ok(Asked::Nobody) => return,
                    Err(_) => tokio::time::sleep(SILENCE).await,
                }
            }
        });
    }

    /// The newest version of a match from now on; it falls where the database has lost some. Look at the match after this.
    pub(super) fn of_match(&self, id: MatchId) -> watch::Receiver<i32> {
        let mut lists = self.lists();
        let receiver = lists.matches.entry(id.0).or_default().version.subscribe();
        self.wanted(lists);
        receiver
    }

    /// Changes whenever an inbox may have something new. Look at it after having asked for this.
    pub(super) fn of_account(&self, account: AccountId) -> watch::Receiver<u64> {
        let mut lists = self.lists();
        let receiver = lists.accounts.entry(account.0).or_default().changes.subscribe();
        self.wanted(lists);
        receiver
    }

    /// Tells what was written here: a match has this version now.
    pub(super) fn tell(&self, id: MatchId, version: i32, players: &[Player]) {
        if !self.0.any.load(Ordering::Acquire) {
            return;
        }
        let lists = self.lists();
        if let Some(watched) = lists.matches.get(&id.0) {
            watched.raise(version);
        }
        for player in players {
            if let Some(inbox) = lists.accounts.get(&player.account.0) {
                inbox.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
            }
        }
    }

    /// How many matches and inboxes somebody waits for, or did a moment ago.
    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        let lists = self.lists();
        lists.matches.len() + lists.accounts.len()
    }

    fn wanted(&self, lists: MutexGuard<'_, Lists>) {
        self.0.any.store(true, Ordering::Release);
        drop(lists);
        self.0.wanted.notify_one();
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How a round of questions ended.
enum Asked {
    /// All was asked, or tried to be.
    Everything,
    /// Nobody waits.
    Nothing,
    /// There is nobody any more who could wait.
    Nobody,
}

struct Asking {
    inner: Weak<Inner>,
    lane: Lane,
    failing: bool,
}

impl Asking {
    async fn round(&mut self) -> Asked {
        let Some(watches) = self.inner.upgrade().map(Watches) else { return Asked::Nobody };
        let (matches, accounts) = watches.whom();
        drop(watches);
        if matches.is_empty() && accounts.is_empty() {
            return Asked::Nothing;
        }
        let learned = self.learn(&matches, &accounts).await;
        if let Err(error) = &learned
            && !self.failing
        {
            tracing::warn!(%error, "how the matches stand that people wait for cannot be heard of");
        }
        self.failing = learned.is_err();
        if let (Ok((versions, marks)), Some(inner)) = (learned, self.inner.upgrade()) {
            Watches(inner).hear(&versions, &marks);
        }
        Asked::Everything
    }

    async fn learn(&mut self, matches: &[Uuid], accounts: &[Uuid]) -> Result<Learned, StoreError> {
        let held = self.lane.take().await?;
        let found = within(SILENCE, async {
            let versions = match matches {
                [] => Vec::new(),
                matches => watched_version_list(&held.0, matches).await?,
            };
            let marks = match accounts {
                [] => Vec::new(),
                accounts => watched_mark_list(&held.0, accounts).await?,
            };
            Ok((versions, marks))
        })
        .await;
        self.lane.give_back(held, &found);
        found
    }
}

/// Versions of matches, marks of accounts.
type Learned = (Vec<(Uuid, i32)>, Vec<(Uuid, i64)>);

impl Watches {
    /// The matches and the accounts that somebody waits for; what nobody does is forgotten.
    fn whom(&self) -> (Vec<Uuid>, Vec<Uuid>) {
        let mut lists = self.lists();
        lists.matches.retain(|_, watched| watched.version.receiver_count() > 0);
        lists.accounts.retain(|_, inbox| inbox.changes.receiver_count() > 0);
        let any = !(lists.matches.is_empty() && lists.accounts.is_empty());
        self.0.any.store(any, Ordering::Release);
        (lists.matches.keys().copied().collect(), lists.accounts.keys().copied().collect())
    }

    fn hear(&self, versions: &[(Uuid, i32)], marks: &[(Uuid, i64)]) {
        let mut lists = self.lists();
        for (id, version) in versions {
            if let Some(watched) = lists.matches.get_mut(id) {
                watched.hear(*version);
            }
        }
        for (account, mark) in marks {
            let Some(inbox) = lists.accounts.get_mut(account) else { continue };
            // The first mark, too: what it is the mark of may have come after whoever waits has looked.
            if inbox.mark.replace(*mark) != Some(*mark) {
                inbox.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_waits_for_is_forgotten() {
        let watches = Watches::default();
        let [first, second] = [MatchId::generate(), MatchId::generate()];
        let kept = watches.of_match(first);
        drop(watches.of_match(second));
        drop(watches.of_account(AccountId::generate()));
        assert_eq!(watches.count(), 3);
        assert_eq!(watches.whom(), (vec![first.0], Vec::new()));
        assert_eq!(watches.count(), 1);
        drop(kept);
        watches.whom();
        assert!(watches.count() == 0 && !watches.0.any.load(Ordering::Acquire));
    }

    #[test]
    fn what_was_asked_for_earlier_takes_nothing_back_and_what_is_lost_is_lost() {
        let watches = Watches::default();
        let id = MatchId::generate();
        let heard = watches.of_match(id);
        watches.tell(id, 7, &[]);
        // The last but one was asked before 8 was written, the last after it.
        for (answered, expected) in [(6, 7), (7, 7), (6, 7)] {
            watches.hear(&[(id.0, answered)], &[]);
            assert_eq!(*heard.borrow(), expected);
        }
        watches.tell(id, 8, &[]);
        for (answered, expected) in [(7, 8), (6, 6), (7, 7)] {
            watches.hear(&[(id.0, answered)], &[]);
            assert_eq!(*heard.borrow(), expected);
        }
    }

    #[test]
    fn the_first_mark_of_an_inbox_wakes_and_the_same_again_does_not() {
        let watches = Watches::default();
        let account = AccountId::generate();
        let mut heard = watches.of_account(account);
        for (mark, wakes) in [(5, true), (5, false), (6, true)] {
            watches.hear(&[], &[(account.0, mark)]);
            assert_eq!(heard.has_changed().ok(), Some(wakes));
            heard.mark_unchanged();
        }
    }
}
