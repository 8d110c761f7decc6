//! Rows of `archived_logs`: packed logs of matches that are over, in place of their rows in `actions` and `rounds`.
//!
//! A match is archived once and stays so. Readers of a log look into the hot tables first, and here if they find
//! nothing: whichever of two statements sees the move, one of them finds the whole log.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Interval, Nullable, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::{Builder, Uuid};
use yaniv_model::idempotency::StoredKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::matches::log::{ActionRow, KIND_CALENDAR, KIND_STARTED};
use crate::matches::packed_log::{FORMAT, WholeLog, short_key};
use crate::matches::rounds::RoundRow;
use crate::schema::{actions, archived_logs, match_states, rounds, seats};

type ArchivedRow = (Uuid, i16, i32, Vec<u8>);

/// The archived log of a match, if it is archived.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn archived_log_find(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<WholeLog>, StoreError> {
    let row = archived_logs::table.find(id.0).first::<ArchivedRow>(&mut connection).await.optional()?;
    row.map(unpack).transpose()
}

/// The archived logs of those of these matches that are archived. A damaged log is an error in its place.
///
/// # Errors
/// Any database error.
pub async fn archived_log_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, Result<WholeLog, StoreError>)>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<ArchivedRow> =
        archived_logs::table.filter(archived_logs::match_id.eq_any(ids)).load(&mut connection).await?;
    Ok(rows.into_iter().map(|row| (row.0, unpack(row))).collect())
}

/// Of matches that were asked for from a version on, those without any of these entries from `actions`.
pub(crate) fn absent(entries: &[ActionRow], asked: &[(Uuid, i32)]) -> HashMap<Uuid, i32> {
    let present: HashSet<Uuid> = entries.iter().map(|entry| entry.match_id).collect();
    asked.iter().copied().filter(|(id, _)| !present.contains(id)).collect()
}

/// Finds the entry of an archived match written with an idempotency key, hash and fingerprint.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn archived_key_find(
    connection: &AsyncPgConnection,
    id: MatchId,
    (hash, fingerprint): (i64, i32),
) -> Result<Option<StoredKey>, StoreError> {
    let Some(log) = archived_log_find(connection, id).await? else { return Ok(None) };
    let (short_hash, short_fingerprint) = short_key((hash, fingerprint));
    let with_hash = || log.entries.iter().filter(|entry| entry.key_hash == Some(short_hash));
    let made: Vec<&ActionRow> =
        with_hash().filter(|entry| entry.fingerprint == Some(short_fingerprint)).collect();
    let found = |last: &ActionRow, fingerprint, entries| StoredKey {
        fingerprint,
        match_id: id,
        version: last.version,
        entries,
    };
    Ok(match made.last() {
        Some(last) => Some(found(last, fingerprint, made.len())),
        // Another request with this key: it has another fingerprint.
        None => with_hash().next_back().map(|last| found(last, !fingerprint, 1)),
    })
}

/// Position in the queue of matches to be archived: the end of a match, and the match.
pub type ArchivePosition = (DateTime<Utc>, Uuid);

