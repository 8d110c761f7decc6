//! Automatic actions in a match: timeouts of absent players, and bots. Always under the lock of the match, at
//! a time that was read after the lock was taken. The scheduler is in `due_matches`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_bot::Level;
use yaniv_clock::{AbsentStep, AfterMisses};
use yaniv_db::turns::append_actions::SaveTiming;
use yaniv_db::{Connection, StoreError};
use yaniv_engine::{Action, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::LogEvent;
use yaniv_match::origin::ActionOrigin;
use yaniv_match::state::Step;
use yaniv_match::status::Status;

use crate::ServiceError;
use crate::turns::automatic::bot_play::{decide, history_load, plays_alone_for_long, safe_turn, volunteer};
use crate::turns::automatic::orders::play_ordered_in_txn;
use crate::turns::sandbox::scripted_in_txn;
use crate::turns::save::{CommittedAction, new_save, save_alone};
use crate::turns::seat_events::store_event;

/// After this number of safe turns in a row a bot takes over the seat, regardless of the match's settings:
/// rounds without any call would never end.
const MOST_SAFE_TURNS: u16 = 30;

/// Level of the bot that holds the seat of an absent player.
const LEVEL: Level = Level::Medium;

/// An automatic action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Due {
    /// A bot has to act for this seat.
    Bot(Seat),
    /// This seat has missed its deadline.
    Missed(Seat),
}

/// Performs the one action that is due at `at`, if any, and returns the match after it.
///
/// `ordered` is a bit mask of the seats with waiting standing orders. Orders precede deadlines, as they could
/// have been executed in time.
///
/// # Errors
/// Those of the database, and damaged data. Nothing is changed then.
pub(crate) async fn attend_in_txn(
    connection: &Connection,
    mut state: MatchState,
    ordered: i16,
    at: DateTime<Utc>,
) -> Result<Option<MatchState>, ServiceError> {
    if let Some(played) = play_ordered_in_txn(connection, &mut state, ordered, at).await? {
        return store(connection, state, played, at).await.map(Some);
    }
    let Some(due) = due(&state, at) else { return Ok(None) };
    let (seat, steps) = match due {
        Due::Bot(seat) => (seat, play_bot_in_txn(connection, &mut state, seat).await?),
        Due::Missed(seat) => match step_for(&state, seat) {
            AbsentStep::SafeTurn => {
                let action = safe_turn(&state, seat).ok_or_else(|| nothing(&state))?;
                (seat, vec![state.play(seat, &action, ActionOrigin::Missed)?])
            }
            AbsentStep::Out => (seat, vec![state.play(seat, &Action::Resign, ActionOrigin::Missed)?]),
            AbsentStep::Bot => {
                store_event(connection, &mut state, LogEvent::SeatHeld { seat }, at, None).await?;
                return Ok(Some(state));
            }
        },
    };
    store(connection, state, (seat, steps), at).await.map(Some)
}

/// Plays for the bot on a seat: a house bot, or the bot that holds it for the owner.
async fn play_bot_in_txn(
    connection: &Connection,
    state: &mut MatchState,
    seat: Seat,
) -> Result<Vec<Step>, ServiceError> {
    let own = state.player(seat).and_then(|player| player.level);
    let (level, origin) = own.map_or((LEVEL, ActionOrigin::Bot), |level| (level, ActionOrigin::Player));
    if plays_alone_for_long(state) {
        return Ok(vec![state.play(seat, &Action::Resign, origin)?]);
    }
    let history = history_load(connection, state).await?;
    let action = match scripted_in_txn(connection, state, seat).await? {
        Some(action) => action,
        None => decide(state, &history, seat, level).ok_or_else(|| nothing(state))?,
    };
    let mut steps = vec![state.play(seat, &action, origin)?];
    if state.open_slam(seat).is_some()
        && let Some(slam) = volunteer(state, &history, seat, level)
    {
        steps.push(state.play(seat, &slam, origin)?);
    }
    Ok(steps)
}

fn nothing(state: &MatchState) -> ServiceError {
    StoreError::Damaged(format!("nothing can be done in {} at {}", state.id(), state.version())).into()
}

/// Stores the steps, and returns the match after them.
async fn store(
    connection: &Connection,
    state: MatchState,
    (seat, steps): (Seat, Vec<Step>),
    at: DateTime<Utc>,
) -> Result<MatchState, ServiceError> {
    let timing = SaveTiming { at: Some(at), ..SaveTiming::default() };
    let save = new_save(&state, None, seat, &steps, timing)?;
    let saved = save_alone(connection, &save).await?;
    let at = saved.ok_or_else(|| StoreError::Damaged(format!("lock of {}", state.id())))?;
    let (state, _) = CommittedAction { state: Arc::new(state), save, steps, at }.after();
    Ok(Arc::unwrap_or_clone(state))
}

fn due(state: &MatchState, at: DateTime<Utc>) -> Option<Due> {
    let game = state.game().filter(|_| state.status() == Status::Running)?;
    if let Some(seat) = game.to_act().into_iter().find(|seat| state.plays_itself(*seat)) {
        return Some(Due::Bot(seat));
    }
    state.clocks().late_seat(&state.clock_settings(), at).map(|seat| Due::Missed(Seat::new(seat)))
}

/// The step of the match's ladder for one more missed deadline of a seat.
fn step_for(state: &MatchState, seat: Seat) -> AbsentStep {
    let before = state.clocks().seat(seat.number()).map_or(0, |of_seat| of_seat.clock.missed_turns);
    let missed = before.saturating_add(1);
    let absent = &state.settings().time_control.absent;
    if absent.then() == AfterMisses::SafeTurns && missed > MOST_SAFE_TURNS {
        return AbsentStep::Bot;
    }
    absent.step(missed)
}
