//! Strength of the levels against each other: shares of wins over many rounds and matches, in both seat orders. Run
//! with `cargo run --release -p yaniv-bot --example strength [rounds] [matches]`.

#![expect(clippy::indexing_slicing, reason = "lists by seat have two places")]

use yaniv_bot::{History, Level, Sight, decide};
use yaniv_engine::{Match, Preset, RoundResult, Rules, SeedChain, Shuffler};

/// Results of a pairing.
#[derive(Default)]
struct Tally {
    games: u32,
    /// By seat.
    won: [u32; 2],
    rounds: u32,
    /// Rounds that ended with a call that failed, by seat of the caller.
    failed: [u32; 2],
    calls: [u32; 2],
    /// Points of hands that won a round.
    winning: u32,
    turns: u32,
}

fn main() {
    let number = |place: usize| std::env::args().nth(place).and_then(|text| text.parse().ok());
    let (rounds, matches) = (number(1).unwrap_or(10_000), number(2).unwrap_or(1_000));
    for (what, games, limit) in [("single rounds", rounds, Some(1)), ("matches", matches, None)] {
        println!("two players, preset yaniv, {games} {what} for each pairing; share won by the first seat");
        for first in Level::ALL {
            for second in Level::ALL {
                let tally = pair([first, second], games, limit);
                print(first, second, &tally);
            }
        }
    }
}

fn print(first: Level, second: Level, tally: &Tally) {
    let share = |part: u32, whole: u32| 100.0 * f64::from(part) / f64::from(whole.max(1));
    println!(
        "  {first:>6} : {second:<6}  {:5.1} % : {:5.1} %   calls that failed {:4.1} % and {:4.1} %, \
         winning hand {:.1}, turns in a round {:.1}",
        share(tally.won[0], tally.games),
        share(tally.won[1], tally.games),
        share(tally.failed[0], tally.calls[0]),
        share(tally.failed[1], tally.calls[1]),
        f64::from(tally.winning) / f64::from(tally.rounds.max(1)),
        f64::from(tally.turns) / f64::from(tally.rounds.max(1)),
    );
}

/// Plays games of two. The seat that begins is drawn, as in every match.
fn pair(levels: [Level; 2], games: u32, max_rounds: Option<u8>) -> Tally {
    let mut options = Preset::Yaniv.options();
    options.max_rounds = max_rounds;
    let mut tally = Tally::default();
    let Ok(rules) = Rules::new(options) else {
        return tally;
    };
    for game in 0..games {
        let mut root = [0; 32];
        root[..4].copy_from_slice(&game.to_le_bytes());
        let shuffler = Shuffler::new(SeedChain::new(root), "strength", &[String::new(), String::new()]);
        if let Ok(state) = Match::start(&rules, 2, &shuffler) {
            play(state, &shuffler, levels, max_rounds.is_some(), &mut tally);
        }
    }
    tally
}

fn play(mut state: Match, shuffler: &Shuffler, levels: [Level; 2], single: bool, tally: &mut Tally) {
    let mut history = History::new(state.round());
    let mut step = 0;
    tally.games += 1;
    while let Some(seat) = state.next_to_act() {
        let view = state.view(Some(seat));
        let sight = Sight { view: &view, rules: state.rules(), seat, history: &history };
        step += 1;
        let Some(action) = decide(&sight, levels[seat.index()], step) else { break };
        let Ok(played) = state.play(seat, &action, shuffler) else { break };
        history.note(seat, &action, None, played.recycled);
        tally.turns += 1;
        if let Some(result) = played.round_ended.and_then(|end| end.result) {
            history = History::new(state.round());
            count(&result, tally);
            if single {
                // The lower score wins a round.
                let winner = usize::from(result.scores[1] < result.scores[0]);
                tally.won[winner] += 1;
                return;
            }
        }
    }
    if let Some(winner) = state.result().and_then(|result| result.winner) {
        tally.won[winner.index()] += 1;
    }
}

fn count(result: &RoundResult, tally: &mut Tally) {
    let caller = result.caller.index();
    tally.rounds += 1;
    tally.calls[caller] += 1;
    if result.scores[caller] > 0 {
        tally.failed[caller] += 1;
    }
    let lowest = result.points.iter().copied().min().unwrap_or(0);
    tally.winning += u32::try_from(lowest).unwrap_or(0);
}
