//! Everything about a match in one statement, hence in one snapshot.
//!
//! What is settled, the position, who sits where, the rounds that are over, and what the asker's idempotency key has
//! done. Loaded apart, seats and position could be of two moments, and a view would be drawn from the wrong seat.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{
    Binary, Integer, Json, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::gifts::GiftRow;
use super::idempotency::KeyRow;
use super::matches::{MatchRow, StateRow};
use super::rounds::RoundRow;
use super::seats::SeatRow;
use crate::ids::{AccountId, MatchId};

/// All rows of a match but the log.
pub struct TableRows {
    /// What is settled.
    pub row: MatchRow,
    /// What changes.
    pub state: StateRow,
    /// Who takes part, by seat.
    pub seats: Vec<SeatRow>,
    /// Rounds that are over, oldest first.
    pub rounds: Vec<RoundRow>,
    /// Dedications, oldest first.
    pub gifts: Vec<GiftRow>,
    /// What the key has done, if one was asked for.
    pub key: Option<KeyRow>,
}

/// A key of an account to look up in the same snapshot.
pub type AskedKey<'a> = Option<(AccountId, &'a str)>;

type Columns = (
    (SqlUuid, Text, Jsonb, Nullable<Text>, SmallInt, Text, Binary, Text),
    (Timestamptz, Nullable<Timestamptz>, Nullable<Timestamptz>),
    (SqlUuid, Integer, Text, SmallInt, Nullable<Binary>, Timestamptz),
    (Nullable<Json>, Nullable<Json>, Nullable<Json>),
    (Nullable<Binary>, Nullable<SqlUuid>, Nullable<Integer>, Nullable<SmallInt>),
);

type Loaded = (
    (Uuid, String, serde_json::Value, Option<String>, i16, String, Vec<u8>, String),
    (DateTime<Utc>, Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    StateRow,
    (Option<serde_json::Value>, Option<serde_json::Value>, Option<serde_json::Value>),
    (Option<Vec<u8>>, Option<Uuid>, Option<i32>, Option<i16>),
);

/// Loads a match, whoever asks: `seats` says who may see it.
///
/// # Errors
/// Those of the database; `Damaged`.
pub async fn table_load(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    key: AskedKey<'_>,
) -> Result<Option<TableRows>, StoreError> {
    let (account, key) = key.map_or((Uuid::nil(), ""), |(account, key)| (account.0, key));
    let statement = Statement { id: id.0, account, key };
    let loaded: Option<Loaded> = statement.get_result(&mut connection).await.optional()?;
    loaded.map(TableRows::try_from).transpose()
}

struct Statement<'a> {
    id: Uuid,
    account: Uuid,
    key: &'a str,
}

impl QueryId for Statement<'_> {
    type QueryId = Statement<'static>;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement<'_> {
    type SqlType = Columns;
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT m.id, m.code, m.rules, m.preset, m.size, m.seat_order, m.secret, m.commitment, \
             m.created_at, m.started_at, m.finished_at, \
             s.match_id, s.version, s.status, s.waiting_on, s.state, s.updated_at, \
             (SELECT json_agg(json_build_object('match_id', p.match_id, 'account_id', p.account_id, \
                 'username', a.username, 'seat', p.seat, 'client_seed', p.client_seed) ORDER BY p.seat) \
              FROM seats p JOIN accounts a ON a.id = p.account_id WHERE p.match_id = m.id), \
             (SELECT json_agg(json_build_object('round', r.round, 'starter', r.starter, \
                 'last_version', r.last_version, 'result', r.result, 'ended_at', r.ended_at) ORDER BY r.round) \
              FROM rounds r WHERE r.match_id = m.id), \
             (SELECT json_agg(json_build_object('round', g.round, 'seat', g.seat, 'text', g.text, \
                 'after_version', g.after_version) ORDER BY g.round) FROM gifts g WHERE g.match_id = m.id), \
             k.fingerprint, k.match_id, k.version, k.entries \
             FROM matches m JOIN match_states s ON s.match_id = m.id \
             LEFT JOIN idempotency_keys k ON k.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" AND k.key = ");
        out.push_bind_param::<Text, _>(self.key)?;
        out.push_sql(" WHERE m.id = ");
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        Ok(())
    }
}

impl TryFrom<Loaded> for TableRows {
    type Error = StoreError;

    fn try_from(loaded: Loaded) -> Result<Self, StoreError> {
        let (settled, times, state, (seats, rounds, gifts), key) = loaded;
        let (id, code, rules, preset, size, seat_order, secret, commitment) = settled;
        let (created_at, started_at, finished_at) = times;
        let row = MatchRow {
            id,
            code,
            rules,
            preset,
            size,
            seat_order,
            secret,
            commitment,
            created_at,
            started_at,
            finished_at,
        };
        let key = match key {
            (Some(fingerprint), Some(match_id), Some(version), Some(entries)) => {
                Some(KeyRow { fingerprint, match_id, version, entries })
            }
            _ => None,
        };
        Ok(Self {
            row,
            state,
            seats: parse(seats, "seats")?,
            rounds: parse(rounds, "rounds")?,
            gifts: parse(gifts, "gifts")?,
            key,
        })
    }
}

fn parse<T: serde::de::DeserializeOwned>(
    rows: Option<serde_json::Value>,
    what: &str,
) -> Result<Vec<T>, StoreError> {
    match rows {
        None => Ok(Vec::new()),
        Some(rows) => {
            serde_json::from_value(rows).map_err(|error| StoreError::Damaged(format!("{what}: {error}")))
        }
    }
}
