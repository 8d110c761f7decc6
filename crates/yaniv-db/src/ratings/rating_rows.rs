//! Rows of `ratings` (current ratings) and `rating_counts` (number of listed players per rating), updated
//! together. Written under the lock of `ratings::queue`.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Double, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;

/// Rating of an account after its newest match on a leaderboard.
#[derive(Clone, Debug)]
pub struct NewRating {
    /// The account.
    pub account_id: Uuid,
    /// Strength, in millionths.
    pub mu: i32,
    /// Uncertainty, in millionths.
    pub sigma: i32,
    /// Number of rated matches.
    pub matches: i32,
    /// When the newest of them ended.
    pub last_at: DateTime<Utc>,
    /// Rating to be listed; none while provisional.
    pub listed: Option<i32>,
}

/// A rating of an account, with its position on the leaderboard.
#[derive(Clone, Debug, QueryableByName)]
pub struct RatingRow {
    /// Preset of the leaderboard.
    #[diesel(sql_type = Text)]
    pub preset: String,
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
    /// Number of entries before it, if listed.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub before: Option<i64>,
    /// Number of entries.
    #[diesel(sql_type = BigInt)]
    pub players: i64,
}

/// SQL that updates the counts from the rows of `gone` and `saved`.
const COUNT: &str = "INSERT INTO rating_counts (preset, bots, rating, players) \
     SELECT preset, bots, listed, sum(n) FROM (SELECT preset, bots, listed, 1 AS n FROM saved \
     UNION ALL SELECT preset, bots, listed, -1 FROM gone) AS changed \
     WHERE listed IS NOT NULL GROUP BY 1, 2, 3 HAVING sum(n) <> 0 ORDER BY 1, 2, 3 \
     ON CONFLICT (preset, bots, rating) DO UPDATE SET players = rating_counts.players + EXCLUDED.players";

/// Stores ratings of a leaderboard. Accounts that have been inactive for longer than this, or are being
/// deleted, are not listed.
///
/// # Errors
/// Any database error.
pub async fn rating_save_all_in_txn(
    mut connection: &AsyncPgConnection,
    (preset, bots): (&str, bool),
    rows: &[NewRating],
    kept: TimeDelta,
) -> Result<(), StoreError> {
    let column = |of: fn(&NewRating) -> i32| rows.iter().map(of).collect::<Vec<i32>>();
    diesel::sql_query(format!(
        "WITH asked AS (SELECT n.*, CASE WHEN n.last_at > now() - make_interval(secs => $9) \
         AND a.deletion_asked_at IS NULL THEN n.shown END AS listed \
         FROM unnest($3::uuid[], $4::integer[], $5::integer[], $6::integer[], $7::timestamptz[], $8::integer[]) \
         AS n (account_id, mu, sigma, matches, last_at, shown) JOIN accounts a ON a.id = n.account_id), \
         gone AS (SELECT r.preset, r.bots, r.listed FROM ratings r JOIN asked ON asked.account_id = r.account_id \
         WHERE r.preset = $1), \
         saved AS (INSERT INTO ratings (account_id, preset, bots, mu, sigma, matches, last_at, listed) \
         SELECT account_id, $1, $2, mu, sigma, matches, last_at, listed FROM asked \
         ON CONFLICT (account_id, preset) DO UPDATE SET bots = EXCLUDED.bots, mu = EXCLUDED.mu, sigma = EXCLUDED.sigma, \
         matches = EXCLUDED.matches, last_at = EXCLUDED.last_at, listed = EXCLUDED.listed \
         RETURNING preset, bots, listed) {COUNT}"
    ))
    .bind::<Text, _>(preset)
    .bind::<Bool, _>(bots)
    .bind::<Array<SqlUuid>, _>(rows.iter().map(|row| row.account_id).collect::<Vec<_>>())
    .bind::<Array<Integer>, _>(column(|row| row.mu))
    .bind::<Array<Integer>, _>(column(|row| row.sigma))
    .bind::<Array<Integer>, _>(column(|row| row.matches))
    .bind::<Array<Timestamptz>, _>(rows.iter().map(|row| row.last_at).collect::<Vec<_>>())
    .bind::<Array<Nullable<Integer>>, _>(rows.iter().map(|row| row.listed).collect::<Vec<_>>())
    .bind::<Double, _>(kept.as_seconds_f64())
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Unlists a batch of ratings without a rated match for longer than this. Returns whether there may be more.
///
/// # Errors
/// Any database error.
pub async fn rating_unlist_idle_in_txn(
    mut connection: &AsyncPgConnection,
    kept: TimeDelta,
    most: i64,
) -> Result<bool, StoreError> {
    let unlisted: Vec<Unlisted> =
        diesel::sql_query(unlist("last_at <= now() - make_interval(secs => $1) ORDER BY last_at LIMIT $2"))
            .bind::<Double, _>(kept.as_seconds_f64())
            .bind::<BigInt, _>(most)
            .load(&mut connection)
            .await?;
    Ok(unlisted.iter().any(|unlisted| unlisted.count >= most))
}

/// Unlists all ratings of an account.
///
/// # Errors
/// Any database error.
pub async fn rating_unlist_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::sql_query(unlist("account_id = $1"))
        .bind::<SqlUuid, _>(account.0)
        .load::<Unlisted>(&mut connection)
        .await?;
    Ok(())
}

/// Ratings of an account, by preset.
///
/// # Errors
/// Any database error.
pub async fn rating_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<RatingRow>, StoreError> {
    Ok(diesel::sql_query(
        "SELECT r.preset, r.mu, r.sigma, r.matches, r.last_at, \
         CASE WHEN r.listed IS NOT NULL THEN counts.before END AS before, counts.players FROM ratings r, LATERAL \
         (SELECT COALESCE(sum(c.players) FILTER (WHERE c.rating > r.listed), 0)::bigint AS before, \
          COALESCE(sum(c.players), 0)::bigint AS players \
          FROM rating_counts c WHERE c.preset = r.preset AND c.bots = r.bots) AS counts \
         WHERE r.account_id = $1 ORDER BY r.preset",
    )
    .bind::<SqlUuid, _>(account.0)
    .load(&mut connection)
    .await?)
}

#[derive(QueryableByName)]
struct Unlisted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// SQL that unlists matching ratings and updates the counts.
fn unlist(which: &str) -> String {
    format!(
        "WITH gone AS (SELECT account_id, preset, bots, listed FROM ratings WHERE listed IS NOT NULL AND {which}), \
         saved AS (UPDATE ratings r SET listed = NULL FROM gone WHERE r.account_id = gone.account_id \
         AND r.preset = gone.preset RETURNING r.preset, r.bots, r.listed), \
         counted AS ({COUNT}) SELECT count(*) AS count FROM gone"
    )
}
