//! Rows of `service_totals`: statistics of the whole service.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Date, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;
use crate::schema::service_totals;

/// Totals of a preset for matches started in a month.
#[derive(Clone, Debug, Default, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = service_totals)]
pub struct ServiceTotalRow {
    /// Preset of the rules, or `custom`.
    pub preset: String,
    /// First day of the month.
    pub month: NaiveDate,
    /// Finished matches.
    pub matches: i64,
    /// Finished rounds.
    pub rounds: i64,
    /// Actions in those rounds.
    pub actions: i64,
}

/// Adds to the totals. Each preset and month may appear once, in sorted order, which is the lock order.
///
/// # Errors
/// Any database error.
pub async fn service_total_add_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[ServiceTotalRow],
) -> Result<(), StoreError> {
    let column = |of: fn(&ServiceTotalRow) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
    let insert = diesel::sql_query(
        "INSERT INTO service_totals AS t (preset, month, matches, rounds, actions) \
         SELECT * FROM unnest($1, $2, $3, $4, $5) AS r (preset, month, matches, rounds, actions) \
         ORDER BY preset COLLATE \"C\", month ON CONFLICT (preset, month) DO UPDATE SET matches = t.matches + EXCLUDED.matches, \
         rounds = t.rounds + EXCLUDED.rounds, actions = t.actions + EXCLUDED.actions",
    );
    let insert = insert
        .bind::<Array<Text>, _>(rows.iter().map(|row| row.preset.as_str()).collect::<Vec<_>>())
        .bind::<Array<Date>, _>(rows.iter().map(|row| row.month).collect::<Vec<_>>())
        .bind::<Array<BigInt>, _>(column(|row| row.matches))
        .bind::<Array<BigInt>, _>(column(|row| row.rounds))
        .bind::<Array<BigInt>, _>(column(|row| row.actions));
    Prepared(insert).execute(&mut connection).await?;
    Ok(())
}

/// All totals, by preset and month.
///
/// # Errors
/// Any database error.
pub async fn service_total_list(
    mut connection: &AsyncPgConnection,
) -> Result<Vec<ServiceTotalRow>, StoreError> {
    Ok(service_totals::table
        .order((service_totals::preset, service_totals::month))
        .select(ServiceTotalRow::as_select())
        .load(&mut connection)
        .await?)
}
