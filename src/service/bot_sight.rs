//! What a bot at a table sees, and what it does: the view of its seat and what everybody has seen happen in the round, and
//! nothing else. What it does is decided in `yaniv_bot`.

use diesel_async::AsyncPgConnection;
use yaniv_bot::{History, Level, Sight, decide, safe_turn, volunteer};
use yaniv_engine::{Action, Card, Seat};

use super::ServiceError;
use super::table::Table;
use super::view::stored_action;
use crate::store::StoreError;
use crate::store::actions::{FLAG_RECYCLED, action_list};

/// What everybody has seen happen in the round that is in play.
///
/// # Errors
/// Those of the database, and a damaged log.
pub(super) async fn round_history(
    connection: &AsyncPgConnection,
    table: &Table,
) -> Result<History, ServiceError> {
    let mut history = History::new(table.game.as_ref().map_or(0, yaniv_engine::Match::round));
    let before = table.rounds.last().map_or(0, |round| round.last_version);
    for row in action_list(connection, table.id(), before, table.version, i64::MAX).await? {
        if !row.is_action() {
            continue;
        }
        let damaged = || StoreError::Damaged(format!("seat of {}", row.version));
        let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).ok_or_else(damaged)?;
        let action = stored_action(&row)?;
        let slammed = row.drew.as_ref().filter(|_| matches!(action, Action::Slam { .. }));
        let slammed = slammed.and_then(|drew| Card::from_index(*drew.first()?));
        history.note(Seat::new(seat), &action, slammed, row.flags & FLAG_RECYCLED != 0);
    }
    Ok(history)
}

/// What a bot does where its seat is to act.
///
/// # Errors
/// `Damaged` if there is nothing that it could do.
pub(super) fn bot_action(
    table: &Table,
    seat: Seat,
    level: Level,
    history: &History,
) -> Result<Action, ServiceError> {
    with_sight(table, seat, history, |sight| decide(sight, level, rand::random()))
        .ok_or_else(|| nothing(table))
}

/// The slam-down with which a bot follows its own play, if it can.
pub(super) fn bot_slam(table: &Table, seat: Seat, level: Level, history: &History) -> Option<Action> {
    table.open_slam(seat)?;
    let action = with_sight(table, seat, history, |sight| volunteer(sight, level))?;
    matches!(action, Action::Slam { .. }).then_some(action)
}

/// What is played for an absent player.
///
/// # Errors
/// `Damaged` if there is nothing that could be.
pub(super) fn safe_action(table: &Table, seat: Seat) -> Result<Action, ServiceError> {
    let view = table.game.as_ref().map(|game| game.view(Some(seat)));
    view.and_then(|view| safe_turn(&view, table.rules())).ok_or_else(|| nothing(table))
}

fn with_sight(
    table: &Table,
    seat: Seat,
    history: &History,
    act: impl FnOnce(&Sight<'_>) -> Option<Action>,
) -> Option<Action> {
    let view = table.game.as_ref()?.view(Some(seat));
    act(&Sight { view: &view, rules: table.rules(), seat, history })
}

fn nothing(table: &Table) -> ServiceError {
    StoreError::Damaged(format!("nothing can be done in {} at {}", table.id(), table.version)).into()
}
