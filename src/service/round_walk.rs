//! A round played again from the log: the match as it stood before and after each of its actions. What of that is shown to whom,
//! `round_replay` says; what it was worth, `round_analysis`.

use yaniv_engine::{Action, Match, Played, Seat};

use super::ServiceError;
use super::table::Table;
use super::view::stored_action;
use crate::store::StoreError;
use crate::store::actions::ActionRow;

/// Who looks on while a round is played again.
pub(super) trait Onlooker {
    /// The round has been dealt.
    fn dealt(&mut self, _: &Match) {}

    /// An action of the round is about to be played.
    fn before(&mut self, _: &Match, _: &WalkedStep<'_>) {}

    /// It has been played. If it ended the round, the match is in the next one, or over.
    ///
    /// # Errors
    /// What is wrong with the log.
    fn after(&mut self, game: &Match, step: &WalkedStep<'_>, played: &Played) -> Result<(), ServiceError>;
}

/// An action of the round.
pub(super) struct WalkedStep<'a> {
    /// Its entry of the log.
    pub(super) row: &'a ActionRow,
    /// Whose it is.
    pub(super) seat: Seat,
    /// What it is.
    pub(super) action: &'a Action,
}

/// Plays a match again up to the end of a round, or of these entries of its log, which begin with the first.
///
/// # Errors
/// `NotStarted`; stored data that is damaged.
pub(super) fn walk(
    table: &Table,
    rows: &[ActionRow],
    round: u16,
    onlooker: &mut impl Onlooker,
) -> Result<(), ServiceError> {
    let shuffler = table.shuffler.as_ref().ok_or(ServiceError::NotStarted)?;
    let players = u8::try_from(table.players.len()).map_err(ServiceError::internal)?;
    let mut game = Match::start(table.rules(), players, shuffler)?;
    if game.round() == round {
        onlooker.dealt(&game);
    }
    for row in rows.iter().filter(|row| row.is_action()) {
        let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
        let seat = seat.ok_or_else(|| StoreError::Damaged(format!("seat of {}", row.version)))?;
        let action = stored_action(row)?;
        let step = WalkedStep { row, seat, action: &action };
        let shown = game.round() == round;
        if shown {
            onlooker.before(&game, &step);
        }
        let played = game.play(seat, &action, shuffler).map_err(ServiceError::internal)?;
        if shown {
            onlooker.after(&game, &step, &played)?;
        }
        if played.round_ended.is_some() {
            if shown || played.match_ended.is_some() {
                return Ok(());
            }
            if game.round() == round {
                onlooker.dealt(&game);
            }
        }
    }
    Ok(())
}
