//! Reminders of near deadlines: two per deadline, one for each threshold. The scheduler calls `near_in_txn`,
//! under the lock of the match.

use chrono::{DateTime, Utc};
use yaniv_clock::{Calendar, ClockSettings, PlayerClock, Reminder, ReminderKind, Thresholds};
use yaniv_db::Connection;
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::enqueue::{Event, announce_in_txn};

/// A seat whose clock runs.
#[derive(Clone, Copy, Debug)]
pub struct Near<'a> {
    /// The match.
    pub match_id: MatchId,
    /// Version at which the wait for the seat began, or a later one during the wait.
    pub version: i32,
    /// The player's account.
    pub account: AccountId,
    /// Time control of the match.
    pub settings: &'a ClockSettings,
    /// The player's clock.
    pub clock: &'a PlayerClock,
    /// The calendar that pauses it.
    pub calendar: &'a Calendar,
    /// The last reminder, as stored with the clock.
    pub notified: Option<&'a Reminder>,
}

/// Enqueues a reminder, if one is due. Returns it, to be stored with the clock.
///
/// # Errors
/// Those of the database.
pub async fn near_in_txn(
    connection: &Connection,
    near: &Near<'_>,
    at: DateTime<Utc>,
) -> Result<Option<Reminder>, ServiceError> {
    let Near { settings, clock, calendar, notified, .. } = *near;
    let Some(due) = Thresholds::default().due(settings, clock, calendar, notified, at) else {
        return Ok(None);
    };
    announce_in_txn(connection, &[event(near, &due, at)]).await?;
    Ok(Some(due))
}

fn event(near: &Near<'_>, due: &Reminder, at: DateTime<Utc>) -> Event {
    let event = Event::of_match(Kind::DeadlineNear, near.account.0, (near.match_id.0, near.version), at);
    let which = match due.notice {
        ReminderKind::First => 1,
        ReminderKind::Second => 2,
    };
    let (id, deadline) = (near.match_id.0.simple(), due.deadline.timestamp_micros());
    Event { deadline: Some(due.deadline), key: format!("deadline_near:{id}:{deadline}:{which}"), ..event }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use uuid::Uuid;
    use yaniv_clock::{Change, advance};

    use super::*;

    #[test]
    fn a_deadline_is_told_of_twice_and_another_one_anew() {
        let (settings, calendar) = (ClockSettings::default(), Calendar::default());
        let begun: DateTime<Utc> = "2027-03-01T12:00:00Z".parse().unwrap();
        let clock =
            advance(&settings, &PlayerClock::new(&settings), &calendar, Change::Began, begun).unwrap().clock;
        let (mut notified, mut keys) = (None, Vec::new());
        for hour in 0..80 {
            let at = begun + TimeDelta::hours(hour);
            if let Some(due) = Thresholds::default().due(&settings, &clock, &calendar, notified.as_ref(), at)
            {
                let near = Near {
                    match_id: MatchId(Uuid::nil()),
                    version: 7,
                    account: AccountId(Uuid::nil()),
                    settings: &settings,
                    clock: &clock,
                    calendar: &calendar,
                    notified: notified.as_ref(),
                };
                keys.push(event(&near, &due, at).key);
                notified = Some(due);
            }
        }
        assert_eq!(keys.len(), 2);
        assert_ne!(keys[0], keys[1]);
    }
}
