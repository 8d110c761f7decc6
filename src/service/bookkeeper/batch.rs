//! Counting several matches in one transaction: their tallies as they are now, what that is more than there was in the totals,
//! and the rounds out of the queue. All of it is done, or nothing.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::counting::{Counted, Counting};
use super::figures::{Figures, add};
use crate::service::ServiceError;
use crate::store::StoreError;
use crate::store::actions::{ActionRow, FLAG_ENDED_ROUND, action_list_of_matches};
use crate::store::activity::activity_note_in_txn;
use crate::store::matches::{MatchRow, match_settled_list};
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
    damaged: Vec<Uuid>,
}

/// Counts matches, but those that somebody else is counting. Answers those that cannot be counted, as they are damaged; nothing
/// is changed of them.
///
/// # Errors
/// Those of the database.
pub(super) async fn count_in_txn(
    connection: &AsyncPgConnection,
    matches: &[Uuid],
) -> Result<Vec<Uuid>, ServiceError> {
    // What there is to count is read under the lock: whoever had it before has counted what it knew of.
    let locked = tally_lock_in_txn(connection, matches).await?;
    if locked.is_empty() {
        return Ok(Vec::new());
    }
    let settled = match_settled_list(connection, &locked).await?;
    let seats = by_match(seat_list(connection, &locked).await?, |seat| seat.match_id);
    let first = |seats: &Vec<SeatRow>| seats.first().map(|seat| (seat.match_id, seat.account_id));
    let asked: Vec<(Uuid, Uuid)> = seats.values().filter_map(first).collect();
    let counted: HashMap<Uuid, i16> = tally_counted_list(connection, &asked).await?.into_iter().collect();
    let logs = by_match(action_list_of_matches(connection, &locked).await?, |row| row.match_id);
    let mut batch = Batch::default();
    for row in &settled {
        let seats = seats.get(&row.id).map(Vec::as_slice).unwrap_or_default();
        let log = logs.get(&row.id).map(Vec::as_slice).unwrap_or_default();
        let before = counted.get(&row.id).copied().unwrap_or_default();
        if let Err(error) = batch.count(row, seats, log, before) {
            tracing::error!(%error, match_id = %row.id, "a match cannot be counted");
            batch.damaged.push(row.id);
        }
    }
    batch.store(connection).await
}

fn by_match<T>(rows: Vec<T>, of: impl Fn(&T) -> Uuid) -> HashMap<Uuid, Vec<T>> {
    let mut found: HashMap<Uuid, Vec<T>> = HashMap::new();
    for row in rows {
        found.entry(of(&row)).or_default().push(row);
    }
    found
}

impl Batch {
    /// Counts a match of which so many rounds are counted.
    fn count(
        &mut self,
        row: &MatchRow,
        seats: &[SeatRow],
        log: &[ActionRow],
        known: i16,
    ) -> Result<(), ServiceError> {
        if row.sandbox {
            self.rounds.push((row.id, i16::MAX));
            return Ok(());
        }
        let over = log.iter().rposition(|entry| entry.flags & FLAG_ENDED_ROUND != 0);
        let Some(over) = over.and_then(|last| log.get(..=last)) else { return Ok(()) };
        let client_seeds: Vec<String> = seats.iter().map(|seat| seat.client_seed.clone()).collect();
        let mut counting = Counting::new(row, &client_seeds)?;
        let nothing = Counted { seats: vec![Figures::default(); seats.len()], ..Counted::default() };
        let mut before = if known == 0 { Some(nothing) } else { None };
        for entry in over {
            if counting.push(entry)? && counting.counted().rounds == known {
                before = Some(counting.counted().clone());
            }
        }
        let missing = || StoreError::Damaged(format!("{known} rounds are counted that the log does not have"));
        self.add(row, seats, &before.ok_or_else(missing)?, counting.counted());
        Ok(())
    }

    fn add(&mut self, row: &MatchRow, seats: &[SeatRow], before: &Counted, now: &Counted) {
        self.rounds.push((row.id, now.rounds));
        if now.rounds == before.rounds {
            return;
        }
        let started = row.started_at.unwrap_or(row.created_at);
        let month = started.date_naive().with_day(1).unwrap_or_default();
        let preset = row.preset.clone().unwrap_or_else(|| CUSTOM.to_owned());
        let of_service = ServiceTotalRow {
            preset: preset.clone(),
            month,
            matches: i64::from(now.ended_at.is_some()),
            rounds: i64::from(now.rounds - before.rounds),
            actions: now.actions - before.actions,
        };
        self.add_to_service(of_service);
        let count = i16::try_from(seats.len()).unwrap_or(i16::MAX);
        let bots = seats.iter().any(|seat| seat.bot);
        for (index, seat) in seats.iter().enumerate() {
            let Some((figures, old)) = now.seats.get(index).zip(before.seats.get(index)) else { continue };
            let preset = preset.clone();
            let key = TotalKey { account_id: seat.account_id, preset, bots, seats: count, month };
            add(self.totals.entry(key.clone()).or_default(), &figures.since(old));
            self.tallies.push(tally(key, row.id, seat.seat, figures, now));
            if !seat.bot
                && let Some(Some(at)) = now.last_rounds.get(index)
            {
                self.note_day(seat.account_id, *at);
            }
        }
    }

    fn add_to_service(&mut self, more: ServiceTotalRow) {
        let place = self.service.entry((more.preset.clone(), more.month));
        let sum = place.or_insert_with(|| ServiceTotalRow { matches: 0, rounds: 0, actions: 0, ..more.clone() });
        sum.matches += more.matches;
        sum.rounds += more.rounds;
        sum.actions += more.actions;
    }

    fn note_day(&mut self, account: Uuid, at: DateTime<Utc>) {
        let day = at.date_naive();
        self.days.entry(account).and_modify(|last| *last = day.max(*last)).or_insert(day);
    }

    /// Always in this order, table by table and row by row: others wait for the same locks.
    async fn store(self, connection: &AsyncPgConnection) -> Result<Vec<Uuid>, ServiceError> {
        if !self.tallies.is_empty() {
            tally_save_in_txn(connection, &self.tallies).await?;
            total_add_in_txn(connection, self.totals.iter()).await?;
            let service: Vec<ServiceTotalRow> = self.service.into_values().collect();
            service_total_add_in_txn(connection, &service).await?;
            activity_note_in_txn(connection, self.days.into_iter()).await?;
        }
        round_note_counted_in_txn(connection, &self.rounds).await?;
        Ok(self.damaged)
    }
}

fn tally(key: TotalKey, match_id: Uuid, seat: i16, figures: &Figures, now: &Counted) -> TallyRow {
    TallyRow {
        account_id: key.account_id,
        match_id,
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
        // No match is rated yet.
        rated: false,
        bots: key.bots,
        preset: key.preset,
        inflicted: figures.inflicted.clone(),
    }
}
