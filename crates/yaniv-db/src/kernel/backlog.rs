//! Work that waits in the database, for the operator's metrics.

use diesel::sql_types::Double;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

/// Numbers of what waits, and for how many seconds the first has waited.
#[derive(Clone, Copy, Debug, diesel::QueryableByName)]
pub struct Backlog {
    /// Matches that are due.
    #[diesel(sql_type = Double)]
    pub due: f64,
    /// How late the first of them is.
    #[diesel(sql_type = Double)]
    pub due_seconds: f64,
    /// Notifications that are not done.
    #[diesel(sql_type = Double)]
    pub outbox: f64,
    /// The age of the first of them that is due or was tried: others wait for the end of quiet hours.
    #[diesel(sql_type = Double)]
    pub outbox_seconds: f64,
}

/// Reads the backlog, by the partial indexes of what waits: `statement_timestamp()` can be an index condition,
/// `clock_timestamp()` could not.
///
/// # Errors
/// Any database error.
pub async fn backlog_read(mut connection: &AsyncPgConnection) -> Result<Backlog, StoreError> {
    let backlog = diesel::sql_query(
        "SELECT due.*, outbox.* FROM \
         (SELECT count(*)::float8 AS due, \
            coalesce(extract(epoch FROM statement_timestamp() - min(check_at)), 0)::float8 AS due_seconds \
          FROM match_states WHERE check_at <= statement_timestamp()) AS due, \
         (SELECT count(*)::float8 AS outbox, \
            coalesce(extract(epoch FROM statement_timestamp() - min(happened_at) \
              FILTER (WHERE attempts > 0 OR due_at <= statement_timestamp())), 0)::float8 AS outbox_seconds \
          FROM deliveries WHERE done_at IS NULL) AS outbox",
    );
    Ok(backlog.get_result(&mut connection).await?)
}
