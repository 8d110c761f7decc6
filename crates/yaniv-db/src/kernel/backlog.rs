//! Work that waits in the database, for the operator's metrics.

use chrono::TimeDelta;
use diesel::sql_types::{BigInt, Double, Interval, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

/// Hosts that are named. The rest is `other`: a label must not have any number of values.
const MOST_HOSTS: i64 = 5;
/// Old matches that are counted; with a million a count takes a while.
const MOST_COUNTED: i64 = 10_000;

/// What waits, and the version of the schema.
#[derive(Clone, Debug)]
pub struct Backlog {
    /// All of what waits.
    pub waiting: Waiting,
    /// Notifications that are not done, by host.
    pub hosts: Vec<HostBacklog>,
}

/// Numbers of what waits, and for how many seconds the first has waited.
#[derive(Clone, Copy, Debug, diesel::QueryableByName)]
pub struct Waiting {
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
    /// Matches that the archiver should have moved, up to 10,000; 0 without an archiver.
    #[diesel(sql_type = Double)]
    pub archive: f64,
    /// For how long the first of them has been due.
    #[diesel(sql_type = Double)]
    pub archive_seconds: f64,
    /// The newest migration, as a number: its date and time.
    #[diesel(sql_type = Double)]
    pub schema: f64,
}

/// Notifications to a host that are not done.
#[derive(Clone, Debug, diesel::QueryableByName)]
pub struct HostBacklog {
    /// The host, or `other`.
    #[diesel(sql_type = Text)]
    pub host: String,
    /// Their number.
    #[diesel(sql_type = Double)]
    pub pending: f64,
    /// The age of the first that is due or was tried.
    #[diesel(sql_type = Double)]
    pub seconds: f64,
}

/// Reads the backlog, by the partial indexes of what waits: `statement_timestamp()` can be an index condition,
/// `clock_timestamp()` could not. Matches are archived when they ended `archive_after` ago.
///
/// # Errors
/// Any database error.
pub async fn backlog_read(
    mut connection: &AsyncPgConnection,
    archive_after: Option<TimeDelta>,
) -> Result<Backlog, StoreError> {
    let waiting = diesel::sql_query(
        "SELECT due.*, outbox.*, archive.*, (SELECT max(version)::float8 FROM __diesel_schema_migrations) AS schema FROM \
         (SELECT count(*)::float8 AS due, \
            coalesce(extract(epoch FROM statement_timestamp() - min(check_at)), 0)::float8 AS due_seconds \
          FROM match_states WHERE check_at <= statement_timestamp()) AS due, \
         (SELECT count(*)::float8 AS outbox, \
            coalesce(extract(epoch FROM statement_timestamp() - min(happened_at) \
              FILTER (WHERE attempts > 0 OR due_at <= statement_timestamp())), 0)::float8 AS outbox_seconds \
          FROM deliveries WHERE done_at IS NULL) AS outbox, \
         (SELECT count(*)::float8 AS archive, \
            coalesce(extract(epoch FROM statement_timestamp() - $1 - min(finished_at)), 0)::float8 AS archive_seconds \
          FROM (SELECT finished_at FROM matches WHERE finished_at IS NOT NULL AND archived_at IS NULL \
            AND finished_at <= statement_timestamp() - $1 ORDER BY finished_at LIMIT $2) AS old) AS archive",
    );
    let hosts = diesel::sql_query(
        "SELECT CASE WHEN place <= $1 THEN host ELSE 'other' END AS host, sum(pending)::float8 AS pending, \
           max(seconds)::float8 AS seconds FROM \
         (SELECT *, row_number() OVER (ORDER BY seconds DESC, pending DESC, host) AS place FROM \
           (SELECT host, count(*) AS pending, coalesce(extract(epoch FROM statement_timestamp() - min(happened_at) \
              FILTER (WHERE attempts > 0 OR due_at <= statement_timestamp())), 0) AS seconds \
            FROM deliveries WHERE done_at IS NULL GROUP BY host) AS by_host) AS placed GROUP BY 1 ORDER BY 1",
    );
    Ok(Backlog {
        waiting: waiting
            .bind::<Nullable<Interval>, _>(archive_after)
            .bind::<BigInt, _>(MOST_COUNTED)
            .get_result(&mut connection)
            .await?,
        hosts: hosts.bind::<BigInt, _>(MOST_HOSTS).load(&mut connection).await?,
    })
}
