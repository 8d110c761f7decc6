//! Rows of `matches` (settings, start and end) and `match_states` (state that changes with play), related one
//! to one.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel::sql_types::{Json, Jsonb, Nullable, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::kernel::pipeline::both;
use crate::kernel::prepared::Prepared;
use crate::schema::{match_states, matches, shared_settings};

/// Settings of a match, fixed at creation; and when it started and ended.
#[derive(Clone, Queryable, Selectable, Insertable)]
// So that an insertion is prepared once: without it each absent value is the keyword DEFAULT.
#[diesel(table_name = matches, treat_none_as_default_value = false)]
pub struct MatchRow {
    /// Identifier.
    pub id: Uuid,
    /// Join code.
    pub code: String,
    /// Complete rule set in the file form.
    #[diesel(select_expression = rules_of_match(), select_expression_type = rules_of_match)]
    pub rules: serde_json::Value,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// `joined` or `random`.
    pub seat_order: String,
    /// `s[1000]` of the seed chain.
    pub secret: Vec<u8>,
    /// `s[0]` of the seed chain, in hexadecimal.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended or was cancelled.
    pub finished_at: Option<DateTime<Utc>>,
    /// `private` or `public`.
    pub visibility: String,
    /// When the first join code expires.
    pub code_expires_at: Option<DateTime<Utc>>,
    /// Time control and timeouts for absent players; none: no clock.
    #[diesel(select_expression = pace_of_match(), select_expression_type = pace_of_match)]
    pub pace: Option<serde_json::Value>,
    /// Whether it is a sandbox, whose clock can be moved.
    pub sandbox: bool,
    /// Whether the match is rated.
    pub rated: bool,
}

/// State of a match, which changes with every action.
#[derive(Clone, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = match_states, primary_key(match_id))]
#[diesel(treat_none_as_default_value = false, treat_none_as_null = true)]
pub struct StateRow {
    /// The match.
    pub match_id: Uuid,
    /// Number of the newest action.
    pub version: i32,
    /// `waiting`, `running`, `finished` or `cancelled`.
    pub status: String,
    /// Bit n is set while seat n has to act.
    pub waiting_on: i16,
    /// The position, as encoded by the engine.
    pub state: Option<Vec<u8>>,
    /// When the newest action was accepted.
    pub updated_at: DateTime<Utc>,
    /// Number of dedications so far.
    pub gifts: i16,
    /// When the scheduler is due to process the match.
    pub check_at: Option<DateTime<Utc>>,
    /// The clocks before the newest action, and what it did to them.
    pub clocks: Option<String>,
}

diesel::define_sql_function! {
    /// The first of two rule sets that is not null.
    #[sql_name = "coalesce"]
    fn first_rules(own: Nullable<Jsonb>, shared: Nullable<Jsonb>) -> Jsonb;
}

diesel::define_sql_function! {
    /// The first of two time controls that is not null.
    #[sql_name = "coalesce"]
    fn first_pace(own: Nullable<Json>, shared: Nullable<Json>) -> Nullable<Json>;
}

/// The rules of a match; of an archived one, those that it shares.
#[auto_type]
pub(crate) fn rules_of_match() -> _ {
    first_rules(
        matches::rules,
        shared_settings::table
            .filter(shared_settings::id.nullable().eq(matches::settings_id))
            .select(shared_settings::rules)
            .single_value(),
    )
}

/// The time control likewise.
#[auto_type]
pub(crate) fn pace_of_match() -> _ {
    first_pace(
        matches::pace,
        shared_settings::table
            .filter(shared_settings::id.nullable().eq(matches::settings_id))
            .select(shared_settings::pace)
            .single_value(),
    )
}

/// Both rows of a match.
pub type FullRow = (MatchRow, StateRow);

