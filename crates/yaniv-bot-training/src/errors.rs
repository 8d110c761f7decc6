//! The error of what a decision costs: how far two trainings of the same rules disagree, and what the round brought when
//! both actions were played on.

#![expect(clippy::as_conversions, reason = "counts of decisions are exact in a float")]

use std::path::{Path, PathBuf};

use clap::Args;
use yaniv_bot::expert::{Expert, Value};
use yaniv_engine::{Action, Preset, Rules, Seat};

use crate::AnyError;
use crate::dice::Dice;
use crate::learner::Outcome;
use crate::parallel::parallel;
use crate::table::{Standing, Table, outcome};

/// Options of the measurement.
#[derive(Args)]
pub(crate) struct Options {
    /// The rule set.
    #[arg(long, default_value = "yaniv")]
    preset: String,
    /// The folder of the weights whose error is measured.
    #[arg(long, default_value = "crates/yaniv-bot/weights")]
    weights: PathBuf,
    /// The folder of weights that were trained with another seed, and those that they began with, too.
    #[arg(long)]
    other: PathBuf,
    /// Matches of two that are played.
    #[arg(long, default_value_t = 2_000)]
    matches: usize,
    /// One decision in this number is played on, with both actions.
    #[arg(long, default_value_t = 12)]
    played_on: usize,
    /// The seed of the first deal.
    #[arg(long, default_value_t = 1 << 52)]
    seed: u64,
    /// Threads that play.
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    threads: usize,
}

/// Costs from which a line of the table begins, in points.
const FROM: [f32; 7] = [0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// Both networks, and what the round brought.
#[derive(Copy, Clone)]
struct Sample {
    /// The best action or the other one is a call.
    call: bool,
    /// What the other action costs: points, and chance to have the lowest score.
    cost: Outcome,
    /// The same by the other networks.
    other: Outcome,
    /// The difference that it made.
    brought: Option<Outcome>,
}

/// Measures and prints a table.
///
/// # Errors
/// An unknown preset, or weights that cannot be read.
pub(crate) fn run(options: &Options) -> Result<(), AnyError> {
    let preset: Preset = options.preset.parse().map_err(|_| "no such preset")?;
    let rules = Rules::new(preset.options())?;
    let read = |folder: &Path| -> Result<Expert, AnyError> {
        Ok(Expert::from_bytes(&std::fs::read(folder.join(format!("{}.bin", preset.as_str())))?)?)
    };
    let networks = Networks { rules: &rules, own: read(&options.weights)?, other: read(&options.other)? };
    let samples: Vec<Sample> = parallel(options.matches, options.threads, |deal| {
        let deal = u64::try_from(deal).unwrap_or(0);
        networks.samples(options.seed + deal, options.played_on)
    })
    .concat();
    for call in [false, true] {
        println!("{preset}, {}", if call { "a call against a play" } else { "a play against another" });
        println!(
            "| cost | decisions | points: cost · by the others · error · brought | chance: the same, in hundredths |"
        );
        let of_kind: Vec<Sample> = samples.iter().filter(|sample| sample.call == call).copied().collect();
        for (from, to) in FROM.iter().zip(FROM.iter().skip(1).chain([&f32::INFINITY])) {
            let within = |sample: &&Sample| (*from..*to).contains(&sample.cost[0]);
            let line: Vec<Sample> = of_kind.iter().filter(within).copied().collect();
            println!(
                "| {from} | {} | {} | {} |",
                line.len(),
                figures(&line, 0, 1.0),
                figures(&line, 1, 100.0)
            );
        }
    }
    Ok(())
}

/// The mean cost by the networks and by the others, its error, and the mean of what the round brought, with the interval
/// of 95 %.
///
/// Networks overestimate the action that they choose, so the cost by the others is lower. About one decision in a round is
/// played on, so these samples are nearly independent.
#[expect(clippy::indexing_slicing, reason = "an outcome has two numbers")]
fn figures(samples: &[Sample], which: usize, unit: f32) -> String {
    let mean = |numbers: &[f32]| numbers.iter().sum::<f32>() / numbers.len().max(1) as f32;
    let costs: Vec<f32> = samples.iter().map(|sample| sample.cost[which]).collect();
    let others: Vec<f32> = samples.iter().map(|sample| sample.other[which]).collect();
    // Two trainings have independent errors, so that each has half of the variance of their difference.
    let squares: Vec<f32> =
        samples.iter().map(|sample| (sample.cost[which] - sample.other[which]).powi(2) / 2.0).collect();
    // The spread without the difference of the means, which is that of the choice.
    let shift = mean(&costs) - mean(&others);
    let brought: Vec<f32> = samples.iter().filter_map(|sample| Some(sample.brought?[which])).collect();
    let middle = mean(&brought);
    let spread = mean(&brought.iter().map(|one| (one - middle).powi(2)).collect::<Vec<f32>>()).sqrt();
    let interval = 1.96 * spread / (brought.len().max(1) as f32).sqrt();
    let brought = if brought.len() < 2 {
        "-".to_owned()
    } else {
        format!("{:.2} +- {:.2}", middle * unit, interval * unit)
    };
    let error = (mean(&squares) - shift.powi(2) / 2.0).max(0.0).sqrt();
    format!("{:.2} · {:.2} · {:.2} · {brought}", mean(&costs) * unit, mean(&others) * unit, error * unit)
}

/// Two sets of weights for the same rules.
struct Networks<'a> {
    rules: &'a Rules,
    own: Expert,
    other: Expert,
}

