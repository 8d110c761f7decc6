//! Loads all rows of a match in one statement, hence in one snapshot. The rounds of an archived match, which do not change
//! any more, take a second one.
//!
//! Settings, state, seats, finished rounds, and used idempotency keys. Loaded separately, seats and state
//! could be of two moments, and a view would be drawn for the wrong seat.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Json, Jsonb, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::lobby::join_codes::JoinCodeRow;
use crate::matches::archived_logs::{archived_log_find, archived_log_list};
use crate::matches::dedications::{BLOCKS, DedicationRow, HIDING};
use crate::matches::match_rows::{MatchRow, StateRow};
use crate::matches::rounds::RoundRow;
use crate::matches::seats::SeatRow;

/// All rows of a match except the log.
pub struct MatchRows {
    /// Settings.
    pub row: MatchRow,
    /// State.
    pub state: StateRow,
    /// Players, by seat.
    pub seats: Vec<SeatRow>,
    /// Finished rounds, oldest first.
    pub rounds: Vec<RoundRow>,
    /// Dedications, oldest first.
    pub dedications: Vec<DedicationRow>,
    /// Hashes of the idempotency keys of its writes, oldest first; none of an archived match.
    pub keys: Vec<i64>,
    /// Join codes after the first, oldest first.
    pub codes: Vec<JoinCodeRow>,
    /// Blocks between its players (blocker, blocked), in a match with dedications.
    pub blocks: Vec<(Uuid, Uuid)>,
    /// Number that changes with the visibility of dedications, as in `MatchVersion`.
    pub hiding: i64,
}

impl MatchRows {
    /// Whether its rounds may be in `archived_logs`: it is over, and has none in `rounds`.
    fn may_be_archived(&self) -> bool {
        self.row.finished_at.is_some() && self.rounds.is_empty()
    }
}

type Columns = (
    (SqlUuid, Text, Jsonb, Nullable<Text>, SmallInt, Text, Binary, Text),
    (
        Timestamptz,
        Nullable<Timestamptz>,
        Nullable<Timestamptz>,
        Text,
        Nullable<Timestamptz>,
        Nullable<Json>,
        Bool,
        Bool,
    ),
    (
        SqlUuid,
        Integer,
        Text,
        SmallInt,
        Nullable<Binary>,
        Timestamptz,
        SmallInt,
        Nullable<Timestamptz>,
        Nullable<Text>,
    ),
    (
        Nullable<Json>,
        Nullable<Json>,
        Nullable<Json>,
        Nullable<Array<BigInt>>,
        Nullable<Json>,
        Nullable<Json>,
        BigInt,
    ),
);

type Loaded = (
    (Uuid, String, serde_json::Value, Option<String>, i16, String, Vec<u8>, String),
    (
        DateTime<Utc>,
        Option<DateTime<Utc>>,
        Option<DateTime<Utc>>,
        String,
        Option<DateTime<Utc>>,
        Option<serde_json::Value>,
        bool,
        bool,
    ),
    StateRow,
    (
        Option<serde_json::Value>,
        Option<serde_json::Value>,
        Option<serde_json::Value>,
        Option<Vec<i64>>,
        Option<serde_json::Value>,
        Option<serde_json::Value>,
        i64,
    ),
);

/// Loads a match. Does not check access: `seats` decides that.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn match_load(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<MatchRows>, StoreError> {
    let loaded: Option<Loaded> = One { id: id.0 }.get_result(&mut connection).await.optional()?;
    let Some(mut rows) = loaded.map(MatchRows::try_from).transpose()? else { return Ok(None) };
    if rows.may_be_archived()
        && let Some(log) = archived_log_find(connection, id).await?
    {
        rows.rounds = log.rounds;
    }
    Ok(Some(rows))
}

