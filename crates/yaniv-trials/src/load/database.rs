//! Measurements of the database: WAL written, growth of tables, CPU time of its processes. Knows only the names of the
//! service's tables, not their columns.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio_postgres::{Client, NoTls, types::PgLsn};

use crate::Error;
use crate::load::results::machine;

/// A connection for measurements.
pub struct Database {
    /// Also used for the yardstick's tables.
    pub client: Client,
    /// The parent process of all server processes; none if the server is remote.
    postmaster: Option<u32>,
    /// Whether `pg_walinspect` is available, which counts full-page images.
    walinspect: bool,
}

/// A snapshot of the counters.
#[derive(Clone, Debug)]
pub struct Moment {
    lsn: PgLsn,
    images: i64,
    /// Bytes of each table with its indexes.
    sizes: BTreeMap<String, i64>,
    updates: i64,
    hot_updates: i64,
    cpu: Option<Duration>,
}

/// The difference between two snapshots.
#[derive(Clone, Debug)]
pub struct Change {
    /// Bytes of the write-ahead log.
    pub wal: i64,
    /// Bytes of full-page images among them, written once per page after a checkpoint.
    pub images: i64,
    /// Growth of each table with its indexes; those that did not grow are left out.
    pub growth: BTreeMap<String, i64>,
    /// Share of updates that touched no index.
    pub hot: Option<f64>,
    /// CPU time of all its processes.
    pub cpu: Option<Duration>,
}

impl Database {
    /// Connects.
    ///
    /// # Errors
    /// If the database cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.try_get(0)?;
        let backend = u32::try_from(backend)?;
        let here = machine::is_postgres(backend);
        let postmaster = machine::parent(backend).filter(|_| here);
        let walinspect = client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect").await.is_ok();
        Ok(Self { client, postmaster, walinspect })
    }

    /// The server's version, and the settings that determine the cost of a commit.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn described(&self) -> Result<String, Error> {
        let sql = "SELECT 'PostgreSQL ' || current_setting('server_version') || ', fsync ' || current_setting('fsync')
                || ', synchronous_commit ' || current_setting('synchronous_commit')
                || ', full_page_writes ' || current_setting('full_page_writes')
                || ', shared_buffers ' || current_setting('shared_buffers')";
        Ok(self.client.query_one(sql, &[]).await?.try_get(0)?)
    }

    /// Runs a checkpoint, so that each phase begins in the same state.
    ///
    /// # Errors
    /// If the database refuses.
    pub async fn checkpoint(&self) -> Result<(), Error> {
        Ok(self.client.batch_execute("CHECKPOINT").await?)
    }

    /// Takes a snapshot.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn moment(&self) -> Result<Moment, Error> {
        let tables = "SELECT relname::text, pg_total_relation_size(oid) FROM pg_class
                WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
        let mut sizes = BTreeMap::new();
        for row in self.client.query(tables, &[]).await? {
            sizes.insert(row.try_get(0)?, row.try_get(1)?);
        }
        let updates = "SELECT coalesce(sum(n_tup_upd), 0)::bigint, coalesce(sum(n_tup_hot_upd), 0)::bigint
                FROM pg_stat_user_tables WHERE schemaname = 'public'";
        let updates = self.client.query_one(updates, &[]).await?;
        let wal = "SELECT pg_current_wal_insert_lsn(), wal_fpi FROM pg_stat_wal";
        let wal = self.client.query_one(wal, &[]).await?;
        Ok(Moment {
            lsn: wal.try_get(0)?,
            images: wal.try_get(1)?,
            sizes,
            updates: updates.try_get(0)?,
            hot_updates: updates.try_get(1)?,
            cpu: self.postmaster.and_then(machine::cpu_of_family),
        })
    }

    /// The difference between two snapshots.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn change(&self, before: &Moment, after: &Moment) -> Result<Change, Error> {
        let growth = after.sizes.iter().filter_map(|(table, size)| {
            let grown = size - before.sizes.get(table).copied().unwrap_or_default();
            (grown != 0).then(|| (table.clone(), grown))
        });
        let updates = u64::try_from(after.updates - before.updates).unwrap_or_default();
        let hot = u64::try_from(after.hot_updates - before.hot_updates).unwrap_or_default();
        Ok(Change {
            wal: i64::try_from(u64::from(after.lsn) - u64::from(before.lsn))?,
            images: self.images(before, after).await,
            growth: growth.collect(),
            hot: (updates > 0)
                .then(|| crate::load::results::number::per(crate::load::results::number::real(hot), updates)),
            cpu: after.cpu.zip(before.cpu).map(|(after, before)| after.saturating_sub(before)),
        })
    }

    /// Bytes of full-page images; an upper bound if the extension or the WAL is not available.
    async fn images(&self, before: &Moment, after: &Moment) -> i64 {
        let most = (after.images - before.images) * 8192;
        if !self.walinspect || most == 0 {
            return most;
        }
        let sql = "SELECT coalesce(sum(fpi_size), 0)::bigint FROM pg_get_wal_stats($1, $2, false)";
        let exact = self.client.query_one(sql, &[&before.lsn, &after.lsn]).await;
        exact.and_then(|row| row.try_get(0)).unwrap_or(most)
    }
}
