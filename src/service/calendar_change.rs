//! What becomes of running matches when a player's calendar changes.

use diesel_async::AsyncPgConnection;
use yaniv_clock::Calendar;
use yaniv_engine::Seat;

use super::ServiceError;
use super::calendar_detail::{CalendarNews, calendar_to_detail};
use super::calendar_rows::of_late;
use super::interventions::store_entry;
use super::status::Status;
use super::table::Table;
use crate::ids::{AccountId, MatchId};
use crate::store::actions::KIND_CALENDAR;
use crate::store::clock::clock_read;
use crate::store::matches::match_lock;
use crate::store::seats::seat_open_match_list;

/// A calendar that has changed.
pub(super) struct CalendarChange {
    /// Whose: the account is locked until the transaction ends.
    pub(super) account: AccountId,
    /// As it was.
    pub(super) before: Calendar,
    /// As it is, and is stored.
    pub(super) after: Calendar,
}

/// Tells the running matches of the account, in the transaction that changes the calendar. The account is locked before
/// any match, and matches are locked in the order of their identifiers; also those that wait: one that is being started
/// reads calendars under its lock.
///
/// # Errors
/// Those of the database.
pub(super) async fn calendar_changed_in_txn(
    connection: &AsyncPgConnection,
    change: &CalendarChange,
) -> Result<(), ServiceError> {
    let Some(news) = change.news() else { return Ok(()) };
    let mut ids = seat_open_match_list(connection, change.account).await?;
    ids.sort_unstable();
    for id in ids.into_iter().map(MatchId) {
        match_lock(connection, id).await?;
        let Some(mut table) = Table::load(connection, id).await? else { continue };
        let Some(seat) = change.counts_in(&table, news) else { continue };
        let at = table.clocks.time(clock_read(connection).await?);
        let after = of_late(&change.after, at);
        let detail = calendar_to_detail(news, &after)?;
        table.set_calendar(seat, after, news.of_clock(), at);
        store_entry(connection, &mut table, KIND_CALENDAR, seat, detail, None).await?;
    }
    Ok(())
}

impl CalendarChange {
    /// What has changed; a change of both is one of vacations.
    fn news(&self) -> Option<CalendarNews> {
        let (before, after) = (&self.before, &self.after);
        if before.vacations == after.vacations {
            return (before.quiet_hours != after.quiet_hours).then_some(CalendarNews::QuietHours);
        }
        let more = before.vacations.iter().all(|vacation| after.vacations.contains(vacation));
        Some(if more { CalendarNews::Announced } else { CalendarNews::Cancelled })
    }

    /// The seat in whose match the change counts, if it does.
    fn counts_in(&self, table: &Table, news: CalendarNews) -> Option<Seat> {
        let settings = table.clock_settings();
        let counts = match news {
            CalendarNews::QuietHours => settings.quiet_hours,
            CalendarNews::Announced | CalendarNews::Cancelled => settings.vacation,
        };
        let game = table.game.as_ref().filter(|_| table.status == Status::Running && counts)?;
        let seat = table.seat_of(self.account).filter(|seat| !game.is_out(*seat))?;
        settings.bank().map(|_| seat)
    }
}
