//! Strength of the levels: shares of matches and of single rounds that a player wins against others.

use clap::Args;
use yaniv_bot::Level;
use yaniv_engine::{Preset, Rules};

use crate::AnyError;
use crate::evaluate::{Pairing, Player};

/// Options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// Matches of each pairing.
    #[arg(long, default_value_t = 1_600)]
    matches: usize,
    /// Single rounds of each pairing.
    #[arg(long, default_value_t = 4_000)]
    rounds: usize,
    /// The seed of the first deal. Trainings evaluate with other deals.
    #[arg(long, default_value_t = 1 << 50)]
    seed: u64,
    /// Threads that play.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
    /// Only pairings whose line contains this.
    #[arg(long, default_value = "")]
    only: String,
}

const EXPERT: Player<'_> = Player::Level(Level::Expert);
const HARD: Player<'_> = Player::Level(Level::Hard);
const MEDIUM: Player<'_> = Player::Level(Level::Medium);
const EASY: Player<'_> = Player::Level(Level::Easy);

/// The pairings: rule set, seats, who holds one seat, who all others.
const PAIRINGS: [(Preset, u8, Player<'_>, Player<'_>); 19] = [
    (Preset::Yaniv, 2, MEDIUM, EASY),
    (Preset::Yaniv, 2, HARD, MEDIUM),
    (Preset::Yaniv, 2, EXPERT, HARD),
    (Preset::Yaniv, 2, EXPERT, MEDIUM),
    (Preset::Yaniv, 2, EXPERT, Player::Novice),
    (Preset::Yaniv, 2, EXPERT, Player::Intermediate),
    (Preset::Yaniv, 2, HARD, Player::Intermediate),
    (Preset::YanivWikipedia, 2, EXPERT, HARD),
    (Preset::Jhyap, 2, EXPERT, HARD),
    (Preset::Dhumbal, 2, EXPERT, HARD),
    (Preset::DhumbalJokers, 2, EXPERT, HARD),
    (Preset::Kluft, 2, EXPERT, HARD),
    (Preset::Speedy, 2, EXPERT, HARD),
    (Preset::Yaniv, 3, EXPERT, HARD),
    (Preset::Yaniv, 4, EXPERT, HARD),
    (Preset::Jhyap, 4, EXPERT, HARD),
    (Preset::Dhumbal, 4, EXPERT, HARD),
    (Preset::Kluft, 4, EXPERT, HARD),
    (Preset::Yaniv, 6, EXPERT, HARD),
];

/// Plays the pairings and prints a line for each.
///
/// # Errors
/// None; a preset is a valid rule set.
pub(crate) fn run(options: &Options) -> Result<(), AnyError> {
    println!("share won by the first player, in hundredths, with the interval of 95 %");
    for (preset, players, first, second) in PAIRINGS {
        let name = format!("{} {players} seats, {} : {}", preset.as_str(), first.name(), second.name());
        if !name.contains(&options.only) {
            continue;
        }
        let share = |rounds: Option<u8>, games: usize| -> Result<String, AnyError> {
            let mut rule_options = preset.options();
            rule_options.max_rounds = rounds;
            let rules = Rules::new(rule_options)?;
            let pairing = Pairing { rules: &rules, players, first, second };
            let deals = games.div_ceil(usize::from(players));
            Ok(pairing.won(deals, options.seed, options.threads).to_string())
        };
        println!(
            "{name:<44} matches {}   rounds {}",
            share(None, options.matches)?,
            share(Some(1), options.rounds)?
        );
    }
    Ok(())
}

impl Player<'_> {
    fn name(self) -> &'static str {
        match self {
            Player::Level(level) => level.as_str(),
            Player::Networks(_) => "networks",
            Player::Novice => "novice",
            Player::Intermediate => "intermediate",
        }
    }
}
