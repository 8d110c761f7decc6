//! Read-only queries of `fsck` on matches, in addition to `match_load` and the log: match identifiers, and
//! data about a match in other tables.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::matches::rounds::{RoundStart, round_start_list};
use crate::schema::{accounts, match_states, matches, open_matches, seats, standing_orders};
use crate::turns::standing_orders::STATE_WAITING;

/// Data about a match in other tables.
pub struct MatchAudit {
    /// The current time.
    pub now: DateTime<Utc>,
    /// Bitmask of the seats with a waiting standing order.
    pub ordered: i16,
    /// Seats with a waiting standing order, by the rows of `standing_orders`.
    pub orders: Vec<i16>,
    /// Players, by seat.
    pub seats: Vec<AuditSeat>,
    /// Stored round starts, oldest first.
    pub starts: Vec<RoundStart>,
    /// Its row in `open_matches`, if any.
    pub open: Option<AuditOpen>,
}

/// A row of `seats`.
#[derive(Clone, Debug, Queryable)]
pub struct AuditSeat {
    /// Account of the player.
    pub account: Uuid,
    /// Seat number.
    pub seat: i16,
    /// The player's seed for the shuffles.
    pub client_seed: String,
    /// When the match was marked as closed.
    pub closed_at: Option<DateTime<Utc>>,
    /// When the deletion of the account began.
    pub deletion_asked_at: Option<DateTime<Utc>>,
}

/// A row of `open_matches`.
#[derive(Clone, Debug, PartialEq, Queryable)]
pub struct AuditOpen {
    /// Join code.
    pub code: String,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// Free seats.
    pub free: i16,
    /// When the code expires.
    pub code_expires_at: Option<DateTime<Utc>>,
}

/// A page of match identifiers after one, in order.
///
/// # Errors
/// Any database error.
pub async fn match_id_list(
    mut connection: &AsyncPgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let after = matches::table.filter(matches::id.gt(after));
    Ok(after.order(matches::id).limit(limit).select(matches::id).load(&mut connection).await?)
}

/// The number of matches after an identifier.
///
/// # Errors
/// Any database error.
pub async fn match_count(mut connection: &AsyncPgConnection, after: Uuid) -> Result<i64, StoreError> {
    Ok(matches::table.filter(matches::id.gt(after)).count().get_result(&mut connection).await?)
}

/// Data about a match in other tables.
///
/// # Errors
/// Any database error.
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
        accounts::deletion_asked_at,
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
        starts: round_start_list(connection, id).await?,
        open: open.first(&mut connection).await.optional()?,
    })
}
