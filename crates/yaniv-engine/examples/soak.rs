//! A soak test: random matches under random rule sets, with invariants checked at each step or at samples. Run with
//! `cargo run --release -p yaniv-engine --example soak -- [MATCHES [SEED]]`; the default is a million matches from seed
//! 0. Match `i` depends on `SEED + i` alone: `soak -- 1 SEED` repeats one.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a model run may panic: that is a violation"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

use yaniv_engine::{
    Action, Card, Legal, Match, RecordBuilder, RecordPlayer, Rules, Seat, Seed, SeedChain, Shuffler, verify,
};

#[path = "../tests/it/invariants.rs"]
mod invariants;
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/it/support.rs"]
mod support;

use invariants::{cards_of, comes_back, listed_is_accepted, view_hides};
use support::{Choose, Dice, random_action, random_legal, random_rules, seats};

/// Number of actions after which players begin to resign: some rule sets have no natural end.
const PATIENCE: u32 = 400;

/// No match has more actions than this.
const MOST_ACTIONS: u32 = 20_000;

/// Sampling interval, in actions, of the checks of the whole state; those of a view are done a quarter as often.
const SAMPLE: usize = 16;

/// Sampling interval of matches played with a whole chain of seeds, recorded and verified.
const RECORDED: u64 = 64;

