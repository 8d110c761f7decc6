//! Rows of `service_totals`: everything that was played.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::error::StoreError;
use super::schema::service_totals;

/// What was played by a preset in matches that started in a month.
#[derive(Clone, Debug, Default, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = service_totals)]
pub struct ServiceTotalRow {
    /// Preset of the rules, or `custom`.
    pub preset: String,
    /// First day of the month.
    pub month: NaiveDate,
    /// Matches that are over.
    pub matches: i64,
    /// Rounds that are over.
    pub rounds: i64,
    /// Actions in them.
    pub actions: i64,
}

/// Adds to what was played. Each preset and month may be named once; in their order, as locks are taken in it.
///
/// # Errors
/// Only those of the database.
pub async fn service_total_add_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[ServiceTotalRow],
) -> Result<(), StoreError> {
    let column = |of: fn(&ServiceTotalRow) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
    diesel::sql_query(
        "INSERT INTO service_totals AS t (preset, month, matches, rounds, actions) \
         SELECT * FROM unnest($1, $2, $3, $4, $5) AS r (preset, month, matches, rounds, actions) \
         ORDER BY preset COLLATE \"C\", month ON CONFLICT (preset, month) DO UPDATE SET matches = t.matches + EXCLUDED.matches, \
         rounds = t.rounds + EXCLUDED.rounds, actions = t.actions + EXCLUDED.actions",
    )
    .bind::<Array<Text>, _>(rows.iter().map(|row| row.preset.as_str()).collect::<Vec<_>>())
    .bind::<Array<Date>, _>(rows.iter().map(|row| row.month).collect::<Vec<_>>())
    .bind::<Array<BigInt>, _>(column(|row| row.matches))
    .bind::<Array<BigInt>, _>(column(|row| row.rounds))
    .bind::<Array<BigInt>, _>(column(|row| row.actions))
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Everything, by preset and month.
///
/// # Errors
/// Only those of the database.
pub async fn service_total_list(
    mut connection: &AsyncPgConnection,
) -> Result<Vec<ServiceTotalRow>, StoreError> {
    Ok(service_totals::table
        .order((service_totals::preset, service_totals::month))
        .select(ServiceTotalRow::as_select())
        .load(&mut connection)
        .await?)
}
