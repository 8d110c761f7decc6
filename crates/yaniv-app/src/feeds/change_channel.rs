//! Change channel: sends the changes of this instance to the others by `NOTIFY`, and receives theirs.
//!
//! A client that waits at another instance is woken within milliseconds instead of at the next poll
//! (`change_watcher`). Nothing is sent unless another instance has waiting clients: such an instance sends heartbeats.
//! A `NOTIFY` in the transaction of an action would make commits wait for each other, so the changes since the last
//! message are sent together, after their commits. A lost message costs the time until the next poll.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use uuid::Uuid;
use yaniv_db::Store;
use yaniv_db::feeds::change_channel::ChangeChannel;
use yaniv_match::settings::Player;
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::feeds::change_watcher::WeakNotifier;
use crate::kernel::worker::{Next, Work};

/// Interval of the heartbeats of an instance with waiting clients.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Without a heartbeat for this time, no other instance has waiting clients.
const HEARTBEAT_TIMEOUT: Duration = Duration::from_secs(16);
/// Maximum number of changes in the queue. The poll finds those that exceed it.
const MOST_QUEUED: usize = 4096;
/// Maximum number of changes in a message: with ten players each takes 470 bytes, and PostgreSQL allows 7,999.
const MOST_IN_MESSAGE: usize = 16;
/// Pause after an error.
pub(crate) const RETRY: Duration = Duration::from_secs(1);

/// A match has a new version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// The match.
    pub(crate) match_id: MatchId,
    /// Its version.
    pub(crate) version: i32,
    /// The accounts with a seat.
    pub(crate) accounts: Vec<AccountId>,
}

/// What is sent, as JSON. Without changes it is a heartbeat.
#[derive(Serialize, Deserialize)]
struct Message {
    /// The instance that sent it.
    sender: Uuid,
    changes: Vec<Change>,
}

/// Queue of the changes to send.
#[derive(Default)]
pub(crate) struct ChangeQueue {
    /// Whether another instance has waiting clients; if not, nothing is queued.
    wanted: AtomicBool,
    changes: Mutex<Vec<Change>>,
    heartbeat: AtomicBool,
    wake: Notify,
}

impl ChangeQueue {
    /// Queues a change.
    pub(crate) fn push(&self, match_id: MatchId, version: i32, players: &[Player]) {
        if !self.wanted.load(Ordering::Acquire) {
            return;
        }
        let accounts = players.iter().map(|player| player.account).collect();
        let mut changes = self.changes.lock().unwrap_or_else(PoisonError::into_inner);
        if changes.len() < MOST_QUEUED {
            changes.push(Change { match_id, version, accounts });
        }
        drop(changes);
        self.wake.notify_one();
    }

    /// Sends a heartbeat at once: the first client waits.
    pub(crate) fn send_heartbeat(&self) {
        self.heartbeat.store(true, Ordering::Release);
        self.wake.notify_one();
    }

    /// Wakes the worker, which ends if the notifier is gone.
    pub(crate) fn wake(&self) {
        self.wake.notify_one();
    }

    /// The messages to send now.
    fn take(&self, sender: Uuid) -> Vec<Message> {
        let changes = std::mem::take(&mut *self.changes.lock().unwrap_or_else(PoisonError::into_inner));
        let heartbeat = self.heartbeat.swap(false, Ordering::AcqRel).then(Vec::new);
        let parts = changes.chunks(MOST_IN_MESSAGE).map(<[Change]>::to_vec);
        parts.chain(heartbeat).map(|changes| Message { sender, changes }).collect()
    }
}

/// The step of the worker, which ends when the notifier is dropped.
pub(crate) struct Exchange {
    store: Store,
    notifier: WeakNotifier,
    queue: Arc<ChangeQueue>,
    /// Identifies this instance.
    sender: Uuid,
    /// When another instance sent a heartbeat.
    heard: Option<Instant>,
}

impl Exchange {
    pub(crate) fn new(store: Store, notifier: WeakNotifier, queue: Arc<ChangeQueue>) -> Self {
        Self { store, notifier, queue, sender: Uuid::new_v4(), heard: None }
    }
}

impl Work for Exchange {
    /// One run lasts as long as the connection.
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let mut channel = ChangeChannel::open(&self.store).await?;
        let mut heartbeats = tokio::time::interval(HEARTBEAT);
        while let Some(notifier) = self.notifier.upgrade() {
            let waited_for = notifier.is_waited_for();
            drop(notifier);
            tokio::select! {
                message = channel.next() => self.receive(&message?),
                _ = heartbeats.tick() => {
                    channel.check().await?;
                    self.expire();
                    if waited_for {
                        self.queue.send_heartbeat();
                    }
                }
                () = self.queue.wake.notified() => {
                    let messages = self.queue.take(self.sender);
                    let messages = messages.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
                    let messages = messages.map_err(ServiceError::internal)?;
                    if !messages.is_empty() {
                        channel.send(&messages).await?;
                    }
                }
            }
        }
        Ok(Next::End)
    }
}

impl Exchange {
    /// Wakes the clients that wait for the changes of a message. One that cannot be read is ignored: it is of another
    /// version of the program.
    fn receive(&mut self, message: &str) {
        let Ok(Message { sender, changes }) = serde_json::from_str(message) else { return };
        let Some(notifier) = self.notifier.upgrade().filter(|_| sender != self.sender) else { return };
        if changes.is_empty() {
            self.heard = Some(Instant::now());
            self.queue.wanted.store(true, Ordering::Release);
        }
        for Change { match_id, version, accounts } in changes {
            notifier.announce(match_id, version, accounts);
        }
    }

    /// Stops sending if no heartbeat came in time.
    fn expire(&mut self) {
        if self.heard.is_none_or(|heard| heard.elapsed() > HEARTBEAT_TIMEOUT) {
            self.queue.wanted.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(accounts: usize) -> Change {
        let accounts = (0..accounts).map(|_| AccountId::generate()).collect();
        Change { match_id: MatchId::generate(), version: i32::MAX, accounts }
    }

    #[test]
    fn the_longest_message_is_one_that_postgresql_takes() {
        let message = Message { sender: Uuid::new_v4(), changes: vec![change(10); MOST_IN_MESSAGE] };
        let length = serde_json::to_string(&message).unwrap().len();
        assert!(length <= yaniv_db::feeds::change_channel::LONGEST_MESSAGE, "{length}");
    }

    #[test]
    fn changes_are_queued_only_while_another_instance_waits_and_up_to_a_bound() {
        let (queue, id) = (ChangeQueue::default(), MatchId::generate());
        queue.push(id, 1, &[]);
        assert!(queue.take(Uuid::nil()).is_empty());
        queue.wanted.store(true, Ordering::Release);
        (0..5000).for_each(|version| queue.push(id, version, &[]));
        let messages = queue.take(Uuid::nil());
        assert_eq!(messages.len(), MOST_QUEUED / MOST_IN_MESSAGE);
        assert!(messages.iter().all(|message| message.changes.len() == MOST_IN_MESSAGE));
        queue.send_heartbeat();
        let messages = queue.take(Uuid::nil());
        assert!(matches!(messages.as_slice(), [message] if message.changes.is_empty()));
    }
}
