//! Filtered list of an account's matches, newest first, from `seats`, `matches` and `match_player_stats`.
//!
//! The statement contains only the conditions that were requested, so each combination of filters has its own
//! plan.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Bool, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;

/// Life-cycle stage of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Waiting for players.
    Waiting,
    /// Started, not over.
    Running,
    /// Over.
    Over,
}

/// Filters of the list.
#[derive(Clone, Debug, Default)]
pub struct HistoryFilter {
    /// Life-cycle stage.
    pub stage: Option<Stage>,
    /// Preset of the rules; empty: rules that equal no preset.
    pub preset: Option<String>,
    /// Account that must have another seat.
    pub opponent: Option<Uuid>,
    /// Won; or over and not won.
    pub won: Option<bool>,
    /// With or without a bot among the players.
    pub bots: Option<bool>,
    /// Public or private.
    pub public: Option<bool>,
    /// Rated or unrated.
    pub rated: Option<bool>,
    /// Created at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Created before this time.
    pub until: Option<DateTime<Utc>>,
    /// With a greater identifier; narrows the index scan for `since`.
    pub after_id: Option<Uuid>,
    /// With a lesser identifier: the cursor of the page, or narrows the index scan for `until`.
    pub before_id: Option<Uuid>,
}

/// A page of an account's matches, greatest identifier first.
///
/// # Errors
/// Any database error.
pub async fn history_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    filter: &HistoryFilter,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(Statement { account: account.0, filter, limit }.get_results(&mut connection).await?)
}

struct Statement<'a> {
    account: Uuid,
    filter: &'a HistoryFilter,
    limit: i64,
}

impl QueryId for Statement<'_> {
    type QueryId = Statement<'static>;
    /// The SQL depends on the filter.
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl Query for Statement<'_> {
    type SqlType = SqlUuid;
}

impl QueryFragment<Pg> for Statement<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let filter = self.filter;
        // Not cached: there are thousands of filter combinations, and no plan is right for every account.
        out.unsafe_to_cache_prepared();
        out.push_sql("SELECT s.match_id FROM seats s WHERE s.account_id = ");
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        if let Some(before) = &filter.before_id {
            out.push_sql(" AND s.match_id < ");
            out.push_bind_param::<SqlUuid, _>(before)?;
        }
        if let Some(after) = &filter.after_id {
            out.push_sql(" AND s.match_id > ");
            out.push_bind_param::<SqlUuid, _>(after)?;
        }
        of_match(filter, &mut out)?;
        if let Some(opponent) = &filter.opponent {
            out.push_sql(
                " AND EXISTS (SELECT 1 FROM seats o WHERE o.match_id = s.match_id AND o.account_id = ",
            );
            out.push_bind_param::<SqlUuid, _>(opponent)?;
            out.push_sql(")");
        }
        of_tally(filter, &mut out)?;
        out.push_sql(" ORDER BY s.match_id DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)
    }
}

/// Conditions on the match itself. Its immutable columns are copied next to the seat. Cancelled matches have
/// no seats.
fn of_match<'b>(filter: &'b HistoryFilter, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    let conditions = match filter.stage {
        None => "",
        Some(Stage::Waiting) => " AND m.started_at IS NULL AND m.finished_at IS NULL",
        Some(Stage::Running) => " AND m.started_at IS NOT NULL AND m.finished_at IS NULL",
        Some(Stage::Over) => " AND m.finished_at IS NOT NULL",
    };
    if matches!(filter.stage, Some(Stage::Waiting | Stage::Running)) {
        // Such a match cannot be marked as closed; unclosed seats have an index.
        out.push_sql(" AND s.closed_at IS NULL");
    }
    match &filter.preset {
        None => {}
        Some(preset) if preset.is_empty() => out.push_sql(" AND s.preset IS NULL"),
        Some(preset) => {
            out.push_sql(" AND s.preset = ");
            out.push_bind_param::<Text, _>(preset)?;
        }
    }
    match filter.public {
        None => {}
        Some(true) => out.push_sql(" AND s.public"),
        Some(false) => out.push_sql(" AND NOT s.public"),
    }
    match filter.rated {
        None => {}
        Some(true) => out.push_sql(" AND s.rated"),
        Some(false) => out.push_sql(" AND NOT s.rated"),
    }
    let dated = filter.since.is_some() || filter.until.is_some();
    if conditions.is_empty() && !dated {
        return Ok(());
    }
    out.push_sql(" AND EXISTS (SELECT 1 FROM matches m WHERE m.id = s.match_id");
    out.push_sql(conditions);
    if let Some(since) = &filter.since {
        out.push_sql(" AND m.created_at >= ");
        out.push_bind_param::<Timestamptz, _>(since)?;
    }
    if let Some(until) = &filter.until {
        out.push_sql(" AND m.created_at < ");
        out.push_bind_param::<Timestamptz, _>(until)?;
    }
    out.push_sql(")");
    Ok(())
}

/// Conditions on the tally: result of the account, and opponents. Opponents in a match not counted yet are
/// looked up in `seats`.
fn of_tally<'b>(filter: &'b HistoryFilter, out: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
    if let Some(won) = filter.won {
        out.push_sql(
            " AND EXISTS (SELECT 1 FROM match_player_stats t WHERE t.account_id = s.account_id \
             AND t.match_id = s.match_id AND t.place ",
        );
        out.push_sql(if won { "= 1)" } else { "> 1)" });
    }
    if let Some(bots) = &filter.bots {
        out.push_sql(
            " AND coalesce((SELECT t.bots FROM match_player_stats t WHERE t.account_id = s.account_id \
             AND t.match_id = s.match_id), (SELECT bool_or(a.kind = 'bot') FROM seats b \
             JOIN accounts a ON a.id = b.account_id WHERE b.match_id = s.match_id)) = ",
        );
        out.push_bind_param::<Bool, _>(bots)?;
    }
    Ok(())
}
