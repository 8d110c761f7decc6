//! Counts a batch of matches in one transaction: saves their tallies, adds the differences to the totals, and
//! removes the rounds from the queue; all or nothing.
//!
//! Counting a single match is in `counting`.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::activity::activity_note_in_txn;
use yaniv_db::matches::batch_reads::match_settled_list;
use yaniv_db::matches::match_rows::MatchRow;
use yaniv_db::matches::rounds::round_note_counted_in_txn;
use yaniv_db::matches::seats::{SeatRow, seat_list};
use yaniv_db::matches::versions::match_version_list;
use yaniv_db::statistics::match_stats::{TallyRow, tally_counted_list, tally_lock_in_txn, tally_save_in_txn};
use yaniv_db::statistics::player_stats::{TotalFigures, TotalKey, total_add_in_txn};
use yaniv_db::statistics::service_totals::{ServiceTotalRow, service_total_add_in_txn};
use yaniv_match::event::LoggedEvent;

use crate::ServiceError;
use crate::matches::log::logs_load;
use crate::statistics::counting::Counted;
use crate::statistics::figures::{Figures, add};
use crate::statistics::resume_points::{ResumePoint, ResumePoints, SeatedAccount};

/// Preset name of custom rules.
pub const CUSTOM: &str = "custom";
/// Log entries per batch; a single match may exceed it.
const MOST_ENTRIES: i32 = 100_000;

/// Changes of a batch.
#[derive(Default)]
struct Batch {
    tallies: Vec<TallyRow>,
    totals: BTreeMap<TotalKey, TotalFigures>,
    service: BTreeMap<(String, NaiveDate), ServiceTotalRow>,
    days: BTreeMap<Uuid, NaiveDate>,
    rounds: Vec<(Uuid, i16)>,
    done: Done,
}

/// Result of a batch.
#[derive(Default)]
pub(crate) struct Done {
    /// Damaged matches; they are unchanged.
    pub(crate) damaged: Vec<Uuid>,
    /// Matches that another instance was counting, or that did not fit.
    pub(crate) passed_over: Vec<Uuid>,
    /// The counted matches, to be cached after the commit.
    pub(crate) counted: Vec<ResumePoint>,
}

/// Counts matches, except those locked by others, from their cached resume points.
///
/// # Errors
/// Those of the database.
pub(crate) async fn count_in_txn(
    connection: &Connection,
    matches: &[Uuid],
    books: &ResumePoints,
) -> Result<Done, ServiceError> {
    // Read after locking: the previous lock holder has counted all that it knew of.
    let locked = tally_lock_in_txn(connection, matches).await?;
    let mut batch = Batch::default();
    batch.done.passed_over = matches.iter().copied().filter(|id| !locked.contains(id)).collect();
    if locked.is_empty() {
        return Ok(batch.done);
    }
    let opened = batch.open(connection, &locked, books).await?;
    let opened = batch.as_many_as_fit(connection, opened).await?;
    let first = |book: &ResumePoint| book.seats.first().map(|place| (book.match_id, place.account));
    let asked: Vec<(Uuid, Uuid)> = opened.iter().filter_map(first).collect();
    let counted: HashMap<Uuid, i16> = tally_counted_list(connection, &asked).await?.into_iter().collect();
    let needed: Vec<(Uuid, i32)> = opened.iter().map(|book| (book.match_id, book.needs_log_from())).collect();
    let mut logs = logs_load(connection, &needed).await?;
    // On a blocking thread, as play needs the threads that drive all connections.
    let played = tokio::task::spawn_blocking(move || go_on(opened, &mut logs, &counted)).await;
    for (book, before) in played.map_err(ServiceError::internal)? {
        match before {
            Ok(Some(before)) => {
                batch.add(&book, &before);
                batch.done.counted.push(book);
            }
            // The match stays in the queue.
            Ok(None) => books.forget(book.match_id),
            Err(error) => {
                books.forget(book.match_id);
                batch.note_damaged(book.match_id, &error);
            }
        }
    }
    batch.store(connection).await
}

