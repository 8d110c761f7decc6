//! Rows of `match_player_stats`: statistics per match and seat, from finished rounds. Written by the statistics worker,
//! under an advisory lock of the match that play never takes.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Bool, Date, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;

/// First key of the advisory locks; no other two-key locks start with it.
const LOCK: i32 = 8101;

/// Statistics of a seat in a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TallyRow {
    /// The account.
    pub account_id: Uuid,
    /// The match.
    pub match_id: Uuid,
    /// When the match ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// First day of the month in which it started.
    pub month: NaiveDate,
    /// Number of rounds in which the player was dealt cards.
    pub rounds: i32,
    /// Number of rounds won.
    pub rounds_won: i32,
    /// Longest run of rounds won.
    pub best_run: i32,
    /// Number of successful calls.
    pub calls_right: i32,
    /// Number of failed calls.
    pub calls_wrong: i32,
    /// Points in hand at all calls.
    pub call_points: i32,
    /// Rounds ended by another player and not won.
    pub rounds_lost: i32,
    /// Points in hand at the end of those rounds.
    pub points_lost: i32,
    /// Number of reductions of the total.
    pub reductions: i32,
    /// Slam-downs.
    pub slam_downs: i32,
    /// Number of actions that ended a wait before the deadline.
    pub in_time: i32,
    /// Number of missed deadlines.
    pub missed: i32,
    /// Number of rounds of the match counted so far.
    pub counted: i16,
    /// The seat.
    pub seat: i16,
    /// Number of seats of the match.
    pub seats: i16,
    /// Final place.
    pub place: Option<i16>,
    /// Whether the match is rated.
    pub rated: bool,
    /// Whether a bot is among the players.
    pub bots: bool,
    /// Preset of the rules, or `custom`.
    pub preset: String,
    /// Failed calls of others that the player defeated, by the seat of the caller.
    pub inflicted: Vec<i32>,
}

/// Filters of statistics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct TallyFilter {
    /// Preset of the rules.
    pub preset: Option<String>,
    /// With or without a bot among the players.
    pub bots: Option<bool>,
    /// Number of seats.
    pub seats: Option<i16>,
    /// Started in this month or later.
    pub since: Option<NaiveDate>,
    /// Started in this month or earlier.
    pub until: Option<NaiveDate>,
}

/// Grouping of streaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StreaksOf {
    /// All matches together.
    All,
    /// By preset.
    Preset,
    /// By month, printed as `2026-11`.
    Month,
}

/// Head-to-head statistics of two accounts.
#[derive(Clone, Debug, Default, QueryableByName)]
pub struct TogetherRow {
    /// Finished matches of both.
    #[diesel(sql_type = BigInt)]
    pub matches: i64,
    /// Matches in which the first placed better.
    #[diesel(sql_type = BigInt)]
    pub ahead: i64,
    /// Matches in which the second placed better.
    #[diesel(sql_type = BigInt)]
    pub behind: i64,
    /// Matches won by the first.
    #[diesel(sql_type = BigInt)]
    pub wins: i64,
    /// Matches won by the second.
    #[diesel(sql_type = BigInt)]
    pub losses: i64,
    /// Rounds won by the first, including running matches.
    #[diesel(sql_type = BigInt)]
    pub rounds_won: i64,
    /// Rounds won by the second, including running matches.
    #[diesel(sql_type = BigInt)]
    pub rounds_lost: i64,
    /// Failed calls of the second that the first defeated.
    #[diesel(sql_type = BigInt)]
    pub inflicted: i64,
    /// Failed calls of the first that the second defeated.
    #[diesel(sql_type = BigInt)]
    pub suffered: i64,
    /// When the newest of these matches ended.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub last_ended_at: Option<DateTime<Utc>>,
}

