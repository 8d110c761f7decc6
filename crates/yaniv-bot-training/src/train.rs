//! Training: batches of matches are played by all processors; what they showed is learned in the order of the matches,
//! while the networks as they were before play the next batch. So the same seed gives the same weights, whatever the number
//! of processors.

#![expect(
    clippy::as_conversions,
    reason = "numbers of rounds and samples are exact in a float, or need not be"
)]

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use yaniv_bot::Level;
use yaniv_bot::expert::{CALL_INPUTS, CALL_UNITS, Expert, PLAY_INPUTS, PLAY_UNITS};
use yaniv_engine::{Preset, RuleOptions, Rules};

use crate::AnyError;
use crate::dice::Dice;
use crate::evaluate::{Pairing, Player};
use crate::learner::Learner;
use crate::parallel::parallel;
use crate::play::{Samples, play_match};

/// Matches of a batch.
const BATCH: usize = 240;
/// Matches that one thread plays at a time.
const CHUNK: usize = 10;
/// Share of the rounds that bots without networks play first.
const FIRST: f64 = 0.03;
/// The learning rate at the end. A rate of 0.005 moves a value all the way to one outcome, which is mostly luck.
const LAST_RATE: f64 = 0.000_03;
/// The weights that are kept are the mean of those in the last part of the training.
const MEAN_FROM: f64 = 0.7;

/// Share of the matches that are single rounds, where the lowest score wins.
const SINGLE_ROUNDS: f32 = 0.25;
/// That many of them instead of one match.
const SINGLE_ROUNDS_FOR_MATCH: usize = 10;
/// Share of the matches without reductions, for rule sets of the family that have none.
const UNREDUCED: f32 = 0.15;

/// Number of evaluations on the way.
const REPORTS: u64 = 5;
/// The first deal of evaluations.
const EVALUATED: u64 = 1 << 40;

/// How a family is trained.
struct Plan {
    preset: Preset,
    /// The family whose rules are similar and with whose weights it begins; without one, random weights.
    start: Option<Preset>,
    rounds: u64,
}

/// In this order.
const PLANS: [Plan; 6] = [
    Plan { preset: Preset::Yaniv, start: None, rounds: 900_000 },
    Plan { preset: Preset::Jhyap, start: Some(Preset::Yaniv), rounds: 200_000 },
    Plan { preset: Preset::Dhumbal, start: None, rounds: 450_000 },
    Plan { preset: Preset::DhumbalJokers, start: Some(Preset::Dhumbal), rounds: 250_000 },
    Plan { preset: Preset::Kluft, start: None, rounds: 450_000 },
    Plan { preset: Preset::Speedy, start: None, rounds: 350_000 },
];

/// Options of the training.
#[derive(Args)]
pub(crate) struct Options {
    /// The families of rule sets to train, by their preset; all without it.
    #[arg(long, value_delimiter = ',')]
    presets: Vec<String>,
    /// The learning rate at the start.
    #[arg(long, default_value_t = 0.004)]
    learning_rate: f64,
    /// Resumes from the weights that are there.
    #[arg(long)]
    resume: bool,
    /// Rounds to play for each family, instead of the number that is planned for it.
    #[arg(long)]
    rounds: Option<u64>,
    /// The same seed gives the same weights.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The folder of the weights.
    #[arg(long, default_value = "crates/yaniv-bot/weights")]
    out: PathBuf,
    /// Deals of each evaluation, each played in both orders.
    #[arg(long, default_value_t = 200)]
    deals: usize,
    /// Threads that play.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
}

impl Options {
    /// The file of the weights of a family.
    fn file(&self, preset: Preset) -> PathBuf {
        self.out.join(format!("{}.bin", preset.as_str()))
    }
}

/// What is trained.
#[derive(Clone)]
struct Training {
    plays: Learner<PLAY_UNITS>,
    calls: Learner<CALL_UNITS>,
}

impl Training {
    /// The weights in a file.
    fn read(file: &Path) -> Result<Training, AnyError> {
        let expert = Expert::from_bytes(&std::fs::read(file)?)?;
        Ok(Training {
            plays: Learner::from_network(&expert.plays),
            calls: Learner::from_network(&expert.calls),
        })
    }

    fn expert(&self) -> Expert {
        Expert { plays: self.plays.rounded(), calls: self.calls.rounded() }
    }
}

/// Trains the chosen families.
///
/// # Errors
/// An unknown preset, or a file that cannot be written.
pub(crate) fn run(options: &Options) -> Result<(), AnyError> {
    let names: Vec<Preset> = options
        .presets
        .iter()
        .map(|name| name.parse())
        .collect::<Result<_, _>>()
        .map_err(|_| "no such preset")?;
    if let Some(name) = names.iter().find(|name| PLANS.iter().all(|plan| plan.preset != **name)) {
        return Err(format!("{name} has no weights of its own").into());
    }
    for plan in PLANS.iter().filter(|plan| names.is_empty() || names.contains(&plan.preset)) {
        let start = if options.resume { Some(plan.preset) } else { plan.start };
        let start = start.map(|preset| Training::read(&options.file(preset))).transpose()?;
        let expert = train(plan, start, options)?;
        let file = options.file(plan.preset);
        std::fs::write(&file, expert.to_bytes())?;
        println!("{}: written", file.display());
    }
    Ok(())
}

/// The rules that a family is trained with.
struct Variants {
    own: Rules,
    single_round: Rules,
    unreduced: Rules,
}

impl Variants {
    fn of(preset: Preset) -> Result<Variants, AnyError> {
        let options = preset.options();
        let single_round = RuleOptions { max_rounds: Some(1), ..options.clone() };
        let unreduced = RuleOptions { reductions: Vec::new(), ..options.clone() };
        Ok(Variants {
            own: Rules::new(options)?,
            single_round: Rules::new(single_round)?,
            unreduced: Rules::new(unreduced)?,
        })
    }
}

