//! Rows of `seats`: the players of a match. An account without a row has no access as a player.

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, SmallInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::account_rows::KIND_BOT;
use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::kernel::prepared::Prepared;
use crate::schema::{accounts, match_states, seats};

/// A player of a match, with the names of the account.
#[derive(Clone, Debug, PartialEq, Queryable, serde::Deserialize)]
pub struct SeatRow {
    /// The match.
    pub match_id: Uuid,
    /// Account of the player.
    pub account_id: Uuid,
    /// Username of the account.
    pub username: String,
    /// Display name of the account.
    pub display_name: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// Level of play, for house bots only.
    pub level: Option<String>,
    /// Joining order before the start; seat at the table after it.
    pub seat: i16,
    /// The player's seed for the shuffles.
    pub client_seed: String,
}

/// Players of these matches, by match and seat.
///
/// # Errors
/// Any database error.
pub async fn seat_list(
    mut connection: &AsyncPgConnection,
    matches: &[Uuid],
) -> Result<Vec<SeatRow>, StoreError> {
    Ok(seats::table
        .inner_join(accounts::table)
        .filter(seats::match_id.eq_any(matches))
        .order((seats::match_id, seats::seat))
        .select((
            seats::match_id,
            seats::account_id,
            accounts::username,
            accounts::display_name,
            accounts::kind.eq(KIND_BOT),
            accounts::level,
            seats::seat,
            seats::client_seed,
        ))
        .load(&mut connection)
        .await?)
}

/// A page of the matches in which an account has a seat, after an identifier, by identifier.
///
/// # Errors
/// Any database error.
pub async fn seat_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(seats::table
        .filter(seats::account_id.eq(account.0))
        .filter(seats::match_id.gt(after))
        .order(seats::match_id)
        .limit(limit)
        .select(seats::match_id)
        .load(&mut connection)
        .await?)
}

/// Waiting and running matches in which an account has a seat.
///
/// # Errors
/// Any database error.
pub async fn seat_open_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(seats::table
        .inner_join(match_states::table.on(match_states::match_id.eq(seats::match_id)))
        .filter(seats::account_id.eq(account.0))
        .filter(seats::closed_at.is_null())
        .filter(match_states::status.eq_any(["waiting", "running"]))
        .order(seats::match_id)
        .select(seats::match_id)
        .load(&mut connection)
        .await?)
}

/// Numbers of matches in which an account has a seat.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct OpenSeats {
    /// Of those that have not started.
    #[diesel(sql_type = BigInt)]
    pub waiting: i64,
    /// Of those that run.
    #[diesel(sql_type = BigInt)]
    pub running: i64,
}

/// Numbers of waiting and of running matches in which an account has a seat, among 3,000 that are not marked as closed.
///
/// # Errors
/// Any database error.
pub async fn seat_count_open(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<OpenSeats, StoreError> {
    let query = diesel::sql_query(
        "SELECT count(*) FILTER (WHERE m.status = 'waiting') AS waiting, \
         count(*) FILTER (WHERE m.status = 'running') AS running FROM (SELECT match_id FROM seats \
         WHERE account_id = $1 AND closed_at IS NULL LIMIT 3000) s JOIN match_states m ON m.match_id = s.match_id",
    );
    Ok(query.bind::<SqlUuid, _>(account.0).get_result(&mut connection).await?)
}

/// Matches of an account that are not marked as closed.
///
/// # Errors
/// Any database error.
pub async fn seat_unclosed_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(seats::table
        .filter(seats::account_id.eq(account.0).and(seats::closed_at.is_null()))
        .order(seats::match_id)
        .select(seats::match_id)
        .load(&mut connection)
        .await?)
}

/// Adds a player, in a transaction that has locked the match.
///
/// # Errors
/// `Taken("seats_pkey")` if the account already has a seat.
pub async fn seat_insert_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    account: AccountId,
    seat: i16,
    client_seed: &str,
) -> Result<(), StoreError> {
    diesel::insert_into(seats::table)
        .values((
            seats::match_id.eq(match_id.0),
            seats::account_id.eq(account.0),
            seats::seat.eq(seat),
            seats::client_seed.eq(client_seed),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Adds all players of a match that is created with them.
///
/// # Errors
/// Any database error.
pub async fn seat_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    players: &[(AccountId, i16, &str)],
) -> Result<(), StoreError> {
    // The statement for one row is prepared once.
    if let [(account, seat, client_seed)] = *players {
        return seat_insert_in_txn(connection, match_id, account, seat, client_seed).await;
    }
    let rows: Vec<_> = players
        .iter()
        .map(|&(account, seat, client_seed)| {
            (
                seats::match_id.eq(match_id.0),
                seats::account_id.eq(account.0),
                seats::seat.eq(seat),
                seats::client_seed.eq(client_seed),
            )
        })
        .collect();
    diesel::insert_into(seats::table).values(rows).execute(&mut connection).await?;
    Ok(())
}

/// Deletes a seat, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn seat_delete_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(seats::table.find((match_id.0, account.0))).execute(&mut connection).await?;
    Ok(())
}

/// Assigns the players' seats at the table, at the start.
///
/// # Errors
/// Any database error.
pub async fn seat_move_all_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    (accounts, seats): (&[Uuid], &[i16]),
) -> Result<(), StoreError> {
    // Without a join: PostgreSQL would not use a generic plan for it, but plan it for each execution.
    let update = diesel::sql_query(
        "UPDATE seats SET seat = ($3)[array_position($2, account_id)] \
         WHERE match_id = $1 AND seat <> ($3)[array_position($2, account_id)]",
    );
    let update = update
        .bind::<SqlUuid, _>(match_id.0)
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<SmallInt>, _>(seats);
    Prepared(update).execute(&mut connection).await?;
    Ok(())
}

/// Marks a match as closed, so that queries for open matches skip its seats.
///
/// # Errors
/// Any database error.
pub async fn seat_close(mut connection: &AsyncPgConnection, match_id: MatchId) -> Result<(), StoreError> {
    diesel::update(seats::table)
        .filter(seats::match_id.eq(match_id.0).and(seats::closed_at.is_null()))
        .set(seats::closed_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Marks finished matches as closed where this was missed when they ended, up to `most` seats. Returns the
/// number of seats.
///
/// # Errors
/// Any database error.
pub async fn seat_close_over(mut connection: &AsyncPgConnection, most: i64) -> Result<usize, StoreError> {
    let over = seats::table
        .inner_join(match_states::table.on(match_states::match_id.eq(seats::match_id)))
        .filter(seats::closed_at.is_null().and(match_states::status.eq_any(["finished", "cancelled"])))
        .select(seats::match_id)
        .limit(most);
    let ids: Vec<Uuid> = over.load(&mut connection).await?;
    Ok(diesel::update(seats::table)
        .filter(seats::match_id.eq_any(ids).and(seats::closed_at.is_null()))
        .set(seats::closed_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?)
}
