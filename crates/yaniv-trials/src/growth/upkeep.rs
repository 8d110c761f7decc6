//! Cost of vacuum and of a dump.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use tokio_postgres::Client;

use super::markdown::{Table, megabytes, number};
use super::times::Place;
use crate::Error;
use crate::load::results::number::{pretty, real};

/// Mostly in the order of their sizes.
const TABLES: [&str; 6] = ["actions", "rounds", "matches", "seats", "match_states", "accounts"];

const STATISTICS: &str = "
SELECT n_tup_ins, n_tup_upd, n_tup_hot_upd, n_dead_tup, autovacuum_count, pg_relation_size(relid)
FROM pg_stat_user_tables WHERE relname = $1 AND schemaname = 'public'";

/// Vacuums all pages of every table, as every database must do once; prints the seconds.
///
/// # Errors
/// If the database refuses.
pub async fn first_vacuum(client: &Client) -> Result<(), Error> {
    let mut table = Table::new(&["table", "MB", "`VACUUM (FREEZE, ANALYZE)`, s", "MB/s"]);
    for name in TABLES {
        let size = "SELECT pg_relation_size($1::text::regclass)";
        let bytes: i64 = client.query_one(size, &[&name]).await?.try_get(0)?;
        let begun = Instant::now();
        client.batch_execute(&format!("VACUUM (FREEZE, ANALYZE) {name}")).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let rate = number(bytes) / 1_048_576.0 / seconds;
        table.row(&[format!("`{name}`"), megabytes(bytes), format!("{seconds:.1}"), pretty(rate)]);
    }
    table.print("Vacuum of all pages, once after they were filled");
    client.batch_execute("CHECKPOINT").await?;
    Ok(())
}

/// Stores actions; prints what they leave to vacuum and how long that takes.
///
/// # Errors
/// If the database refuses.
pub async fn after_actions(place: &mut Place, actions: u64) -> Result<(), Error> {
    let mut before = Vec::new();
    for name in TABLES {
        place.client.batch_execute(&format!("VACUUM {name}")).await?;
        before.push(place.client.query_one(STATISTICS, &[&name]).await?);
    }
    place.store(actions).await?;
    // An idle session sends its statistics after ten seconds.
    tokio::time::sleep(std::time::Duration::from_secs(12)).await;
    let columns = [
        "table",
        "inserted",
        "updated",
        "of these HOT",
        "dead rows",
        "grown, KB",
        "autovacuums",
        "`VACUUM`, s",
    ];
    let mut table = Table::new(&columns);
    for (name, before) in TABLES.into_iter().zip(before) {
        let after = place.client.query_one(STATISTICS, &[&name]).await?;
        let begun = Instant::now();
        place.client.batch_execute(&format!("VACUUM {name}")).await?;
        let seconds = begun.elapsed().as_secs_f64();
        let figure = |at: usize| -> Result<f64, Error> {
            let (then, now): (i64, i64) = (before.try_get(at)?, after.try_get(at)?);
            Ok(number(now) - number(then))
        };
        let (updated, hot) = (figure(1)?, figure(2)?);
        let share = if updated > 0.0 { format!("{:.1} %", hot / updated * 100.0) } else { String::new() };
        let dead: i64 = after.try_get(3)?;
        table.row(&[
            format!("`{name}`"),
            pretty(figure(0)?),
            pretty(updated),
            share,
            pretty(number(dead)),
            pretty(figure(5)? / 1024.0),
            format!("{:.0}", figure(4)?),
            format!("{seconds:.2}"),
        ]);
    }
    table.print(&format!("What {} stored actions leave to vacuum", pretty(real(actions))));
    Ok(())
}

/// Dumps the database with compression; prints how many bytes it takes and how long.
///
/// # Errors
/// If the dump fails. Not if there is no `pg_dump`.
pub fn dump(url: &str) -> Result<(), Error> {
    let program = local_postgres::find()?.dir().join("pg_dump");
    if !Path::new(&program).is_file() {
        println!("\nNo dump: `pg_dump` is not with the server's programs.");
        return Ok(());
    }
    let begun = Instant::now();
    let mut child = Command::new(program)
        .args(["--format=custom", "--compress=1", "--schema=public", url])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut output = child.stdout.take().ok_or("no output")?;
    let bytes = std::io::copy(&mut output, &mut std::io::sink())?;
    if !child.wait()?.success() {
        return Err("pg_dump failed".into());
    }
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "\n`pg_dump --format=custom --compress=1`: {} MB in {seconds:.0} s.",
        pretty(real(bytes) / 1_048_576.0)
    );
    Ok(())
}
