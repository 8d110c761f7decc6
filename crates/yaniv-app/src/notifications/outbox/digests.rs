//! Scheduler of digests.
//!
//! It enqueues one notification a day, at eight o'clock in the account's time zone, for each channel that subscribes to
//! `digest`. The dispatcher drops it if no match waits for the player.

use std::time::Duration;

use chrono::{DateTime, Days, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use uuid::Uuid;
use yaniv_db::notifications::deliveries::{NewDelivery, delivery_insert_all_in_txn};
use yaniv_db::notifications::digests::{DueDigest, digest_lock_due, digest_schedule};
use yaniv_db::{Connection, Transactions};

use crate::kernel::worker::{Next, Work};
use crate::notifications::channels::kinds::Kind;
use crate::notifications::channels::settings::zone;
use crate::{ServiceError, Services};

/// Polling interval.
const PERIOD: Duration = Duration::from_secs(10);
/// Hour of the digest, local time.
const HOUR: u32 = 8;
/// Channels per transaction.
const AT_A_TIME: i64 = 100;

/// One run enqueues the digests of a batch of channels.
struct Digests(Services);

impl Work for Digests {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        if !self.0.notices.seen.is_wanted() {
            return Ok(Next::Period);
        }
        let mut connection = self.0.store.connection().await?;
        let found = connection.transaction(async |connection| enqueue_in_txn(connection).await).await?;
        self.0.notices.wake.ring();
        Ok(if i64::try_from(found).is_ok_and(|found| found < AT_A_TIME) { Next::Period } else { Next::Now })
    }
}

impl Services {
    /// Starts the scheduler of digests.
    pub(crate) fn start_digests(&self) {
        self.worker("digests", PERIOD).with_jitter(0.25).start(&self.runtime, Digests(self.clone()));
    }
}

async fn enqueue_in_txn(connection: &Connection) -> Result<usize, ServiceError> {
    let found = digest_lock_due(connection, AT_A_TIME).await?;
    let rows: Vec<NewDelivery> = found.iter().filter_map(row).collect();
    delivery_insert_all_in_txn(connection, &rows).await?;
    for due in &found {
        let zone = due.time_zone.as_deref().map_or(Tz::UTC, zone);
        digest_schedule(connection, due.id, next(zone, due.now)).await?;
    }
    Ok(found.len())
}

/// The outbox row of a digest; `None` if it was not scheduled yet.
fn row(due: &DueDigest) -> Option<NewDelivery> {
    let at = due.due_at?;
    Some(NewDelivery {
        id: Uuid::now_v7(),
        channel_id: due.id,
        account_id: due.account_id,
        host: due.host.clone(),
        kind: Kind::Digest.name().to_owned(),
        event: format!("digest:{}", at.timestamp()),
        match_id: None,
        version: None,
        challenge_id: None,
        deadline: None,
        happened_at: due.now,
        due_at: due.now,
    })
}

/// The next time of a digest after `now`.
fn next(zone: Tz, now: DateTime<Utc>) -> DateTime<Utc> {
    let time = NaiveTime::from_hms_opt(HOUR, 0, 0).unwrap_or_default();
    let today = now.with_timezone(&zone).date_naive();
    let days = (0..3).filter_map(|days| today.checked_add_days(Days::new(days)));
    // A day on which the clocks skip this hour has no digest.
    let times = days.filter_map(|day| zone.from_local_datetime(&day.and_time(time)).earliest());
    let mut later = times.map(|at| at.with_timezone(&Utc)).filter(|at| *at > now);
    later.next().unwrap_or(now + TimeDelta::days(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_digest_is_at_eight_of_the_account() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        for (zone, now, expected) in [
            (Tz::UTC, "2026-11-26T07:59:59Z", "2026-11-26T08:00:00Z"),
            (Tz::UTC, "2026-11-26T08:00:00Z", "2026-11-27T08:00:00Z"),
            (Tz::Asia__Kathmandu, "2026-11-26T07:00:00Z", "2026-11-27T02:15:00Z"),
            // Summer time ends on 2026-10-25.
            (Tz::Europe__Berlin, "2026-10-24T07:00:00Z", "2026-10-25T07:00:00Z"),
        ] {
            assert_eq!(next(zone, at(now)), at(expected), "{zone} {now}");
        }
    }
}
