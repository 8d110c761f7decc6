//! Replays the log with the engine alone: the result must equal the stored position, byte for byte.

use yaniv_engine::{Action, Match, Played, Seat, SeedChain, Shuffler, rules_from_json};

use crate::Error;
use crate::faults::setup::database::{Entry, Stored};

/// Replays the log of a match.
///
/// # Errors
/// If the log is impossible, or does not lead to what is stored.
pub fn check(stored: &Stored) -> Result<(), Error> {
    let rules = rules_from_json(&stored.rules).map_err(|error| error.detail)?;
    let mut seeds: Vec<String> = Vec::new();
    let mut game: Option<(Match, Shuffler)> = None;
    for entry in &stored.log {
        match (entry.kind.as_str(), &mut game) {
            ("joined", None) => seeds.push(entry.detail.clone()),
            ("started", None) => {
                let secret = <[u8; 32]>::try_from(stored.secret.as_slice())?;
                let shuffler = Shuffler::new(SeedChain::new(secret), &stored.id, &seeds);
                let players = u8::try_from(seeds.len())?;
                let started = Match::start(&rules, players, &shuffler).map_err(|error| error.detail)?;
                game = Some((started, shuffler));
            }
            ("action", Some((game, shuffler))) => play(game, shuffler, entry)?,
            (kind, _) => return Err(format!("entry {} cannot be {kind}", entry.version).into()),
        }
    }
    let made = game.map(|(game, _)| (game.to_bytes(), if game.is_over() { "finished" } else { "running" }));
    let status = made.as_ref().map_or("waiting", |(_, status)| status);
    if made.as_ref().map(|(bytes, _)| bytes) != stored.state.as_ref() {
        return Err("the log does not make the stored position".into());
    }
    if status != stored.status {
        return Err(format!("the log ends {status}, the match is {}", stored.status).into());
    }
    Ok(())
}

fn play(game: &mut Match, shuffler: &Shuffler, entry: &Entry) -> Result<(), Error> {
    let seat = entry.seat.ok_or_else(|| format!("entry {} has no seat", entry.version))?;
    let action: Action = entry.detail.parse().map_err(|_| format!("entry {} is damaged", entry.version))?;
    let played = game
        .play(Seat::new(seat), &action, shuffler)
        .map_err(|error| format!("entry {} is not legal: {}", entry.version, error.detail))?;
    if drew(&played) == entry.drew || matches!(action, Action::Slam { .. }) {
        return Ok(());
    }
    Err(format!("entry {} drew other cards", entry.version).into())
}

fn drew(played: &Played) -> Vec<u8> {
    played.drew.iter().chain(played.drew_three.iter()).map(|card| card.index()).collect()
}
