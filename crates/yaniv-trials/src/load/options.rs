//! Command line options.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Plays real matches against the service, over HTTP, and prints its speed: figures and targets as Markdown.
///
/// Without options: on its own PostgreSQL, durable, in the temporary directory; three minutes.
#[derive(Clone, Debug, Parser)]
#[command(name = "load")]
pub struct Options {
    /// Seconds for which each phase is measured.
    #[arg(long, default_value_t = 8)]
    pub seconds: u64,
    /// Seconds of warm-up before each phase.
    #[arg(long, default_value_t = 2)]
    pub warmup: u64,
    /// Accounts that play.
    #[arg(long, default_value_t = 200)]
    pub accounts: usize,
    /// Matches in flight.
    #[arg(long, default_value_t = 10_000)]
    pub matches: usize,
    /// Numbers of connections for the phases of actions; the other phases use the first.
    #[arg(long, value_delimiter = ',', default_value = "64,256")]
    pub connections: Vec<usize>,
    /// In the mixed phase: share of actions before and after which the players read views.
    #[arg(long, default_value_t = 1.0)]
    pub polls: f64,
    /// Requests per second of the phase with a fixed rate; by default, half of what the first phase reached.
    #[arg(long)]
    pub rate: Option<f64>,
    /// Database to use; the service's tables in it are filled, a schema `yardstick` is created and dropped.
    #[arg(long)]
    pub database_url: Option<String>,
    /// Number of runs; medians are printed.
    #[arg(long, default_value_t = 1)]
    pub runs: usize,
    /// Run only these phases.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Numbers of clients for the yardstick.
    #[arg(long, value_delimiter = ',', default_value = "16,32,64")]
    pub clients: Vec<usize>,
    /// Instances of the service; connections are spread over them.
    #[arg(long, default_value_t = 1)]
    pub instances: usize,
    /// Environment variable of the service, NAME=VALUE; may be repeated.
    #[arg(long = "service-env", value_name = "NAME=VALUE")]
    pub service_env: Vec<String>,
    /// Path of `pgbench`; by default it is searched for, and replaced by a built-in benchmark if not found.
    #[arg(long)]
    pub pgbench: Option<PathBuf>,
    /// Use the built-in benchmark even if there is a `pgbench`.
    #[arg(long)]
    pub no_pgbench: bool,
    /// Also write all figures of all runs to this file, as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
}

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The same durable write by pgbench.
    Baseline,
    /// Mostly actions.
    Actions,
    /// Actions at a fixed rate.
    Open,
    /// Views of matches.
    Views,
    /// Views with the tag that the client has (304).
    Unchanged,
    /// The bare SELECT handler.
    Bare,
    /// Actions against the constant handler: the cost of this program itself.
    Client,
    /// Actions and views.
    Mixed,
    /// Actions at the first instance, and their events in streams of the last one.
    Events,
}

impl Options {
    /// Whether a part is selected.
    #[must_use]
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Connections of the phases that run only once.
    #[must_use]
    pub fn first_connections(&self) -> usize {
        self.connections.first().copied().unwrap_or(64)
    }

    /// Checks for options that make no sense.
    ///
    /// # Errors
    /// What to change.
    pub fn check(&self) -> Result<(), String> {
        let most = self.connections.iter().copied().max().unwrap_or_default();
        if most == 0 || self.connections.contains(&0) {
            return Err("--connections must be 1 or more".to_owned());
        }
        if self.matches < 2 * most {
            return Err(format!("--matches must be {} or more, twice the connections", 2 * most));
        }
        if self.accounts < 2 || self.instances == 0 || self.runs == 0 || self.seconds == 0 {
            return Err(
                "--accounts must be 2 or more; --instances, --runs and --seconds 1 or more".to_owned()
            );
        }
        if self.seconds + self.warmup > 60 {
            return Err("--seconds and --warmup must be 60 or less together".to_owned());
        }
        Ok(())
    }
}