/// A page of the matches that ended at least this long ago and are not archived yet, oldest end first.
///
/// Those that are still to be counted, rated or announced are left out; once they are done, they stay so.
///
/// # Errors
/// Any database error.
pub async fn archive_candidate_list(
    mut connection: &AsyncPgConnection,
    ended: TimeDelta,
    after: ArchivePosition,
    limit: i64,
) -> Result<Vec<ArchivePosition>, StoreError> {
    #[derive(QueryableByName)]
    struct Candidate {
        #[diesel(sql_type = Timestamptz)]
        finished_at: DateTime<Utc>,
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let found: Vec<Candidate> = diesel::sql_query(
        "SELECT m.finished_at, m.id FROM matches m WHERE m.archived_at IS NULL AND m.finished_at <= now() - $1 \
         AND (m.finished_at, m.id) > ($2, $3) AND NOT (m.rated AND m.rated_at IS NULL AND m.started_at IS NOT NULL) \
         AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.match_id = m.id AND r.counted_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM notification_positions n WHERE n.match_id = m.id) \
         ORDER BY m.finished_at, m.id LIMIT $4",
    )
    .bind::<Interval, _>(ended)
    .bind::<Timestamptz, _>(after.0)
    .bind::<SqlUuid, _>(after.1)
    .bind::<BigInt, _>(limit)
    .load(&mut connection)
    .await?;
    Ok(found.into_iter().map(|row| (row.finished_at, row.id)).collect())
}

/// Locks a match that is not archived yet; `false` if another session has locked it or it is archived.
///
/// The transaction may then be idle for a minute, while the log is replayed. Its commit does not wait for the disk: after a
/// crash the match is archived or not, but whole.
///
/// # Errors
/// Any database error.
pub async fn archive_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<bool, StoreError> {
    let settings = "SELECT set_config('idle_in_transaction_session_timeout', '60s', true), \
         set_config('synchronous_commit', 'off', true)";
    diesel::sql_query(settings).execute(&mut connection).await?;
    let locked: Option<Uuid> = match_states::table
        .find(id.0)
        .select(match_states::match_id)
        .for_update()
        .skip_locked()
        .first(&mut connection)
        .await
        .optional()?;
    let archived = diesel::dsl::exists(archived_logs::table.find(id.0));
    Ok(locked.is_some() && !diesel::select(archived).get_result::<bool>(&mut connection).await?)
}

/// Moves the log of a match, which the transaction has locked, from the hot tables to its archived row, and its settings to
/// those that matches share.
///
/// # Errors
/// `Busy` if the hot rows are not those of the given log any more; `Damaged` if it cannot be packed.
pub async fn archive_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    log: &WholeLog,
    packed: &[u8],
) -> Result<(), StoreError> {
    let deleted = diesel::delete(actions::table.filter(actions::match_id.eq(id.0)));
    let mut entries: Vec<ActionRow> =
        deleted.returning(ActionRow::as_returning()).get_results(&mut connection).await?;
    entries.sort_unstable_by_key(|entry| entry.version);
    let deleted = diesel::delete(rounds::table.filter(rounds::match_id.eq(id.0)));
    let columns = (rounds::round, rounds::starter, rounds::last_version, rounds::result, rounds::ended_at);
    let mut ended: Vec<RoundRow> = deleted.returning(columns).get_results(&mut connection).await?;
    ended.sort_unstable_by_key(|round| round.round);
    // Nothing changes them while the match is locked, but nothing but this comparison makes sure of it.
    if ended != log.rounds || entries != log.entries {
        return Err(StoreError::Busy);
    }
    diesel::insert_into(archived_logs::table)
        .values((
            archived_logs::match_id.eq(id.0),
            archived_logs::format.eq(FORMAT),
            archived_logs::checksum.eq(checksum(packed)),
            archived_logs::packed.eq(packed),
        ))
        .execute(&mut connection)
        .await?;
    // A statement of another archiver that shares the same settings now is waited for.
    let share = "WITH settings AS (SELECT encode(substr(sha256(convert_to(rules::text || coalesce(pace::text, ''), 'UTF8')), \
         1, 16), 'hex')::uuid AS id, rules, pace FROM matches WHERE id = $1), \
         shared AS (INSERT INTO shared_settings SELECT id, rules, pace FROM settings ON CONFLICT (id) DO NOTHING) \
         UPDATE matches SET archived_at = clock_timestamp(), settings_id = settings.id, rules = NULL, pace = NULL \
         FROM settings WHERE matches.id = $1";
    diesel::sql_query(share).bind::<SqlUuid, _>(id.0).execute(&mut connection).await?;
    Ok(())
}

/// Deletes, of a page of matches in order of their identifiers, those archived that ended before this time.
///
/// Those that a report or a moderator's decision names stay: a decision in force must not end with its match.
/// Returns how many, and the last match of the page; `None` at the end.
///
/// # Errors
/// Any database error.
pub async fn archived_match_delete(
    mut connection: &AsyncPgConnection,
    before: DateTime<Utc>,
    after: Uuid,
    limit: i64,
) -> Result<(i64, Option<Uuid>), StoreError> {
    #[derive(QueryableByName)]
    struct Page {
        #[diesel(sql_type = BigInt)]
        deleted: i64,
        #[diesel(sql_type = Nullable<SqlUuid>)]
        last: Option<Uuid>,
    }
    // Identifiers begin with the time of creation: those of later matches are not looked at.
    let page: Page = diesel::sql_query(
        "WITH page AS (SELECT id FROM matches WHERE id > $2 AND id <= $3 ORDER BY id LIMIT $4), \
         deleted AS (DELETE FROM matches m USING page WHERE m.id = page.id AND m.archived_at IS NOT NULL \
             AND m.finished_at < $1 AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.match_id = m.id) \
             AND NOT EXISTS (SELECT 1 FROM moderation_decisions d WHERE d.match_id = m.id) RETURNING m.id) \
         SELECT (SELECT count(*) FROM deleted) AS deleted, (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS last",
    )
    .bind::<Timestamptz, _>(before)
    .bind::<SqlUuid, _>(after)
    .bind::<SqlUuid, _>(last_identifier(before))
    .bind::<BigInt, _>(limit)
    .get_result(&mut connection)
    .await?;
    Ok((page.deleted, page.last))
}

