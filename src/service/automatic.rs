//! What a match does by itself: for players who let a deadline pass, and where a bot holds a seat. Always under the lock
//! of the match, at a time that was read after it was taken.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_bot::Level;
use yaniv_clock::{AbsentStep, AfterMisses};
use yaniv_engine::{Action, Seat};

use super::ServiceError;
use super::cause::Cause;
use super::house_bots::{decide, history_load, safe_turn, volunteer};
use super::interventions::store_entry;
use super::order_carrying::play_ordered_in_txn;
use super::sandbox::scripted_in_txn;
use super::saves::{Stored, new_save, save_alone};
use super::status::Status;
use super::table::{Step, Table};
use crate::store::StoreError;
use crate::store::action_save::SaveTiming;
use crate::store::actions::KIND_HELD;

/// After so many safe turns in a row a bot takes the seat, whatever the match says: rounds in which nobody ever calls
/// would have no end.
const SAFE_TURNS_MOST: u16 = 30;

/// How well the bot plays that holds the seat of an absent player.
const LEVEL: Level = Level::Medium;

/// What a match has to do by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A bot is to act for this seat.
    Bot(Seat),
    /// This seat has let its deadline pass.
    Missed(Seat),
}

/// Does the one thing that is due by then, if there is one; the match after it. `ordered` are the seats whose standing
/// orders wait, a bit each: they come before deadlines, as they could have been carried out in time.
///
/// # Errors
/// Those of the database, and what is damaged. Nothing is done then.
pub(super) async fn attend_in_txn(
    connection: &AsyncPgConnection,
    mut table: Table,
    ordered: i16,
    at: DateTime<Utc>,
) -> Result<Option<Table>, ServiceError> {
    if let Some(played) = play_ordered_in_txn(connection, &mut table, ordered, at).await? {
        return store(connection, table, played, at).await.map(Some);
    }
    let Some(due) = due(&table, at) else { return Ok(None) };
    let (seat, steps) = match due {
        Due::Bot(seat) => (seat, play_bot_in_txn(connection, &mut table, seat).await?),
        Due::Missed(seat) => match step_for(&table, seat) {
            AbsentStep::SafeTurn => {
                let action = safe_turn(&table, seat).ok_or_else(|| nothing(&table))?;
                (seat, vec![table.play(seat, &action, Cause::Missed)?])
            }
            AbsentStep::Out => (seat, vec![table.play(seat, &Action::Resign, Cause::Missed)?]),
            AbsentStep::Bot => {
                table.hold(seat, at);
                store_entry(connection, &mut table, KIND_HELD, seat, String::new(), None).await?;
                return Ok(Some(table));
            }
        },
    };
    store(connection, table, (seat, steps), at).await.map(Some)
}

/// Has the bot on a seat play: one of the house, or the one that holds it.
async fn play_bot_in_txn(
    connection: &AsyncPgConnection,
    table: &mut Table,
    seat: Seat,
) -> Result<Vec<Step>, ServiceError> {
    let own = table.player(seat).and_then(|player| player.level);
    let (level, cause) = own.map_or((LEVEL, Cause::Bot), |level| (level, Cause::Player));
    let history = history_load(connection, table).await?;
    let action = match scripted_in_txn(connection, table, seat).await? {
        Some(action) => action,
        None => decide(table, &history, seat, level).ok_or_else(|| nothing(table))?,
    };
    let mut steps = vec![table.play(seat, &action, cause)?];
    if table.open_slam(seat).is_some()
        && let Some(slam) = volunteer(table, &history, seat, level)
    {
        steps.push(table.play(seat, &slam, cause)?);
    }
    Ok(steps)
}

fn nothing(table: &Table) -> ServiceError {
    StoreError::Damaged(format!("nothing can be done in {} at {}", table.id(), table.version)).into()
}

/// Stores what was played; the match after it.
async fn store(
    connection: &AsyncPgConnection,
    table: Table,
    (seat, steps): (Seat, Vec<Step>),
    at: DateTime<Utc>,
) -> Result<Table, ServiceError> {
    let timing = SaveTiming { at: Some(at), ..SaveTiming::default() };
    let save = new_save(&table, None, seat, &steps, timing)?;
    let saved = save_alone(connection, &save).await?;
    let at = saved.ok_or_else(|| StoreError::Damaged(format!("lock of {}", table.id())))?;
    let (table, _) = Stored { table, save, steps, at }.after();
    Ok(table)
}

fn due(table: &Table, at: DateTime<Utc>) -> Option<Due> {
    let game = table.game.as_ref().filter(|_| table.status == Status::Running)?;
    if let Some(seat) = game.to_act().into_iter().find(|seat| table.plays_itself(*seat)) {
        return Some(Due::Bot(seat));
    }
    table.clocks.late_seat(&table.clock_settings(), at).map(|seat| Due::Missed(Seat::new(seat)))
}

/// The step of the match's ladder for a seat that misses one more deadline.
fn step_for(table: &Table, seat: Seat) -> AbsentStep {
    let before = table.clocks.seat(seat.number()).map_or(0, |of_seat| of_seat.clock.missed_in_a_row);
    let missed = before.saturating_add(1);
    let absent = &table.settings.pace.absent;
    if absent.then() == AfterMisses::SafeTurns && missed > SAFE_TURNS_MOST {
        return AbsentStep::Bot;
    }
    absent.step(missed)
}
