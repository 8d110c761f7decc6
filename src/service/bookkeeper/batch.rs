//! Counting several matches in one transaction: their tallies as they are now, what that is more than there was in the totals,
//! and the rounds out of the queue. All of it is done, or nothing.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, NaiveDate, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::books::{Book, Books, Place};
use super::counting::Counted;
use super::figures::{Figures, add};
use crate::service::ServiceError;
use crate::store::actions::{ActionRow, action_list_from};
use crate::store::activity::activity_note_in_txn;
use crate::store::match_rows::match_settled_list;
use crate::store::matches::MatchRow;
use crate::store::rounds::round_note_counted_in_txn;
use crate::store::seats::{SeatRow, seat_list};
use crate::store::service_totals::{ServiceTotalRow, service_total_add_in_txn};
use crate::store::tallies::{TallyRow, tally_counted_list, tally_lock_in_txn, tally_save_in_txn};
use crate::store::totals::{TotalFigures, TotalKey, total_add_in_txn};

/// What stands for the name of a preset where the rules are none.
pub const CUSTOM: &str = "custom";

/// What counting some matches comes to.
#[derive(Default)]
struct Batch {
    tallies: Vec<TallyRow>,
    totals: BTreeMap<TotalKey, TotalFigures>,
    service: BTreeMap<(String, NaiveDate), ServiceTotalRow>,
    days: BTreeMap<Uuid, NaiveDate>,
    rounds: Vec<(Uuid, i16)>,
    done: Done,
}

/// What came of counting some matches.
#[derive(Default)]
pub(super) struct Done {
    /// Those that are damaged: nothing is changed of them.
    pub(super) damaged: Vec<Uuid>,
    /// Those that somebody else was counting.
    pub(super) passed_over: Vec<Uuid>,
    /// The others, as they were counted: to be kept once all of it is stored.
    pub(super) counted: Vec<Book>,
}

/// Counts matches, but those that somebody else is counting, with what is at hand of them.
///
/// # Errors
/// Those of the database.
pub(super) async fn count_in_txn(
    connection: &AsyncPgConnection,
    matches: &[Uuid],
    books: &Books,
) -> Result<Done, ServiceError> {
    // What there is to count is read under the lock: whoever had it before has counted what it knew of.
    let locked = tally_lock_in_txn(connection, matches).await?;
    let mut batch = Batch::default();
    batch.done.passed_over = matches.iter().copied().filter(|id| !locked.contains(id)).collect();
    if locked.is_empty() {
        return Ok(batch.done);
    }
    let opened = batch.open(connection, &locked, books).await?;
    let first = |book: &Book| book.seats.first().map(|place| (book.match_id, place.account));
    let asked: Vec<(Uuid, Uuid)> = opened.iter().filter_map(first).collect();
    let counted: HashMap<Uuid, i16> = tally_counted_list(connection, &asked).await?.into_iter().collect();
    let needed: Vec<(Uuid, i32)> = opened.iter().map(|book| (book.match_id, book.needs_log_from())).collect();
    let logs = by_match(action_list_from(connection, &needed).await?, |row| row.match_id);
    // Away from the threads that drive all connections: play waits for those.
    let played = tokio::task::spawn_blocking(move || go_on(opened, &logs, &counted)).await;
    for (book, before) in played.map_err(ServiceError::internal)? {
        match before {
            Ok(Some(before)) => {
                batch.add(&book, &before);
                batch.done.counted.push(book);
            }
            // It is still in the queue.
            Ok(None) => books.forget(book.match_id),
            Err(error) => {
                books.forget(book.match_id);
                batch.note_damaged(book.match_id, &error);
            }
        }
    }
    batch.store(connection).await
}

/// Counts on in each match; with what was counted of it before.
fn go_on(
    opened: Vec<Book>,
    logs: &HashMap<Uuid, Vec<ActionRow>>,
    counted: &HashMap<Uuid, i16>,
) -> Vec<(Book, Result<Option<Counted>, ServiceError>)> {
    let mut played = Vec::with_capacity(opened.len());
    for mut book in opened {
        let log = logs.get(&book.match_id).map(Vec::as_slice).unwrap_or_default();
        let before = book.go_on(log, counted.get(&book.match_id).copied().unwrap_or_default());
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
    /// The matches, as far as they were counted here before; sandboxes are just taken out of the queue.
    async fn open(
        &mut self,
        connection: &AsyncPgConnection,
        matches: &[Uuid],
        books: &Books,
    ) -> Result<Vec<Book>, ServiceError> {
        let mut opened: Vec<Book> = matches.iter().filter_map(|id| books.get(*id)).collect();
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
            match Book::open(&row, seats.get(&row.id).map(Vec::as_slice).unwrap_or_default()) {
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

    fn add(&mut self, book: &Book, before: &Counted) {
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

    /// Always in this order, table by table and row by row: others wait for the same locks.
    async fn store(self, connection: &AsyncPgConnection) -> Result<Done, ServiceError> {
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

/// The tallies of a match with so many rounds counted, by seat: from its log alone.
///
/// # Errors
/// `Damaged`, also if the log has fewer rounds.
pub(in crate::service) fn tallies_of(
    row: &MatchRow,
    seats: &[SeatRow],
    log: &[ActionRow],
    rounds: i16,
) -> Result<Vec<TallyRow>, ServiceError> {
    // It may not have begun.
    if rounds == 0 {
        return Ok(Vec::new());
    }
    let mut book = Book::open(row, seats)?;
    let Some(counted) = book.go_on(log, rounds)? else { return Ok(Vec::new()) };
    let of_seat = |(place, figures): (&Place, &Figures)| {
        tally(total_key(&book, place), (&book, &counted), place.seat, figures)
    };
    Ok(book.seats.iter().zip(&counted.seats).map(of_seat).collect())
}

fn total_key(book: &Book, place: &Place) -> TotalKey {
    TotalKey {
        account_id: place.account,
        preset: book.preset.clone(),
        bots: book.seats.iter().any(|place| place.bot),
        seats: i16::try_from(book.seats.len()).unwrap_or(i16::MAX),
        month: book.month,
    }
}

fn tally(key: TotalKey, (book, now): (&Book, &Counted), seat: i16, figures: &Figures) -> TallyRow {
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