/// Counts each match onward; returns it with the figures counted before.
fn go_on(
    opened: Vec<ResumePoint>,
    logs: &mut HashMap<Uuid, Result<Vec<LoggedEvent>, ServiceError>>,
    counted: &HashMap<Uuid, i16>,
) -> Vec<(ResumePoint, Result<Option<Counted>, ServiceError>)> {
    let mut played = Vec::with_capacity(opened.len());
    for mut book in opened {
        let log = logs.remove(&book.match_id).unwrap_or_else(|| Ok(Vec::new()));
        let known = counted.get(&book.match_id).copied().unwrap_or_default();
        let before = log.and_then(|log| book.go_on(&log, known));
        played.push((book, before));
    }
    played
}

fn by_match<T>(rows: Vec<T>, of: impl Fn(&T) -> Uuid) -> HashMap<Uuid, Vec<T>> {
    let mut found: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        found.entry(of(&row)).or_default().push(row);
    }
    found
}

impl Batch {
    /// The first of these matches whose logs fit in `MOST_ENTRIES` together, at least one. The others are
    /// passed over.
    async fn as_many_as_fit(
        &mut self,
        connection: &Connection,
        opened: Vec<ResumePoint>,
    ) -> Result<Vec<ResumePoint>, ServiceError> {
        let ids: Vec<Uuid> = opened.iter().map(|book| book.match_id).collect();
        let versions = match_version_list(connection, &ids).await?;
        let (mut fitting, mut entries) = (Vec::new(), 0_i32);
        for (book, version) in opened.into_iter().zip(versions) {
            let more = version.map_or(0, |version| version.version.saturating_sub(book.needs_log_from()));
            entries = entries.saturating_add(more.max(0));
            if entries <= MOST_ENTRIES || fitting.is_empty() {
                fitting.push(book);
            } else {
                self.done.passed_over.push(book.match_id);
            }
        }
        Ok(fitting)
    }

    /// The resume points of the matches, from the cache or the first deal. Sandboxes are only removed from
    /// the queue.
    async fn open(
        &mut self,
        connection: &Connection,
        matches: &[Uuid],
        books: &ResumePoints,
    ) -> Result<Vec<ResumePoint>, ServiceError> {
        let mut opened: Vec<ResumePoint> = matches.iter().filter_map(|id| books.get(*id)).collect();
        let known: HashSet<Uuid> = opened.iter().map(|book| book.match_id).collect();
        let others: Vec<Uuid> = matches.iter().copied().filter(|id| !known.contains(id)).collect();
        if others.is_empty() {
            return Ok(opened);
        }
        let seats = by_match(seat_list(connection, &others).await?, |seat| seat.match_id);
        for row in match_settled_list(connection, &others).await? {
            if row.sandbox {
                self.rounds.push((row.id, i16::MAX));
                continue;
            }
            match books.open(&row, seats.get(&row.id).map(Vec::as_slice).unwrap_or_default()) {
                Ok(book) => opened.push(book),
                Err(error) => self.note_damaged(row.id, &error),
            }
        }
        Ok(opened)
    }

    fn note_damaged(&mut self, id: Uuid, error: &ServiceError) {
        let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
        tracing::error!(%error, cause, match_id = %id, "a match cannot be counted");
        self.done.damaged.push(id);
    }

