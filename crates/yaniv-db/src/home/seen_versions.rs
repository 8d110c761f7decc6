//! The versions of matches that an account has seen, from `match_last_seen` and from its own entries in `actions`.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, Integer, Nullable, SmallInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matches::log::{FLAG_BOT, FLAG_MISSED, FLAG_ORDER, KIND_ACTION, KIND_NUDGED, KIND_RETURNED};
use crate::matches::my_turns::WaitingRow;

/// The version that an account has last seen of each match. A match may be missing if that was more than `depth`
/// entries ago.
///
/// # Errors
/// Any database error.
pub async fn seen_version_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    matches: &[WaitingRow],
    depth: i32,
) -> Result<Vec<(Uuid, i32)>, StoreError> {
    let statement = Statement {
        account: account.0,
        matches: matches.iter().map(|row| row.id).collect(),
        seats: matches.iter().map(|row| row.seat).collect(),
        // The own entry is searched only in the newest entries: a bot may have held the seat for long.
        after: matches.iter().map(|row| row.stands_at.version.saturating_sub(depth)).collect(),
    };
    let rows: Vec<(Uuid, Option<i32>)> = statement.get_results(&mut connection).await?;
    Ok(rows.into_iter().filter_map(|(id, version)| Some((id, version?))).collect())
}

struct Statement {
    account: Uuid,
    matches: Vec<Uuid>,
    seats: Vec<i16>,
    after: Vec<i32>,
}

impl QueryId for Statement {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement {
    type SqlType = (SqlUuid, Nullable<Integer>);
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT k.match_id, greatest(l.version, e.version) FROM unnest(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.matches)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<SmallInt>, _>(&self.seats)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.after)?;
        // Entries before the start have accounts, later ones seats.
        out.push_sql(
            ") AS k (match_id, seat, after) LEFT JOIN match_last_seen l ON l.match_id = k.match_id AND l.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(
            " LEFT JOIN LATERAL (SELECT a.version FROM actions a WHERE a.match_id = k.match_id \
             AND a.version > k.after AND (a.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        let [action, returned, nudged] = [KIND_ACTION, KIND_RETURNED, KIND_NUDGED].map(char::from);
        let by_itself = FLAG_MISSED | FLAG_BOT | FLAG_ORDER;
        out.push_sql(&format!(
            " OR a.seat = k.seat AND a.kind IN ('{action}', '{returned}', '{nudged}') AND a.flags & {by_itself} = 0) \
             ORDER BY a.version DESC LIMIT 1) e ON true"
        ));
        Ok(())
    }
}
