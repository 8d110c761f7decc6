//! Rows of `actions`: the action log of a match. Append-only; actions in play are written by
//! `actions_append`. When a match has long been over, its rows move to `archived_logs`, and are read from there.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, Integer, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::idempotency::StoredKey;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::matches::archived_logs::{absent, archived_log_find, archived_log_list};
use crate::matches::packed_log::WholeLog;
use crate::schema::actions;

/// The stock was refilled at the end of the action.
pub const FLAG_RECYCLED: i16 = 1;
/// The action ended the round.
pub const FLAG_ENDED_ROUND: i16 = 2;
/// The action ended the match.
pub const FLAG_ENDED_MATCH: i16 = 4;
/// Timeout: played for a player whose deadline had passed.
pub const FLAG_MISSED: i16 = 8;
/// Played by a bot that holds the seat.
pub const FLAG_BOT: i16 = 16;
/// Played from a standing order of the player.
pub const FLAG_ORDER: i16 = 32;
/// From this bit on: outcome of a call, by its place in the engine's list, counted from 1.
pub const OUTCOME_SHIFT: u32 = 8;

/// `kind` of an action in play.
pub const KIND_ACTION: u8 = b'a';
/// `kind` of an account joining.
pub const KIND_JOINED: u8 = b'j';
/// `kind` of an account leaving before the start.
pub const KIND_LEFT: u8 = b'l';
/// `kind` of the host removing an account before the start.
pub const KIND_REMOVED: u8 = b'k';
/// `kind` of the first deal.
pub const KIND_STARTED: u8 = b's';

/// `kind` of a new join code.
pub const KIND_CODE: u8 = b'c';
/// `kind` of the revocation of a join code.
pub const KIND_NO_CODE: u8 = b'x';

/// `kind` of a change of a player's calendar.
pub const KIND_CALENDAR: u8 = b'q';
/// `kind` of a bot taking over the seat of an absent player.
pub const KIND_HELD: u8 = b'b';
/// `kind` of the player taking the seat back.
pub const KIND_RETURNED: u8 = b'r';
/// `kind` of a nudge.
pub const KIND_NUDGED: u8 = b'n';
/// `kind` of moving a sandbox's clock.
pub const KIND_CLOCK: u8 = b't';

/// An entry of the log.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable)]
// So that an insertion is prepared once: without it each absent value is the keyword DEFAULT.
#[diesel(table_name = actions, treat_none_as_default_value = false)]
pub struct ActionRow {
    /// The match.
    pub match_id: Uuid,
    /// When it was accepted.
    pub at: DateTime<Utc>,
    /// Hash of the idempotency key of the write.
    pub key_hash: Option<i64>,
    /// Fingerprint of the write: hash of operation, match and body.
    pub fingerprint: Option<i32>,
    /// 1, 2, 3 … without gaps.
    pub version: i32,
    /// Round of the entry; 0 before play.
    pub round: i16,
    /// `FLAG_…` bits.
    pub flags: i16,
    /// Seat that acted in play; none before.
    pub seat: Option<i16>,
    /// `KIND_…`.
    pub kind: u8,
    /// Account that acted, or was removed, before play; none in play.
    pub account_id: Option<Uuid>,
    /// Notation of the action, or the client seed of a joining player.
    pub detail: String,
    /// Cards drawn from the stock, by index.
    pub drew: Option<Vec<u8>>,
}

/// Entries with `after < version <= up_to`, oldest first, at most `limit`.
///
/// # Errors
/// Any database error.
pub async fn action_list(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    after: i32,
    up_to: i32,
    limit: i64,
) -> Result<Vec<ActionRow>, StoreError> {
    let entries: Vec<ActionRow> = actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::version.gt(after))
        .filter(actions::version.le(up_to))
        .order(actions::version)
        .limit(limit)
        .select(ActionRow::as_select())
        .load(&mut connection)
        .await?;
    if !entries.is_empty() || after >= up_to {
        return Ok(entries);
    }
    let archived = archived_log_find(connection, match_id).await?.map(|log| log.entries).unwrap_or_default();
    let asked = archived.into_iter().filter(|entry| entry.version > after && entry.version <= up_to);
    Ok(asked.take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
}

/// The logs of these matches, each from its own version on, oldest first. A damaged archived log is an error in its place.
///
/// # Errors
/// Any database error.
pub async fn action_list_from(
    mut connection: &AsyncPgConnection,
    from: &[(Uuid, i32)],
) -> Result<HashMap<Uuid, Result<Vec<ActionRow>, StoreError>>, StoreError> {
    let (matches, versions) = from.iter().copied().unzip();
    let entries: Vec<ActionRow> = LogsFrom { matches, versions }.get_results(&mut connection).await?;
    let absent = absent(&entries, from);
    let mut logs: HashMap<Uuid, Vec<ActionRow>> = HashMap::new();
    for entry in entries {
        logs.entry(entry.match_id).or_default().push(entry);
    }
    let mut logs: HashMap<Uuid, Result<Vec<ActionRow>, StoreError>> =
        logs.into_iter().map(|(id, log)| (id, Ok(log))).collect();
    let ids: Vec<Uuid> = absent.keys().copied().collect();
    for (id, log) in archived_log_list(connection, &ids).await? {
        let first = absent.get(&id).copied().unwrap_or_default();
        let from = |log: WholeLog| log.entries.into_iter().filter(|entry| entry.version >= first).collect();
        logs.insert(id, log.map(from));
    }
    Ok(logs)
}

