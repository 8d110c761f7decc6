//! What `fsck` reads of matches besides `table_load` and the log: which there are, and what is noted about them elsewhere. Reads only.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_read;
use super::error::StoreError;
use super::schema::{accounts, match_states, matches, open_matches, seats, standing_orders};
use super::standing_orders::STATE_WAITING;
use crate::ids::MatchId;

/// What is noted of a match elsewhere.
pub struct MatchAudit {
    /// The time now.
    pub now: DateTime<Utc>,
    /// Seats that have a standing order waiting, a bit each.
    pub ordered: i16,
    /// The same by their rows.
    pub orders: Vec<i16>,
    /// Who takes part, by seat.
    pub seats: Vec<AuditSeat>,
    /// The match in the list of open ones.
    pub open: Option<AuditOpen>,
}

/// A row of `seats`.
#[derive(Clone, Debug, Queryable)]
pub struct AuditSeat {
    /// Who it is.
    pub account: Uuid,
    /// The number.
    pub seat: i16,
    /// Their part of the shuffles.
    pub client_seed: String,
    /// When it was noted that the match is over.
    pub closed_at: Option<DateTime<Utc>>,
    /// When the account was deleted.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// A row of `open_matches`.
#[derive(Clone, Debug, PartialEq, Queryable)]
pub struct AuditOpen {
    /// Code to join by.
    pub code: String,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats.
    pub size: i16,
    /// Seats that nobody has.
    pub free: i16,
    /// When the code no longer lets anybody in.
    pub code_expires_at: Option<DateTime<Utc>>,
}

/// Matches after one, by identifier.
///
/// # Errors
/// Only those of the database.
pub async fn match_id_list(
    mut connection: &AsyncPgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let after = matches::table.filter(matches::id.gt(after));
    Ok(after.order(matches::id).limit(limit).select(matches::id).load(&mut connection).await?)
}

/// How many matches there are after one.
///
/// # Errors
/// Only those of the database.
pub async fn match_count(mut connection: &AsyncPgConnection, after: Uuid) -> Result<i64, StoreError> {
    Ok(matches::table.filter(matches::id.gt(after)).count().get_result(&mut connection).await?)
}

/// What is noted of a match elsewhere.
///
/// # Errors
/// Only those of the database.
pub async fn match_audit(mut connection: &AsyncPgConnection, id: MatchId) -> Result<MatchAudit, StoreError> {
    let ordered = match_states::table.find(id.0).select(match_states::ordered);
    let waiting = standing_orders::match_id.eq(id.0).and(standing_orders::state.eq(STATE_WAITING));
    let orders = standing_orders::table.filter(waiting).select(standing_orders::seat);
    let taken = seats::table.inner_join(accounts::table.on(accounts::id.eq(seats::account_id)));
    let taken = taken.filter(seats::match_id.eq(id.0)).order((seats::seat, seats::account_id));
    let taken = taken.select((
        seats::account_id,
        seats::seat,
        seats::client_seed,
        seats::closed_at,
        accounts::deleted_at,
    ));
    let open = open_matches::table.find(id.0).select((
        open_matches::code,
        open_matches::preset,
        open_matches::size,
        open_matches::free,
        open_matches::code_expires_at,
    ));
    Ok(MatchAudit {
        now: clock_read(connection).await?,
        ordered: ordered.first(&mut connection).await.optional()?.unwrap_or_default(),
        orders: orders.load(&mut connection).await?,
        seats: taken.load(&mut connection).await?,
        open: open.first(&mut connection).await.optional()?,
    })
}
