//! Leaderboards: pages of those ratings that are listed, with their ranks. A page is found by an index whatever comes before
//! it, and a rank is a sum over `rating_counts`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::{accounts, ratings};

/// Somebody on a leaderboard.
#[derive(Clone, Debug, QueryableByName)]
pub struct ListedRow {
    /// The account's name.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// The rating under which it is listed.
    #[diesel(sql_type = Integer)]
    pub listed: i32,
    /// Strength, in millionths.
    #[diesel(sql_type = Integer)]
    pub mu: i32,
    /// Uncertainty, in millionths.
    #[diesel(sql_type = Integer)]
    pub sigma: i32,
    /// Rated matches.
    #[diesel(sql_type = Integer)]
    pub matches: i32,
    /// When the newest of them ended.
    #[diesel(sql_type = Timestamptz)]
    pub last_at: DateTime<Utc>,
    /// Place, from 1; those with the same rating share it.
    #[diesel(sql_type = BigInt)]
    pub rank: i64,
}

/// Where somebody is on a leaderboard: by rating, and by account where ratings are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardPosition {
    /// The rating.
    pub listed: i32,
    /// The account.
    pub account_id: Uuid,
}

impl BoardPosition {
    /// Before everybody.
    pub const TOP: Self = Self { listed: i32::MAX, account_id: Uuid::max() };
}

/// What a page shows of those in it.
const COLUMNS: &str = "r.account_id, a.username, r.listed, r.mu, r.sigma, r.matches, r.last_at";
/// Those listed, of $1 and $2.
const LISTED: &str = "FROM ratings r JOIN accounts a ON a.id = r.account_id \
     WHERE r.preset = $1 AND r.bots = $2 AND r.listed IS NOT NULL AND a.deletion_asked_at IS NULL";
/// The same with their ranks.
const RANKED: &str = "ranks AS (SELECT c.rating, sum(c.players) OVER (ORDER BY c.rating DESC) - c.players + 1 AS rank \
     FROM rating_counts c WHERE c.preset = $1 AND c.bots = $2) \
     SELECT page.*, ranks.rank::bigint AS rank FROM page JOIN ranks ON ranks.rating = page.listed \
     ORDER BY page.listed DESC, page.account_id DESC";

/// Those on a leaderboard behind a position, from the top down.
///
/// # Errors
/// Only those of the database.
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

/// Somebody on a leaderboard, so many before, and so many after, from the top down.
///
/// # Errors
/// Only those of the database.
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

/// How many are on a leaderboard.
///
/// # Errors
/// Only those of the database.
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

/// Where an account is on the leaderboard of a preset, and whether that is the one of bots; none if it is on none.
///
/// # Errors
/// Only those of the database.
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
