//! Command line options.

use clap::Parser;

/// Stores many matches and measures their cost: bytes, plans and times of the hot statements, vacuum, actions per
/// second. Prints Markdown.
///
/// Starts its own PostgreSQL, durable, in the temporary directory; 10 million matches take 30 GB of it.
#[derive(Clone, Debug, Parser)]
#[command(name = "growth")]
pub struct Options {
    /// Numbers of matches to store; the others are compared with the first.
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000")]
    pub matches: Vec<u64>,
    /// Up to this many, matches are played to their natural end with the preset `yaniv`, some 500 entries.
    #[arg(long, default_value_t = 10_000)]
    pub to_the_end: u64,
    /// Up to this many, they have three rounds, some 70 entries; above, a player resigns after one action.
    #[arg(long, default_value_t = 1_000_000)]
    pub three_rounds: u64,
    /// Matches in play among those stored, spread over the whole period.
    #[arg(long, default_value_t = 5_000)]
    pub live: u64,
    /// Actions stored before vacuum is measured.
    #[arg(long, default_value_t = 100_000)]
    pub actions: u64,
    /// How often each time is measured at each size, alternating with the first; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
    /// Seconds for which actions over HTTP are measured, each time; 0 to skip.
    #[arg(long, default_value_t = 8)]
    pub seconds: u64,
    /// Also measure a partitioned log, with this many matches with short logs; 0 to skip.
    #[arg(long, default_value_t = 1_000_000)]
    pub partitioned: u64,
    /// Another server setting, NAME=VALUE; may be repeated.
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Keep the server and all databases at the end, until standard input closes.
    #[arg(long)]
    pub keep: bool,
}
