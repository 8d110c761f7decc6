//! Speed of the engine on one core: random legal play, lists of legal actions, the size of a stored match.
//! Run with `cargo run --release -p yaniv-engine --example speed`.

use std::hint::black_box;
use std::time::{Duration, Instant};

use yaniv_engine::{Action, Legal, Match, Preset, Rules, Seat, SeedChain, Shuffler};

fn main() {
    for preset in [Preset::Yaniv, Preset::Dhumbal, Preset::Kluft] {
        let Ok(rules) = Rules::new(preset.options()) else {
            continue;
        };
        println!("{preset}");
        for players in [2, 4] {
            play(&rules, players, 0, Duration::from_millis(200));
            let (actions, matches, seconds) = play(&rules, players, 1, Duration::from_secs(3));
            println!(
                "  {players} players: {:>10.0} actions/s ({matches} matches, {actions} actions)",
                to_float(actions) / seconds
            );
        }
        lists(&rules);
    }
}

/// Random play: a legal action is drawn from the list and played, match after match.
fn play(rules: &Rules, players: u8, start: u64, time: Duration) -> (u64, u64, f64) {
    let mut dice = Dice(start);
    let (mut actions, mut matches) = (0, 0);
    let begin = Instant::now();
    while begin.elapsed() < time {
        let shuffler = shuffler(&mut dice, players);
        let Ok(mut state) = Match::start(rules, players, &shuffler) else {
            break;
        };
        while let Some((seat, action)) = random(&state, &mut dice) {
            if state.play(seat, &action, &shuffler).is_err() {
                println!("refused: {action}");
                break;
            }
            actions += 1;
        }
        matches += 1;
    }
    (actions, matches, begin.elapsed().as_secs_f64())
}

/// The time of one list of legal actions, and the size of the stored match, over the positions of random play.
fn lists(rules: &Rules) {
    let mut dice = Dice(2);
    let (mut times, mut sizes, mut total) = (Vec::new(), Vec::new(), 0_u64);
    while times.len() < 200_000 {
        let shuffler = shuffler(&mut dice, 2);
        let Ok(mut state) = Match::start(rules, 2, &shuffler) else {
            break;
        };
        while let Some((seat, action)) = random(&state, &mut dice) {
            // Sixteen at once, as the clock has a cost of its own.
            let begin = Instant::now();
            for _ in 0..16 {
                black_box(black_box(&state).legal(black_box(seat)));
            }
            times.push(begin.elapsed().as_nanos() / 16);
            sizes.push(state.to_bytes().len());
            total += 1;
            if state.play(seat, &action, &shuffler).is_err() {
                break;
            }
        }
    }
    times.sort_unstable();
    sizes.sort_unstable();
    let middle = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or(0);
    let sum: u128 = times.iter().sum();
    println!(
        "  legal: median {} ns, 90 % {} ns, 99 % {} ns, {:.0} lists/s ({total} positions)",
        middle(50),
        middle(90),
        middle(99),
        1e9 * to_float(total) / to_float(u64::try_from(sum).unwrap_or(u64::MAX)),
    );
    println!(
        "  stored, 2 players: median {} bytes, at most {}",
        sizes.get(sizes.len() / 2).copied().unwrap_or(0),
        sizes.last().copied().unwrap_or(0)
    );
}

fn random(state: &Match, dice: &mut Dice) -> Option<(Seat, Action)> {
    let seat = state.next_to_act()?;
    let legal: Legal = state.legal(seat);
    let plays = legal.discards.len() * legal.draws.len();
    let others = [
        (legal.call, Action::Call { word: None }),
        (legal.pass, Action::Pass),
        (legal.challenge, Action::Challenge),
        (legal.challenge, Action::Expose),
    ];
    let mut choice = dice.below(plays + others.iter().filter(|(can, _)| *can).count());
    if choice < plays {
        let cards = legal.discards.get(choice / legal.draws.len())?.clone();
        let draw = *legal.draws.get(choice % legal.draws.len())?;
        return Some((seat, Action::Play { cards, draw }));
    }
    choice -= plays;
    let (_, action) = others.into_iter().filter(|(can, _)| *can).nth(choice)?;
    Some((seat, action))
}

fn shuffler(dice: &mut Dice, players: u8) -> Shuffler {
    let mut root = [0; 32];
    for chunk in root.as_chunks_mut::<8>().0 {
        *chunk = dice.next().to_le_bytes();
    }
    Shuffler::new(SeedChain::new(root), "speed", &vec![String::new(); usize::from(players)])
}

/// `SplitMix64`.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from(self.next() % n).unwrap_or(0)
    }
}

/// Counts here are far below 2^32 or are rounded anyway.
fn to_float(number: u64) -> f64 {
    f64::from(u32::try_from(number >> 10).unwrap_or(u32::MAX)) * 1024.0
}
