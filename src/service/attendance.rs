//! Matches that have to be looked at, by every instance and with no leader: whoever has the lock does what is due, and the
//! others pass by. What was to be done while no instance ran is done by the first that runs again.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::sync::{Notify, Semaphore};
use uuid::Uuid;
use yaniv_engine::Seat;

use super::automatic::attend_in_txn;
use super::notices::{Near, near_in_txn};
use super::status::Status;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::MatchId;
use crate::store::attention::{
    attention_list, attention_lock_in_txn, attention_put_off, attention_set_in_txn,
};
use crate::store::clock::clock_read;

/// Between two looks, at most: so late a deadline may be noticed.
const PERIOD: Duration = Duration::from_millis(500);
/// Matches that an instance works on at a time. Each has a connection, which requests need, too.
const AT_ONCE: usize = 3;
/// Matches that are found at a time.
const FOUND_MOST: i64 = 60;
/// A match that could not be looked at is tried again after this.
const PUT_OFF: TimeDelta = TimeDelta::seconds(10);
/// Things done in a match at a time, so that bots among themselves keep nobody from what is due elsewhere.
const STEPS_MOST: u32 = 20;
/// A match of which more is to be done rests so long before,
const REST: TimeDelta = TimeDelta::seconds(1);
/// and so long where only bots are left, for whom nobody waits.
const LONG_REST: TimeDelta = TimeDelta::seconds(15);

/// Matches that this instance looks after at the moment. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Attention {
    under_way: Arc<Mutex<HashSet<Uuid>>>,
    wake: Arc<Notify>,
}

/// Takes a match out of those under way, however it ended.
struct UnderWay(Attention, Uuid);

impl Attention {
    /// Something may be due now.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }

    fn begin(&self, id: Uuid) -> Option<UnderWay> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.insert(id).then(|| UnderWay(self.clone(), id))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

impl Services {
    /// Looks after matches, from now until no more writes are to come.
    pub fn attend_matches(&self) {
        let services = self.clone();
        let places = Arc::new(Semaphore::new(AT_ONCE));
        self.runtime.spawn(async move {
            let mut failing = false;
            while !services.writes.is_closed() {
                let looked = services.attend_to_due(&places).await;
                if let Err(error) = &looked
                    && !failing
                {
                    tracing::warn!(%error, "it was not found out which matches have to be looked at");
                }
                failing = looked.is_err();
                let pause = tokio::time::timeout(PERIOD, services.attention.wake.notified());
                tokio::select! {
                    _ = pause => {}
                    () = services.writes.wait() => {}
                }
            }
        });
    }

    /// Begins with all that is due, as far as there is room.
    async fn attend_to_due(&self, places: &Arc<Semaphore>) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        let (now, due) = attention_list(&connection, FOUND_MOST).await?;
        drop(connection);
        self.database_time.learn(now);
        for id in due {
            let Some(under_way) = self.attention.begin(id) else { continue };
            let Ok(place) = Arc::clone(places).acquire_owned().await else { return Ok(()) };
            let services = self.clone();
            let attending = async move {
                let done = services.attend_or_warn(MatchId(id)).await;
                drop((under_way, place));
                // Where somebody else has the lock, nothing is gained by looking again at once.
                if done {
                    services.attention.wake();
                }
            };
            self.writes.spawn_on(attending, &self.runtime);
        }
        Ok(())
    }

    /// Whether anything was done.
    async fn attend_or_warn(&self, id: MatchId) -> bool {
        let error = match self.attend(id).await {
            Ok(done) => return done,
            Err(error) => error,
        };
        tracing::warn!(%error, match_id = %id, "a match could not be looked after");
        if let Ok(connection) = self.store.connection().await {
            let _ = attention_put_off(&connection, id, PUT_OFF).await;
        }
        false
    }

    /// Does what is due in a match, one thing a transaction, and not too much at a time. Whether anything was done.
    async fn attend(&self, id: MatchId) -> Result<bool, ServiceError> {
        for step in 1..=STEPS_MOST {
            if self.writes.is_closed() {
                break;
            }
            let mut connection = self.store.connection().await?;
            let attended = connection
                .transaction(async |connection| {
                    let Some(ordered) = attention_lock_in_txn(connection, id).await? else {
                        return Ok(None);
                    };
                    let now = clock_read(connection).await?;
                    let Some(table) = Table::load(connection, id).await? else { return Ok(None) };
                    let at = table.clocks.time(now);
                    let next = table.next_check(at).map(|next| table.clocks.real(next));
                    tell_near_in_txn(connection, &table, at).await?;
                    let after = attend_in_txn(connection, table, ordered, at).await?;
                    let next = match &after {
                        Some(after) if step == STEPS_MOST => after.next_check(at).map(|_| now + after.rest()),
                        Some(after) => after.next_check(at).map(|next| after.clocks.real(next)),
                        None => next,
                    };
                    attention_set_in_txn(connection, id, next).await?;
                    Ok::<_, ServiceError>(after)
                })
                .await?;
            drop(connection);
            let Some(after) = attended else { return Ok(step > 1) };
            self.keep(&Arc::new(after));
        }
        Ok(true)
    }

    /// Keeps a match in memory as this instance has just left it, and looks after it if something is due at once.
    pub(super) fn keep(&self, table: &Arc<Table>) {
        self.tables.keep(table);
        self.watches.tell(table.id(), table.version, &table.players);
        if table.status == Status::Finished {
            self.close_seats(table.id());
            if table.settings.rated {
                self.rater.ring();
            }
        }
        self.database_time.learn(table.clocks.real(table.at));
        if table.rounds.last().is_some_and(|round| round.last_version == table.version) {
            self.bookkeeping.wake();
        }
        if table.check_at().is_some_and(|check_at| check_at <= table.clocks.real(table.at)) {
            self.attention.wake();
        }
    }
}

impl Table {
    /// How long it may rest when much has been done in it.
    fn rest(&self) -> TimeDelta {
        let waited_for = |seat: Seat| {
            let out = self.game.as_ref().is_some_and(|game| game.is_out(seat));
            !out && self.player(seat).is_some_and(|player| !player.bot)
        };
        if (0..self.clocks.count()).map(Seat::new).any(waited_for) { REST } else { LONG_REST }
    }
}

/// Tells those who are waited for that their deadlines are near, where that is due and they have not been told.
///
/// # Errors
/// Those of the database.
pub(super) async fn tell_near_in_txn(
    connection: &AsyncPgConnection,
    table: &Table,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let settings = table.clock_settings();
    for (player, of_seat) in table.players.iter().zip(&table.clocks.seats) {
        let near = Near {
            match_id: table.id(),
            version: table.version,
            account: player.account,
            settings: &settings,
            clock: &of_seat.clock,
            calendar: &of_seat.calendar,
            // What was told is in the outbox, which takes nothing twice.
            notified: None,
        };
        near_in_txn(connection, &near, at).await?;
    }
    Ok(())
}