/// Locks matches for counting until the end of the transaction; returns those that no other instance has.
/// Read the rounds after this.
///
/// # Errors
/// Any database error.
pub async fn tally_lock_in_txn(
    mut connection: &AsyncPgConnection,
    matches: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Locked {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let query = diesel::sql_query(format!(
        "SELECT id FROM unnest($1) AS k (id) WHERE pg_try_advisory_xact_lock({LOCK}, hashtext(id::text))"
    ));
    let query = Prepared(query.bind::<Array<SqlUuid>, _>(matches));
    let rows: Vec<Locked> = query.load(&mut connection).await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// The number of counted rounds per match, each given with one of its players; matches without counted rounds
/// are left out.
///
/// # Errors
/// Any database error.
pub async fn tally_counted_list(
    mut connection: &AsyncPgConnection,
    asked: &[(Uuid, Uuid)],
) -> Result<Vec<(Uuid, i16)>, StoreError> {
    #[derive(QueryableByName)]
    struct Counted {
        #[diesel(sql_type = SqlUuid)]
        match_id: Uuid,
        #[diesel(sql_type = SmallInt)]
        counted: i16,
    }
    let (matches, accounts): (Vec<Uuid>, Vec<Uuid>) = asked.iter().copied().unzip();
    let query = diesel::sql_query(
        "SELECT t.match_id, t.counted FROM unnest($1, $2) AS k (match_id, account_id) \
         JOIN match_player_stats t ON t.account_id = k.account_id AND t.match_id = k.match_id",
    );
    let query = query.bind::<Array<SqlUuid>, _>(matches).bind::<Array<SqlUuid>, _>(accounts);
    // Not prepared: a generic plan made while the table was empty would scan the whole table.
    let rows: Vec<Counted> = query.load(&mut connection).await?;
    Ok(rows.into_iter().map(|row| (row.match_id, row.counted)).collect())
}

/// Stores tallies, replacing earlier ones.
///
/// # Errors
/// Any database error.
pub async fn tally_save_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[TallyRow],
) -> Result<(), StoreError> {
    let insert = diesel::sql_query(
        "INSERT INTO match_player_stats (account_id, match_id, ended_at, month, rounds, rounds_won, best_run, calls_right, \
         calls_wrong, call_points, rounds_lost, points_lost, reductions, slam_downs, in_time, missed, counted, seat, seats, \
         place, rated, bots, preset, inflicted) \
         SELECT account_id, match_id, ended_at, month, rounds, rounds_won, best_run, calls_right, calls_wrong, call_points, \
         rounds_lost, points_lost, reductions, slam_downs, in_time, missed, counted, seat, seats, place, rated, bots, preset, \
         inflicted FROM jsonb_to_recordset($1) AS r (account_id uuid, match_id uuid, ended_at timestamptz, month date, \
         rounds integer, rounds_won integer, best_run integer, calls_right integer, calls_wrong integer, call_points integer, \
         rounds_lost integer, points_lost integer, reductions integer, slam_downs integer, in_time integer, missed integer, \
         counted smallint, seat smallint, seats smallint, place smallint, rated boolean, bots boolean, preset text, \
         inflicted integer[]) \
         ON CONFLICT (account_id, match_id) DO UPDATE SET ended_at = EXCLUDED.ended_at, rounds = EXCLUDED.rounds, \
         rounds_won = EXCLUDED.rounds_won, best_run = EXCLUDED.best_run, calls_right = EXCLUDED.calls_right, \
         calls_wrong = EXCLUDED.calls_wrong, call_points = EXCLUDED.call_points, rounds_lost = EXCLUDED.rounds_lost, \
         points_lost = EXCLUDED.points_lost, reductions = EXCLUDED.reductions, slam_downs = EXCLUDED.slam_downs, \
         in_time = EXCLUDED.in_time, missed = EXCLUDED.missed, counted = EXCLUDED.counted, place = EXCLUDED.place, \
         inflicted = EXCLUDED.inflicted",
    );
    let rows = serde_json::to_value(rows).map_err(|error| StoreError::Damaged(error.to_string()))?;
    Prepared(insert.bind::<Jsonb, _>(rows)).execute(&mut connection).await?;
    Ok(())
}

/// Number of matches of an account, the newest, that streaks and common matches are looked for in: house bots have hundreds
/// of thousands.
const NEWEST: u32 = 10_000;

/// The longest streak of matches won among the newest, in order of their ends, per group; none for groups without a win.
///
/// # Errors
/// Any database error.
pub async fn tally_streaks(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    filter: &TallyFilter,
    of: StreaksOf,
) -> Result<Vec<(String, i64)>, StoreError> {
    #[derive(QueryableByName)]
    struct Streak {
        #[diesel(sql_type = Text)]
        key: String,
        #[diesel(sql_type = BigInt)]
        longest: i64,
    }
    let key = match of {
        StreaksOf::All => "''",
        StreaksOf::Preset => "preset",
        StreaksOf::Month => "to_char(month, 'YYYY-MM')",
    };
    // A streak is a run of wins between two losses.
    let rows: Vec<Streak> = diesel::sql_query(format!(
        "SELECT key, max(won) AS longest FROM (SELECT key, count(*) FILTER (WHERE place = 1) AS won FROM \
         (SELECT {key} AS key, place, count(*) FILTER (WHERE place > 1) OVER (PARTITION BY {key} \
         ORDER BY ended_at, match_id ROWS UNBOUNDED PRECEDING) AS losses FROM \
         (SELECT ended_at, match_id, place, preset, bots, seats, month FROM match_player_stats \
         WHERE account_id = $1 AND ended_at IS NOT NULL ORDER BY ended_at DESC, match_id DESC LIMIT {NEWEST}) newest \
         WHERE ($2 IS NULL OR preset = $2) AND ($3 IS NULL OR bots = $3) \
         AND ($4 IS NULL OR seats = $4) AND ($5 IS NULL OR month >= $5) AND ($6 IS NULL OR month <= $6)) s \
         GROUP BY key, losses) r GROUP BY key"
    ))
    .bind::<SqlUuid, _>(account.0)
    .bind::<Nullable<Text>, _>(filter.preset.as_deref())
    .bind::<Nullable<Bool>, _>(filter.bots)
    .bind::<Nullable<SmallInt>, _>(filter.seats)
    .bind::<Nullable<Date>, _>(filter.since)
    .bind::<Nullable<Date>, _>(filter.until)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.key, row.longest)).collect())
}

