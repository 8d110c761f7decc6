//! In-flight limits: bounds on concurrent sends per destination and account, so that hanging destinations
//! leave capacity for others. The dispatcher uses them to claim.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use uuid::Uuid;
use yaniv_db::notifications::delivery_claims::Wanted;

use crate::notifications::outbox::deliver::EndpointHealth;

/// Concurrent sends.
const MOST: usize = 64;
/// Of these, to destinations not known to respond; and to slow ones.
const MOST_UNSURE: usize = MOST / 2;
const MOST_SLOW: usize = MOST / 4;
/// Concurrent sends per destination: known to respond, and not known to.
const OF_PROMPT: usize = 8;
const OF_UNSURE: usize = 2;
/// Concurrent sends per account; and claims per account at a time.
const FOR_ACCOUNT: usize = 8;
const FOR_ACCOUNT_AT_A_TIME: usize = 4;
/// How long the health of a destination is kept.
const REMEMBERED: Duration = Duration::from_secs(600);
/// Number of destinations kept; above it, outdated ones are dropped.
const MOST_KNOWN: usize = 10_000;

/// Sends in flight, and the health of destinations. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct InFlightLimits(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    hosts: HashMap<String, usize>,
    accounts: HashMap<Uuid, usize>,
    known: HashMap<String, (EndpointHealth, Instant)>,
}

/// A slot of a send, released on drop, also after a panic.
pub(crate) struct Place {
    flight: InFlightLimits,
    host: String,
    account: Uuid,
    felt: EndpointHealth,
}

impl Place {
    /// Records the observed health of the destination.
    pub(crate) fn learn(&mut self, felt: EndpointHealth) {
        self.felt = felt;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.flight.inner().end(&self.host, self.account, self.felt);
    }
}

impl InFlightLimits {
    /// Takes a slot for a send.
    pub(crate) fn begin(&self, host: &str, account: Uuid) -> Place {
        let mut inner = self.inner();
        let of_host = inner.hosts.entry(host.to_owned()).or_default();
        *of_host = of_host.saturating_add(1);
        let of_account = inner.accounts.entry(account).or_default();
        *of_account = of_account.saturating_add(1);
        Place { flight: self.clone(), host: host.to_owned(), account, felt: EndpointHealth::Unknown }
    }

