//! Measurements under load: latencies by kind of request, and every unexpected answer.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

/// The kind of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An action in a match.
    Action,
    /// A view, returned with its body.
    View,
    /// A view that has not changed (304).
    Unchanged,
    /// Creating the match that replaces a finished one, three requests.
    Renewal,
    /// The event of an action in a stream, from the answer to the action.
    Event,
}

/// All kinds, in the order of their numbers.
const KINDS: [Kind; 5] = [Kind::Action, Kind::View, Kind::Unchanged, Kind::Renewal, Kind::Event];

/// Counts of a period.
#[derive(Debug)]
pub struct Measure {
    since: Instant,
    latencies: [Histogram<u64>; 5],
    /// Unexpected answers, by status and code.
    pub refused: BTreeMap<String, u64>,
    /// Bytes of bodies received.
    pub bytes: u64,
}

/// Latencies in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latency {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// The slowest.
    pub max: f64,
}

impl Measure {
    /// Empty counts of a period that starts now.
    ///
    /// # Errors
    /// Never: the bounds of the histograms are valid.
    pub fn new() -> Result<Self, crate::Error> {
        // A microsecond to a minute, three digits.
        let empty = || Histogram::new_with_bounds(1, 60_000_000, 3);
        Ok(Self {
            since: Instant::now(),
            latencies: [empty()?, empty()?, empty()?, empty()?, empty()?],
            refused: BTreeMap::new(),
            bytes: 0,
        })
    }

    /// Resets all counts; a new period starts.
    pub fn restart(&mut self) {
        self.latencies.iter_mut().for_each(Histogram::reset);
        self.refused.clear();
        self.bytes = 0;
        self.since = Instant::now();
    }

    /// The length of the period.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// Counts an expected answer.
    pub fn answered(&mut self, kind: Kind, took: Duration) {
        if let Some(latencies) = self.of_mut(kind) {
            latencies.saturating_record(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        }
    }

    /// Counts an unexpected answer.
    pub fn refused(&mut self, what: String) {
        *self.refused.entry(what).or_default() += 1;
    }

    /// Number of answers of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> u64 {
        self.of(kind).map_or(0, Histogram::len)
    }

    /// Number of answers of all kinds.
    #[must_use]
    pub fn total(&self) -> u64 {
        KINDS.iter().map(|kind| self.count(*kind)).sum()
    }

    /// Latencies of a kind.
    #[must_use]
    pub fn latency(&self, kind: Kind) -> Latency {
        let at = |quantile: f64| {
            let micros = self.of(kind).map_or(0, |latencies| latencies.value_at_quantile(quantile));
            Duration::from_micros(micros).as_secs_f64() * 1000.0
        };
        Latency { p50: at(0.5), p99: at(0.99), p999: at(0.999), max: at(1.0) }
    }

    fn of(&self, kind: Kind) -> Option<&Histogram<u64>> {
        let at = KINDS.iter().position(|other| *other == kind)?;
        self.latencies.get(at)
    }

    fn of_mut(&mut self, kind: Kind) -> Option<&mut Histogram<u64>> {
        let at = KINDS.iter().position(|other| *other == kind)?;
        self.latencies.get_mut(at)
    }
}
