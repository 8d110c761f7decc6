//! What can be chosen on the command line.

use clap::Parser;

/// Stores many matches and measures what they cost: bytes, plans and times of the hot statements, what vacuum has to
/// do, actions a second. Prints Markdown.
///
/// Brings up a PostgreSQL of its own, durable, in the temporary directory; 10 million matches take 30 GB of it.
#[derive(Clone, Debug, Parser)]
#[command(name = "growth")]
pub struct Options {
    /// How many matches are stored; the first is what the others are held against.
    #[arg(long, value_delimiter = ',', default_value = "10000,1000000,10000000")]
    pub matches: Vec<u64>,
    /// Up to so many matches they are played to the end that the preset `yaniv` gives them, some 500 entries.
    #[arg(long, default_value_t = 10_000)]
    pub to_the_end: u64,
    /// Up to so many they have three rounds, some 70 entries; where there are more, they are given up after an action.
    #[arg(long, default_value_t = 1_000_000)]
    pub three_rounds: u64,
    /// Matches in play among those that are stored, all over the time that these are from.
    #[arg(long, default_value_t = 5_000)]
    pub live: u64,
    /// Actions that are stored before vacuum is looked at.
    #[arg(long, default_value_t = 100_000)]
    pub actions: u64,
    /// How often everything that takes time is measured at each size, in turn with the first; medians are printed.
    #[arg(long, default_value_t = 3)]
    pub rounds: usize,
    /// Seconds that actions over HTTP are measured for, each time; 0 for not at all.
    #[arg(long, default_value_t = 8)]
    pub seconds: u64,
    /// Also measure a partitioned log, at so many matches with short logs; 0 for not at all.
    #[arg(long, default_value_t = 1_000_000)]
    pub partitioned: u64,
    /// Another setting of the server, NAME=VALUE; may be given several times.
    #[arg(long = "setting", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// In the end keep the server and all databases until standard input ends.
    #[arg(long)]
    pub keep: bool,
}
