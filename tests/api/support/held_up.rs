//! Detects stalls of this process. On a machine that stalls for seconds, promises about time cannot hold; that is not
//! the service's fault, which runs in this process, too.

use std::sync::{Mutex, Once};
use std::time::{Duration, Instant};

/// Interval of the watchdog.
const LOOK: Duration = Duration::from_millis(50);
/// A tick that takes this long is a stall.
const LONG: Duration = Duration::from_secs(1);
/// Effects of a stall on the service end within this time.
const AFTERMATH: Duration = Duration::from_secs(5);

/// The end of the last stall.
static LAST: Mutex<Option<Instant>> = Mutex::new(None);

/// Starts the watchdog, unless it runs.
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

/// Whether the process stalled since then.
pub(crate) async fn since(begun: Instant) -> bool {
    // After a stall this task may wake up before the watchdog.
    tokio::time::sleep(LOOK * 2).await;
    LAST.lock().unwrap().is_some_and(|last| last > begun)
}

/// Whether it stalled recently.
pub(crate) async fn lately() -> bool {
    since(Instant::now().checked_sub(AFTERMATH).unwrap()).await
}