/// Loads several matches, in any order. One whose archived log is damaged is left out, and logged. Does not check access:
/// `seats` decides that.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn match_load_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<MatchRows>, StoreError> {
    let loaded: Vec<Loaded> = Several { ids: ids.to_vec() }.get_results(&mut connection).await?;
    let mut all = loaded.into_iter().map(MatchRows::try_from).collect::<Result<Vec<_>, _>>()?;
    let archived: Vec<Uuid> =
        all.iter().filter(|rows| rows.may_be_archived()).map(|rows| rows.row.id).collect();
    for (id, log) in archived_log_list(connection, &archived).await? {
        match log {
            Ok(log) => all
                .iter_mut()
                .filter(|rows| rows.row.id == id)
                .for_each(|rows| rows.rounds.clone_from(&log.rounds)),
            Err(error) => {
                tracing::error!(%error, "a match cannot be loaded");
                all.retain(|rows| rows.row.id != id);
            }
        }
    }
    Ok(all)
}

struct One {
    id: Uuid,
}

struct Several {
    ids: Vec<Uuid>,
}

impl QueryId for One {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for One {
    type SqlType = Columns;
}

impl QueryFragment<Pg> for One {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        push_select(&mut out);
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        Ok(())
    }
}

impl QueryId for Several {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Several {
    type SqlType = Columns;
}

impl QueryFragment<Pg> for Several {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        push_select(&mut out);
        out.push_sql("ANY(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.ids)?;
        out.push_sql(")");
        Ok(())
    }
}

/// The statement without the identifiers.
fn push_select(out: &mut AstPass<'_, '_, Pg>) {
    out.push_sql(
        "SELECT m.id, m.code, coalesce(m.rules, (SELECT k.rules FROM shared_settings k WHERE k.id = m.settings_id)), \
         m.preset, m.size, m.seat_order, m.secret, m.commitment, \
         m.created_at, m.started_at, m.finished_at, m.visibility, m.code_expires_at, \
         coalesce(m.pace, (SELECT k.pace FROM shared_settings k WHERE k.id = m.settings_id)), m.sandbox, m.rated, \
         s.match_id, s.version, s.status, s.waiting_on, s.state, s.updated_at, s.gifts, s.check_at, s.clocks, \
         (SELECT json_agg(json_build_object('match_id', p.match_id, 'account_id', p.account_id, \
             'username', a.username, 'display_name', a.display_name, 'bot', a.kind = 'bot', 'level', a.level, 'seat', p.seat, 'client_seed', p.client_seed) ORDER BY p.seat) \
          FROM seats p JOIN accounts a ON a.id = p.account_id WHERE p.match_id = m.id), \
         (SELECT json_agg(json_build_object('round', r.round, 'starter', r.starter, \
             'last_version', r.last_version, 'result', r.result, 'ended_at', r.ended_at) ORDER BY r.round) \
          FROM rounds r WHERE r.match_id = m.id), \
         (SELECT json_agg(json_build_object('round', g.round, 'seat', g.seat, 'text', g.text, \
             'after_version', g.after_version) ORDER BY g.round) FROM dedications g WHERE g.match_id = m.id), \
         (SELECT array_agg(l.key_hash ORDER BY l.version) FROM actions l \
          WHERE l.match_id = m.id AND l.key_hash IS NOT NULL), \
         (SELECT json_agg(json_build_object('match_id', c.match_id, 'version', c.version, 'code', c.code, \
             'expires_at', c.expires_at) ORDER BY c.version) FROM join_codes c WHERE c.match_id = m.id), ",
    );
    out.push_sql(BLOCKS);
    out.push_sql(", ");
    out.push_sql(HIDING);
    out.push_sql(" FROM matches m JOIN match_states s ON s.match_id = m.id WHERE m.id = ");
}

impl TryFrom<Loaded> for MatchRows {
    type Error = StoreError;

    fn try_from(loaded: Loaded) -> Result<Self, StoreError> {
        let (settled, times, state, (seats, rounds, dedications, keys, codes, blocks, hiding)) = loaded;
        let (id, code, rules, preset, size, seat_order, secret, commitment) = settled;
        let (created_at, started_at, finished_at, visibility, code_expires_at, pace, sandbox, rated) = times;
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
            visibility,
            code_expires_at,
            pace,
            sandbox,
            rated,
        };
        Ok(Self {
            row,
            state,
            seats: parse(seats, "seats")?,
            rounds: parse(rounds, "rounds")?,
            dedications: parse(dedications, "dedications")?,
            keys: keys.unwrap_or_default(),
            codes: parse(codes, "codes")?,
            blocks: parse(blocks, "blocks")?,
            hiding,
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
