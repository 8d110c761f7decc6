//! Leaderboards: pages of listed ratings with ranks. A page is read by index at any depth; a rank is a sum
//! over `rating_counts`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::{accounts, ratings};

/// An entry of a leaderboard.
#[derive(Clone, Debug, QueryableByName)]
pub struct ListedRow {
    /// Username of the account.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// Listed rating.
    #[diesel(sql_type = Integer)]
    pub listed: i32,
    /// Strength, in millionths.
    #[diesel(sql_type = Integer)]
    pub mu: i32,
    /// Uncertainty, in millionths.
    #[diesel(sql_type = Integer)]
    pub sigma: i32,
    /// Number of rated matches.
    #[diesel(sql_type = Integer)]
    pub matches: i32,
    /// When the newest of them ended.
    #[diesel(sql_type = Timestamptz)]
    pub last_at: DateTime<Utc>,
    /// Rank, from 1; equal ratings share it.
    #[diesel(sql_type = BigInt)]
    pub rank: i64,
}

/// Cursor in a leaderboard: by rating, then by account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPosition {
    /// The rating.
    pub listed: i32,
    /// The account.
    pub account_id: Uuid,
}

impl BoardPosition {
    /// Start of the leaderboard.
    pub const TOP: Self = Self { listed: i32::MAX, account_id: Uuid::max() };
}

/// Columns of an entry.
const COLUMNS: &str = "r.account_id, a.username, r.listed, r.mu, r.sigma, r.matches, r.last_at";
/// Listed ratings of preset $1 and kind $2.
const LISTED: &str = "FROM ratings r JOIN accounts a ON a.id = r.account_id \
     WHERE r.preset = $1 AND r.bots = $2 AND r.listed IS NOT NULL AND a.deletion_asked_at IS NULL";
/// The same with ranks.
const RANKED: &str = "ranks AS (SELECT c.rating, sum(c.players) OVER (ORDER BY c.rating DESC) - c.players + 1 AS rank \
     FROM rating_counts c WHERE c.preset = $1 AND c.bots = $2) \
     SELECT page.*, ranks.rank::bigint AS rank FROM page JOIN ranks ON ranks.rating = page.listed \
     ORDER BY page.listed DESC, page.account_id DESC";

/// A page of a leaderboard after a cursor, from the top down.
///
/// # Errors
/// Any database error.
pub async fn board_list(
    mut connection: &AsyncPgConnection,
    (preset, bots): (&str, bool),
    after: BoardPosition,
    limit: i64,
) -> Result<Vec<ListedRow>, StoreError> {
    Ok(diesel::sql_query(format!(
        "WITH page AS (SELECT {COLUMNS} {LISTED} AND (r.listed, r.account_id) < ($3, $4) \
         ORDER BY r.listed DESC, r.account_id DESC LIMIT $5), {RANKED}"
    ))
    .bind::<Text, _>(preset)
    .bind::<Bool, _>(bots)
    .bind::<Integer, _>(after.listed)
    .bind::<SqlUuid, _>(after.account_id)
    .bind::<BigInt, _>(limit)
    .load(&mut connection)
    .await?)
}

/// An account's entry and its neighbours, the given numbers before and after it, from the top down.
///
/// # Errors
/// Any database error.
pub async fn board_list_around(
    mut connection: &AsyncPgConnection,
    (preset, bots): (&str, bool),
    at: BoardPosition,
    (before, after): (i64, i64),
) -> Result<Vec<ListedRow>, StoreError> {
    Ok(diesel::sql_query(format!(
        "WITH page AS ((SELECT {COLUMNS} {LISTED} AND (r.listed, r.account_id) > ($3, $4) \
         ORDER BY r.listed, r.account_id LIMIT $5) UNION ALL \
         (SELECT {COLUMNS} {LISTED} AND (r.listed, r.account_id) <= ($3, $4) \
         ORDER BY r.listed DESC, r.account_id DESC LIMIT $6)), {RANKED}"
    ))
    .bind::<Text, _>(preset)
    .bind::<Bool, _>(bots)
    .bind::<Integer, _>(at.listed)
    .bind::<SqlUuid, _>(at.account_id)
    .bind::<BigInt, _>(before)
    .bind::<BigInt, _>(after.saturating_add(1))
    .load(&mut connection)
    .await?)
}

/// The number of entries of a leaderboard.
///
/// # Errors
/// Any database error.
pub async fn board_count(
    mut connection: &AsyncPgConnection,
    (preset, bots): (&str, bool),
) -> Result<i64, StoreError> {
    #[derive(QueryableByName)]
    struct Counted {
        #[diesel(sql_type = BigInt)]
        players: i64,
    }
    let counted: Counted = diesel::sql_query(
        "SELECT COALESCE(sum(players), 0)::bigint AS players FROM rating_counts WHERE preset = $1 AND bots = $2",
    )
    .bind::<Text, _>(preset)
    .bind::<Bool, _>(bots)
    .get_result(&mut connection)
    .await?;
    Ok(counted.players)
}

/// Position of an account on the leaderboard of a preset, and whether it is the leaderboard of bots; none if
/// not listed.
///
/// # Errors
/// Any database error.
pub async fn board_find(
    mut connection: &AsyncPgConnection,
    preset: &str,
    username: &str,
) -> Result<Option<(BoardPosition, bool)>, StoreError> {
    let found: Option<(Option<i32>, Uuid, bool)> = ratings::table
        .inner_join(accounts::table.on(accounts::id.eq(ratings::account_id)))
        .filter(accounts::username.eq(username).and(accounts::deletion_asked_at.is_null()))
        .filter(ratings::preset.eq(preset).and(ratings::listed.is_not_null()))
        .select((ratings::listed, ratings::account_id, ratings::bots))
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found
        .and_then(|(listed, account_id, bots)| Some((BoardPosition { listed: listed?, account_id }, bots))))
}
