//! Accounts that a human should look at: queries of what is stored about their play anyway, and the pairs of accounts
//! that have used one browser.
//!
//! An account that was marked within the last `QUIET_DAYS` is not found again, whatever was decided.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::shared_browsers;

/// Days after a mark in which there is no second one.
const QUIET_DAYS: i32 = 90;

/// A person whose replies are as fast as a program's.
#[derive(Clone, Debug, QueryableByName)]
pub struct FastPlayer {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub account: Uuid,
    /// Replies since the start of the previous month.
    #[diesel(sql_type = BigInt)]
    pub replies: i64,
    /// Of these, within two seconds.
    #[diesel(sql_type = BigInt)]
    pub fast: i64,
}

/// One of two players who play each other only, with one result.
#[derive(Clone, Debug, QueryableByName)]
pub struct OneSided {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub account: Uuid,
    /// Whether it is the one that wins.
    #[diesel(sql_type = Bool)]
    pub wins: bool,
    /// The newest match of the two.
    #[diesel(sql_type = SqlUuid)]
    pub match_id: Uuid,
    /// Rated matches of the two, without others.
    #[diesel(sql_type = BigInt)]
    pub together: i64,
    /// Of these, won by the winner.
    #[diesel(sql_type = BigInt)]
    pub won: i64,
    /// All rated matches of the account.
    #[diesel(sql_type = BigInt)]
    pub all: i64,
}

/// One of two players who have used one browser, and have played rated matches against each other.
#[derive(Clone, Debug, QueryableByName)]
pub struct OneBrowser {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub account: Uuid,
    /// The newest match of the two.
    #[diesel(sql_type = SqlUuid)]
    pub match_id: Uuid,
    /// Rated matches of both, also with others.
    #[diesel(sql_type = BigInt)]
    pub together: i64,
}

/// People with at least this many replies since the start of the previous month, of which this percentage
/// came within two seconds.
///
/// # Errors
/// Any database error.
pub async fn fast_player_list(
    mut connection: &AsyncPgConnection,
    least: i64,
    percent: i64,
) -> Result<Vec<FastPlayer>, StoreError> {
    // Buckets 1 to 3 of the histogram end at two seconds (app/statistics/reply_times.rs).
    let query = "WITH counted AS (SELECT s.account_id, sum((SELECT sum(n) FROM unnest(s.replies) n))::bigint AS replies, \
             sum((SELECT sum(n) FROM unnest(s.replies[1:3]) n))::bigint AS fast FROM player_stats s \
             WHERE s.month >= date_trunc('month', now() - interval '1 month') GROUP BY s.account_id) \
         SELECT c.account_id AS account, c.replies, c.fast FROM counted c JOIN accounts a ON a.id = c.account_id \
         WHERE c.replies >= $1 AND c.fast * 100 >= c.replies * $2 AND a.kind <> 'bot' AND a.deletion_asked_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.subject_id = a.id AND r.automatic AND r.reason = 'undeclared_bot' \
             AND r.created_at > now() - make_interval(days => $3)) ORDER BY a.id LIMIT 100";
    Ok(diesel::sql_query(query)
        .bind::<BigInt, _>(least)
        .bind::<BigInt, _>(percent)
        .bind::<Integer, _>(QUIET_DAYS)
        .load(&mut connection)
        .await?)
}

/// Both players of each pair with at least this many rated matches of the two in 90 days, in which one has
/// won 90 %, and which are 80 % of all rated matches of each.
///
/// # Errors
/// Any database error.
pub async fn one_sided_list(
    connection: &AsyncPgConnection,
    presets: &[&str],
    least: i64,
) -> Result<Vec<OneSided>, StoreError> {
    let query = "WITH recent AS MATERIALIZED (SELECT match_id, account_id, place, players FROM rating_changes \
             WHERE preset = ANY ($1) AND NOT bots AND at > now() - interval '90 days'), \
         totals AS (SELECT account_id, count(*) AS matches FROM recent GROUP BY account_id HAVING count(*) >= $2), \
         pairs AS (SELECT a.account_id AS winner, b.account_id AS loser, count(*) AS together, \
             count(*) FILTER (WHERE a.place < b.place) AS won, max(a.match_id::text)::uuid AS match_id \
             FROM recent a JOIN recent b ON b.match_id = a.match_id AND b.account_id <> a.account_id \
             WHERE a.players = 2 GROUP BY a.account_id, b.account_id HAVING count(*) >= $2), \
         found AS (SELECT p.*, w.matches AS of_winner, l.matches AS of_loser FROM pairs p \
             JOIN totals w ON w.account_id = p.winner JOIN totals l ON l.account_id = p.loser \
             WHERE p.won * 10 >= p.together * 9 AND p.together * 10 >= w.matches * 8 AND p.together * 10 >= l.matches * 8), \
         both_sides AS (SELECT winner AS account, true AS wins, match_id, together, won, of_winner AS all FROM found \
             UNION ALL SELECT loser, false, match_id, together, won, of_loser FROM found)";
    collusion_list(connection, query, presets, least).await
}

