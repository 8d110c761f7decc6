//! Rows of `rating_changes`: what each rated match did to its players, and so how each of them stands. Written by whoever
//! holds the lock of `rating_queue`.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Array, Bool, Integer, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::rating_changes;
use crate::ids::AccountId;

/// Rows that are stored by a statement.
const AT_A_TIME: usize = 1000;

/// What a match did to one of its players.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = rating_changes)]
pub struct RatingChangeRow {
    /// The match.
    pub match_id: Uuid,
    /// The player.
    pub account_id: Uuid,
    /// When the match ended, by its log.
    pub at: DateTime<Utc>,
    /// Strength before, in millionths.
    pub mu_before: i32,
    /// Uncertainty before, in millionths.
    pub sigma_before: i32,
    /// Strength after, in millionths.
    pub mu: i32,
    /// Uncertainty after, in millionths.
    pub sigma: i32,
    /// The player's matches of the list up to here.
    pub number: i32,
    /// Place in the match, from 1.
    pub place: i16,
    /// Players of the match.
    pub players: i16,
    /// Whether it is of the list of bots.
    pub bots: bool,
    /// The preset whose list it is.
    pub preset: String,
}

/// How somebody stands after their newest match.
#[derive(Clone, Debug, QueryableByName)]
pub struct StandingRow {
    /// Who.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Strength, in millionths.
    #[diesel(sql_type = Integer)]
    pub mu: i32,
    /// Uncertainty, in millionths.
    #[diesel(sql_type = Integer)]
    pub sigma: i32,
    /// Rated matches so far.
    #[diesel(sql_type = Integer)]
    pub number: i32,
}

/// A change as somebody sees it.
#[derive(Clone, Debug, QueryableByName)]
pub struct SeenChangeRow {
    /// The change.
    #[diesel(embed)]
    pub change: RatingChangeRow,
    /// Whether the viewer had a seat in the match, or it is public.
    #[diesel(sql_type = Bool)]
    pub open: bool,
}

/// A change, by what it was when it was shown. Its number grows when a match comes late that ended before it; a rebuild that leaves one out makes it smaller.
#[derive(Clone, Copy, Debug)]
pub struct ChangePosition {
    /// Its number.
    pub number: i32,
    /// When the match ended.
    pub at: DateTime<Utc>,
}

impl ChangePosition {
    /// Behind which all changes are.
    pub const TOP: Self = Self { number: i32::MAX, at: DateTime::<Utc>::MAX_UTC };
}

/// Takes back what the matches of a list did that come after one in order, and answers it.
///
/// # Errors
/// Only those of the database.
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

/// How those of these accounts stand who have played a rated match by a preset.
///
/// # Errors
/// Only those of the database.
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

/// Stores what matches did.
///
/// # Errors
/// `Taken("rating_changes_pkey")` if one has been rated before.
pub async fn rating_change_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[RatingChangeRow],
) -> Result<(), StoreError> {
    for rows in rows.chunks(AT_A_TIME) {
        diesel::insert_into(rating_changes::table).values(rows).execute(&mut connection).await?;
    }
    Ok(())
}

/// What matches by a preset did to an account, newest first, those before a position; and whether a viewer may know which matches
/// those were.
///
/// # Errors
/// Only those of the database.
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
