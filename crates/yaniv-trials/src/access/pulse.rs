//! Liveness probe during a trial: requests `/healthz` repeatedly, each time on a new connection, as a supervisor would.

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

/// Pause between two probes.
const PAUSE: Duration = Duration::from_millis(20);
/// A probe without an answer counts as this long.
const SILENCE: Duration = Duration::from_secs(10);
/// Interval at which stalls of this program itself are detected: during a stall it could not have received an answer.
const LOOK: Duration = Duration::from_millis(10);
/// A tick that is later than this is a stall.
const STALL: Duration = Duration::from_millis(250);

/// Probes until stopped.
pub struct Pulse {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Vec<Duration>>,
}

impl Pulse {
    /// Begins to probe an instance.
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
                // Includes the time to connect, which is what grows.
                let took = answered.map_or(SILENCE, |reply| reply.took);
                tokio::time::sleep(PAUSE).await;
                let meanwhile = stalled.load(Ordering::Relaxed).saturating_sub(before);
                times.push(took.saturating_sub(Duration::from_millis(meanwhile)));
            }
            times
        });
        Self { stop, task }
    }

    /// Stops, and adds the response times to the figures.
    ///
    /// # Errors
    /// If probing failed altogether.
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

/// Sums up the milliseconds for which this program stalled.
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
