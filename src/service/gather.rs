//! Questions to the database that are asked together: what has come while the last batch was under way makes the next
//! one. Nobody waits for company; batches grow with the load.
//!
//! One batch at a time: a second one beside it would halve both, and most of what a batch costs is the same for one
//! question and for fifty.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::store::{Connection, Store, StoreError};

/// How long a connection is used before it has to prove again that it answers, and that its server takes writes.
const TRUST: Duration = Duration::from_secs(1);

/// Answers batches, one after the other.
pub(super) trait Batches: Send + 'static {
    /// What is asked.
    type Question: Send + 'static;
    /// What is answered.
    type Answer: Send + 'static;

    /// Questions that make a batch at most.
    const MOST: usize;

    /// Gives an answer for each question, in their order.
    fn answer(&mut self, questions: Vec<Self::Question>) -> impl Future<Output = Vec<Self::Answer>> + Send;
}

/// The connection of somebody who answers batches.
pub(super) struct Lane {
    store: Store,
    held: Option<(Connection, Instant)>,
}

impl Lane {
    /// No connection yet.
    pub(super) fn new(store: Store) -> Self {
        Self { store, held: None }
    }

    /// The connection, to be given back.
    ///
    /// # Errors
    /// Those of the store.
    pub(super) async fn take(&mut self) -> Result<(Connection, Instant), StoreError> {
        match self.held.take().filter(|(_, since)| since.elapsed() < TRUST) {
            Some(held) => Ok(held),
            None => Ok((self.store.lane_connection().await?, Instant::now())),
        }
    }

    /// Keeps the connection of a statement that went well, and throws away that of one which found no end: behind it
    /// there may be nobody any more.
    pub(super) fn give_back<T>(&mut self, held: (Connection, Instant), result: &Result<T, StoreError>) {
        match result {
            Ok(_) => self.held = Some(held),
            Err(StoreError::Silent) => drop(Connection::take(held.0)),
            Err(_) => {}
        }
    }
}

/// The result of a statement, if it comes within a time.
///
/// # Errors
/// `Silent` if it does not.
pub(super) async fn within<T>(
    time: Duration,
    statement: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(time, statement).await.unwrap_or(Err(StoreError::Silent))
}

/// A question, where its answer goes, and what keeps the service from ending before it is answered.
struct Asked<Q, A> {
    question: Q,
    answer: oneshot::Sender<A>,
    open: TaskTrackerToken,
}

/// Takes questions one by one and has them answered in batches. Cheap to clone.
pub(super) struct Gatherer<Q, A> {
    sender: mpsc::UnboundedSender<Asked<Q, A>>,
    tracker: TaskTracker,
}

impl<Q, A> Clone for Gatherer<Q, A> {
    fn clone(&self) -> Self {
        Self { sender: self.sender.clone(), tracker: self.tracker.clone() }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Gatherer<Q, A> {
    /// Has questions answered by `batches`. What is not answered yet keeps `tracker` waiting.
    pub(super) fn new<B: Batches<Question = Q, Answer = A>>(
        runtime: &Handle,
        tracker: &TaskTracker,
        mut batches: B,
    ) -> Self {
        let (sender, mut receiver) = mpsc::unbounded_channel::<Asked<Q, A>>();
        runtime.spawn(async move {
            let mut asked = Vec::new();
            // Ends with the last sender.
            while receiver.recv_many(&mut asked, B::MOST).await > 0 {
                let (questions, waiting): (Vec<Q>, Vec<_>) =
                    asked.drain(..).map(|asked| (asked.question, (asked.answer, asked.open))).unzip();
                let answers = AssertUnwindSafe(batches.answer(questions)).catch_unwind().await;
                let answers = answers.unwrap_or_else(|_| {
                    tracing::error!("answering a batch panicked");
                    Vec::new()
                });
                for ((waiting, _open), answer) in waiting.into_iter().zip(answers) {
                    // Whoever asked may be gone; what was done is done.
                    let _ = waiting.send(answer);
                }
            }
        });
        Self { sender, tracker: tracker.clone() }
    }

    /// Asks. The question is answered even if nobody waits for it any more; none if answering it failed altogether.
    pub(super) async fn ask(&self, question: Q) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { question, answer, open: self.tracker.token() };
        self.sender.send(asked).ok()?;
        answered.await.ok()
    }
}
