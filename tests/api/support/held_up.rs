//! Whether this process was held up. A machine that stands still for seconds breaks promises that are about time,
//! which is no fault of the service: it runs in this process, too.

use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(50);
/// A look that takes so long was held up.
const LONG: Duration = Duration::from_secs(1);
/// What a service gives up after a stall it gives up within this time.
const AFTERMATH: Duration = Duration::from_secs(5);

/// The end of the last stall.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Begins to look at the clock, if nobody does yet.
pub(crate) fn watch() {
    static WATCHING: Once = Once::new();
    WATCHING.call_once(|| {
        std::thread::spawn(|| {
            loop {
                let begun = Instant::now();
                std::thread::sleep(LOOK);
                if begun.elapsed() > LONG {
                    *LAST.lock().unwrap() = Some(Instant::now());
                }
            }
        });
    });
}

/// Whether the process was held up since then.
pub(crate) async fn since(begun: Instant) -> bool {
    // Who wakes up first after a stall need not be the one who looks at the clock.
    tokio::time::sleep(LOOK * 2).await;
    LAST.lock().unwrap().is_some_and(|last| last > begun)
}

/// Whether it was held up lately.
pub(crate) async fn lately() -> bool {
    since(Instant::now().checked_sub(AFTERMATH).unwrap()).await
}
