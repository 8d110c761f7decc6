//! Trains the networks of the level `expert` by self-play, and measures how strong the bots are:
//! `cargo run --release -p yaniv-bot-training -- train` or `-- strength`.

mod dice;
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
}

fn main() -> Result<(), AnyError> {
    match Command::parse() {
        Command::Train(options) => train::run(&options),
        Command::Strength(options) => strength::run(&options),
    }
}
