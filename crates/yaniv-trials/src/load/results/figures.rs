//! Figures of a phase by name, the basis of medians, tables and JSON.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;

use crate::load::database::Change;
use crate::load::results::machine::{Memory, cores};
use crate::load::results::measure::{Kind, Measure};
use crate::load::results::number::{median, per, real};

/// Results of a phase.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Phase {
    /// What was done, with how many connections.
    pub name: String,
    /// Figures by name.
    pub figures: BTreeMap<String, f64>,
    /// Unexpected answers.
    pub refused: BTreeMap<String, u64>,
}

/// Cost of a phase besides time.
#[derive(Clone, Debug)]
pub struct Cost {
    /// In the database.
    pub database: Change,
    /// CPU time of the service.
    pub service: Option<Duration>,
    /// CPU time of this program.
    pub client: Option<Duration>,
    /// CPU time of the whole machine.
    pub machine: Option<Duration>,
    /// Memory of the service at the end.
    pub memory: Option<Memory>,
}

impl Cost {
    /// CPU time of unrelated processes.
    fn others(&self) -> Option<Duration> {
        Some(self.machine?.saturating_sub(self.service? + self.database.cpu? + self.client?))
    }
}

impl Phase {
    /// A figure; 0 if there is none.
    #[must_use]
    pub fn get(&self, name: &str) -> f64 {
        self.figures.get(name).copied().unwrap_or_default()
    }

    /// A figure, if present.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<f64> {
        self.figures.get(name).copied()
    }

    /// Sets a figure.
    pub fn set(&mut self, name: &str, value: f64) {
        self.figures.insert(name.to_owned(), value);
    }

    /// The figures of a measured phase; costs are per request of the kind `main`.
    #[must_use]
    pub fn new(name: String, main: Kind, measure: &Measure, seconds: f64, cost: &Cost) -> Self {
        let mut phase = Self { name, refused: measure.refused.clone(), ..Self::default() };
        let count = measure.count(main);
        let latency = measure.latency(main);
        for (name, value) in [
            ("rate", real(count) / seconds),
            ("p50", latency.p50),
            ("p99", latency.p99),
            ("p999", latency.p999),
            ("max", latency.max),
            ("requests", real(measure.total()) / seconds),
            ("views", per(real(measure.count(Kind::View)), count)),
            ("unchanged", per(real(measure.count(Kind::Unchanged)), count)),
            ("renewals", real(measure.count(Kind::Renewal))),
            ("body", per(real(measure.bytes), measure.total())),
            ("refused", real(measure.refused.values().sum())),
        ] {
            phase.set(name, value);
        }
        let cpu = [("service", cost.service), ("postgres", cost.database.cpu), ("client", cost.client)];
        for (name, spent) in cpu {
            if let Some(spent) = spent {
                phase.set(name, per(spent.as_secs_f64() * 1e6, count));
            }
        }
        if let Some(client) = cost.client {
            phase.set("client a request", per(client.as_secs_f64() * 1e6, measure.total()));
        }
        if let Some(others) = cost.others() {
            phase.set("others", others.as_secs_f64() / (seconds * real(u64::try_from(cores()).unwrap_or(1))));
        }
        phase.add_bytes(cost, count);
        phase
    }

    fn add_bytes(&mut self, cost: &Cost, count: u64) {
        let bytes = |amount: i64| real(u64::try_from(amount).unwrap_or_default());
        self.set("wal", per(bytes(cost.database.wal - cost.database.images), count));
        self.set("images", per(bytes(cost.database.images), count));
        let mut grown = 0.0;
        for (table, growth) in &cost.database.growth {
            let each = per(bytes(*growth), count);
            grown += each;
            self.set(&format!("table {table}"), each);
        }
        self.set("grown", grown);
        if let Some(hot) = cost.database.hot.filter(|_| self.get("grown") > 0.0) {
            self.set("hot", hot);
        }
        if let Some(memory) = cost.memory {
            self.set("resident", real(memory.resident) / 1048576.0);
            self.set("peak", real(memory.peak) / 1048576.0);
        }
    }
}

/// The medians of several runs, by phase and figure; refusals are added up.
#[must_use]
pub fn medians(runs: &[Vec<Phase>]) -> Vec<Phase> {
    let Some(first) = runs.first() else { return Vec::new() };
    let of_all = |name: &str| -> Vec<&Phase> {
        runs.iter().filter_map(|run| run.iter().find(|phase| phase.name == name)).collect()
    };
    first
        .iter()
        .map(|phase| {
            let all = of_all(&phase.name);
            let mut middle = Phase { name: phase.name.clone(), ..Phase::default() };
            for phase in &all {
                for (name, count) in &phase.refused {
                    *middle.refused.entry(name.clone()).or_default() += count;
                }
                for name in phase.figures.keys() {
                    let values = all.iter().filter_map(|phase| phase.find(name)).collect();
                    middle.set(name, median(values));
                }
            }
            middle
        })
        .collect()
}
