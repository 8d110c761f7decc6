//! Dynamic batcher. Requests that arrive while a batch is in flight form the next batch.
//!
//! No added delay at low load; batches grow with the load. One batch at a time: two in parallel would each be
//! half as large, and most of the cost of a batch is the same for one request and for fifty.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;
use tracing::Instrument;
use yaniv_db::{PooledConnection, Store, StoreError};
use yaniv_model::traces::TRACES;

/// Executes batches, one after the other.
pub(crate) trait Batch: Send + 'static {
    /// One request.
    type Request: Send + 'static;
    /// The response to one request.
    type Response: Send + 'static;

    /// Its name in traces.
    const NAME: &'static str;
    /// Maximum number of requests in a batch.
    const MOST: usize;

    /// Returns one response per request, in the same order.
    fn answer(&mut self, questions: Vec<Self::Request>) -> impl Future<Output = Vec<Self::Response>> + Send;
}

/// The connection that a batch executor keeps between batches.
pub(crate) struct DedicatedConnection {
    store: Store,
    held: Option<PooledConnection>,
}

impl DedicatedConnection {
    /// Starts without a connection.
    pub(crate) fn new(store: Store) -> Self {
        Self { store, held: None }
    }

    /// Takes the connection; `give_back` returns it. One that is no longer trusted goes back to the pool.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) async fn take(&mut self) -> Result<PooledConnection, StoreError> {
        if let Some(mut held) = self.held.take()
            && held.is_trusted()
        {
            return Ok(held);
        }
        self.store.lane_connection().await
    }

    /// Keeps the connection after a successful statement and drops it after a timeout.
    ///
    /// After a timeout the server at the other end may be gone.
    pub(crate) fn give_back<T>(&mut self, held: PooledConnection, result: &Result<T, StoreError>) {
        match result {
            Ok(_) => self.held = Some(held),
            Err(StoreError::Silent) => drop(PooledConnection::take(held)),
            Err(_) => {}
        }
    }
}

/// Awaits a statement for a limited time.
///
/// # Errors
/// `Silent` after that time.
pub(crate) async fn within<T>(
    time: Duration,
    statement: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    tokio::time::timeout(time, statement).await.unwrap_or(Err(StoreError::Silent))
}

/// A request, its response channel, and the tracker token that delays shutdown until it is answered.
struct Pending<Q, A> {
    question: Q,
    answer: oneshot::Sender<A>,
    open: TaskTrackerToken,
}

/// Queue that collects single requests and executes them in batches. Cheap to clone.
pub(crate) struct Batcher<Q, A> {
    name: &'static str,
    sender: mpsc::UnboundedSender<Pending<Q, A>>,
    tracker: TaskTracker,
}

impl<Q, A> Clone for Batcher<Q, A> {
    fn clone(&self) -> Self {
        Self { name: self.name, sender: self.sender.clone(), tracker: self.tracker.clone() }
    }
}

impl<Q: Send + 'static, A: Send + 'static> Batcher<Q, A> {
    /// Starts the worker that executes `batches`. Unanswered requests keep `tracker` waiting.
    pub(crate) fn new<B: Batch<Request = Q, Response = A>>(
        runtime: &Handle,
        tracker: &TaskTracker,
        mut batches: B,
    ) -> Self {
        let (sender, mut receiver) = mpsc::unbounded_channel::<Pending<Q, A>>();
        runtime.spawn(async move {
            let mut asked = Vec::new();
            // Ends when the last sender is dropped.
            while receiver.recv_many(&mut asked, B::MOST).await > 0 {
                let (questions, waiting): (Vec<Q>, Vec<_>) =
                    asked.drain(..).map(|asked| (asked.question, (asked.answer, asked.open))).unzip();
                let answers = AssertUnwindSafe(batches.answer(questions)).catch_unwind().await;
                let answers = answers.unwrap_or_else(|_| {
                    tracing::error!("answering a batch panicked");
                    Vec::new()
                });
                for ((waiting, _open), answer) in waiting.into_iter().zip(answers) {
                    // The requester may be gone; the write is done regardless.
                    let _ = waiting.send(answer);
                }
            }
        });
        Self { name: B::NAME, sender, tracker: tracker.clone() }
    }

    /// Enqueues a request, which is executed even if the caller goes away. `None` if the batch panicked.
    pub(crate) async fn ask(&self, question: Q) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        let asked = Pending { question, answer, open: self.tracker.token() };
        self.sender.send(asked).ok()?;
        // From the wait for the batch to its end.
        let span = tracing::trace_span!(target: TRACES, "batch", otel.name = self.name);
        answered.instrument(span).await.ok()
    }
}