/// Version of the player's last own entry in play: an action, taking the seat back, or a nudge.
///
/// # Errors
/// Any database error.
pub async fn action_last_own(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    seat: i16,
) -> Result<Option<i32>, StoreError> {
    let by_itself = FLAG_MISSED | FLAG_BOT | FLAG_ORDER;
    let own = [KIND_ACTION, KIND_RETURNED, KIND_NUDGED];
    let last = actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::seat.eq(seat))
        .filter(actions::kind.eq_any(own))
        .filter(diesel::dsl::sql::<diesel::sql_types::Bool>(&format!("flags & {by_itself} = 0")))
        .order(actions::version.desc())
        .select(actions::version)
        .first(&mut connection)
        .await
        .optional()?;
    if last.is_some() {
        return Ok(last);
    }
    let archived = archived_log_find(connection, match_id).await?.map(|log| log.entries).unwrap_or_default();
    let is_own = |entry: &&ActionRow| {
        entry.seat == Some(seat) && own.contains(&entry.kind) && entry.flags & by_itself == 0
    };
    Ok(archived.iter().rev().find(is_own).map(|entry| entry.version))
}

/// Whether there was a call after a version, in a match in play.
///
/// # Errors
/// Any database error.
pub async fn action_called_since(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    version: i32,
) -> Result<bool, StoreError> {
    let calls = actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::version.gt(version))
        .filter(actions::kind.eq(KIND_ACTION))
        .filter(actions::detail.like("call%"));
    Ok(diesel::select(diesel::dsl::exists(calls)).get_result(&mut connection).await?)
}

/// The number of actions up to a version, in a match in play.
///
/// # Errors
/// Any database error.
pub async fn action_count(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    version: i32,
) -> Result<i64, StoreError> {
    Ok(actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::version.le(version))
        .filter(actions::kind.eq(KIND_ACTION))
        .count()
        .get_result(&mut connection)
        .await?)
}

/// The newest entry of a kind, if any, in a match in play.
///
/// # Errors
/// Any database error.
pub async fn action_find_last(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    kind: u8,
) -> Result<Option<ActionRow>, StoreError> {
    Ok(actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::kind.eq(kind))
        .order(actions::version.desc())
        .select(ActionRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Finds the entry written with an idempotency key, in a match that is not archived.
///
/// # Errors
/// Any database error.
pub async fn action_find_by_key(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    key_hash: i64,
) -> Result<Option<StoredKey>, StoreError> {
    let made: Vec<(i32, Option<i32>)> = actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::key_hash.eq(key_hash))
        .order(actions::version)
        .select((actions::version, actions::fingerprint))
        .load(&mut connection)
        .await?;
    Ok(made.last().and_then(|&(version, fingerprint)| {
        Some(StoredKey { fingerprint: fingerprint?, match_id, version, entries: made.len() })
    }))
}

/// Appends an entry, in a transaction that has locked the match.
///
/// # Errors
/// `Taken("actions_pkey")` if the version exists.
pub async fn action_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ActionRow,
) -> Result<(), StoreError> {
    diesel::insert_into(actions::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Stores the first entries of a match that is created with its players.
///
/// # Errors
/// Any database error.
pub async fn action_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[ActionRow],
) -> Result<(), StoreError> {
    // The statement for one row is prepared once.
    if let [row] = rows {
        return action_insert_in_txn(connection, row).await;
    }
    diesel::insert_into(actions::table).values(rows).execute(&mut connection).await?;
    Ok(())
}

struct LogsFrom {
    matches: Vec<Uuid>,
    versions: Vec<i32>,
}

impl QueryId for LogsFrom {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for LogsFrom {
    type SqlType = actions::SqlType;
}

impl QueryFragment<Pg> for LogsFrom {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // Column order as in `schema`. The primary key is used even if the table's statistics show few rows.
        out.push_sql(
            "SELECT a.match_id, a.at, a.key_hash, a.fingerprint, a.version, a.round, a.flags, a.seat, a.kind, \
             a.account_id, a.detail, a.drew FROM unnest(",
        );
        out.push_bind_param::<Array<SqlUuid>, _>(&self.matches)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.versions)?;
        out.push_sql(
            ") AS k (match_id, version) CROSS JOIN LATERAL (SELECT * FROM actions l WHERE l.match_id = k.match_id \
             AND l.version >= k.version ORDER BY l.version) a ORDER BY a.match_id, a.version",
        );
        Ok(())
    }
}
