//! How strong a player is: matches in which it holds one seat and another player all others, each deal with it in every
//! seat.

use std::fmt;

use yaniv_bot::expert::Expert;
use yaniv_bot::{Level, Sight, decide};
use yaniv_engine::{Action, Rules, Seat};

use crate::parallel::parallel;
use crate::published::{intermediate, novice};
use crate::table::Table;

/// Who decides for a seat.
#[derive(Copy, Clone)]
pub(crate) enum Player<'a> {
    /// A level of the bots.
    Level(Level),
    /// Networks that are being trained.
    Networks(&'a Expert),
    /// Published rules that no network was trained with: the weaker ones.
    Novice,
    /// The stronger ones.
    Intermediate,
}

/// A player against another.
pub(crate) struct Pairing<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) players: u8,
    /// Holds one seat.
    pub(crate) first: Player<'a>,
    /// Holds all other seats.
    pub(crate) second: Player<'a>,
}

/// A share in hundredths with its interval of 95 %.
pub(crate) struct Share {
    mean: f64,
    interval: f64,
}

impl Player<'_> {
    fn act(self, sight: &Sight<'_>, seed: u64) -> Option<Action> {
        match self {
            Player::Level(level) => decide(sight, level, seed),
            Player::Networks(expert) => expert.decide(sight, seed),
            Player::Novice => novice(sight).or_else(|| decide(sight, Level::Medium, seed)),
            Player::Intermediate => intermediate(sight).or_else(|| decide(sight, Level::Medium, seed)),
        }
    }
}

impl Pairing<'_> {
    /// The share of matches that the first player wins. Plays `deals` deals, from this seed on, each once for every seat
    /// of the first player.
    pub(crate) fn won(&self, deals: usize, seed: u64, threads: usize) -> Share {
        let shares = parallel(deals, threads, |deal| {
            let seed = seed + u64::try_from(deal).unwrap_or(0);
            let wins = |own: &u8| self.winner(seed, *own) == Some(Seat::new(*own));
            let won = u32::try_from((0..self.players).filter(wins).count()).unwrap_or(0);
            f64::from(won) / f64::from(self.players)
        });
        Share::of(&shares)
    }

    fn winner(&self, seed: u64, own: u8) -> Option<Seat> {
        let mut table = Table::deal(self.rules, self.players, seed)?;
        let mut step = seed;
        while let Some(seat) = table.state.next_to_act() {
            step += 1;
            let view = table.state.view(Some(seat));
            let player = if seat.number() == own { self.first } else { self.second };
            let action = player.act(&table.sight(&view, seat), step)?;
            table.play(seat, &action)?;
        }
        table.state.result()?.winner
    }
}

impl Share {
    fn of(shares: &[f64]) -> Share {
        let count = f64::from(u32::try_from(shares.len()).unwrap_or(u32::MAX)).max(1.0);
        let mean = shares.iter().sum::<f64>() / count;
        let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
        Share { mean: 100.0 * mean, interval: 196.0 * (variance / count).sqrt() }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} +- {:.1}", self.mean, self.interval)
    }
}