impl Networks<'_> {
    /// Plays a match and compares, in each turn, the best action with another one.
    fn samples(&self, seed: u64, played_on: usize) -> Vec<Sample> {
        let (mut dice, mut samples) = (Dice::new(seed), Vec::new());
        let Some(mut table) = Table::deal(self.rules, 2, seed) else { return samples };
        let mut standing = table.standing();
        while let Some(seat) = table.state.next_to_act() {
            if let Some((mut sample, best, tried)) = self.compare(&table, seat, &mut dice) {
                if dice.below(played_on.max(1)) == 0 {
                    let brought =
                        [best, tried].map(|action| self.play_on(table.clone(), &standing, seat, &action));
                    if let [Some(best), Some(tried)] = brought {
                        sample.brought = Some(difference(best, tried));
                    }
                }
                samples.push(sample);
            }
            let Some(ended) = self.act(&mut table, seat, &mut dice) else { return samples };
            if ended {
                standing = table.standing();
            }
        }
        samples
    }

    /// The best action in a turn, and one of the others by chance.
    fn compare(&self, table: &Table, seat: Seat, dice: &mut Dice) -> Option<(Sample, Action, Action)> {
        let view = table.state.view(Some(seat));
        let (sight, legal) = (table.sight(&view, seat), view.legal.as_ref()?);
        let own = self.own.weigh(&sight, legal).options();
        let other = self.other.weigh(&sight, legal).options();
        let best = (0..own.len()).max_by_key(|place| own.get(*place).map(|(_, value)| value.points))?;
        let tried = dice.below(own.len());
        let cost = |options: &[(Action, Value)]| {
            Some(difference(in_points(options.get(best)?.1), in_points(options.get(tried)?.1)))
        };
        let action = |place: usize| own.get(place).map(|(action, _)| action.clone());
        let call = [best, tried].into_iter().any(|place| matches!(action(place), Some(Action::Call { .. })));
        let sample = Sample { call, cost: cost(&own)?, other: cost(&other)?, brought: None };
        (tried != best).then_some((sample, action(best)?, action(tried)?))
    }

    /// Lets a seat act; whether that ended the round.
    fn act(&self, table: &mut Table, seat: Seat, dice: &mut Dice) -> Option<bool> {
        let view = table.state.view(Some(seat));
        let action = self.own.decide(&table.sight(&view, seat), dice.next())?;
        Some(table.play(seat, &action)?.round_ended.is_some())
    }

    /// Plays an action and the rest of the round.
    fn play_on(&self, mut table: Table, before: &Standing, seat: Seat, action: &Action) -> Option<Outcome> {
        let mut dice = Dice::new(1);
        let mut played = table.play(seat, action)?;
        while played.round_ended.is_none() {
            let next = table.state.next_to_act()?;
            let view = table.state.view(Some(next));
            let action = self.own.decide(&table.sight(&view, next), dice.next())?;
            played = table.play(next, &action)?;
        }
        let [points, wins] =
            outcome(self.rules, before, &played.round_ended?.result?, &table.standing(), seat);
        Some([points * yaniv_bot::expert::POINTS_SCALE as f32, wins])
    }
}

fn in_points(value: Value) -> Outcome {
    [value.points as f32 / 1000.0, value.wins as f32 / 1000.0]
}

fn difference(one: Outcome, other: Outcome) -> Outcome {
    [one[0] - other[0], one[1] - other[1]]
}
