//! Questions to the database that are asked together: what has come while the last batch was under way makes the next
//! one. Nobody waits for company; batches grow with the load.

use std::future::Future;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// A question, where its answer goes, and what keeps the service from ending before it is answered.
struct Asked<Q, A> {
    question: Q,
    answer: oneshot::Sender<A>,
    _open: TaskTrackerToken,
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
    /// Answers with `run`, which gives an answer for each question in their order: at most `lanes` batches at a time,
    /// of at most `most` questions.
    pub(super) fn new<F>(
        runtime: &Handle,
        tracker: &TaskTracker,
        lanes: usize,
        most: usize,
        run: impl Fn(Vec<Q>) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = Vec<A>> + Send + 'static,
    {
        let (sender, mut receiver) = mpsc::unbounded_channel::<Asked<Q, A>>();
        let lanes = Arc::new(Semaphore::new(lanes));
        let batches = runtime.clone();
        runtime.spawn(async move {
            // Ends with the last sender.
            while let Ok(lane) = Arc::clone(&lanes).acquire_owned().await {
                let mut asked = Vec::new();
                if receiver.recv_many(&mut asked, most).await == 0 {
                    break;
                }
                let (questions, waiting): (Vec<Q>, Vec<_>) =
                    asked.into_iter().map(|asked| (asked.question, (asked.answer, asked._open))).unzip();
                let answers = run(questions);
                batches.spawn(async move {
                    let answers = answers.await;
                    drop(lane);
                    for ((waiting, _open), answer) in waiting.into_iter().zip(answers) {
                        // Whoever asked may be gone; what was done is done.
                        let _ = waiting.send(answer);
                    }
                });
            }
        });
        Self { sender, tracker: tracker.clone() }
    }

    /// Asks. The question is answered even if nobody waits for it any more; none if answering it failed altogether.
    pub(super) async fn ask(&self, question: Q) -> Option<A> {
        let (answer, answered) = oneshot::channel();
        let asked = Asked { question, answer, _open: self.tracker.token() };
        self.sender.send(asked).ok()?;
        answered.await.ok()
    }
}
