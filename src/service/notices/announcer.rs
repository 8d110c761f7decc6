//! Looks after what is to be told, on every instance: goes through the matches in which something has happened, one at a time
//! and each at one instance only, and puts what it finds into the outbox. Nobody who plays waits for it or hears of it: it
//! locks rows of its own.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::announce::announce_in_txn;
use super::told::events;
use crate::ids::MatchId;
use crate::service::{ServiceError, Services};
use crate::store::actions::action_list;
use crate::store::channels::channel_forget;
use crate::store::clock::clock_read;
use crate::store::deliveries::delivery_forget;
use crate::store::match_announcements::{
    announcement_advance_in_txn, announcement_begin_missing, announcement_list_behind,
    announcement_lock_in_txn, seated_list,
};
use crate::store::match_looks::{look_forget, look_is_asked_for, look_note};

/// Between two rounds, at least; and so many times as long as the round itself takes, so that it never is more than a small part
/// of what the database does.
const PERIOD: Duration = Duration::from_millis(800);
const REST: u32 = 30;
/// Matches that are looked up at a time.
const AT_A_TIME: i64 = 200;
/// How often it is looked for matches that were passed over, and for what nobody needs any more.
const TIDY_EVERY: Duration = Duration::from_secs(600);
/// How long what was sent is kept, looks, and channels that are gone.
const LOG_KEPT: TimeDelta = TimeDelta::days(7);
const LOOKS_KEPT: TimeDelta = TimeDelta::days(1);
const GONE_KEPT: TimeDelta = TimeDelta::days(30);

impl Services {
    /// Tells people what they wait for, from now until no more writes are to come.
    pub fn tell(&self) {
        let services = self.clone();
        self.runtime.spawn(async move { services.dispatch().await });
        let services = self.clone();
        self.runtime.spawn(async move {
            let mut tidied: Option<Instant> = None;
            while !services.writes.is_closed() {
                let begun = Instant::now();
                let tidy = tidied.is_none_or(|tidied| tidied.elapsed() > TIDY_EVERY);
                if let Err(error) = services.look_around(tidy).await {
                    tracing::warn!(%error, "what is to be told was not looked for");
                } else if tidy {
                    tidied = Some(Instant::now());
                }
                let pause = PERIOD.max(begun.elapsed() * REST).mul_f64(1.0 + rand::random::<f64>() / 4.0);
                let _ = tokio::time::timeout(pause, services.writes.wait()).await;
            }
        });
    }

    async fn look_around(&self, tidy: bool) -> Result<(), ServiceError> {
        let wanted = look_is_asked_for(&*self.store.connection().await?).await?;
        self.notices.seen.want(wanted);
        if !wanted {
            return Ok(());
        }
        self.note_looks().await?;
        if tidy {
            let connection = self.store.connection().await?;
            announcement_begin_missing(&connection).await?;
            look_forget(&connection, LOOKS_KEPT).await?;
            channel_forget(&connection, clock_read(&connection).await? - GONE_KEPT).await?;
            while delivery_forget(&connection, LOG_KEPT, 1000).await? == 1000 {}
        }
        let behind = announcement_list_behind(&*self.store.connection().await?, AT_A_TIME).await?;
        if behind.is_empty() {
            return Ok(());
        }
        for id in behind {
            let mut connection = self.store.connection().await?;
            connection.transaction(async |connection| announce(connection, id).await).await?;
        }
        self.notices.wake.notify_one();
        Ok(())
    }

    async fn note_looks(&self) -> Result<(), ServiceError> {
        let due = self.notices.seen.due();
        if due.is_empty() {
            return Ok(());
        }
        let noted = async { look_note(&*self.store.connection().await?, &due).await };
        if let Err(error) = noted.await {
            self.notices.seen.not_noted(&due);
            return Err(error.into());
        }
        Ok(())
    }
}

/// Tells what has happened in a match since it was last told, unless somebody else is at it.
async fn announce(connection: &AsyncPgConnection, id: Uuid) -> Result<(), ServiceError> {
    let Some(standing) = announcement_lock_in_txn(connection, id).await? else { return Ok(()) };
    if standing.version > standing.told {
        let entries = action_list(connection, MatchId(id), standing.told, standing.version, i64::MAX).await?;
        let seated = seated_list(connection, id).await?;
        announce_in_txn(connection, &events(id, &standing, &seated, &entries)).await?;
    }
    // Also backwards: a database that was brought back may have less.
    announcement_advance_in_txn(connection, id, &standing).await?;
    Ok(())
}