    fn add(&mut self, book: &ResumePoint, before: &Counted) {
        let now = book.counted();
        self.rounds.push((book.match_id, now.rounds));
        if now.rounds == before.rounds {
            return;
        }
        let of_service = ServiceTotalRow {
            preset: book.preset.clone(),
            month: book.month,
            matches: i64::from(now.ended_at.is_some()),
            rounds: i64::from(now.rounds - before.rounds),
            actions: now.actions - before.actions,
        };
        self.add_to_service(of_service);
        for (index, place) in book.seats.iter().enumerate() {
            let Some((figures, old)) = now.seats.get(index).zip(before.seats.get(index)) else { continue };
            let key = total_key(book, place);
            add(self.totals.entry(key.clone()).or_default(), &figures.since(old));
            self.tallies.push(tally(key, (book, now), place.seat, figures));
            if !place.bot
                && let Some(Some(at)) = now.last_rounds.get(index)
            {
                self.note_day(place.account, *at);
            }
        }
    }

    fn add_to_service(&mut self, more: ServiceTotalRow) {
        let place = self.service.entry((more.preset.clone(), more.month));
        let sum =
            place.or_insert_with(|| ServiceTotalRow { matches: 0, rounds: 0, actions: 0, ..more.clone() });
        sum.matches += more.matches;
        sum.rounds += more.rounds;
        sum.actions += more.actions;
    }

    fn note_day(&mut self, account: Uuid, at: DateTime<Utc>) {
        let day = at.date_naive();
        self.days.entry(account).and_modify(|last| *last = day.max(*last)).or_insert(day);
    }

    /// Always in this order, by table and row, to prevent deadlocks with other writers.
    async fn store(self, connection: &Connection) -> Result<Done, ServiceError> {
        if !self.tallies.is_empty() {
            tally_save_in_txn(connection, &self.tallies).await?;
            total_add_in_txn(connection, self.totals.iter()).await?;
            let service: Vec<ServiceTotalRow> = self.service.into_values().collect();
            service_total_add_in_txn(connection, &service).await?;
            activity_note_in_txn(connection, self.days.into_iter()).await?;
        }
        round_note_counted_in_txn(connection, &self.rounds).await?;
        Ok(self.done)
    }
}

/// The tallies of a match after this number of rounds, by seat, from its log alone.
///
/// # Errors
/// `Damaged`, also if the log has fewer rounds.
pub(crate) fn tallies_of(
    row: &MatchRow,
    seats: &[SeatRow],
    log: &[LoggedEvent],
    rounds: i16,
) -> Result<Vec<TallyRow>, ServiceError> {
    // The match may not have started.
    if rounds == 0 {
        return Ok(Vec::new());
    }
    let mut book = ResumePoint::open(row, seats)?;
    let Some(counted) = book.go_on(log, rounds)? else { return Ok(Vec::new()) };
    let of_seat = |(place, figures): (&SeatedAccount, &Figures)| {
        tally(total_key(&book, place), (&book, &counted), place.seat, figures)
    };
    Ok(book.seats.iter().zip(&counted.seats).map(of_seat).collect())
}

fn total_key(book: &ResumePoint, place: &SeatedAccount) -> TotalKey {
    TotalKey {
        account_id: place.account,
        preset: book.preset.clone(),
        bots: book.seats.iter().any(|place| place.bot),
        seats: i16::try_from(book.seats.len()).unwrap_or(i16::MAX),
        month: book.month,
    }
}

fn tally(key: TotalKey, (book, now): (&ResumePoint, &Counted), seat: i16, figures: &Figures) -> TallyRow {
    TallyRow {
        account_id: key.account_id,
        match_id: book.match_id,
        ended_at: now.ended_at,
        month: key.month,
        rounds: figures.rounds,
        rounds_won: figures.rounds_won,
        best_run: figures.best_run,
        calls_right: figures.calls_right,
        calls_wrong: figures.calls_wrong,
        call_points: figures.call_points,
        rounds_lost: figures.rounds_lost,
        points_lost: figures.points_lost,
        reductions: figures.reductions,
        slam_downs: figures.slam_downs,
        in_time: figures.in_time,
        missed: figures.missed,
        counted: now.rounds,
        seat,
        seats: key.seats,
        place: figures.place,
        rated: book.rated,
        bots: key.bots,
        preset: key.preset,
        inflicted: figures.inflicted.clone(),
    }
}
