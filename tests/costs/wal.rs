//! What transactions that store an action have written, from the write-ahead log of PostgreSQL: rows, entries of
//! indexes, bytes. Unlike the statistics of tables, it has nothing of background jobs in it.

use tokio_postgres::types::PgLsn;
use tokio_postgres::{Client, NoTls};

/// A place in the log.
pub(crate) struct Log {
    client: Client,
}

/// Per transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) rows: f64,
    pub(crate) index_entries: f64,
    pub(crate) bytes: f64,
}

/// Records of transactions with a row of `actions`, of this database. A page split is an entry, too.
const WRITTEN: &str = "\
    WITH records AS (SELECT xid::text, resource_manager || ' ' || split_part(record_type, '+', 1) AS kind, \
        record_length - fpi_length AS bytes, coalesce(block_ref, '') AS blocks \
        FROM pg_get_wal_records_info($1, $2)), \
    acting AS (SELECT DISTINCT xid FROM records WHERE kind = 'Heap INSERT' AND blocks LIKE \
        (SELECT format('%%/%s/%s %%', d.oid, pg_relation_filenode('actions')) FROM pg_database d \
         WHERE datname = current_database())) \
    SELECT (SELECT count(*) FROM acting), \
        count(*) FILTER (WHERE kind IN \
            ('Heap INSERT', 'Heap UPDATE', 'Heap HOT_UPDATE', 'Heap DELETE', 'Heap2 MULTI_INSERT')), \
        count(*) FILTER (WHERE kind ~ '^Btree (INSERT_LEAF|INSERT_POST|SPLIT)' OR kind ~ '^(Gin|Gist|Hash) INSERT'), \
        coalesce(sum(bytes), 0)::bigint \
    FROM records JOIN acting USING (xid)";

impl Log {
    /// Connects; an error if the server has no `pg_walinspect`.
    pub(crate) async fn open(database_url: &str) -> Result<Self, String> {
        let (client, connection) = tokio_postgres::connect(database_url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let made = client.batch_execute("CREATE EXTENSION IF NOT EXISTS pg_walinspect").await;
        made.map_err(|error| format!("PostgreSQL has no pg_walinspect: {error}"))?;
        Ok(Self { client })
    }

    /// The end of the log.
    pub(crate) async fn end(&self) -> PgLsn {
        // An action has been acknowledged after its commit was flushed.
        self.client.query_one("SELECT pg_current_wal_flush_lsn()", &[]).await.unwrap().get(0)
    }

    /// What each of `actions` transactions has written since then, on average.
    pub(crate) async fn written(&self, since: PgLsn, actions: u32) -> Written {
        let row = self.client.query_one(WRITTEN, &[&since, &self.end().await]).await.unwrap();
        let number = |column: usize| row.get::<_, i64>(column);
        assert_eq!(number(0), i64::from(actions), "one transaction for each action");
        let each = |column: usize| f64::from(u32::try_from(number(column)).unwrap()) / f64::from(actions);
        Written { rows: each(1), index_entries: each(2), bytes: each(3) }
    }
}
