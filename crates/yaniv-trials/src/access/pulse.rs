//! Whether the service lives meanwhile: asks `/healthz` again and again, each time by a new connection, as a supervisor
//! would.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

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
        let task = tokio::spawn(async move {
            let mut times = Vec::new();
            while !stopped.load(Ordering::Relaxed) {
                let mut asker = Asker::new(address);
                let asked = asker.ask(Method::GET, "/healthz", "", Bytes::new());
                let reply = tokio::time::timeout(SILENCE, asked).await;
                let answered = reply.ok().and_then(Result::ok).filter(|reply| reply.status == 200);
                // With the time of connecting, which is what becomes long.
                times.push(answered.map_or(SILENCE, |reply| reply.took));
                tokio::time::sleep(PAUSE).await;
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
