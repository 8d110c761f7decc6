//! Change notifier: one poller per instance for all waiting long polls and streams.
//!
//! While there are waiters, the database is polled four times a second, with one statement for matches and
//! one for account feeds; without waiters, not at all. Writes of this instance are announced at once, those of other
//! instances as soon as the `change_channel` has them. A lost wake-up delays a waiter until the next poll, nothing else.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::watch;
use uuid::Uuid;
use yaniv_db::feeds::change_watch::{watched_mark_list, watched_version_list};
use yaniv_db::{Store, StoreError};
use yaniv_match::settings::Player;
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::feeds::change_channel::{ChangeQueue, Exchange, RETRY};
use crate::kernel::batcher::{DedicatedConnection, within};
use crate::kernel::worker::{Next, Wake, Work, Worker};

/// Minimum interval between two polls.
const PERIOD: Duration = Duration::from_millis(250);
/// After a slow poll, the pause is this multiple of its duration: waiting must not keep the database busy.
const REST: u32 = 4;
/// Timeout of a poll.
const SILENCE: Duration = Duration::from_secs(5);

/// The waiters and their subscriptions. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct ChangeNotifier(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Whether there are waiters: usually there are none, and a write takes no lock.
    any: AtomicBool,
    lists: Mutex<Lists>,
    wanted: Wake,
    /// Writes of this instance, for the others.
    queue: Arc<ChangeQueue>,
}

#[derive(Default)]
struct Lists {
    matches: HashMap<Uuid, Watched>,
    accounts: HashMap<Uuid, WatchedAccount>,
}

/// State of a match with waiters.
#[derive(Default)]
struct Watched {
    /// The newest known version; 0 at first.
    version: watch::Sender<i32>,
    /// The known version when a poll returned an older one.
    doubted: Option<i32>,
}

impl Watched {
    /// Announces a version. An older one comes from an earlier query and is ignored.
    fn raise(&self, version: i32) {
        self.version.send_if_modified(|heard| {
            let newer = *heard < version;
            *heard = version.max(*heard);
            newer
        });
    }

    /// Processes the version that a poll returned.
    ///
    /// If two polls return a version older than the one known before the second poll began, the database has
    /// lost entries, as one restored from a backup has.
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

/// State of an account feed with waiters.
#[derive(Default)]
struct WatchedAccount {
    /// Counter, incremented when there may be new events.
    changes: watch::Sender<u64>,
    /// The last mark that was read.
    mark: Option<i64>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // Wakes the workers, which see that the notifier is gone, and end.
        self.wanted.ring();
        self.queue.wake();
    }
}

/// A reference that does not keep the notifier alive.
pub(crate) struct WeakNotifier(Weak<Inner>);

impl WeakNotifier {
    pub(crate) fn upgrade(&self) -> Option<ChangeNotifier> {
        self.0.upgrade().map(ChangeNotifier)
    }
}