/// The last UUIDv7 of this time.
fn last_identifier(at: DateTime<Utc>) -> Uuid {
    let milliseconds = u64::try_from(at.timestamp_millis()).unwrap_or_default();
    Builder::from_unix_timestamp_millis(milliseconds, &[0xff; 10]).into_uuid()
}

/// A page of the archived matches, in order of their identifiers, whose logs have an older format than [`FORMAT`].
///
/// # Errors
/// Any database error.
pub async fn old_format_list(
    mut connection: &AsyncPgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let old =
        archived_logs::table.filter(archived_logs::format.lt(FORMAT).and(archived_logs::match_id.gt(after)));
    let page = old.order(archived_logs::match_id).limit(limit).select(archived_logs::match_id);
    Ok(page.load(&mut connection).await?)
}

/// Packs the archived log of a match again, in the form of [`FORMAT`]. `false` if there is none.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn archived_log_rewrite_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<bool, StoreError> {
    let row = archived_logs::table.find(id.0).for_update().first::<ArchivedRow>(&mut connection).await;
    let Some(row) = row.optional()? else { return Ok(false) };
    replace(connection, id.0, unpack(row)?).await?;
    Ok(true)
}

/// Replaces the archived log of a match.
async fn replace(mut connection: &AsyncPgConnection, id: Uuid, log: WholeLog) -> Result<(), StoreError> {
    let packed = log.pack_off_thread().await?;
    let changes = (
        archived_logs::format.eq(FORMAT),
        archived_logs::checksum.eq(checksum(&packed)),
        archived_logs::packed.eq(&packed),
    );
    diesel::update(archived_logs::table.find(id)).set(changes).execute(&mut connection).await?;
    Ok(())
}

/// Erases the calendar of an account from the archived logs of these matches.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn archived_log_erase_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    ids: &[Uuid],
) -> Result<(), StoreError> {
    let found = archived_logs::table
        .inner_join(seats::table.on(seats::match_id.eq(archived_logs::match_id)))
        .filter(archived_logs::match_id.eq_any(ids).and(seats::account_id.eq(account.0)));
    let rows: Vec<(ArchivedRow, i16)> = found
        .order(archived_logs::match_id)
        .select((archived_logs::all_columns, seats::seat))
        .for_update()
        .load(&mut connection)
        .await?;
    for (row, seat) in rows {
        let id = row.0;
        // One damaged match must not block the deletion for ever.
        let Ok(log) = unpack(row).inspect_err(|error| tracing::error!(%error, "a calendar cannot be erased"))
        else {
            continue;
        };
        let mut erased = log.clone();
        for entry in &mut erased.entries {
            erase_calendar(entry, account, seat)?;
        }
        if erased != log {
            replace(connection, id, erased).await?;
        }
    }
    Ok(())
}

/// Does to an entry what `history_erase_in_txn` does to a row of `actions`.
fn erase_calendar(entry: &mut ActionRow, account: AccountId, seat: i16) -> Result<(), StoreError> {
    let account = account.0.to_string();
    let changed = entry.kind == KIND_CALENDAR && entry.seat == Some(seat);
    let started = entry.kind == KIND_STARTED && entry.detail.contains(&account);
    if !changed && !started {
        return Ok(());
    }
    // The error may quote the detail.
    let damaged = |_| StoreError::Damaged(format!("detail of version {}", entry.version));
    let mut detail: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&entry.detail).map_err(damaged)?;
    if changed {
        detail.insert("calendar".to_owned(), serde_json::json!({}));
    } else {
        detail.remove(&account);
    }
    entry.detail = serde_json::Value::Object(detail).to_string();
    Ok(())
}

fn unpack((id, format, stored, packed): ArchivedRow) -> Result<WholeLog, StoreError> {
    if stored == checksum(&packed) {
        WholeLog::unpack(id, format, &packed)
    } else {
        Err(StoreError::Damaged(format!("archived log of {id}: wrong checksum")))
    }
}

/// The checksum of a packed log: CRC-32.
#[must_use]
pub fn checksum(packed: &[u8]) -> i32 {
    i32::from_ne_bytes(crc32fast::hash(packed).to_ne_bytes())
}
