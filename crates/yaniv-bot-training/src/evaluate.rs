//! How strong networks are: matches against another level, each deal with both orders of the seats.

use yaniv_bot::expert::Expert;
use yaniv_bot::{Level, decide};
use yaniv_engine::{Rules, Seat};

use crate::table::Table;

/// Shares of matches won, in hundredths, with the interval of 95 %.
pub(crate) struct Strength {
    pub(crate) won: f64,
    pub(crate) interval: f64,
}

/// Plays so many deals with the networks in each seat once, against a level in all other seats.
pub(crate) fn strength(expert: &Expert, rules: &Rules, players: u8, level: Level, deals: u64, seed: u64) -> Strength {
    let shares: Vec<f64> = (0..deals)
        .map(|deal| {
            let won = (0..players)
                .filter(|own| winner(expert, rules, players, level, seed + deal, *own) == Some(Seat::new(*own)));
            let won = u32::try_from(won.count()).unwrap_or(0);
            f64::from(won) / f64::from(players)
        })
        .collect();
    let count = shares.len().max(1) as f64;
    let mean = shares.iter().sum::<f64>() / count;
    let variance = shares.iter().map(|share| (share - mean).powi(2)).sum::<f64>() / count;
    Strength { won: 100.0 * mean, interval: 196.0 * (variance / count).sqrt() }
}

fn winner(expert: &Expert, rules: &Rules, players: u8, level: Level, seed: u64, own: u8) -> Option<Seat> {
    let mut table = Table::deal(rules, players, seed)?;
    let mut step = seed;
    while let Some(seat) = table.state.next_to_act() {
        step += 1;
        let view = table.state.view(Some(seat));
        let sight = table.sight(&view, seat);
        let action =
            if seat.number() == own { expert.decide(&sight, step) } else { decide(&sight, level, step) };
        table.play(seat, &action?)?;
    }
    table.state.result()?.winner
}
