//! Rows of `rating_changes`: the effect of each rated match on its players; the newest gives the current
//! rating. Written under the lock of `ratings::queue`.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::rating_changes;

/// Rows per statement.
const AT_A_TIME: usize = 1000;

/// Effect of a match on one player's rating.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = rating_changes)]
pub struct RatingChangeRow {
    /// The match.
    pub match_id: Uuid,
    /// The player.
    pub account_id: Uuid,
    /// When the match ended, according to its log.
    pub at: DateTime<Utc>,
    /// Strength before, in millionths.
    pub mu_before: i32,
    /// Uncertainty before, in millionths.
    pub sigma_before: i32,
    /// Strength after, in millionths.
    pub mu: i32,
    /// Uncertainty after, in millionths.
    pub sigma: i32,
    /// The player's number of matches on this leaderboard, including this one.
    pub number: i32,
    /// Place in the match, from 1.
    pub place: i16,
    /// Number of players.
    pub players: i16,
    /// Whether it belongs to the leaderboard of bots.
    pub bots: bool,
    /// Preset of the leaderboard.
    pub preset: String,
}

/// Rating of an account after its newest match.
#[derive(Clone, Debug, QueryableByName)]
pub struct StandingRow {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Strength, in millionths.
    #[diesel(sql_type = Integer)]
    pub mu: i32,
    /// Uncertainty, in millionths.
    #[diesel(sql_type = Integer)]
    pub sigma: i32,
    /// Number of rated matches.
    #[diesel(sql_type = Integer)]
    pub number: i32,
}

/// A change, with its visibility to a viewer.
#[derive(Clone, Debug, QueryableByName)]
pub struct SeenChangeRow {
    /// The change.
    #[diesel(embed)]
    pub change: RatingChangeRow,
    /// Whether the match is public or the viewer had a seat in it.
    #[diesel(sql_type = Bool)]
    pub open: bool,
}

/// Cursor in an account's changes. The number grows when a match that ended earlier is rated late; a rebuild
/// that leaves one out decreases it.
#[derive(Clone, Copy, Debug)]
pub struct ChangePosition {
    /// Its number.
    pub number: i32,
    /// When the match ended.
    pub at: DateTime<Utc>,
}

impl ChangePosition {
    /// Start of the list: all changes come after it.
    pub const TOP: Self = Self { number: i32::MAX, at: DateTime::<Utc>::MAX_UTC };
}

/// Deletes the changes of a leaderboard after a given match in order, and returns them.
///
/// # Errors
/// Any database error.
pub async fn rating_change_take_back_in_txn(
    mut connection: &AsyncPgConnection,
    (preset, bots): (&str, bool),
    (at, match_id): (DateTime<Utc>, Uuid),
) -> Result<Vec<RatingChangeRow>, StoreError> {
    let later = sql::<Bool>("(at, match_id) > (")
        .bind::<Timestamptz, _>(at)
        .sql(", ")
        .bind::<SqlUuid, _>(match_id)
        .sql(")");
    let of_list = rating_changes::preset.eq(preset).and(rating_changes::bots.eq(bots));
    Ok(diesel::delete(rating_changes::table.filter(of_list).filter(later))
        .returning(RatingChangeRow::as_returning())
        .get_results(&mut connection)
        .await?)
}

/// Current ratings of these accounts, as far as they have played a rated match of the preset.
///
/// # Errors
/// Any database error.
pub async fn rating_standing_list(
    mut connection: &AsyncPgConnection,
    preset: &str,
    accounts: &[Uuid],
) -> Result<Vec<StandingRow>, StoreError> {
    Ok(diesel::sql_query(
        "SELECT newest.* FROM unnest($1) AS asked (id) CROSS JOIN LATERAL \
         (SELECT c.account_id, c.mu, c.sigma, c.number FROM rating_changes c \
          WHERE c.account_id = asked.id AND c.preset = $2 ORDER BY c.number DESC LIMIT 1) AS newest",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Text, _>(preset)
    .load(&mut connection)
    .await?)
}

/// Stores rating changes.
///
/// # Errors
/// `Taken("rating_changes_pkey")` if a match was rated before.
pub async fn rating_change_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[RatingChangeRow],
) -> Result<(), StoreError> {
    for rows in rows.chunks(AT_A_TIME) {
        diesel::insert_into(rating_changes::table).values(rows).execute(&mut connection).await?;
    }
    Ok(())
}

/// A page of an account's changes for a preset, newest first, after a cursor; with the visibility of the
/// matches to a viewer.
///
/// # Errors
/// Any database error.
pub async fn rating_change_list(
    mut connection: &AsyncPgConnection,
    (account, viewer): (AccountId, AccountId),
    preset: &str,
    position: ChangePosition,
    limit: i64,
) -> Result<Vec<SeenChangeRow>, StoreError> {
    Ok(diesel::sql_query(
        "SELECT c.*, m.visibility = 'public' OR EXISTS \
         (SELECT 1 FROM seats s WHERE s.match_id = c.match_id AND s.account_id = $2) AS open \
         FROM rating_changes c JOIN matches m ON m.id = c.match_id \
         WHERE c.account_id = $1 AND c.preset = $3 AND c.number < coalesce(\
         (SELECT min(p.number) FROM rating_changes p \
          WHERE p.account_id = $1 AND p.preset = $3 AND p.number >= $4 AND p.at >= $5), $4) \
         ORDER BY c.number DESC LIMIT $6",
    )
    .bind::<SqlUuid, _>(account.0)
    .bind::<SqlUuid, _>(viewer.0)
    .bind::<Text, _>(preset)
    .bind::<Integer, _>(position.number)
    .bind::<Timestamptz, _>(position.at)
    .bind::<diesel::sql_types::BigInt, _>(limit)
    .load(&mut connection)
    .await?)
}