    /// The claim for destinations of this health within the limits; `None` if there is no capacity.
    pub(crate) fn wanted(&self, felt: EndpointHealth) -> Option<Wanted> {
        self.inner().wanted(felt)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn end(&mut self, host: &str, account: Uuid, felt: EndpointHealth) {
        if let Some(count) = self.hosts.get_mut(host) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = self.accounts.get_mut(&account) {
            *count = count.saturating_sub(1);
        }
        self.hosts.retain(|_, count| *count > 0);
        self.accounts.retain(|_, count| *count > 0);
        if felt != EndpointHealth::Unknown {
            self.known.insert(host.to_owned(), (felt, Instant::now()));
        }
        if self.known.len() > MOST_KNOWN {
            self.known.retain(|_, (_, since)| since.elapsed() < REMEMBERED);
        }
    }

    fn felt(&self, host: &str) -> EndpointHealth {
        let known = self.known.get(host).filter(|(_, since)| since.elapsed() < REMEMBERED);
        known.map_or(EndpointHealth::Unknown, |(felt, _)| *felt)
    }

    /// Sends in flight to destinations of this health.
    fn count(&self, felt: EndpointHealth) -> usize {
        self.hosts.iter().filter(|(host, _)| self.felt(host) == felt).map(|(_, count)| count).sum()
    }

    fn wanted(&self, felt: EndpointHealth) -> Option<Wanted> {
        let (slow, unknown, prompt) = (
            self.count(EndpointHealth::Slow),
            self.count(EndpointHealth::Unknown),
            self.count(EndpointHealth::Prompt),
        );
        let unsure = slow.saturating_add(unknown);
        let free = MOST.saturating_sub(unsure.saturating_add(prompt));
        let free_unsure = free.min(MOST_UNSURE.saturating_sub(unsure));
        let (places, of_host, at_a_time) = match felt {
            EndpointHealth::Prompt => (free, OF_PROMPT, 2),
            EndpointHealth::Slow => (free_unsure.min(MOST_SLOW.saturating_sub(slow)), OF_UNSURE, 1),
            EndpointHealth::Unknown => (free_unsure, OF_UNSURE, 1),
        };
        let full =
            |host: &str| self.hosts.get(host).is_some_and(|count| count.saturating_add(at_a_time) > of_host);
        let known =
            |felt: EndpointHealth| self.known.keys().filter(move |host| self.felt(host) == felt).cloned();
        let (of, not_of) = if felt == EndpointHealth::Unknown {
            let busy = self.hosts.keys().filter(|host| self.felt(host) == felt && full(host)).cloned();
            (None, known(EndpointHealth::Prompt).chain(known(EndpointHealth::Slow)).chain(busy).collect())
        } else {
            (Some(known(felt).filter(|host| !full(host)).collect::<Vec<_>>()), Vec::new())
        };
        if places == 0 || of.as_ref().is_some_and(Vec::is_empty) {
            return None;
        }
        let busy = |count: usize| count.saturating_add(FOR_ACCOUNT_AT_A_TIME) > FOR_ACCOUNT;
        let not_for = self.accounts.iter().filter(|(_, count)| busy(**count)).map(|(account, _)| *account);
        let number = |number: usize| i64::try_from(number).unwrap_or(1);
        Some(Wanted {
            of,
            not_of,
            not_for: not_for.collect(),
            per_host: number(at_a_time),
            per_account: number(FOR_ACCOUNT_AT_A_TIME),
            limit: number(places),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Uuid = Uuid::from_u128(1);

    fn learn(flight: &InFlightLimits, host: &str, felt: EndpointHealth) {
        flight.begin(host, ADA).learn(felt);
    }

    /// Slots in flight, each for its own account.
    fn fill(flight: &InFlightLimits, host: impl Fn(u128) -> String, count: u128) -> Vec<Place> {
        (0..count).map(|number| flight.begin(&host(number), Uuid::from_u128(100 + number))).collect()
    }

    #[test]
    fn a_destination_gets_more_places_once_it_answers() {
        let flight = InFlightLimits::default();
        let places = fill(&flight, |_| "new".to_owned(), 2);
        assert_eq!(flight.wanted(EndpointHealth::Unknown).unwrap().not_of, ["new"]);
        assert!(flight.wanted(EndpointHealth::Prompt).is_none(), "none is known to");
        drop(places);
        learn(&flight, "new", EndpointHealth::Prompt);
        let six = fill(&flight, |_| "new".to_owned(), 6);
        assert_eq!(flight.wanted(EndpointHealth::Prompt).unwrap().of.unwrap(), ["new"]);
        assert_eq!(flight.wanted(EndpointHealth::Unknown).unwrap().not_of, ["new"], "it is not of those");
        let _seventh = flight.begin("new", ADA);
        assert!(flight.wanted(EndpointHealth::Prompt).is_none(), "two more would be too many");
        drop(six);
        assert!(flight.wanted(EndpointHealth::Prompt).is_some());
    }

    #[test]
    fn destinations_that_hang_leave_half_of_the_places_to_those_that_answer() {
        let flight = InFlightLimits::default();
        learn(&flight, "prompt", EndpointHealth::Prompt);
        for number in 0..40 {
            learn(&flight, &format!("slow {number}"), EndpointHealth::Slow);
        }
        let _slow = fill(&flight, |number| format!("slow {number}"), 16);
        assert!(flight.wanted(EndpointHealth::Slow).is_none(), "the places of the slow are taken");
        assert_eq!(flight.wanted(EndpointHealth::Unknown).unwrap().limit, 16);
        // These hang as well, but are not known to.
        let _new = fill(&flight, |number| format!("new {number}"), 16);
        assert!(flight.wanted(EndpointHealth::Unknown).is_none());
        assert_eq!(flight.wanted(EndpointHealth::Prompt).unwrap().limit, 32);
    }

    #[test]
    fn an_account_has_so_many_places_and_gives_them_back_also_when_sending_breaks_off() {
        let flight = InFlightLimits::default();
        let places: Vec<Place> = (0..5).map(|number| flight.begin(&format!("host {number}"), ADA)).collect();
        assert_eq!(flight.wanted(EndpointHealth::Unknown).unwrap().not_for, [ADA]);
        let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _places = places;
            panic!("sending broke off");
        }));
        assert!(broken.is_err());
        assert!(flight.wanted(EndpointHealth::Unknown).unwrap().not_for.is_empty());
        assert_eq!(flight.inner().hosts.len(), 0);
    }
}
