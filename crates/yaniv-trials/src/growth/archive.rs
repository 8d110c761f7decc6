//! Size of the logs of finished matches when each is one row: a line per entry, compressed by the database.
//!
//! The database compresses rows above 2,000 bytes only: shorter logs stay as they are.

use tokio_postgres::Client;

use super::markdown::{Table, megabytes, number};
use crate::Error;
use crate::load::results::number::pretty;

/// What is stored of an entry.
///
/// `all` reproduces everything but the idempotency keys; `least` only what cannot be recomputed from the match's
/// secret: who did what, and when (in milliseconds since the previous entry).
const FORMS: [(&str, &str); 2] = [
    (
        "all",
        "concat_ws(' ', kind, coalesce(seat::text, account_id::text), detail, encode(drew, 'hex'), round, flags, ms)",
    ),
    ("least", "concat_ws(' ', coalesce(seat::text, kind::text || account_id::text), detail, ms)"),
];

/// Compressions that the database may have.
const COMPRESSIONS: [&str; 2] = ["pglz", "lz4"];

/// Prints bytes per entry, of some thousands of matches, in each form.
///
/// # Errors
/// If the database refuses.
pub async fn print(client: &Client) -> Result<(), Error> {
    let mut table =
        Table::new(&["what is kept", "compression", "MB", "bytes an entry", "of what the log takes"]);
    let log = "SELECT count(*), (SELECT pg_total_relation_size('actions')::float8 / greatest(reltuples, 1)
        FROM pg_class WHERE oid = 'actions'::regclass)
        FROM actions JOIN growth.picked p ON match_id = id WHERE NOT live";
    let row = client.query_one(log, &[]).await?;
    let (entries, each): (i64, f64) = (row.try_get(0)?, row.try_get(1)?);
    table.row(&["`actions` as it is", "", "", &pretty(each), "1.00"]);
    for (form, line) in FORMS {
        for compression in COMPRESSIONS {
            let create = format!(
                "DROP TABLE IF EXISTS growth.archive;
                CREATE TABLE growth.archive (match_id uuid PRIMARY KEY, log text COMPRESSION {compression})"
            );
            if client.batch_execute(&create).await.is_err() {
                continue;
            }
            // Times in these logs are too regular: five random digits a line stand for those of people.
            let fill = format!(
                "INSERT INTO growth.archive SELECT match_id, string_agg({line}, E'\\n' ORDER BY version)
                FROM (SELECT a.*, abs(hashint8(key_hash)) % 100000000 AS ms FROM actions a
                    JOIN growth.picked p ON a.match_id = p.id WHERE NOT p.live) entry GROUP BY match_id"
            );
            client.batch_execute(&fill).await?;
            let size = "SELECT pg_total_relation_size('growth.archive')";
            let bytes: i64 = client.query_one(size, &[]).await?.try_get(0)?;
            let share = number(bytes) / number(entries);
            table.row(&[form, compression, &megabytes(bytes), &pretty(share), &pretty(share / each)]);
        }
    }
    client.batch_execute("DROP TABLE IF EXISTS growth.archive").await?;
    table.print(&format!("Logs of finished matches as one row each, {} entries", pretty(number(entries))));
    Ok(())
}
