//! What becomes of running matches when a player's calendar changes.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_clock::Calendar;

use super::ServiceError;
use crate::ids::AccountId;

/// A calendar that has changed.
pub(super) struct CalendarChange {
    /// Whose: the account is locked until the transaction ends.
    pub(super) account: AccountId,
    /// As it was.
    pub(super) before: Calendar,
    /// As it is, and is stored.
    pub(super) after: Calendar,
    /// When, by the database's clock, read after the account was locked.
    pub(super) at: DateTime<Utc>,
}

/// Tells the running matches of the account, in the transaction that changes the calendar. The account is locked before
/// any match, and matches are locked in the order of their identifiers.
///
/// # Errors
/// Those of the database.
#[expect(clippy::unused_async, reason = "a match that has a clock is told in the database")]
pub(super) async fn calendar_changed_in_txn(
    _connection: &AsyncPgConnection,
    change: &CalendarChange,
) -> Result<(), ServiceError> {
    let CalendarChange { account, before, after, at } = change;
    if before == after {
        return Ok(());
    }
    // Here each running match of the account gets an entry in its log. No match has a clock yet.
    tracing::debug!(%account, %at, "a calendar has changed");
    Ok(())
}