/// Stores that a browser which received the notifications of `other` now receives those of `account`.
///
/// # Errors
/// Any database error.
pub async fn shared_browser_store_in_txn(
    mut connection: &AsyncPgConnection,
    account: Uuid,
    other: Uuid,
) -> Result<(), StoreError> {
    let row = (
        shared_browsers::account_id.eq(account),
        shared_browsers::other_id.eq(other),
        shared_browsers::seen_at.eq(clock_timestamp()),
    );
    diesel::insert_into(shared_browsers::table)
        .values(row)
        .on_conflict((shared_browsers::account_id, shared_browsers::other_id))
        .do_update()
        .set(shared_browsers::seen_at.eq(clock_timestamp()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the pairs of an account.
///
/// # Errors
/// Any database error.
pub async fn shared_browser_delete_all(
    mut connection: &AsyncPgConnection,
    account: Uuid,
) -> Result<(), StoreError> {
    let of_account = shared_browsers::account_id.eq(account).or(shared_browsers::other_id.eq(account));
    diesel::delete(shared_browsers::table.filter(of_account)).execute(&mut connection).await?;
    Ok(())
}

/// Deletes the pairs that were last seen more than 90 days ago.
///
/// # Errors
/// Any database error.
pub async fn shared_browser_sweep(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    let query = "DELETE FROM shared_browsers WHERE seen_at < now() - interval '90 days'";
    diesel::sql_query(query).execute(&mut connection).await?;
    Ok(())
}

/// Both players of each pair that has used one browser, with at least this many rated matches of both in 90 days.
///
/// # Errors
/// Any database error.
pub async fn one_browser_list(
    connection: &AsyncPgConnection,
    presets: &[&str],
    least: i64,
) -> Result<Vec<OneBrowser>, StoreError> {
    let query = "WITH pairs AS (SELECT DISTINCT least(account_id, other_id) AS first, greatest(account_id, other_id) AS second \
             FROM shared_browsers), \
         found AS (SELECT p.first, p.second, count(*) AS together, max(a.match_id::text)::uuid AS match_id FROM pairs p \
             JOIN rating_changes a ON a.account_id = p.first JOIN rating_changes b ON b.account_id = p.second AND b.match_id = a.match_id \
             WHERE a.preset = ANY ($1) AND a.at > now() - interval '90 days' GROUP BY p.first, p.second HAVING count(*) >= $2), \
         both_sides AS (SELECT first AS account, match_id, together FROM found \
             UNION ALL SELECT second, match_id, together FROM found)";
    collusion_list(connection, query, presets, least).await
}

/// Of the pairs of a query, those who were not marked lately: `both_sides` is its last table, with `account` and `match_id`.
async fn collusion_list<Row: QueryableByName<Pg> + Send + 'static>(
    mut connection: &AsyncPgConnection,
    both_sides: &str,
    presets: &[&str],
    least: i64,
) -> Result<Vec<Row>, StoreError> {
    let query = format!(
        "{both_sides} SELECT s.* FROM both_sides s JOIN matches m ON m.id = s.match_id \
         JOIN accounts x ON x.id = s.account AND x.deletion_asked_at IS NULL \
         WHERE NOT EXISTS (SELECT 1 FROM reports r WHERE r.subject_id = s.account \
             AND r.automatic AND r.reason = 'collusion' AND r.created_at > now() - make_interval(days => $3)) \
         ORDER BY s.match_id, s.account LIMIT 100"
    );
    Ok(diesel::sql_query(query)
        .bind::<Array<Text>, _>(presets)
        .bind::<BigInt, _>(least)
        .bind::<Integer, _>(QUIET_DAYS)
        .load(&mut connection)
        .await?)
}
