//! The positions of a record, for `analyze` (rules §12): one before each action.

use crate::cards::seat::Seat;
use crate::match_::state::Match;
use crate::record::document::Record;
use crate::record::verify::{Discrepancy, check_head, verify};
use crate::round::action::Action;
use crate::shuffle::shuffler::Shuffler;
use crate::tools::position::Position;

/// A position of a record, and the action taken in it.
#[derive(Clone, Debug)]
pub struct RecordPosition {
    /// The round, from 1 on.
    pub round: u16,
    /// The action within the round, from 0 on.
    pub action: usize,
    /// The acting seat.
    pub seat: Seat,
    /// The action, in the notation.
    pub played: String,
    /// The position before the action, with all cards.
    pub position: Position,
}

/// The positions of a record, one before each action, of all finished rounds.
///
/// # Errors
/// The first fault of the record.
pub fn record_positions(record: &Record) -> Result<Vec<RecordPosition>, Discrepancy> {
    verify(record)?;
    let (rules, client_seeds) = check_head(record)?;
    let seeds = record.rounds.iter().map_while(|round| round.seed).collect();
    let shuffler = Shuffler::from_published(seeds, &record.match_id, &client_seeds);
    let players = u8::try_from(record.players.len()).unwrap_or(u8::MAX);
    let fault = |what: String| Discrepancy { round: None, action: None, what };
    let mut state = Match::start(&rules, players, &shuffler).map_err(|error| fault(error.to_string()))?;
    let mut positions = Vec::new();
    for round in record.rounds.iter().filter(|round| round.seed.is_some()) {
        for (index, given) in round.actions.iter().enumerate() {
            let played = given.action.clone();
            let position = state.position();
            positions.push(RecordPosition {
                round: round.round,
                action: index,
                seat: given.seat,
                played,
                position,
            });
            let action: Action = given.action.parse().map_err(|_| fault("the notation".to_owned()))?;
            state.play(given.seat, &action, &shuffler).map_err(|error| fault(error.to_string()))?;
        }
    }
    Ok(positions)
}