#[derive(Default)]
struct Figures {
    matches: u64,
    recorded: u64,
    actions: u64,
    rounds: u64,
    checks: u64,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default| match arguments.next() {
        None => Some(default),
        Some(text) => text.parse::<u64>().ok(),
    };
    let (Some(matches), Some(seed)) = (number(1_000_000), number(0)) else {
        eprintln!("usage: soak [MATCHES [SEED]]");
        return ExitCode::from(2);
    };
    let begin = Instant::now();
    let mut figures = Figures::default();
    for i in 0..matches {
        let seed = seed.wrapping_add(i);
        let done = catch_unwind(AssertUnwindSafe(|| play_match(seed, &mut figures)));
        let violation = match done {
            Ok(Ok(())) => None,
            Ok(Err(what)) => Some(what),
            Err(_) => Some("a panic, see above".to_owned()),
        };
        if let Some(what) = violation {
            println!("violation in match {seed}: {what}");
            println!("to repeat it: soak -- 1 {seed}");
            return ExitCode::FAILURE;
        }
        figures.matches += 1;
        if figures.matches.is_multiple_of(50_000) {
            eprintln!("{} matches, {:.0} s", figures.matches, begin.elapsed().as_secs_f64());
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!("{} matches ({} recorded and verified)", figures.matches, figures.recorded);
    println!("{} rounds, {} actions, {} positions checked", figures.rounds, figures.actions, figures.checks);
    println!("{seconds:.0} s, {:.0} actions/s with the checks", float(figures.actions) / seconds);
    println!("0 violations");
    ExitCode::SUCCESS
}

/// A random match, from its deal to its end.
fn play_match(seed: u64, figures: &mut Figures) -> Result<(), String> {
    let mut dice = Dice(seed);
    let (rules, players) = random_rules(&mut dice);
    let rules = shortened(&rules, &mut dice);
    let in_match = |what: String| format!("{what}; {players} players, rules {:?}", rules.options());
    if seed.is_multiple_of(RECORDED) {
        figures.recorded += 1;
        return recorded_match(&rules, players, &mut dice, figures).map_err(in_match);
    }
    // A chain of forty links instead of a thousand: nearly all matches have fewer rounds.
    let mut seeds = vec![Seed::new(std::array::from_fn(|_| u8::try_from(dice.below(256)).expect("a byte")))];
    for _ in 1..40 {
        seeds.push(seeds[seeds.len() - 1].previous());
    }
    seeds.reverse();
    let shuffler = Shuffler::from_published(seeds, "soak", &vec![String::new(); usize::from(players)]);
    let mut state = Match::start(&rules, players, &shuffler).map_err(|error| error.to_string())?;
    let pack = cards_of(&state);
    drive(&mut dice, figures, |dice, step| {
        let Some((seat, action)) = choose(&state, dice, step) else {
            return Ok(None);
        };
        let round = state.round();
        let played = state
            .play(seat, &action, &shuffler)
            .map_err(|error| format!("action {step}, {seat}:{action} was listed, but: {error}"))?;
        let over = played.match_ended.is_some();
        if played.round != round || played.match_ended != state.result() {
            return Err(format!("action {step}, {seat}:{action}: another round or result"));
        }
        if let Some(end) = &played.round_ended
            && (end.round != round || state.round() != round + u16::from(!over))
        {
            return Err(format!("action {step}, {seat}:{action}: the number of the round"));
        }
        check(&state, &pack, &shuffler, dice, over)
            .map_err(|what| format!("after action {step}, {seat}:{action}: {what}"))
            .map(|checked| Some((played.round_ended.is_some(), checked)))
    })
    .and_then(|()| check_end(&state))
    .map_err(in_match)
}

/// The same with a record, which is verified at the end.
fn recorded_match(rules: &Rules, players: u8, dice: &mut Dice, figures: &mut Figures) -> Result<(), String> {
    let player =
        |seat| RecordPlayer { seat: Seat::new(seat), name: String::new(), client_seed: seat.to_string() };
    let chain = SeedChain::new(std::array::from_fn(|_| u8::try_from(dice.below(256)).expect("a byte")));
    let mut builder = RecordBuilder::new(rules, "soak", (0..players).map(player).collect(), chain)
        .map_err(|error| error.to_string())?;
    drive(dice, figures, |dice, step| {
        let Some((seat, action)) = choose(builder.state(), dice, step) else {
            return Ok(None);
        };
        let played = builder.push(seat, &action, None);
        let played = played.map_err(|error| format!("action {step}, {seat}:{action}: {error}"))?;
        Ok(Some((played.round_ended.is_some(), 0)))
    })?;
    check_end(builder.state())?;
    verify(&builder.finish(None)).map_err(|found| format!("the record does not hold: {found}"))
}

/// Takes steps until none is left, and counts: a step tells whether a round ended, and what was checked.
fn drive(
    dice: &mut Dice,
    figures: &mut Figures,
    mut step: impl FnMut(&mut Dice, u32) -> Result<Option<(bool, u64)>, String>,
) -> Result<(), String> {
    for number in 0..MOST_ACTIONS {
        let Some((round_ended, checked)) = step(dice, number)? else {
            return Ok(());
        };
        figures.actions += 1;
        figures.rounds += u64::from(round_ended);
        figures.checks += checked;
    }
    Err(format!("the match did not end within {MOST_ACTIONS} actions"))
}

/// Invariants between two actions; returns the number of positions checked.
fn check(
    state: &Match,
    pack: &[Card],
    shuffler: &Shuffler,
    dice: &mut Dice,
    over: bool,
) -> Result<u64, String> {
    if !over && !dice.one_in(SAMPLE) {
        return Ok(0);
    }
    if cards_of(state) != pack {
        return Err("the cards are not those of the pack".to_owned());
    }
    comes_back(state)?;
    let seat = dice.pick(&seats(state));
    listed_is_accepted(state, seat, &random_action(state, seat, dice), shuffler)?;
    if dice.one_in(4) {
        let viewer = (!dice.one_in(4)).then_some(seat);
        view_hides(state, viewer, dice)?;
        for seat in state.to_act() {
            let actions = state.legal_actions(seat);
            let action = dice.pick(&actions);
            listed_is_accepted(state, seat, &action, shuffler)?;
            if actions.len() != usize::try_from(state.count_actions(seat)).unwrap_or(0) {
                return Err(format!("the list of seat {seat} has another length than was counted"));
            }
        }
    }
    Ok(1)
}

/// Invariants of a match that is over.
fn check_end(state: &Match) -> Result<(), String> {
    let result = state.result().ok_or("nobody is to act, but the match is not over")?;
    let mut places = result.ranking.clone();
    places.sort_unstable();
    let firsts = places.iter().filter(|place| **place == 1).count();
    let winner = result.winner.map(Seat::index);
    let holds = places.first() == Some(&1)
        && places.iter().zip(1..).all(|(place, i)| *place <= i)
        && winner.map_or(firsts > 1, |seat| firsts == 1 && result.ranking.get(seat) == Some(&1))
        && state.to_act().is_empty()
        && seats(state).iter().all(|seat| state.legal(*seat) == Legal::default());
    if holds { Ok(()) } else { Err(format!("the result {result:?}")) }
}

/// Half at random, half like a player who sheds points, so that rounds end.
fn choose(state: &Match, dice: &mut Dice, step: u32) -> Option<(Seat, Action)> {
    if step > PATIENCE && dice.one_in(20) {
        return Some((state.next_to_act()?, Action::Resign));
    }
    if dice.one_in(2) {
        return random_legal(state, dice);
    }
    let seat = state.next_to_act()?;
    let legal = state.legal(seat);
    if legal.call && dice.one_in(2) {
        return Some((seat, Action::Call { word: None }));
    }
    let best = legal.discards.iter().max_by_key(|cards| state.rules().points(cards));
    match best {
        Some(cards) => Some((seat, Action::Play { cards: cards.clone(), draw: dice.pick(&legal.draws) })),
        None => random_legal(state, dice),
    }
}

/// The same rules, as a variant for a short match: a million of them have to end.
fn shortened(rules: &Rules, dice: &mut Dice) -> Rules {
    let mut options = rules.options().clone();
    options.max_rounds = dice.pick(&[Some(1), Some(1), Some(2), Some(3), None]);
    options.elimination = dice.pick(&[10, 30, 100]);
    Rules::new(options).expect("within the bounds")
}

fn float(number: u64) -> f64 {
    f64::from(u32::try_from(number >> 10).unwrap_or(u32::MAX)) * 1024.0
}
