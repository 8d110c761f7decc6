//! Scheduler for due matches.
//!
//! Every instance polls, there is no leader: the instance that gets the lock of a match processes it, the
//! others skip it. Work that became due while no instance ran is done after the next start. The actions
//! themselves are in `timeouts`.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Semaphore;
use uuid::Uuid;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::turns::due::{due_list, due_lock_in_txn, due_put_off, due_set_in_txn};
use yaniv_db::{Connection, Transactions};
use yaniv_match::MatchState;
use yaniv_match::status::Status;
use yaniv_model::ids::MatchId;

use crate::kernel::worker::{Next, Wake, Work};
use crate::matches::load::load_match;
use crate::notifications::{Near, near_in_txn};
use crate::turns::automatic::timeouts::attend_in_txn;
use crate::{ServiceError, Services};

/// Polling interval: upper bound of the delay of a deadline.
const PERIOD: Duration = Duration::from_millis(500);
/// Matches processed concurrently per instance. Each takes a connection, which requests also need.
const AT_ONCE: usize = 3;
/// Matches per poll.
const MOST_FOUND: i64 = 60;
/// Delay before the retry of a match whose processing failed.
const PUT_OFF: TimeDelta = TimeDelta::seconds(10);
/// Actions per match and run, so that matches between bots do not delay other matches.
const MOST_STEPS: u32 = 20;
/// Upper bound of the pause of a match that has more to do.
const MOST_REST: Duration = Duration::from_secs(15);

/// The matches that this instance is processing. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Scheduler {
    under_way: Arc<Mutex<HashSet<Uuid>>>,
    wake: Wake,
    /// End of the time already allotted to matches that have more to do.
    booked: Arc<Mutex<Option<Instant>>>,
}

/// Removes a match from those in progress when dropped, also after an error.
struct UnderWay(Scheduler, Uuid);

impl Scheduler {
    /// Triggers a poll at once.
    pub(crate) fn wake(&self) {
        self.wake.ring();
    }

    fn begin(&self, id: Uuid) -> Option<UnderWay> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        under_way.insert(id).then(|| UnderWay(self.clone(), id))
    }

    /// The pause of a match that has more to do, after a run from `begun` to `now`.
    ///
    /// All such matches together use the time of one worker, regardless of their number; a single one
    /// continues at once.
    fn rest(&self, begun: Instant, now: Instant) -> Duration {
        let mut booked = self.booked.lock().unwrap_or_else(PoisonError::into_inner);
        let from = booked.map_or(begun, |until| until.max(begun));
        let rest = (from + now.duration_since(begun)).saturating_duration_since(now).min(MOST_REST);
        *booked = Some(now + rest);
        rest
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

/// The scheduler: one run polls for due matches.
struct DueMatches {
    services: Services,
    places: Arc<Semaphore>,
}

impl Work for DueMatches {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        self.services.attend_to_due(&self.places).await?;
        Ok(Next::Period)
    }
}

impl Services {
    /// Starts the scheduler.
    pub(crate) fn start_scheduler(&self) {
        let due = DueMatches { services: self.clone(), places: Arc::new(Semaphore::new(AT_ONCE)) };
        self.worker("scheduler", PERIOD).woken_by(&self.scheduler.wake).start(&self.runtime, due);
    }

