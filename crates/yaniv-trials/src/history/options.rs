//! What can be chosen on the command line.

use clap::{Args, Parser, Subcommand};

/// Fills a database with matches that were really played, and measures what is asked about them over HTTP.
#[derive(Clone, Debug, Parser)]
#[command(name = "history")]
pub struct Options {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Clone, Debug, Subcommand)]
pub enum Command {
    /// Play and store matches. Can be stopped and started again: what is stored is not played once more.
    Generate {
        /// How many.
        matches: u64,
        /// Where: a database that may be empty, as postgres://….
        #[arg(long, env = "DATABASE_URL")]
        database_url: String,
    },
    /// Measure a database that was filled so: bytes, answers over HTTP, their plans, and pages while matches are inserted.
    Measure {
        /// Which.
        #[arg(long, env = "DATABASE_URL")]
        database_url: String,
        /// How.
        #[command(flatten)]
        measured: Measured,
    },
    /// Both, on a PostgreSQL of its own in the temporary directory. Prints Markdown.
    Run {
        /// How many matches.
        #[arg(default_value_t = 1_000_000)]
        matches: u64,
        /// How they are measured.
        #[command(flatten)]
        measured: Measured,
    },
}

/// How it is measured.
#[derive(Clone, Debug, Args)]
pub struct Measured {
    /// How often each request is sent.
    #[arg(long, default_value_t = 300)]
    pub times: usize,
    /// Matches that are inserted while all pages are read.
    #[arg(long, default_value_t = 1000)]
    pub inserted: u64,
    /// Matches, by chance, that are held against their logs.
    #[arg(long, default_value_t = 2000)]
    pub checked: u64,
    /// Players, by chance, whose statistics are counted again from their records.
    #[arg(long, default_value_t = 1000)]
    pub recounted: u32,
}
