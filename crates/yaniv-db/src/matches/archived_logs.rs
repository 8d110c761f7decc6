//! Rows of `archived_logs`: packed logs of matches that are over, in place of their rows in `actions` and `rounds`.
//!
//! A match is archived once and stays so. Readers of a log look into the hot tables first, and here if they find
//! nothing: whichever of two statements sees the move, one of them finds the whole log.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Interval, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::idempotency::StoredKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::matches::log::{ActionRow, KIND_CALENDAR, KIND_STARTED};
use crate::matches::packed_log::{FORMAT, WholeLog, short_key};
use crate::schema::{actions, archived_logs, match_states, matches, rounds, seats};

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

/// The archived logs of those of these matches that are archived.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn archived_log_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<(Uuid, WholeLog)>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<ArchivedRow> =
        archived_logs::table.filter(archived_logs::match_id.eq_any(ids)).load(&mut connection).await?;
    rows.into_iter().map(|row| Ok((row.0, unpack(row)?))).collect()
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
    let made: Vec<&ActionRow> =
        log.entries.iter().filter(|entry| entry.key_hash == Some(short_hash)).collect();
    Ok(made.last().map(|last| StoredKey {
        // As far as its bits are kept, the fingerprint is that of the request or is not.
        fingerprint: if last.fingerprint == Some(short_fingerprint) { fingerprint } else { !fingerprint },
        match_id: id,
        version: last.version,
        entries: made.len(),
    }))
}

/// Matches that ended at least this long ago and are not archived yet, oldest end first, except the given ones. Those
/// that are still to be counted, rated or announced are left out.
///
/// # Errors
/// Any database error.
pub async fn archive_candidate_list(
    mut connection: &AsyncPgConnection,
    ended: TimeDelta,
    except: &[Uuid],
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Candidate {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let found: Vec<Candidate> = diesel::sql_query(
        "SELECT m.id FROM matches m WHERE m.archived_at IS NULL AND m.finished_at <= now() - $1 AND m.id <> ALL ($2) \
         AND NOT (m.rated AND m.rated_at IS NULL AND m.started_at IS NOT NULL) \
         AND NOT EXISTS (SELECT 1 FROM rounds r WHERE r.match_id = m.id AND r.counted_at IS NULL) \
         AND NOT EXISTS (SELECT 1 FROM notification_positions n WHERE n.match_id = m.id) \
         ORDER BY m.finished_at LIMIT $3",
    )
    .bind::<Interval, _>(ended)
    .bind::<Array<SqlUuid>, _>(except)
    .bind::<BigInt, _>(limit)
    .load(&mut connection)
    .await?;
    Ok(found.into_iter().map(|row| row.id).collect())
}

/// Locks a match that is not archived yet; `false` if another session has locked it or it is archived.
///
/// # Errors
/// Any database error.
pub async fn archive_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<bool, StoreError> {
    let locked: Option<Uuid> = match_states::table
        .find(id.0)
        .select(match_states::match_id)
        .for_update()
        .skip_locked()
        .first(&mut connection)
        .await
        .optional()?;
    let waiting = matches::table.find(id.0).filter(matches::archived_at.is_null());
    Ok(locked.is_some() && diesel::select(diesel::dsl::exists(waiting)).get_result(&mut connection).await?)
}

/// Moves the log of a match, which the transaction has locked, from the hot tables to its archived row.
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
    let deleted = diesel::delete(rounds::table.filter(rounds::match_id.eq(id.0))).execute(&mut connection);
    // The deletion of an account may have changed an entry meanwhile.
    if deleted.await? != log.rounds.len() || entries != log.entries {
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
    diesel::update(matches::table.find(id.0))
        .set(matches::archived_at.eq(diesel::dsl::sql("clock_timestamp()")))
        .execute(&mut connection)
        .await?;
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
        let log = unpack(row)?;
        let mut erased = log.clone();
        for entry in &mut erased.entries {
            erase_calendar(entry, account, seat)?;
        }
        if erased == log {
            continue;
        }
        let packed = erased.pack()?;
        let changes = (archived_logs::checksum.eq(checksum(&packed)), archived_logs::packed.eq(&packed));
        diesel::update(archived_logs::table.find(id)).set(changes).execute(&mut connection).await?;
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
    let damaged = |error| StoreError::Damaged(format!("detail of version {}: {error}", entry.version));
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

fn checksum(packed: &[u8]) -> i32 {
    i32::from_ne_bytes(crc32fast::hash(packed).to_ne_bytes())
}
