//! Log lines about failing destination hosts: one when a host begins to fail, one when it recovers. Only the
//! host of an address is logged.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use yaniv_outbound::Answer;

/// Minimum time between two failure lines of a host: players choose hosts, including ones that fail every
/// other time.
const PAUSE: Duration = Duration::from_secs(60);
/// Number of hosts kept; above it, those without a change for `LONG` are dropped.
const MOST_KNOWN: usize = 10_000;
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// The last logged state of each host. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct HostHealth(Arc<Mutex<HashMap<String, LastResult>>>);

struct LastResult {
    fails: bool,
    /// When the failure was logged.
    at: Instant,
}

/// Health of a host according to one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Well,
    Fails,
    /// No conclusion: the response concerns one receiver.
    None,
}

impl HostHealth {
    /// Records a response of a host, and logs a change of its health.
    pub(crate) fn note(&self, host: &str, answer: Answer) {
        match self.news(host, sign(answer)) {
            Sign::Fails => tracing::warn!(host, ?answer, "deliveries to a host fail"),
            Sign::Well => tracing::info!(host, "deliveries to a host succeed again"),
            Sign::None => {}
        }
    }

    fn news(&self, host: &str, sign: Sign) -> Sign {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let said = known.get(host);
        let fails = said.is_some_and(|said| said.fails);
        let at = match sign {
            Sign::Fails if !fails && said.is_none_or(|said| said.at.elapsed() > PAUSE) => Instant::now(),
            Sign::Well if fails => said.map_or_else(Instant::now, |said| said.at),
            _ => return Sign::None,
        };
        known.insert(host.to_owned(), LastResult { fails: sign == Sign::Fails, at });
        if known.len() > MOST_KNOWN {
            known.retain(|_, said| said.at.elapsed() < LONG);
        }
        sign
    }
}

fn sign(answer: Answer) -> Sign {
    match answer {
        Answer::Status(200..=299, _) => Sign::Well,
        Answer::Status(429 | 500.., _) | Answer::None(_) => Sign::Fails,
        Answer::Status(..) => Sign::None,
    }
}

#[cfg(test)]
mod tests {
    use yaniv_outbound::Failure;

    use super::*;

    #[test]
    fn a_host_is_told_of_when_it_changes_and_not_at_each_delivery() {
        let health = HostHealth::default();
        let (well, fails) = (Answer::Status(204, None), Answer::None(Failure::Timeout));
        let news = |host: &str, answer| health.news(host, sign(answer));
        assert_eq!(news("a", well), Sign::None, "that it is well is no news");
        assert_eq!(news("a", fails), Sign::Fails);
        assert_eq!(news("a", Answer::Status(500, None)), Sign::None);
        assert_eq!(news("b", fails), Sign::Fails);
        assert_eq!(news("a", Answer::Status(401, None)), Sign::None, "which concerns one receiver");
        assert_eq!(news("a", well), Sign::Well);
        assert_eq!(news("a", well), Sign::None);
        assert_eq!(news("a", fails), Sign::None, "not so soon again");
        assert_eq!(news("a", well), Sign::None);
    }
}