/// Stores a new match, inside a transaction.
///
/// # Errors
/// `Taken("matches_code_key")` if the code is in use.
pub async fn match_insert_in_txn(
    mut connection: &AsyncPgConnection,
    (row, state): &FullRow,
) -> Result<(), StoreError> {
    let mut second = connection;
    both(
        async { Ok(diesel::insert_into(matches::table).values(row).execute(&mut connection).await?) },
        async { Ok(diesel::insert_into(match_states::table).values(state).execute(&mut second).await?) },
    )
    .await?;
    Ok(())
}

/// Finds a match. Does not check access: `seats` decides that.
///
/// # Errors
/// Any database error.
pub async fn match_find(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<FullRow>, StoreError> {
    Ok(match_states::table
        .inner_join(matches::table)
        .filter(match_states::match_id.eq(id.0))
        .select((MatchRow::as_select(), StateRow::as_select()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// Locks a match until the end of the transaction. Outside a transaction, waits until the lock is free.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn match_lock(mut connection: &AsyncPgConnection, id: MatchId) -> Result<bool, StoreError> {
    Ok(match_states::table
        .find(id.0)
        .select(match_states::match_id)
        .for_update()
        .first::<Uuid>(&mut connection)
        .await
        .optional()?
        .is_some())
}

/// Overwrites the state of a match that the transaction has locked.
///
/// # Errors
/// Any database error.
pub async fn state_update_in_txn(
    mut connection: &AsyncPgConnection,
    state: &StateRow,
) -> Result<(), StoreError> {
    let update = diesel::update(match_states::table.find(state.match_id)).set(state);
    Prepared(update).execute(&mut connection).await?;
    Ok(())
}

/// Bitmask of the seats with waiting standing orders; none if there is no such match.
///
/// # Errors
/// Any database error.
pub async fn match_ordered_find(mut connection: &AsyncPgConnection, id: MatchId) -> Result<i16, StoreError> {
    let found = match_states::table.find(id.0).select(match_states::ordered).first(&mut connection).await;
    Ok(found.optional()?.unwrap_or_default())
}

/// Sets or clears the bits of seats with waiting standing orders, for a match that the transaction has
/// locked.
///
/// # Errors
/// Any database error.
pub async fn match_ordered_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    seats: i16,
    waiting: bool,
) -> Result<(), StoreError> {
    let change = if waiting { "ordered | $2" } else { "ordered & ~$2" };
    diesel::sql_query(format!(
        "UPDATE match_states SET ordered = {change} WHERE match_id = $1 AND ordered <> {change}"
    ))
    .bind::<diesel::sql_types::Uuid, _>(id.0)
    .bind::<SmallInt, _>(seats)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Records when a match started or was cancelled.
///
/// # Errors
/// Any database error.
pub async fn match_times_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    let times = (matches::started_at.eq(started_at), matches::finished_at.eq(finished_at));
    Prepared(diesel::update(matches::table.find(id.0)).set(times)).execute(&mut connection).await?;
    Ok(())
}

/// A page of the matches that have waited for players for longer than this without a change, after an identifier.
///
/// # Errors
/// Any database error.
pub async fn match_list_unused(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Unused {
        #[diesel(sql_type = diesel::sql_types::Uuid)]
        id: Uuid,
    }
    let unused: Vec<Unused> = diesel::sql_query(
        "SELECT m.id FROM matches m JOIN match_states s ON s.match_id = m.id \
         WHERE m.started_at IS NULL AND m.finished_at IS NULL AND m.created_at < now() - make_interval(secs => $1) \
         AND s.status = 'waiting' AND s.updated_at < now() - make_interval(secs => $1) AND m.id > $2 \
         ORDER BY m.id LIMIT $3",
    )
    .bind::<diesel::sql_types::Double, _>(ago.as_seconds_f64())
    .bind::<diesel::sql_types::Uuid, _>(after)
    .bind::<diesel::sql_types::BigInt, _>(limit)
    .load(&mut connection)
    .await?;
    Ok(unused.into_iter().map(|row| row.id).collect())
}
