//! Effects of a calendar's change on running matches.

use yaniv_clock::Calendar;
use yaniv_db::Connection;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::matches::seats::seat_open_match_list;
use yaniv_engine::Seat;
use yaniv_match::event::LogEvent;
use yaniv_match::status::Status;
use yaniv_match::{CalendarChange, MatchState};
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::kernel::calendars::of_late;
use crate::matches::load::load_match;
use crate::turns::seat_events::store_event;

/// A change of a calendar.
pub(crate) struct ChangedCalendar {
    /// The account, locked until the transaction ends.
    pub(crate) account: AccountId,
    /// The calendar before the change.
    pub(crate) before: Calendar,
    /// The calendar after the change, as stored.
    pub(crate) after: Calendar,
}

/// Logs the change in the account's running matches, in the transaction that changes the calendar.
///
/// The account is locked before any match, and matches are locked in the order of their identifiers. Waiting
/// matches are locked too: the start of a match reads calendars under its lock.
///
/// # Errors
/// Those of the database.
pub(crate) async fn calendar_changed_in_txn(
    connection: &Connection,
    change: &ChangedCalendar,
) -> Result<(), ServiceError> {
    let Some(kind) = change.kind() else { return Ok(()) };
    let mut ids = seat_open_match_list(connection, change.account).await?;
    ids.sort_unstable();
    for id in ids.into_iter().map(MatchId) {
        match_lock(connection, id).await?;
        let Some(mut state) = load_match(connection, id).await? else { continue };
        let Some(seat) = change.counts_in(&state, kind) else { continue };
        let at = state.clocks().time(clock_read(connection).await?);
        let event = LogEvent::CalendarChanged { seat, change: kind, calendar: of_late(&change.after, at) };
        store_event(connection, &mut state, event, at, None).await?;
    }
    Ok(())
}

impl ChangedCalendar {
    /// Kind of the change; a change of quiet hours and vacations counts as one of vacations.
    fn kind(&self) -> Option<CalendarChange> {
        let (before, after) = (&self.before, &self.after);
        if before.vacations == after.vacations {
            return (before.quiet_hours != after.quiet_hours).then_some(CalendarChange::QuietHours);
        }
        let more = before.vacations.iter().all(|vacation| after.vacations.contains(vacation));
        Some(if more { CalendarChange::Announced } else { CalendarChange::Cancelled })
    }

    /// The seat to which the change applies in a match, if it does.
    fn counts_in(&self, state: &MatchState, kind: CalendarChange) -> Option<Seat> {
        let settings = state.clock_settings();
        let counts = match kind {
            CalendarChange::QuietHours => settings.quiet_hours,
            CalendarChange::Announced | CalendarChange::Cancelled => settings.vacation,
        };
        let game = state.game().filter(|_| state.status() == Status::Running && counts)?;
        let seat = state.seat_of(self.account).filter(|seat| !game.is_out(*seat))?;
        settings.bank().map(|_| seat)
    }
}
