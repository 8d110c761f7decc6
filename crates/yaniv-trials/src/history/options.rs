//! Command line options.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Fills a database with matches that were really played, and measures HTTP requests about them.
#[derive(Clone, Debug, Parser)]
#[command(name = "history")]
pub struct Options {
    /// Command.
    #[command(subcommand)]
    pub command: Command,
}

/// Commands.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play and store matches. Can be interrupted and resumed: stored matches are not played again.
    Generate {
        /// Number of matches.
        matches: u64,
        /// Play every match to its end by the rules, with idempotency keys; otherwise most end after a few rounds.
        #[arg(long)]
        played_out: bool,
        /// The database, as postgres://…; may be empty.
        #[arg(long, env = "DATABASE_URL")]
        database_url: String,
    },
    /// Measure a database filled by `generate`: bytes, HTTP answers, query plans, and pages while matches are inserted.
    Measure {
        /// The database.
        #[arg(long, env = "DATABASE_URL")]
        database_url: String,
        /// Measurement options.
        #[command(flatten)]
        measured: Measured,
    },
    /// Read random matches of a database filled by `generate`, archive all, and read them again: the answers must be the same.
    Archive {
        /// The database.
        #[arg(long, env = "DATABASE_URL")]
        database_url: String,
        /// Number of matches to read.
        #[arg(long, default_value_t = 10_000)]
        compared: usize,
    },
    /// Play matches to their ends, without a database, and print the sizes of their packed logs.
    Pack {
        /// Number of matches.
        #[arg(default_value_t = 2000)]
        matches: u64,
        /// Write a dictionary for packed logs, of half of the matches, to this file. A new one needs a new format.
        #[arg(long)]
        dictionary: Option<PathBuf>,
    },
    /// Generate and measure, on its own PostgreSQL in the temporary directory. Prints Markdown.
    Run {
        /// Number of matches.
        #[arg(default_value_t = 1_000_000)]
        matches: u64,
        /// Play every match to its end by the rules.
        #[arg(long)]
        played_out: bool,
        /// Matches that are read before and after all old ones are archived; 0: nothing is archived.
        #[arg(long, default_value_t = 0)]
        compared: usize,
        /// Measurement options.
        #[command(flatten)]
        measured: Measured,
    },
}

/// Measurement options.
#[derive(Clone, Debug, Args)]
pub struct Measured {
    /// How often each request is sent.
    #[arg(long, default_value_t = 300)]
    pub times: usize,
    /// Matches that are inserted while all pages are read.
    #[arg(long, default_value_t = 1000)]
    pub inserted: u64,
    /// Random matches that are compared with their logs.
    #[arg(long, default_value_t = 2000)]
    pub checked: u64,
    /// Random players whose statistics are recounted from their records.
    #[arg(long, default_value_t = 1000)]
    pub recounted: u32,
}
