//! Looks after what is to be told, on every instance: goes through the matches in which something has happened, a few at a time
//! and each at one instance only, and puts what it finds into the outbox. Nobody who plays waits for it or hears of it: it
//! locks rows of its own.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::task::JoinSet;
use uuid::Uuid;
use yaniv_engine::Seat;

use super::announce::announce_in_txn;
use super::told::{ends_round, events};
use crate::ids::MatchId;
use crate::service::table::Table;
use crate::service::{ServiceError, Services};
use crate::store::actions::action_list;
use crate::store::match_announcements::{
    announcement_advance_in_txn, announcement_list_behind, announcement_lock_in_txn, seated_list,
};
use crate::store::match_looks::{look_is_asked_for, look_note};

/// Between two questions for what is behind, at least; and so many times as long as the answer takes, so that asking never is
/// more than a small part of what the database does.
const PERIOD: Duration = Duration::from_millis(800);
const REST: u32 = 30;
/// Matches that are found at a time; while there are as many, it is asked again at once.
const FOUND_MOST: usize = 200;
/// Matches that an instance works on at a time. Each has a connection, which requests need, too.
const AT_ONCE: usize = 3;
/// A match that could not be told of is tried again after this.
const PUT_OFF: Duration = Duration::from_secs(30);

/// Matches that could not be told of, and when that was.
#[derive(Default)]
struct PutOff(HashMap<Uuid, Instant>);

impl PutOff {
    fn now(&mut self) -> Vec<Uuid> {
        self.0.retain(|_, since| since.elapsed() < PUT_OFF);
        self.0.keys().copied().collect()
    }
}

impl Services {
    /// Tells people what they wait for, from now until no more writes are to come.
    pub fn tell(&self) {
        let services = self.clone();
        self.runtime.spawn(async move { services.dispatch().await });
        let services = self.clone();
        self.runtime.spawn(async move { services.tidy_notices().await });
        let services = self.clone();
        self.runtime.spawn(async move { services.announce_all().await });
    }

    async fn announce_all(&self) {
        let mut put_off = PutOff::default();
        while !self.writes.is_closed() {
            let pause = match self.look_around(&mut put_off).await {
                Ok(pause) => pause,
                Err(error) => {
                    tracing::warn!(%error, "what is to be told was not looked for");
                    PERIOD
                }
            };
            let pause = pause.mul_f64(1.0 + rand::random::<f64>() / 4.0);
            let _ = tokio::time::timeout(pause, self.writes.wait()).await;
        }
    }

    /// Tells of matches that are behind, and says how long to wait until it is looked for more.
    async fn look_around(&self, put_off: &mut PutOff) -> Result<Duration, ServiceError> {
        let connection = self.store.connection().await?;
        let wanted = look_is_asked_for(&connection).await?;
        self.notices.seen.want(wanted);
        if !wanted {
            return Ok(PERIOD);
        }
        if let Err(error) = self.note_looks(&connection).await {
            tracing::warn!(%error, "looks were not noted");
        }
        let begun = Instant::now();
        let behind =
            announcement_list_behind(&connection, &put_off.now(), i64::try_from(FOUND_MOST).unwrap_or(1))
                .await?;
        let pause = PERIOD.max(begun.elapsed() * REST);
        drop(connection);
        if behind.is_empty() {
            return Ok(pause);
        }
        let found = behind.len();
        let told = self.announce_some(behind, put_off).await;
        self.notices.wake.notify_one();
        // Where others are at all of them, they are the ones to go on.
        Ok(if found == FOUND_MOST && told > 0 { Duration::ZERO } else { pause })
    }

    /// Tells of these matches, a few at a time. What goes wrong with one is its own affair. Answers of how many was told.
    async fn announce_some(&self, behind: Vec<Uuid>, put_off: &mut PutOff) -> usize {
        let (mut tasks, mut told) = (JoinSet::new(), 0_usize);
        let mut behind = behind.into_iter();
        loop {
            while tasks.len() < AT_ONCE
                && let Some(id) = behind.next()
            {
                let services = self.clone();
                tasks.spawn(async move { (id, services.announce_one(id).await) });
            }
            match tasks.join_next().await {
                None => return told,
                Some(Ok((_, Ok(one)))) => told = told.saturating_add(usize::from(one)),
                Some(Ok((id, Err(error)))) => {
                    tracing::warn!(%error, match_id = %id, "what happened in a match could not be told");
                    put_off.0.insert(id, Instant::now());
                }
                Some(Err(error)) => tracing::error!(%error, "telling of a match broke off"),
            }
        }
    }

    async fn announce_one(&self, id: Uuid) -> Result<bool, ServiceError> {
        let mut connection = self.store.connection().await?;
        connection.transaction(async |connection| announce(connection, id).await).await
    }

    /// Notes looks at a connection that is there: what waited for one would seem to have been later.
    async fn note_looks(&self, connection: &AsyncPgConnection) -> Result<(), ServiceError> {
        let due = self.notices.seen.due();
        if due.is_empty() {
            return Ok(());
        }
        let noted = look_note(connection, &due).await;
        if noted.is_err() {
            self.notices.seen.not_noted(&due);
        }
        Ok(noted?)
    }
}

/// Tells what has happened in a match since it was last told, unless somebody else is at it. Whether it did.
async fn announce(connection: &AsyncPgConnection, id: Uuid) -> Result<bool, ServiceError> {
    let Some(standing) = announcement_lock_in_txn(connection, id).await? else { return Ok(false) };
    if standing.ordered {
        return Ok(false);
    }
    if standing.version > standing.told {
        let entries = action_list(connection, MatchId(id), standing.told, standing.version, i64::MAX).await?;
        let seated = seated_list(connection, id).await?;
        let out =
            if ends_round(&entries) { out_before(connection, id, standing.told).await? } else { Vec::new() };
        announce_in_txn(connection, &events(id, &standing, &seated, &out, &entries)).await?;
    }
    // Also backwards: a database that was brought back may have less.
    announcement_advance_in_txn(connection, id, &standing).await?;
    Ok(true)
}

/// Seats that are out, but for those that went out in a round that ended after this version: they are told of it.
async fn out_before(connection: &AsyncPgConnection, id: Uuid, told: i32) -> Result<Vec<i16>, ServiceError> {
    let Some(table) = Table::load(connection, MatchId(id)).await? else { return Ok(Vec::new()) };
    let Some(game) = &table.game else { return Ok(Vec::new()) };
    let lately = |seat: Seat| {
        let rounds = table.rounds.iter().filter(|round| round.last_version > told);
        rounds.filter_map(|round| round.result.as_ref()).any(|result| result.out.contains(&seat))
    };
    let seats = (0..10).map(Seat::new).filter(|seat| game.is_out(*seat) && !lately(*seat));
    Ok(seats.map(|seat| i16::from(seat.number())).collect())
}
