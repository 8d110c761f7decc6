//! Rate limit of a channel: notifications per minute and instance. Notifications above it wait. It prevents
//! flooding other players with notifications of shared matches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// Notifications per channel and minute.
const MOST: u32 = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// Number of channels kept; above it, idle ones are dropped.
const MOST_KNOWN: usize = 10_000;

/// Recent counts of channels. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Rate(Arc<Mutex<HashMap<Uuid, Minute>>>);

/// The current minute of a channel.
struct Minute {
    begun: Instant,
    sent: u32,
    /// Notifications that wait for later minutes.
    waiting: u32,
}

impl Rate {
    /// Takes a slot in the current minute; without a free one, returns how long to wait. Waiting
    /// notifications are spread over the following minutes.
    pub(crate) fn take(&self, channel: Uuid, now: Instant) -> Option<Duration> {
        let mut channels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if channels.len() > MOST_KNOWN {
            channels.retain(|_, minute| minute.waiting > 0 || now.duration_since(minute.begun) < MINUTE);
        }
        let minute = channels.entry(channel).or_insert(Minute { begun: now, sent: 0, waiting: 0 });
        let passed = now.duration_since(minute.begun);
        if passed >= MINUTE {
            let minutes = u32::try_from(passed.as_secs() / MINUTE.as_secs()).unwrap_or(u32::MAX);
            let waiting = minute.waiting.saturating_sub(minutes.saturating_mul(MOST));
            *minute = Minute { begun: now, sent: 0, waiting };
        }
        if minute.sent < MOST {
            minute.sent = minute.sent.saturating_add(1);
            return None;
        }
        let later = MINUTE.saturating_mul((minute.waiting / MOST).saturating_add(1));
        minute.waiting = minute.waiting.saturating_add(1);
        Some(later.saturating_sub(now.duration_since(minute.begun)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_is_sent_so_many_in_a_minute_and_the_rest_in_the_minutes_after() {
        let (rate, begun) = (Rate::default(), Instant::now());
        let (flooded, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let waits: Vec<Option<Duration>> = (0..180).map(|_| rate.take(flooded, begun)).collect();
        let seconds = |wait: &Option<Duration>| wait.map_or(0, |wait| wait.as_secs());
        let count = |expected: u64| waits.iter().filter(|wait| seconds(wait) == expected).count();
        assert_eq!((count(0), count(60), count(120)), (60, 60, 60));
        assert_eq!(rate.take(other, begun), None);
        // A minute later those that have waited are sent.
        let later = begun + Duration::from_secs(61);
        let sent = (0..70).filter(|_| rate.take(flooded, later).is_none()).count();
        assert_eq!(sent, 60);
    }
}
