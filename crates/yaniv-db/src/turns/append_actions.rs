//! The statement that stores actions: a batch of different matches, where each save is atomic with its log
//! entries and finished round.
//!
//! One round trip per batch, prepared once per connection. Diesel never caches an `UPDATE`, so the SQL is
//! written by hand.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::match_version::MatchVersion;

use crate::error::StoreError;

/// Everything that one accepted request writes. No `Debug`: the position holds all cards.
#[derive(Clone)]
pub struct ActionSave {
    /// The match.
    pub match_id: Uuid,
    /// Version that was read; the write happens only if it is still current.
    pub read: MatchVersion,
    /// Position after the action.
    pub state: Vec<u8>,
    /// Bitmask of the seats that have to act next.
    pub waiting_on: i16,
    /// Whether the action ended the match.
    pub finished: bool,
    /// Seat that acted.
    pub seat: i16,
    /// Round that the action belongs to.
    pub round: i16,
    /// Hash of account and idempotency key; none for automatic actions.
    pub key_hash: Option<i64>,
    /// Fingerprint of the request.
    pub fingerprint: Option<i32>,
    /// The clocks before the action, and what it does to them.
    pub clocks: Option<String>,
    /// Time of the save.
    pub timing: SaveTiming,
    /// Entry of the log.
    pub entry: SavedEntry,
    /// A second entry, for a play with its slam-down.
    pub slam: Option<SavedEntry>,
    /// The round that the action ended.
    pub ended: Option<EndedRound>,
}

/// When an action is saved, and when the scheduler is due to process the match again.
#[derive(Clone, Copy, Debug, Default)]
pub struct SaveTiming {
    /// Time of the action if known, read after the lock. Otherwise the statement's time.
    pub at: Option<DateTime<Utc>>,
    /// Deadline of the save: from this time on it is refused. Uses the clock that the statement reads,
    /// possibly before it waits for a lock.
    pub not_after: Option<DateTime<Utc>>,
    /// When the scheduler is due at the latest.
    pub check_at: Option<DateTime<Utc>>,
    /// Time at which `check_at` was computed. If the clock was set back since, the check is moved earlier by
    /// as much.
    pub as_of: Option<DateTime<Utc>>,
}

/// A log entry, without the columns it shares with the other entry of the save.
#[derive(Clone)]
pub struct SavedEntry {
    /// Notation of the action.
    pub detail: String,
    /// Cards drawn from the stock, by index.
    pub drew: Option<Vec<u8>>,
    /// `FLAG_…` bits of the log.
    pub flags: i16,
}

/// A round that an action ended.
#[derive(Clone)]
pub struct EndedRound {
    /// Seat that played first.
    pub starter: i16,
    /// Result in the form of the record, as JSON; none if unscored.
    pub result: Option<String>,
}

/// Saves actions of different matches. Returns the time each was accepted, in the order requested, or none
/// where the match has another version or is gone. A match may appear only once.
///
/// # Errors
/// Nothing was saved: `Busy`. Outcome unknown: `ConnectionLost`.
pub async fn actions_append(
    mut connection: &AsyncPgConnection,
    saves: &[&ActionSave],
) -> Result<Vec<Option<DateTime<Utc>>>, StoreError> {
    let saved: Vec<(Uuid, DateTime<Utc>)> = Statement::new(saves).get_results(&mut connection).await?;
    let time = |save: &&ActionSave| saved.iter().find(|(id, _)| *id == save.match_id).map(|(_, at)| *at);
    Ok(saves.iter().map(time).collect())
}

/// The saves as column arrays, sorted by match: the lock order used everywhere.
///
/// A column that is empty for all saves of a batch is sent as an empty array: a subscript beyond its end gives null. Most
/// batches end no round and have no slam-down.
struct Statement<'a> {
    match_id: Vec<Uuid>,
    read_version: Vec<i32>,
    read_gifts: Vec<i16>,
    read_at: Vec<DateTime<Utc>>,
    state: Vec<&'a [u8]>,
    waiting_on: Vec<i16>,
    finished: Vec<Option<bool>>,
    seat: Vec<i16>,
    round: Vec<i16>,
    key_hash: Vec<Option<i64>>,
    fingerprint: Vec<Option<i32>>,
    detail: Vec<&'a str>,
    drew: Vec<Option<&'a [u8]>>,
    flags: Vec<i16>,
    slam_detail: Vec<Option<&'a str>>,
    slam_drew: Vec<Option<&'a [u8]>>,
    slam_flags: Vec<Option<i16>>,
    starter: Vec<Option<i16>>,
    result: Vec<Option<&'a str>>,
    clocks: Vec<Option<&'a str>>,
    at: Vec<Option<DateTime<Utc>>>,
    not_after: Vec<Option<DateTime<Utc>>>,
    check_at: Vec<Option<DateTime<Utc>>>,
    as_of: Vec<Option<DateTime<Utc>>>,
}