/// Head-to-head statistics of two accounts, from the newest matches in which both had a seat.
///
/// # Errors
/// Any database error.
pub async fn tally_together(
    mut connection: &AsyncPgConnection,
    first: AccountId,
    second: AccountId,
) -> Result<TogetherRow, StoreError> {
    // The common matches are found first, by index only: two accounts with many matches may share few.
    Ok(diesel::sql_query(format!(
        "WITH met AS MATERIALIZED (SELECT match_id FROM match_player_stats a JOIN match_player_stats b USING (match_id) \
         WHERE a.account_id = $1 AND b.account_id = $2 ORDER BY match_id DESC LIMIT {NEWEST}) \
         SELECT count(a.ended_at) AS matches, count(*) FILTER (WHERE a.place < b.place) AS ahead, \
         count(*) FILTER (WHERE a.place > b.place) AS behind, count(*) FILTER (WHERE a.place = 1) AS wins, \
         count(*) FILTER (WHERE b.place = 1) AS losses, COALESCE(sum(a.rounds_won), 0) AS rounds_won, \
         COALESCE(sum(b.rounds_won), 0) AS rounds_lost, COALESCE(sum(a.inflicted[b.seat + 1]), 0) AS inflicted, \
         COALESCE(sum(b.inflicted[a.seat + 1]), 0) AS suffered, max(a.ended_at) AS last_ended_at \
         FROM met \
         CROSS JOIN LATERAL (SELECT * FROM match_player_stats WHERE account_id = $1 AND match_id = met.match_id LIMIT 1) a \
         CROSS JOIN LATERAL (SELECT * FROM match_player_stats WHERE account_id = $2 AND match_id = met.match_id LIMIT 1) b",
    ))
    .bind::<SqlUuid, _>(first.0)
    .bind::<SqlUuid, _>(second.0)
    .get_result(&mut connection)
    .await?)
}