impl ChangeNotifier {
    /// Starts polling `store` and listening to the change channel; both end when the notifier is dropped, or when `worker`
    /// says that a worker ends.
    pub(crate) fn start(
        &self,
        store: Store,
        runtime: &Handle,
        worker: impl Fn(&'static str, Duration) -> Worker,
    ) {
        let weak = WeakNotifier(Arc::downgrade(&self.0));
        let exchange = Exchange::new(store.clone(), weak, Arc::clone(&self.0.queue));
        worker("change channel", RETRY).listening().start(runtime, exchange);
        let asking = Asking { inner: Arc::downgrade(&self.0), lane: DedicatedConnection::new(store) };
        let worker = worker("change notifier", PERIOD).resting(PERIOD, REST);
        worker.woken_by(&self.0.wanted).start(runtime, asking);
    }

    /// Subscribes to the version of a match; it falls if the database has lost entries.
    ///
    /// Read the match after subscribing.
    pub(crate) fn of_match(&self, id: MatchId) -> watch::Receiver<i32> {
        let mut lists = self.lists();
        let receiver = lists.matches.entry(id.0).or_default().version.subscribe();
        self.wanted(lists);
        receiver
    }

    /// Subscribes to changes of an account feed. Read the feed after subscribing.
    pub(crate) fn of_account(&self, account: AccountId) -> watch::Receiver<u64> {
        let mut lists = self.lists();
        let receiver = lists.accounts.entry(account.0).or_default().changes.subscribe();
        self.wanted(lists);
        receiver
    }

    /// Announces a write of this instance, to the others as well: the match has this version now.
    pub(crate) fn tell(&self, id: MatchId, version: i32, players: &[Player]) {
        self.0.queue.push(id, version, players);
        self.announce(id, version, players.iter().map(|player| player.account));
    }

    /// Wakes the waiters of this instance: the match has this version now.
    pub(crate) fn announce(&self, id: MatchId, version: i32, accounts: impl IntoIterator<Item = AccountId>) {
        if !self.is_waited_for() {
            return;
        }
        let lists = self.lists();
        if let Some(watched) = lists.matches.get(&id.0) {
            watched.raise(version);
        }
        for account in accounts {
            if let Some(inbox) = lists.accounts.get(&account.0) {
                inbox.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
            }
        }
    }

    /// Whether there are waiters, or recently were.
    pub(crate) fn is_waited_for(&self) -> bool {
        self.0.any.load(Ordering::Acquire)
    }

    /// Number of matches and feeds that have, or recently had, waiters.
    #[cfg(test)]
    pub(crate) fn count(&self) -> usize {
        let lists = self.lists();
        lists.matches.len() + lists.accounts.len()
    }

    fn wanted(&self, lists: MutexGuard<'_, Lists>) {
        if !self.0.any.swap(true, Ordering::AcqRel) {
            self.0.queue.send_heartbeat();
        }
        drop(lists);
        self.0.wanted.ring();
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.0.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One run is a poll.
struct Asking {
    inner: Weak<Inner>,
    lane: DedicatedConnection,
}

impl Work for Asking {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let Some(watches) = self.inner.upgrade().map(ChangeNotifier) else { return Ok(Next::End) };
        let (matches, accounts) = watches.watched();
        drop(watches);
        if matches.is_empty() && accounts.is_empty() {
            return Ok(Next::Woken);
        }
        let (versions, marks) = self.learn(&matches, &accounts).await?;
        if let Some(inner) = self.inner.upgrade() {
            ChangeNotifier(inner).hear(&versions, &marks);
        }
        Ok(Next::Now)
    }
}

impl Asking {
    async fn learn(&mut self, matches: &[Uuid], accounts: &[Uuid]) -> Result<Learned, StoreError> {
        let held = self.lane.take().await?;
        let found = within(SILENCE, async {
            let versions = match matches {
                [] => Vec::new(),
                matches => watched_version_list(&held, matches).await?,
            };
            let marks = match accounts {
                [] => Vec::new(),
                accounts => watched_mark_list(&held, accounts).await?,
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

impl ChangeNotifier {
    /// The matches and accounts with waiters; others are removed.
    fn watched(&self) -> (Vec<Uuid>, Vec<Uuid>) {
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
            // The first mark counts as a change: its event may have appeared after the waiter's read.
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
    fn entries_without_waiters_are_removed() {
        let watches = ChangeNotifier::default();
        let [first, second] = [MatchId::generate(), MatchId::generate()];
        let kept = watches.of_match(first);
        drop(watches.of_match(second));
        drop(watches.of_account(AccountId::generate()));
        assert_eq!(watches.count(), 3);
        assert_eq!(watches.watched(), (vec![first.0], Vec::new()));
        assert_eq!(watches.count(), 1);
        drop(kept);
        watches.watched();
        assert!(watches.count() == 0 && !watches.0.any.load(Ordering::Acquire));
    }

    #[test]
    fn what_was_asked_for_earlier_takes_nothing_back_and_what_is_lost_is_lost() {
        let watches = ChangeNotifier::default();
        let id = MatchId::generate();
        let heard = watches.of_match(id);
        watches.tell(id, 7, &[]);
        // The last but one was queried before 8 was written, the last after it.
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
        let watches = ChangeNotifier::default();
        let account = AccountId::generate();
        let mut heard = watches.of_account(account);
        for (mark, wakes) in [(5, true), (5, false), (6, true)] {
            watches.hear(&[], &[(account.0, mark)]);
            assert_eq!(heard.has_changed().ok(), Some(wakes));
            heard.mark_unchanged();
        }
    }
}