/// Trains one family, from a start or from random weights.
fn train(plan: &Plan, start: Option<Training>, options: &Options) -> Result<Expert, AnyError> {
    let preset = plan.preset;
    let variants = Variants::of(preset)?;
    let all = options.rounds.unwrap_or(plan.rounds);
    let mut dice = Dice::new(options.seed);
    let first = if start.is_some() { 0.0 } else { FIRST };
    let mut training = start.unwrap_or_else(|| Training {
        plays: Learner::new(PLAY_INPUTS, &mut dice),
        calls: Learner::new(CALL_INPUTS, &mut dice),
    });
    let mut mean = Mean::default();
    let bar = ProgressBar::new(all);
    bar.set_style(ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len} rounds, {eta} left")?);
    bar.set_message(preset.as_str());
    let (mut rounds, mut reports) = (0, 0);
    let mut samples = Samples::default();
    while rounds < all {
        let done = rounds as f64 / all as f64;
        let expert = (done >= first).then(|| training.expert());
        let rate = options.learning_rate * (LAST_RATE / options.learning_rate).powf(done);
        let seed = dice.next();
        // The next batch is played while this one is learned.
        let (error, played) = std::thread::scope(|threads| {
            let playing = threads.spawn(|| batch(&variants, expert.as_ref(), seed, options.threads));
            (learn(&mut training, &samples, rate as f32, &mut dice), playing.join())
        });
        samples = played.map_err(|_| "a match panicked")?;
        rounds += samples.rounds;
        bar.set_position(rounds);
        if done >= MEAN_FROM {
            mean.add(&training);
        }
        if rounds * REPORTS / all > reports {
            reports += 1;
            let expert = mean.training.as_ref().unwrap_or(&training).expert();
            let won = won(&variants.own, &expert, options);
            bar.suspend(|| println!("{}: {rounds} rounds, error {error:.4}; {won}", preset.as_str()));
        }
    }
    bar.finish_and_clear();
    let mut expert = mean.training.unwrap_or(training).expert();
    if variants.own.options().reductions.is_empty() {
        expert.ignore_reductions();
    }
    Ok(expert)
}

/// The mean of weights.
#[derive(Default)]
struct Mean {
    training: Option<Training>,
    count: f32,
}

impl Mean {
    fn add(&mut self, training: &Training) {
        self.count += 1.0;
        let mean = self.training.get_or_insert_with(|| training.clone());
        mean.plays.blend(&training.plays, 1.0 / self.count);
        mean.calls.blend(&training.calls, 1.0 / self.count);
    }
}

/// What networks win, in words.
fn won(rules: &Rules, expert: &Expert, options: &Options) -> String {
    let won = |players, level, deals| {
        let second = Player::Level(level);
        let pairing = Pairing { rules, players, first: Player::Networks(expert), second };
        pairing.won(deals, EVALUATED, options.threads)
    };
    format!(
        "matches won against medium {} %, hard {} %, three hard {} %",
        won(2, Level::Medium, options.deals),
        won(2, Level::Hard, options.deals),
        won(4.min(rules.max_players()), Level::Hard, options.deals / 4),
    )
}

/// Plays the matches of a batch.
fn batch(variants: &Variants, expert: Option<&Expert>, seed: u64, threads: usize) -> Samples {
    let chunks = parallel(BATCH / CHUNK, threads, |chunk| {
        let mut dice = Dice::new(seed ^ (chunk as u64) << 32);
        let mut samples = Samples::default();
        for _ in 0..CHUNK {
            if dice.chance(SINGLE_ROUNDS) {
                for _ in 0..SINGLE_ROUNDS_FOR_MATCH {
                    play_match(&variants.single_round, expert, &mut dice, &mut samples);
                }
                continue;
            }
            let rules = if dice.chance(UNREDUCED) { &variants.unreduced } else { &variants.own };
            play_match(rules, expert, &mut dice, &mut samples);
        }
        samples
    });
    let mut all = Samples::default();
    for samples in chunks {
        all.plays.extend(samples.plays);
        all.calls.extend(samples.calls);
        all.rounds += samples.rounds;
    }
    all
}

/// Learns a batch in random order; returns the mean squared error of the points of plays.
fn learn(training: &mut Training, samples: &Samples, rate: f32, dice: &mut Dice) -> f32 {
    let mut sum = 0.0;
    for place in shuffled(samples.plays.len(), dice) {
        if let Some((inputs, outcome)) = samples.plays.get(place) {
            sum += training.plays.learn(inputs.as_slice(), *outcome, rate);
        }
    }
    for place in shuffled(samples.calls.len(), dice) {
        if let Some((inputs, outcome)) = samples.calls.get(place) {
            training.calls.learn(inputs.as_slice(), *outcome, rate * 2.0);
        }
    }
    sum / samples.plays.len().max(1) as f32
}

fn shuffled(count: usize, dice: &mut Dice) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        places.swap(last, dice.below(last + 1));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaniv_bot::expert::Family;

    #[test]
    fn every_family_has_a_plan_and_begins_with_one_before_it() {
        for (place, plan) in PLANS.iter().enumerate() {
            let before = |start: Preset| PLANS.iter().take(place).any(|plan| plan.preset == start);
            assert!(plan.start.is_none_or(before));
        }
        let planned: Vec<Preset> = PLANS.iter().map(|plan| plan.preset).collect();
        let families: Vec<Preset> = Family::ALL.iter().map(|family| family.preset).collect();
        assert_eq!(planned, families);
    }
}
