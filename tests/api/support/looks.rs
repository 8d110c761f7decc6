//! Time as a client experiences it on a busy machine: by the clock, but no faster than requests are answered.
//!
//! "Within a second" is a promise for an idle machine. On a busy one all answers take longer, and so may the promise.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use super::TestApp;

/// Pause between two requests.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum time of a request and the pause after it on an idle machine.
const LOOK: Duration = Duration::from_millis(13);

/// Polls a service for an unknown join code, which takes one SQL statement, and counts the answers.
pub(crate) struct Looks {
    count: Arc<AtomicU32>,
    asking: JoinHandle<()>,
}

/// A moment, by the clock and by the count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    at: Instant,
    looks: u32,
}

impl Looks {
    /// Starts polling.
    pub(crate) fn at(app: &TestApp) -> Self {
        let count = Arc::new(AtomicU32::new(0));
        let (counted, url) = (Arc::clone(&count), app.url("/v1/join-codes/ZZZZZZZZ"));
        let asking = tokio::spawn(async move {
            let client = reqwest::Client::new();
            loop {
                if let Ok(answer) = client.get(&url).send().await {
                    let _ = answer.bytes().await;
                }
                counted.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { count, asking }
    }

    pub(crate) fn now(&self) -> Moment {
        Moment { at: Instant::now(), looks: self.count.load(Ordering::Relaxed) }
    }
}

impl Drop for Looks {
    fn drop(&mut self) {
        self.asking.abort();
    }
}

impl Moment {
    /// Time since an earlier moment; zero if it is later.
    pub(crate) fn since(self, earlier: Self) -> Duration {
        let looks = self.looks.saturating_sub(earlier.looks);
        self.at.saturating_duration_since(earlier.at).min(LOOK * looks)
    }
}
