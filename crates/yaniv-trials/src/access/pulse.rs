//! Whether the service lives meanwhile: asks `/healthz` again and again, each time by a new connection, as a supervisor
//! would.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use tokio::task::JoinHandle;

use super::asker::Asker;
use super::figures::Figures;
use crate::Error;

/// Between two questions.
const PAUSE: Duration = Duration::from_millis(20);
/// What counts as silence.
const SILENCE: Duration = Duration::from_secs(10);
/// Between two looks at the clock, for stalls of this program itself: in these nobody could have heard an answer.
const LOOK: Duration = Duration::from_millis(10);
/// A look that is so late shows a stall.
const STALL: Duration = Duration::from_millis(250);

/// Asks until it is told to stop.
pub struct Pulse {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Vec<Duration>>,
}

impl Pulse {
    /// Begins to ask an instance.
    #[must_use]
    pub fn start(address: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let stalled = Arc::new(AtomicU64::new(0));
        let (until, noted) = (Arc::clone(&stop), Arc::clone(&stalled));
        std::thread::spawn(move || note_stalls(&until, &noted));
        let task = tokio::spawn(async move {
            let mut times = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let before = stalled.load(Ordering::Relaxed);
                let mut asker = Asker::new(address);
                let asked = asker.ask(Method::GET, "/healthz", "", Bytes::new());
                let reply = tokio::time::timeout(SILENCE, asked).await;
                let answered = reply.ok().and_then(Result::ok).filter(|reply| reply.status == 200);
                // With the time of connecting, which is what becomes long.
                let took = answered.map_or(SILENCE, |reply| reply.took);
                tokio::time::sleep(PAUSE).await;
                let meanwhile = stalled.load(Ordering::Relaxed).saturating_sub(before);
                times.push(took.saturating_sub(Duration::from_millis(meanwhile)));
            }
            times
        });
        Self { stop, task }
    }

    /// Stops, and adds how long the answers took.
    ///
    /// # Errors
    /// If asking failed altogether.
    pub async fn stop(self, during: &str, most: Duration, figures: &mut Figures) -> Result<(), Error> {
        self.stop.store(true, Ordering::Relaxed);
        let mut times = self.task.await?;
        times.sort_unstable();
        let at = times.len().saturating_mul(99) / 100;
        let p99 = times.get(at.min(times.len().saturating_sub(1))).copied().unwrap_or(SILENCE);
        figures.within(format!("{during}: p99 of {} × /healthz", times.len()), p99, most);
        Ok(())
    }
}

/// Adds up the milliseconds for which this program stood still.
fn note_stalls(stopped: &AtomicBool, stalled: &AtomicU64) {
    while !stopped.load(Ordering::Relaxed) {
        let begun = Instant::now();
        std::thread::sleep(LOOK);
        let late = begun.elapsed().saturating_sub(LOOK);
        if late > STALL {
            stalled.fetch_add(u64::try_from(late.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
        }
    }
}
