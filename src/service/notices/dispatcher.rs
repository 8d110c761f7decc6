//! What is in the outbox is sent: by every instance, many at a time, and so that whoever is slow delays nobody else.
//!
//! Of a destination that is not known to answer, two notices are under way at a time, of one that does, eight; those that
//! have been found slow share a quarter of all places. So others find a place, however many hang.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use uuid::Uuid;

use super::delivery::Felt;
use crate::service::{ServiceError, Services};
use crate::store::delivery_claims::{Wanted, delivery_claim, delivery_load};

/// Notices under way at a time.
const MOST: usize = 64;
/// Of them, to destinations that were slow.
const MOST_SLOW: usize = MOST / 4;
/// Of one destination that answers; of one that is not known to.
const OF_PROMPT: usize = 8;
const OF_UNKNOWN: usize = 2;
/// How long it is remembered how a destination was.
const REMEMBERED: Duration = Duration::from_secs(600);
/// How long until it is looked again whether anything is due.
const PERIOD: Duration = Duration::from_secs(1);

/// What is under way, and what is known of destinations.
#[derive(Default)]
struct Flight {
    under_way: HashMap<String, usize>,
    known: HashMap<String, (Felt, Instant)>,
}

impl Flight {
    fn begin(&mut self, host: &str) {
        let count = self.under_way.entry(host.to_owned()).or_default();
        *count = count.saturating_add(1);
    }

    fn end(&mut self, host: &str, felt: Felt) {
        if let Some(count) = self.under_way.get_mut(host) {
            *count = count.saturating_sub(1);
        }
        self.under_way.retain(|_, count| *count > 0);
        if felt != Felt::Unknown {
            self.known.insert(host.to_owned(), (felt, Instant::now()));
        }
        if self.known.len() > 10_000 {
            self.known.retain(|_, (_, since)| since.elapsed() < REMEMBERED);
        }
    }

    fn felt(&self, host: &str) -> Felt {
        let known = self.known.get(host).filter(|(_, since)| since.elapsed() < REMEMBERED);
        known.map_or(Felt::Unknown, |(felt, _)| *felt)
    }

    /// Destinations that nothing more is sent to now.
    fn busy(&self) -> Vec<String> {
        let most = |host: &String| if self.felt(host) == Felt::Prompt { OF_PROMPT } else { OF_UNKNOWN };
        let full = self.under_way.iter().filter(|(host, count)| **count >= most(host));
        let mut busy: Vec<String> = full.map(|(host, _)| host.clone()).collect();
        let slow = |host: &String| self.felt(host) == Felt::Slow;
        let slow_now: usize =
            self.under_way.iter().filter(|(host, _)| slow(host)).map(|(_, count)| *count).sum();
        if slow_now >= MOST_SLOW {
            busy.extend(self.known.keys().filter(|host| slow(host)).cloned());
        }
        busy
    }
}

impl Services {
    /// Sends what is due, from now until no more writes are to come. What is under way then is sent again later.
    pub(super) async fn dispatch(&self) {
        let (mut flight, mut tasks) = (Flight::default(), JoinSet::new());
        while !self.writes.is_closed() {
            let more = match self.claim(&mut flight, &mut tasks).await {
                Ok(more) => more,
                Err(error) => {
                    tracing::warn!(%error, "notices could not be claimed");
                    false
                }
            };
            while let Some(done) = tasks.try_join_next() {
                note(&mut flight, done);
            }
            if !more {
                tokio::select! {
                    Some(done) = tasks.join_next() => note(&mut flight, done),
                    () = self.notices.wake.notified() => {}
                    () = tokio::time::sleep(PERIOD) => {}
                    () = self.writes.wait() => {}
                }
            }
        }
    }

    /// Claims what there are places for and sets it going. Whether there may be more.
    async fn claim(
        &self,
        flight: &mut Flight,
        tasks: &mut JoinSet<(String, Felt)>,
    ) -> Result<bool, ServiceError> {
        let free = MOST.saturating_sub(tasks.len());
        if free == 0 || !self.notices.seen.is_wanted() {
            return Ok(false);
        }
        let (lease, busy) = (Uuid::new_v4(), flight.busy());
        let wanted = Wanted { busy: &busy, per_host: 2, limit: i64::try_from(free).unwrap_or(1) };
        let connection = self.store.connection().await?;
        let ids = delivery_claim(&connection, lease, &wanted).await?;
        if ids.is_empty() {
            return Ok(false);
        }
        for told in delivery_load(&connection, &ids).await? {
            let (services, host) = (self.clone(), told.host.clone());
            flight.begin(&host);
            tasks.spawn(async move { (host, services.deliver(told, lease).await) });
        }
        Ok(true)
    }
}

fn note(flight: &mut Flight, done: Result<(String, Felt), tokio::task::JoinError>) {
    match done {
        Ok((host, felt)) => flight.end(&host, felt),
        Err(error) => tracing::error!(%error, "the sending of a notice broke off"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_destinations_leave_places_for_others() {
        let mut flight = Flight::default();
        for _ in 0..2 {
            flight.begin("new");
        }
        assert_eq!(flight.busy(), ["new"]);
        flight.end("new", Felt::Prompt);
        flight.end("new", Felt::Prompt);
        for _ in 0..7 {
            flight.begin("new");
        }
        assert!(flight.busy().is_empty(), "it answers");
        for number in 0..8 {
            let host = format!("slow {number}");
            flight.begin(&host);
            flight.end(&host, Felt::Slow);
            flight.begin(&host);
            flight.begin(&host);
        }
        flight.begin("idle");
        flight.end("idle", Felt::Slow);
        assert!(flight.busy().contains(&"idle".to_owned()), "the places of the slow are taken");
        assert!(!flight.busy().contains(&"new".to_owned()));
    }
}
