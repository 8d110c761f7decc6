//! Rows of `player_stats`: sums of an account's tallies. Updated by the differences of the tallies, in the same
//! transaction.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::Jsonb;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;
use crate::schema::player_stats;
use crate::statistics::match_stats::TallyFilter;

/// Key of a total.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TotalKey {
    /// The owning account.
    pub account_id: Uuid,
    /// Preset of the rules, or `custom`.
    pub preset: String,
    /// Whether a bot is among the players.
    pub bots: bool,
    /// Number of seats.
    pub seats: i16,
    /// First day of the month in which the matches started.
    pub month: NaiveDate,
}

/// Summed figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Queryable, Selectable)]
#[diesel(table_name = player_stats)]
pub struct TotalFigures {
    /// Number of rounds in which the player was dealt cards.
    pub rounds: i32,
    /// Number of rounds won.
    pub rounds_won: i32,
    /// Longest run of rounds won.
    pub best_run: i32,
    /// Number of successful calls.
    pub calls_right: i32,
    /// Number of failed calls.
    pub calls_wrong: i32,
    /// Failed calls of others that the player defeated.
    pub inflicted: i32,
    /// Points in hand at all calls.
    pub call_points: i64,
    /// Points in hand at the end of lost rounds.
    pub points_lost: i64,
    /// Rounds ended by another player and not won.
    pub rounds_lost: i32,
    /// Number of reductions of the total.
    pub reductions: i32,
    /// Slam-downs.
    pub slam_downs: i32,
    /// Number of actions that ended a wait before the deadline.
    pub in_time: i32,
    /// Number of missed deadlines.
    pub missed: i32,
    /// Finished matches, by place.
    pub places: Vec<i32>,
    /// Histogram of reply times.
    pub replies: Vec<i32>,
}

/// A total, without its account.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = player_stats)]
pub struct TotalRow {
    /// Preset of the rules, or `custom`.
    pub preset: String,
    /// Number of seats.
    pub seats: i16,
    /// First day of the month.
    pub month: NaiveDate,
    /// The figures.
    #[diesel(embed)]
    pub figures: TotalFigures,
}

#[derive(Serialize)]
struct Added<'a> {
    #[serde(flatten)]
    key: &'a TotalKey,
    #[serde(flatten)]
    figures: &'a TotalFigures,
}

/// Adds to totals. Each key may appear once, in sorted order, which is the lock order.
///
/// # Errors
/// Any database error.
pub async fn total_add_in_txn(
    mut connection: &AsyncPgConnection,
    added: impl Iterator<Item = (&TotalKey, &TotalFigures)>,
) -> Result<(), StoreError> {
    let added: Vec<Added<'_>> = added.map(|(key, figures)| Added { key, figures }).collect();
    let sum = |list: &str| {
        format!(
            "{list} = ARRAY(SELECT COALESCE(a, 0) + COALESCE(b, 0) FROM unnest(t.{list}, EXCLUDED.{list}) \
             WITH ORDINALITY AS u (a, b, n) ORDER BY n)"
        )
    };
    let (places, replies) = (sum("places"), sum("replies"));
    let insert = diesel::sql_query(format!(
        "INSERT INTO player_stats AS t (account_id, preset, bots, seats, month, rounds, rounds_won, best_run, calls_right, \
         calls_wrong, inflicted, call_points, points_lost, rounds_lost, reductions, slam_downs, in_time, missed, places, replies) \
         SELECT account_id, preset, bots, seats, month, rounds, rounds_won, best_run, calls_right, calls_wrong, inflicted, \
         call_points, points_lost, rounds_lost, reductions, slam_downs, in_time, missed, places, replies \
         FROM jsonb_to_recordset($1) AS r (account_id uuid, preset text, bots boolean, seats smallint, month date, \
         rounds integer, rounds_won integer, best_run integer, calls_right integer, calls_wrong integer, inflicted integer, \
         call_points bigint, points_lost bigint, rounds_lost integer, reductions integer, slam_downs integer, in_time integer, \
         missed integer, places integer[], replies integer[]) ORDER BY account_id, preset COLLATE \"C\", bots, seats, month \
         ON CONFLICT (account_id, preset, bots, seats, month) DO UPDATE SET rounds = t.rounds + EXCLUDED.rounds, \
         rounds_won = t.rounds_won + EXCLUDED.rounds_won, best_run = greatest(t.best_run, EXCLUDED.best_run), \
         calls_right = t.calls_right + EXCLUDED.calls_right, calls_wrong = t.calls_wrong + EXCLUDED.calls_wrong, \
         inflicted = t.inflicted + EXCLUDED.inflicted, call_points = t.call_points + EXCLUDED.call_points, \
         points_lost = t.points_lost + EXCLUDED.points_lost, rounds_lost = t.rounds_lost + EXCLUDED.rounds_lost, \
         reductions = t.reductions + EXCLUDED.reductions, slam_downs = t.slam_downs + EXCLUDED.slam_downs, \
         in_time = t.in_time + EXCLUDED.in_time, missed = t.missed + EXCLUDED.missed, {places}, {replies}"
    ));
    let added = serde_json::to_value(added).map_err(|error| StoreError::Damaged(error.to_string()))?;
    Prepared(insert.bind::<Jsonb, _>(added)).execute(&mut connection).await?;
    Ok(())
}

/// The totals of an account that match the filter.
///
/// # Errors
/// Any database error.
pub async fn total_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    filter: &TallyFilter,
) -> Result<Vec<TotalRow>, StoreError> {
    let mut query = player_stats::table
        .filter(player_stats::account_id.eq(account.0))
        .order((player_stats::preset, player_stats::month, player_stats::seats, player_stats::bots))
        .select(TotalRow::as_select())
        .into_boxed();
    if let Some(preset) = &filter.preset {
        query = query.filter(player_stats::preset.eq(preset.clone()));
    }
    if let Some(bots) = filter.bots {
        query = query.filter(player_stats::bots.eq(bots));
    }
    if let Some(seats) = filter.seats {
        query = query.filter(player_stats::seats.eq(seats));
    }
    if let Some(since) = filter.since {
        query = query.filter(player_stats::month.ge(since));
    }
    if let Some(until) = filter.until {
        query = query.filter(player_stats::month.le(until));
    }
    Ok(query.load(&mut connection).await?)
}

/// Empties all statistics. Waits for running counts; later counts start from zero.
///
/// # Errors
/// `Busy` if a lock is not acquired in time.
pub async fn count_nothing_in_txn(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    // In the order in which the worker writes them.
    diesel::sql_query("TRUNCATE match_player_stats, player_stats, service_totals, activity")
        .execute(&mut connection)
        .await?;
    Ok(())
}
