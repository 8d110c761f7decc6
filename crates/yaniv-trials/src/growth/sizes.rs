//! Bytes of each table and index: in all, per match and per log entry.

use tokio_postgres::Client;

use super::markdown::{Table, megabytes, number};
use crate::Error;
use crate::load::results::number::{pretty, real};

const TABLES: &str = "
SELECT c.relname::text, greatest(c.reltuples, 0)::bigint, pg_relation_size(c.oid),
    coalesce(pg_total_relation_size(nullif(c.reltoastrelid, 0)), 0)::bigint, pg_total_relation_size(c.oid), c.oid
FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND c.reltuples > 0
    AND c.relname NOT LIKE '\\_\\_%' ORDER BY 5 DESC";

const INDEXES: &str = "
SELECT relname::text, pg_relation_size(oid) FROM pg_class JOIN pg_index ON indexrelid = oid WHERE indrelid = $1
ORDER BY 1";

const WIDE: &str = "
SELECT tablename || '.' || attname, avg_width FROM pg_stats WHERE schemaname = 'public' AND avg_width >= 24
    AND tablename NOT LIKE '\\_\\_%' ORDER BY 2 DESC";

/// Prints the sizes of the tables; returns the bytes of all of them.
///
/// # Errors
/// If the database cannot be asked.
pub async fn print(client: &Client, matches: u64) -> Result<i64, Error> {
    let density = client.batch_execute("CREATE EXTENSION IF NOT EXISTS pgstattuple").await.is_ok();
    let mut table =
        Table::new(&["table", "rows", "heap, MB", "toast", "indexes", "bytes a row", "bytes a match"]);
    let mut all = 0;
    for row in client.query(TABLES, &[]).await? {
        let (name, rows, heap): (String, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        let (toast, total, oid): (i64, i64, u32) = (row.try_get(3)?, row.try_get(4)?, row.try_get(5)?);
        let mut indexes = Vec::new();
        for row in client.query(INDEXES, &[&oid]).await? {
            let (index, bytes): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
            let full = if density { leaf_density(client, &index, bytes).await? } else { String::new() };
            let each = number(bytes) / number(rows).max(1.0);
            indexes.push(format!("`{index}` {} MB, {each:.0} a row{full}", megabytes(bytes)));
        }
        all += total;
        table.row(&[
            format!("`{name}`"),
            pretty(number(rows)),
            megabytes(heap),
            megabytes(toast),
            indexes.join("; "),
            pretty(number(total) / number(rows).max(1.0)),
            pretty(number(total) / real(matches)),
        ]);
    }
    table.row(&["together", "", "", "", "", "", &pretty(number(all) / real(matches))]);
    table.print(&format!("Bytes: {} matches, {} MB", pretty(real(matches)), megabytes(all)));
    let mut wide = Vec::new();
    for row in client.query(WIDE, &[]).await? {
        let (name, bytes): (String, i32) = (row.try_get(0)?, row.try_get(1)?);
        wide.push(format!("`{name}` {bytes}"));
    }
    println!("\nThe widest columns, bytes in a row: {}.", wide.join(", "));
    Ok(all)
}

/// Leaf density of an index; reads all of it, so not for large ones.
async fn leaf_density(client: &Client, index: &str, bytes: i64) -> Result<String, Error> {
    if bytes > 1 << 30 {
        return Ok(String::new());
    }
    let sql = "SELECT avg_leaf_density FROM pgstatindex($1::text)";
    let full: f64 = client.query_one(sql, &[&index]).await?.try_get(0)?;
    Ok(if full.is_nan() { String::new() } else { format!(", {full:.0} % full") })
}