    /// Starts processing of all due matches, as workers become free.
    async fn attend_to_due(&self, places: &Arc<Semaphore>) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        let (now, due) = due_list(&connection, MOST_FOUND).await?;
        drop(connection);
        self.database_time.learn(now);
        for id in due {
            let Some(under_way) = self.scheduler.begin(id) else { continue };
            let Ok(place) = Arc::clone(places).acquire_owned().await else { return Ok(()) };
            let services = self.clone();
            let attending = async move {
                let done = services.attend_or_warn(MatchId(id)).await;
                drop((under_way, place));
                // If another instance has the lock, polling again at once is useless.
                if done {
                    services.scheduler.wake();
                }
            };
            self.writes.spawn_on(attending, &self.runtime);
        }
        Ok(())
    }

    /// Processes a match, and postpones it after an error. Returns whether anything was done.
    async fn attend_or_warn(&self, id: MatchId) -> bool {
        let error = match self.attend(id).await {
            Ok(done) => return done,
            Err(error) => error,
        };
        tracing::warn!(%error, match_id = %id, "a match could not be looked after");
        if let Ok(connection) = self.store.connection().await {
            let _ = due_put_off(&connection, id, PUT_OFF).await;
        }
        false
    }

    /// Performs the due actions of a match, one transaction each, at most `MOST_STEPS`. Returns whether
    /// anything was done.
    async fn attend(&self, id: MatchId) -> Result<bool, ServiceError> {
        let begun = Instant::now();
        for step in 1..=MOST_STEPS {
            if self.writes.is_closed() {
                break;
            }
            let mut connection = self.store.connection().await?;
            let attended = connection
                .transaction(async |connection| {
                    let Some(ordered) = due_lock_in_txn(connection, id).await? else {
                        return Ok(None);
                    };
                    let now = clock_read(connection).await?;
                    let Some(state) = load_match(connection, id).await? else { return Ok(None) };
                    let at = state.clocks().time(now);
                    let next = state.next_check(at).map(|next| state.clocks().real(next));
                    tell_near_in_txn(connection, &state, at).await?;
                    let after = attend_in_txn(connection, state, ordered, at).await?;
                    let next = match &after {
                        Some(after) => after.next_check(at).map(|next| after.clocks().real(next)),
                        None => next,
                    };
                    let next = match next {
                        Some(next) if step == MOST_STEPS && next <= now => {
                            Some(now + self.scheduler.rest(begun, Instant::now()))
                        }
                        next => next,
                    };
                    due_set_in_txn(connection, id, next).await?;
                    Ok::<_, ServiceError>(after)
                })
                .await?;
            drop(connection);
            let Some(after) = attended else { return Ok(step > 1) };
            self.metrics.attended.inc();
            self.keep(&Arc::new(after));
        }
        Ok(true)
    }

    /// Caches a match that this instance just changed, notifies its watchers, and wakes the scheduler if
    /// something is due at once.
    pub(crate) fn keep(&self, state: &Arc<MatchState>) {
        self.match_cache.keep(state);
        self.change_notifier.tell(state.id(), state.version(), state.players());
        if state.status() == Status::Finished {
            self.close_seats(state.id());
            if state.settings().rated {
                self.rater.ring();
            }
        }
        self.database_time.learn(state.clocks().real(state.at()));
        if state.rounds().last().is_some_and(|round| round.last_version == state.version()) {
            self.statistics_worker.wake();
        }
        if state.check_at().is_some_and(|check_at| check_at <= state.clocks().real(state.at())) {
            self.scheduler.wake();
        }
    }
}

/// Enqueues reminders of near deadlines for the players who have to act, where due and not yet sent.
///
/// # Errors
/// Those of the database.
pub(crate) async fn tell_near_in_txn(
    connection: &Connection,
    state: &MatchState,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let settings = state.clock_settings();
    for (player, of_seat) in state.players().iter().zip(&state.clocks().seats) {
        let near = Near {
            match_id: state.id(),
            version: state.version(),
            account: player.account,
            settings: &settings,
            clock: &of_seat.clock,
            calendar: &of_seat.calendar,
            // Duplicates are prevented by the outbox, which stores each notification once.
            notified: None,
        };
        near_in_txn(connection, &near, at).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Duration = Duration::from_millis(100);

    #[test]
    fn a_match_that_has_much_to_do_goes_on_at_once_if_it_is_the_only_one() {
        let attention = Scheduler::default();
        let begun = Instant::now();
        for turn in 0..10 {
            let begun = begun + WORK * turn;
            assert_eq!(attention.rest(begun, begun + WORK), Duration::ZERO);
        }
    }

    #[test]
    fn matches_that_have_much_to_do_share_the_time_of_one_place() {
        let attention = Scheduler::default();
        let begun = Instant::now();
        let mut matches = [begun; 5];
        let mut turns = 0;
        // Each match works, pauses, and works again, for ten seconds.
        while let Some(next) = matches.iter_mut().min().filter(|next| **next < begun + WORK * 100) {
            let end = *next + WORK;
            *next = end + attention.rest(*next, end);
            turns += 1;
        }
        assert!((100..=105).contains(&turns), "{turns} times a tenth of a second");
    }

    #[test]
    fn a_stall_puts_no_match_off_for_long() {
        let attention = Scheduler::default();
        let begun = Instant::now();
        let end = begun + Duration::from_secs(600);
        assert_eq!(attention.rest(begun, end), Duration::ZERO);
        for _ in 0..3 {
            assert_eq!(attention.rest(begun, end), MOST_REST);
        }
    }
}
