//! Open-loop load: requests become due at a fixed rate, whether or not earlier ones were answered; latency counts from
//! then.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

/// How often due requests are released.
const TICK: Duration = Duration::from_micros(500);

/// A clock that releases requests. Stops on drop.
#[derive(Debug)]
pub struct Pace {
    due: Arc<Semaphore>,
    begun: Instant,
    rate: f64,
    taken: Cell<u64>,
    stop: Arc<AtomicBool>,
    clock: Option<JoinHandle<()>>,
}

impl Pace {
    /// This many requests per second from now on, evenly spaced.
    #[must_use]
    pub fn start(rate: f64) -> Self {
        let (due, stop) = (Arc::new(Semaphore::new(0)), Arc::new(AtomicBool::new(false)));
        let begun = Instant::now();
        let (its_due, its_stop) = (Arc::clone(&due), Arc::clone(&stop));
        // A separate thread, as timers of the runtime are rounded to milliseconds.
        let clock = std::thread::spawn(move || {
            let mut given: u64 = 0;
            while !its_stop.load(Ordering::Relaxed) {
                let mut fallen = 0;
                while time_of(given, rate) <= begun.elapsed() && fallen < 10_000 {
                    given += 1;
                    fallen += 1;
                }
                its_due.add_permits(fallen);
                std::thread::sleep(TICK);
            }
        });
        Self { due, begun, rate, taken: Cell::new(0), stop, clock: Some(clock) }
    }

    /// Waits until a request is due; returns its due time.
    pub async fn next(&self) -> Instant {
        if let Ok(permit) = self.due.acquire().await {
            permit.forget();
        }
        let number = self.taken.get();
        self.taken.set(number + 1);
        self.begun + time_of(number, self.rate)
    }
}

impl Drop for Pace {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(clock) = self.clock.take() {
            // The thread has no result.
            let _ = clock.join();
        }
    }
}

fn time_of(number: u64, rate: f64) -> Duration {
    Duration::from_secs_f64(crate::load::results::number::real(number) / rate.max(1.0))
}
