//! The one statement that changes a match in play.
//!
//! State, log, key and, where the action ended one, the round are written together or not at all, in one round trip
//! and prepared once a connection: diesel never caches an `UPDATE` of its own, therefore the statement is written out.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{
    Array, Binary, Bool, Integer, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::actions::ActionRow;
use super::error::StoreError;

/// Everything that one accepted request writes.
pub struct ActionSave<'a> {
    /// The match.
    pub match_id: Uuid,
    /// Version that was read; the write happens only if it is still this one.
    pub read_version: i32,
    /// Position after the action.
    pub state: &'a [u8],
    /// Seats that have to act now, a bit each.
    pub waiting_on: i16,
    /// Whether the action ended the match.
    pub finished: bool,
    /// Who acted.
    pub account_id: Uuid,
    /// Seat that acted.
    pub seat: i16,
    /// Round that the action belongs to.
    pub round: i16,
    /// Entries of the log: one, or two for a play with its slam-down.
    pub entries: &'a [SavedEntry],
    /// Idempotency key.
    pub key: &'a str,
    /// Fingerprint of the request.
    pub fingerprint: &'a [u8],
    /// The round that the action ended.
    pub ended: Option<EndedRound<'a>>,
}

/// An entry of the log, without what it shares with its neighbour.
#[derive(Clone, Debug)]
pub struct SavedEntry {
    /// Notation of the action.
    pub detail: String,
    /// Cards drawn from the stock, by their indexes.
    pub drew: Option<Vec<u8>>,
    /// `FLAG_…` bits of the log.
    pub flags: i16,
}

/// A round that an action ended.
pub struct EndedRound<'a> {
    /// Seat that played first.
    pub starter: i16,
    /// Result in the form of the record; none if unscored.
    pub result: Option<&'a serde_json::Value>,
}

impl ActionSave<'_> {
    /// The entries of the log as they were written at this time.
    pub fn rows(&self, at: DateTime<Utc>) -> Vec<ActionRow> {
        let row = |(number, entry): (i32, &SavedEntry)| ActionRow {
            match_id: self.match_id,
            version: self.read_version + number,
            account_id: self.account_id,
            kind: "action".to_owned(),
            round: self.round,
            seat: Some(self.seat),
            detail: entry.detail.clone(),
            drew: entry.drew.clone(),
            flags: entry.flags,
            at,
        };
        (1..).zip(self.entries).map(row).collect()
    }
}

/// Saves an action; answers when it was accepted, or nothing if the version has moved on (or the match is gone).
///
/// # Errors
/// `Taken("idempotency_keys_pkey")` if the key was used meanwhile; `Busy`; `ConnectionLost`, after which the
/// outcome is unknown.
pub async fn action_save(
    mut connection: &AsyncPgConnection,
    save: &ActionSave<'_>,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    let statement = Statement {
        save,
        count: i32::try_from(save.entries.len()).unwrap_or(i32::MAX),
        details: save.entries.iter().map(|entry| entry.detail.as_str()).collect(),
        drew: save.entries.iter().map(|entry| entry.drew.as_deref()).collect(),
        flags: save.entries.iter().map(|entry| entry.flags).collect(),
    };
    Ok(statement.get_result::<DateTime<Utc>>(&mut connection).await.optional()?)
}

struct Statement<'a> {
    save: &'a ActionSave<'a>,
    count: i32,
    details: Vec<&'a str>,
    drew: Vec<Option<&'a [u8]>>,
    flags: Vec<i16>,
}

impl QueryId for Statement<'_> {
    type QueryId = Statement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement<'_> {
    type SqlType = Timestamptz;
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let save = self.save;
        out.push_sql("WITH saved AS (UPDATE match_states SET version = version + ");
        out.push_bind_param::<Integer, _>(&self.count)?;
        out.push_sql(", state = ");
        out.push_bind_param::<Binary, _>(save.state)?;
        out.push_sql(", waiting_on = ");
        out.push_bind_param::<SmallInt, _>(&save.waiting_on)?;
        out.push_sql(", status = CASE WHEN ");
        out.push_bind_param::<Bool, _>(&save.finished)?;
        out.push_sql(" THEN 'finished' ELSE status END, updated_at = clock_timestamp() WHERE match_id = ");
        out.push_bind_param::<SqlUuid, _>(&save.match_id)?;
        out.push_sql(" AND version = ");
        out.push_bind_param::<Integer, _>(&save.read_version)?;
        out.push_sql(" RETURNING match_id, version, status, updated_at)");
        self.push_log(&mut out)?;
        self.push_key(&mut out)?;
        push_round(save, &mut out)?;
        out.push_sql(
            ", finished AS (UPDATE matches SET finished_at = saved.updated_at FROM saved \
             WHERE matches.id = saved.match_id AND saved.status = 'finished') \
             SELECT updated_at FROM saved",
        );
        Ok(())
    }
}

impl Statement<'_> {
    fn push_log<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            ", logged AS (INSERT INTO actions \
             (match_id, version, account_id, kind, round, seat, detail, drew, flags, at) SELECT match_id, ",
        );
        out.push_bind_param::<Integer, _>(&self.save.read_version)?;
        out.push_sql(" + entry.number::integer, ");
        out.push_bind_param::<SqlUuid, _>(&self.save.account_id)?;
        out.push_sql(", 'action', ");
        out.push_bind_param::<SmallInt, _>(&self.save.round)?;
        out.push_sql(", ");
        out.push_bind_param::<SmallInt, _>(&self.save.seat)?;
        out.push_sql(", entry.detail, entry.drew, entry.flags, updated_at FROM saved, unnest(");
        out.push_bind_param::<Array<Text>, _>(&self.details)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Nullable<Binary>>, _>(&self.drew)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SmallInt>, _>(&self.flags)?;
        out.push_sql(") WITH ORDINALITY AS entry (detail, drew, flags, number))");
        Ok(())
    }

    fn push_key<'b>(&'b self, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            ", keyed AS (INSERT INTO idempotency_keys \
             (account_id, key, fingerprint, match_id, version, entries, created_at) SELECT ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.save.account_id)?;
        out.push_sql(", ");
        out.push_bind_param::<Text, _>(self.save.key)?;
        out.push_sql(", ");
        out.push_bind_param::<Binary, _>(self.save.fingerprint)?;
        out.push_sql(", match_id, version, ");
        out.push_bind_param::<Integer, _>(&self.count)?;
        out.push_sql(", updated_at FROM saved)");
        Ok(())
    }
}

fn push_round<'b>(save: &'b ActionSave<'_>, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    out.push_sql(
        ", ended AS (INSERT INTO rounds (match_id, round, starter, last_version, result, ended_at) \
         SELECT match_id, ",
    );
    out.push_bind_param::<SmallInt, _>(&save.round)?;
    out.push_sql(", ");
    // Two parts, always bound, so that the statement is the same text every time.
    match &save.ended {
        Some(ended) => {
            out.push_bind_param::<Nullable<SmallInt>, _>(&ended.starter)?;
            out.push_sql(", version, ");
            out.push_bind_param::<Nullable<Jsonb>, _>(&ended.result)?;
        }
        None => {
            out.push_bind_param::<Nullable<SmallInt>, _>(&None::<i16>)?;
            out.push_sql(", version, ");
            out.push_bind_param::<Nullable<Jsonb>, _>(&None::<&serde_json::Value>)?;
        }
    }
    out.push_sql(", updated_at FROM saved WHERE ");
    out.push_bind_param::<Bool, _>(if save.ended.is_some() { &true } else { &false })?;
    out.push_sql(")");
    Ok(())
}
