//! Log scanner: scans match logs for notification events and writes them to the outbox.
//!
//! Runs on every instance, a few matches at a time, each match at one instance only. It locks only its own
//! rows, so play never waits for it. Sending is in `dispatcher`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use uuid::Uuid;
use yaniv_db::notifications::last_seen::{look_is_asked_for, look_note};
use yaniv_db::notifications::scan_positions::{
    announcement_advance_in_txn, announcement_list_behind, announcement_lock_in_txn, seated_list,
};
use yaniv_db::{Connection, Transactions};
use yaniv_engine::Seat;
use yaniv_model::ids::MatchId;

use crate::kernel::worker::{Next, Work};
use crate::matches::load::load_match;
use crate::matches::log::log_load;
use crate::notifications::outbox::enqueue::announce_in_txn;
use crate::notifications::outbox::events::{ends_round, events};
use crate::{ServiceError, Services};

/// Minimum polling interval; and its minimum as a multiple of the query's duration, so that polling stays a
/// small part of the database's load.
const PERIOD: Duration = Duration::from_millis(800);
const REST: u32 = 30;
/// Matches per poll; after a full one, the next poll follows at once.
const MOST_FOUND: usize = 200;
/// Matches scanned concurrently per instance. Each takes a connection, which requests also need.
const AT_ONCE: usize = 3;
/// Delay before the retry of a match whose scan failed.
const PUT_OFF: Duration = Duration::from_secs(30);

/// Matches whose scan failed, with the time.
#[derive(Default)]
struct PutOff(HashMap<Uuid, Instant>);

impl PutOff {
    fn now(&mut self) -> Vec<Uuid> {
        self.0.retain(|_, since| since.elapsed() < PUT_OFF);
        self.0.keys().copied().collect()
    }
}

/// The log scanner: one run polls for matches that are behind, and scans them.
struct LogScanner {
    services: Services,
    put_off: PutOff,
}

impl Work for LogScanner {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        self.services.look_around(&mut self.put_off).await
    }
}

impl Services {
    /// Starts the log scanner.
    pub(crate) fn start_log_scanner(&self) {
        let scanner = LogScanner { services: self.clone(), put_off: PutOff::default() };
        self.worker("log scanner", PERIOD).with_jitter(0.25).start(&self.runtime, scanner);
    }

    /// Scans matches that are behind.
    async fn look_around(&self, put_off: &mut PutOff) -> Result<Next, ServiceError> {
        let connection = self.store.connection().await?;
        if let Err(error) = self.note_looks(&connection).await {
            tracing::warn!(%error, "reads of matches could not be stored");
        }
        let wanted = look_is_asked_for(&connection).await?;
        self.notices.seen.want(wanted);
        if !wanted {
            return Ok(Next::Period);
        }
        let begun = Instant::now();
        let behind =
            announcement_list_behind(&connection, &put_off.now(), i64::try_from(MOST_FOUND).unwrap_or(1))
                .await?;
        let pause = PERIOD.max(begun.elapsed() * REST);
        drop(connection);
        if behind.is_empty() {
            return Ok(Next::After(pause));
        }
        let found = behind.len();
        let told = self.announce_some(behind, put_off).await;
        self.notices.wake.ring();
        // If other instances hold all of them, leave the next poll to those.
        Ok(if found == MOST_FOUND && told > 0 { Next::Now } else { Next::After(pause) })
    }

    /// Scans these matches, a few at a time; an error affects only its match. Returns the number of matches
    /// scanned.
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
                    tracing::warn!(%error, match_id = %id, "a match could not be scanned for notifications");
                    put_off.0.insert(id, Instant::now());
                }
                Some(Err(error)) => tracing::error!(%error, "a log scan task failed"),
            }
        }
    }

    async fn announce_one(&self, id: Uuid) -> Result<bool, ServiceError> {
        let mut connection = self.store.connection().await?;
        connection.transaction(async |connection| announce(connection, id).await).await
    }

    /// Writes buffered reads over the given connection: waiting for another one would make the reads seem
    /// later.
    async fn note_looks(&self, connection: &Connection) -> Result<(), ServiceError> {
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

/// Enqueues the events of a match since its last scan, unless another instance holds its lock. Returns
/// whether it did.
async fn announce(connection: &Connection, id: Uuid) -> Result<bool, ServiceError> {
    let Some(standing) = announcement_lock_in_txn(connection, id).await? else { return Ok(false) };
    if standing.ordered {
        return Ok(false);
    }
    if standing.version > standing.told {
        let range = (standing.told, standing.version);
        let (entries, _) = log_load(connection, MatchId(id), range, i64::MAX).await?;
        let seated = seated_list(connection, id).await?;
        let out =
            if ends_round(&entries) { out_before(connection, id, standing.told).await? } else { Vec::new() };
        announce_in_txn(connection, &events(id, &standing, &seated, &out, &entries)).await?;
    }
    // Also backwards: a restored database may have fewer entries.
    announcement_advance_in_txn(connection, id, &standing).await?;
    Ok(true)
}

/// Eliminated seats, except those eliminated in a round that ended after this version, whose players are
/// still notified of it.
async fn out_before(connection: &Connection, id: Uuid, told: i32) -> Result<Vec<i16>, ServiceError> {
    let Some(state) = load_match(connection, MatchId(id)).await? else { return Ok(Vec::new()) };
    let Some(game) = &state.game() else { return Ok(Vec::new()) };
    let lately = |seat: Seat| {
        let rounds = state.rounds().iter().filter(|round| round.last_version > told);
        rounds.filter_map(|round| round.score.as_ref()).any(|score| score.result.out.contains(&seat))
    };
    let seats = (0..10).map(Seat::new).filter(|seat| game.is_out(*seat) && !lately(*seat));
    Ok(seats.map(|seat| i16::from(seat.number())).collect())
}
