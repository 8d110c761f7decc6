//! Trains the networks of the level `expert` by self-play, and measures how strong the bots are:
//! `cargo run --release -p yaniv-bot-training -- train`, `-- strength` or `-- errors`.

mod dice;
mod errors;
mod evaluate;
mod learner;
mod parallel;
mod play;
mod published;
mod strength;
mod table;
mod train;

use clap::Parser;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Trains the networks of the bots' level `expert`, and measures how strong the bots are.
#[derive(Parser)]
enum Command {
    /// Trains the networks and writes their weights.
    Train(train::Options),
    /// Plays levels against each other.
    Strength(strength::Options),
    /// Measures the error of what a decision costs, with weights of another seed.
    Errors(errors::Options),
}

fn main() -> Result<(), AnyError> {
    match Command::parse() {
        Command::Train(options) => train::run(&options),
        Command::Strength(options) => strength::run(&options),
        Command::Errors(options) => errors::run(&options),
    }
}