impl<'a> Statement<'a> {
    fn new(saves: &[&'a ActionSave]) -> Self {
        let mut sorted = saves.to_vec();
        sorted.sort_unstable_by_key(|save| save.match_id);
        let saves = sorted.as_slice();
        Self {
            match_id: column(saves, |save| save.match_id),
            read_version: column(saves, |save| save.read.version),
            read_gifts: column(saves, |save| save.read.dedications),
            read_at: column(saves, |save| save.read.updated_at),
            state: column(saves, |save| save.state.as_slice()),
            waiting_on: column(saves, |save| save.waiting_on),
            finished: sparse(saves, |save| save.finished.then_some(true)),
            seat: column(saves, |save| save.seat),
            round: column(saves, |save| save.round),
            key_hash: sparse(saves, |save| save.key_hash),
            fingerprint: sparse(saves, |save| save.fingerprint),
            detail: column(saves, |save| save.entry.detail.as_str()),
            drew: sparse(saves, |save| save.entry.drew.as_deref()),
            flags: column(saves, |save| save.entry.flags),
            slam_detail: sparse(saves, |save| save.slam.as_ref().map(|entry| entry.detail.as_str())),
            slam_drew: sparse(saves, |save| save.slam.as_ref().and_then(|entry| entry.drew.as_deref())),
            slam_flags: sparse(saves, |save| save.slam.as_ref().map(|entry| entry.flags)),
            starter: sparse(saves, |save| save.ended.as_ref().map(|ended| ended.starter)),
            result: sparse(saves, |save| save.ended.as_ref().and_then(|ended| ended.result.as_deref())),
            clocks: sparse(saves, |save| save.clocks.as_deref()),
            at: sparse(saves, |save| save.timing.at),
            not_after: sparse(saves, |save| save.timing.not_after),
            check_at: sparse(saves, |save| save.timing.check_at),
            as_of: sparse(saves, |save| save.timing.as_of),
        }
    }
}

/// A column of the saves.
fn column<'a, T>(saves: &[&'a ActionSave], value: impl Fn(&'a ActionSave) -> T) -> Vec<T> {
    saves.iter().map(|save| value(save)).collect()
}

/// A column of optional values; empty if none of the saves has one.
fn sparse<'a, T>(saves: &[&'a ActionSave], value: impl Fn(&'a ActionSave) -> Option<T>) -> Vec<Option<T>> {
    let values = column(saves, value);
    if values.iter().any(Option::is_some) { values } else { Vec::new() }
}

impl QueryId for Statement<'_> {
    type QueryId = Statement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement<'_> {
    type SqlType = (SqlUuid, Timestamptz);
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "WITH saved AS (UPDATE match_states s \
             SET version = a.read_version + 1 + (a.slam_detail IS NOT NULL)::integer, \
             state = a.state, waiting_on = a.waiting_on, status = CASE WHEN a.finished THEN 'finished' ELSE s.status END, \
             updated_at = COALESCE(a.at, date_trunc('milliseconds', clock_timestamp())), \
             clocks = a.clocks, check_at = LEAST(s.check_at, \
             a.check_at + LEAST(clock_timestamp() - a.as_of, interval '0'), \
             CASE WHEN s.ordered & a.waiting_on <> 0 THEN clock_timestamp() END) \
             FROM (SELECT k.match_id",
        );
        self.push_columns(&mut out)?;
        out.push_sql(" FROM unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.match_id)?;
        // One `unnest`, and array subscripts for the other columns: `unnest` of all arrays is slower (docs/performance.md).
        out.push_sql(
            ") WITH ORDINALITY AS k (match_id, i)) a \
             WHERE s.match_id = a.match_id AND s.version = a.read_version AND s.gifts = a.read_gifts \
             AND s.updated_at = a.read_at AND (a.not_after IS NULL OR clock_timestamp() < a.not_after) \
             RETURNING s.match_id, s.version, s.updated_at, a.read_version, a.finished, a.seat, a.round, \
             a.key_hash, a.fingerprint, a.detail, a.drew, a.flags, a.slam_detail, a.slam_drew, a.slam_flags, \
             a.starter, a.result, s.state, s.clocks), \
             logged AS (INSERT INTO actions (match_id, at, key_hash, fingerprint, version, round, flags, seat, \
             kind, detail, drew) \
             SELECT match_id, updated_at, key_hash, fingerprint, read_version + 1, round, flags, seat, 'a', \
             detail, drew FROM saved \
             UNION ALL SELECT match_id, updated_at, key_hash, fingerprint, version, round, slam_flags, seat, \
             'a', slam_detail, slam_drew FROM saved WHERE slam_detail IS NOT NULL), \
             ended AS (INSERT INTO rounds (match_id, round, starter, last_version, result, ended_at, next_state, next_clocks) \
             SELECT match_id, round, starter, version, result::json, updated_at, \
             CASE WHEN finished IS NOT TRUE THEN state END, CASE WHEN finished IS NOT TRUE THEN clocks END FROM saved \
             WHERE starter IS NOT NULL), \
             finished AS (UPDATE matches SET finished_at = saved.updated_at FROM saved \
             WHERE matches.id = saved.match_id AND saved.finished) \
             SELECT match_id, updated_at FROM saved",
        );
        Ok(())
    }
}

impl Statement<'_> {
    /// All columns but the match: `, ($2)[k.i::integer] AS read_version, …`.
    fn push_columns<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        macro_rules! push {
            ($($column:ident: $kind:ty),*) => {
                $(
                    out.push_sql(", (");
                    out.push_bind_param::<Array<$kind>, _>(&self.$column)?;
                    out.push_sql(concat!(")[k.i::integer] AS ", stringify!($column)));
                )*
            };
        }
        push!(
            read_version: Integer, read_gifts: SmallInt, read_at: Timestamptz, state: Binary, waiting_on: SmallInt,
            finished: Nullable<Bool>, seat: SmallInt, round: SmallInt, key_hash: Nullable<BigInt>,
            fingerprint: Nullable<Integer>, detail: Text, drew: Nullable<Binary>, flags: SmallInt,
            slam_detail: Nullable<Text>, slam_drew: Nullable<Binary>, slam_flags: Nullable<SmallInt>,
            starter: Nullable<SmallInt>, result: Nullable<Text>, clocks: Nullable<Text>, at: Nullable<Timestamptz>,
            not_after: Nullable<Timestamptz>, check_at: Nullable<Timestamptz>, as_of: Nullable<Timestamptz>
        );
        Ok(())
    }
}
