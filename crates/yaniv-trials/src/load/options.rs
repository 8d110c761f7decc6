//! What can be chosen on the command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Plays real matches against the service, over HTTP, and prints how fast it is: figures and targets as Markdown.
///
/// Without options: a PostgreSQL of its own, durable, in the temporary directory; three minutes.
#[derive(Clone, Debug, Parser)]
#[command(name = "load")]
pub struct Options {
    /// Seconds that each phase is measured for.
    #[arg(long, default_value_t = 8)]
    pub seconds: u64,
    /// Seconds of the same load before it.
    #[arg(long, default_value_t = 2)]
    pub warmup: u64,
    /// Accounts that play.
    #[arg(long, default_value_t = 200)]
    pub accounts: usize,
    /// Matches in flight.
    #[arg(long, default_value_t = 10_000)]
    pub matches: usize,
    /// Connections of the phases that act, the first of them for all other phases too.
    #[arg(long, value_delimiter = ',', default_value = "64,256")]
    pub connections: Vec<usize>,
    /// In the mixed phase: share of actions before which the player looks and after which the other one does.
    #[arg(long, default_value_t = 1.0)]
    pub polls: f64,
    /// Requests a second of the phase with a given rate; without it, half of what the first phase reached.
    #[arg(long)]
    pub rate: Option<f64>,
    /// The database to use; the service's tables in it are filled, a schema `yardstick` is made and dropped.
    #[arg(long)]
    pub database_url: Option<String>,
    /// How often everything is measured; medians are printed.
    #[arg(long, default_value_t = 1)]
    pub runs: usize,
    /// Only these phases.
    #[arg(long, value_enum, value_delimiter = ',')]
    pub only: Vec<Part>,
    /// Clients of the yardstick.
    #[arg(long, value_delimiter = ',', default_value = "16,32,64")]
    pub clients: Vec<usize>,
    /// Instances of the service; connections are spread over them.
    #[arg(long, default_value_t = 1)]
    pub instances: usize,
    /// Other variables of the service's environment, NAME=VALUE; may be given several times.
    #[arg(long = "service-env", value_name = "NAME=VALUE")]
    pub service_env: Vec<String>,
    /// Where `pgbench` is; without it, it is looked for, and if there is none, this program measures by itself.
    #[arg(long)]
    pub pgbench: Option<PathBuf>,
    /// Measures the yardstick by itself even if there is a `pgbench`.
    #[arg(long)]
    pub no_pgbench: bool,
    /// Also writes all figures of all runs to this file, as JSON.
    #[arg(long)]
    pub json: Option<PathBuf>,
}

/// A part of the measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The same durable write by pgbench.
    Baseline,
    /// Hardly anything but actions.
    Actions,
    /// Actions at a given rate.
    Open,
    /// Views of matches.
    Views,
    /// Views that the client has already.
    Unchanged,
    /// The bare SELECT handler.
    Bare,
    /// Actions against a handler that answers always the same: what this program costs itself.
    Client,
    /// Actions and looking.
    Mixed,
}

impl Options {
    /// Whether a part is to be measured.
    #[must_use]
    pub fn wants(&self, part: Part) -> bool {
        self.only.is_empty() || self.only.contains(&part)
    }

    /// Connections of the phases of which there is one only.
    #[must_use]
    pub fn first_connections(&self) -> usize {
        self.connections.first().copied().unwrap_or(64)
    }

    /// What would end in nonsense.
    ///
    /// # Errors
    /// With what to change.
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
