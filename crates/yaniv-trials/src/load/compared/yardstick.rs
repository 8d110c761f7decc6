//! The same durable write without a service, by `pgbench` or by this program if there is none.
//!
//! One statement that updates a state by its version and writes a row of a log and one of an outbox.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;
use crate::load::compared::own_bench;
use crate::load::database::Database;
use crate::load::options::Options;
use crate::player::Random;

/// Number of states: as many as there were matches when the targets were set.
pub const ROWS: usize = 20_000;
/// Bytes of a state.
const STATE: usize = 250;
/// Different states, so that each update writes a new one.
const STATES: usize = 16;

/// Tables like those of a service, and nothing else: states are updated in place, the other tables are appended to.
const TABLES: &str = "
    DROP SCHEMA IF EXISTS yardstick CASCADE;
    CREATE SCHEMA yardstick;
    CREATE TABLE yardstick.states (
        id bigint PRIMARY KEY, version integer NOT NULL, state bytea NOT NULL, updated_at timestamptz NOT NULL
    ) WITH (fillfactor = 60);
    CREATE TABLE yardstick.log (
        match_id bigint NOT NULL, version integer NOT NULL, seat smallint NOT NULL, detail text NOT NULL,
        at timestamptz NOT NULL, PRIMARY KEY (match_id, version)
    );
    CREATE TABLE yardstick.outbox (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, match_id bigint NOT NULL, version integer NOT NULL
    );";

/// The program that issues the statement.
#[derive(Clone, Debug)]
pub enum Bench {
    /// The program at this path.
    Pgbench(PathBuf),
    /// This program.
    Own,
}

impl Bench {
    /// `pgbench` if found: at the path of the options, beside the server's programs, or in `PATH`.
    #[must_use]
    pub fn find(options: &Options) -> Self {
        if options.no_pgbench {
            return Self::Own;
        }
        let beside = local_postgres::find().ok().map(|found| found.dir().join("pgbench"));
        let candidates = [options.pgbench.clone(), beside, Some(PathBuf::from("pgbench"))];
        let runs = |program: &PathBuf| {
            let version = Command::new(program).arg("--version").stdout(Stdio::null()).status();
            version.is_ok_and(|status| status.success())
        };
        candidates.into_iter().flatten().find(runs).map_or(Self::Own, Self::Pgbench)
    }

    /// Description in words.
    #[must_use]
    pub fn described(&self) -> &'static str {
        match self {
            Self::Pgbench(_) => "pgbench, prepared",
            Self::Own => {
                "this program over tokio-postgres, prepared (no pgbench was found; its client costs more)"
            }
        }
    }

    /// Writes per second with this many clients, over this many seconds.
    ///
    /// # Errors
    /// If it cannot run, or a write fails.
    pub async fn run(&self, url: &str, clients: usize, outbox: bool, seconds: u64) -> Result<f64, Error> {
        match self {
            Self::Pgbench(program) => pgbench(program, url, clients, outbox, seconds),
            Self::Own => {
                own_bench::run(url, &statement(outbox, ["$1", "$2"]), &states(), clients, seconds).await
            }
        }
    }
}

/// Recreates the tables and fills that of the states.
///
/// # Errors
/// If the database refuses.
pub async fn prepare(database: &Database) -> Result<(), Error> {
    database.client.batch_execute(TABLES).await?;
    let state = states().first().map(|state| format!("'\\x{state}'")).unwrap_or_default();
    let fill = format!(
        "INSERT INTO yardstick.states SELECT id, 0, {state}, now() FROM generate_series(1, {ROWS}) id"
    );
    database.client.batch_execute(&fill).await?;
    database.client.batch_execute("VACUUM ANALYZE yardstick.states").await?;
    Ok(())
}

/// Empties the tables that are appended to.
///
/// # Errors
/// If the database refuses.
pub async fn clear(database: &Database) -> Result<(), Error> {
    Ok(database.client.batch_execute("TRUNCATE yardstick.log, yardstick.outbox").await?)
}

/// How many rows the log has.
///
/// # Errors
/// If the database cannot be asked.
pub async fn written(database: &Database) -> Result<u64, Error> {
    let count: i64 =
        database.client.query_one("SELECT count(*) FROM yardstick.log", &[]).await?.try_get(0)?;
    Ok(u64::try_from(count)?)
}

/// Drops the tables.
///
/// # Errors
/// If the database refuses.
pub async fn remove(database: &Database) -> Result<(), Error> {
    Ok(database.client.batch_execute("DROP SCHEMA IF EXISTS yardstick CASCADE").await?)
}

/// The statement. A client does not know a state's version, so the statement reads it: the condition is checked for the
/// row all the same.
fn statement(outbox: bool, [id, state]: [&str; 2]) -> String {
    let mut sql = format!(
        "WITH moved AS (UPDATE yardstick.states SET version = version + 1, state = {state}, updated_at = now() \
         WHERE id = {id} AND version >= 0 RETURNING id, version, updated_at)"
    );
    let log = "INSERT INTO yardstick.log (match_id, version, seat, detail, at) \
         SELECT id, version, 1::smallint, 'p 9C9D s', updated_at FROM moved";
    if outbox {
        sql.push_str(", logged AS (");
        sql.push_str(log);
        sql.push_str(") INSERT INTO yardstick.outbox (match_id, version) SELECT id, version FROM moved");
    } else {
        sql.push(' ');
        sql.push_str(log);
    }
    sql
}

/// States in hexadecimal.
fn states() -> Vec<String> {
    let mut random = Random(7);
    let mut state = || {
        let mut text = String::new();
        for _ in 0..STATE {
            // Writing to a string does not fail.
            let _ = write!(text, "{:02x}", random.next() & 0xff);
        }
        text
    };
    (0..STATES).map(|_| state()).collect()
}

/// One script per state, which is sent as a parameter; scripts are chosen at random.
fn pgbench(program: &Path, url: &str, clients: usize, outbox: bool, seconds: u64) -> Result<f64, Error> {
    let directory = std::env::temp_dir().join(format!("yaniv-load-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let mut command = Command::new(program);
    command.args(["-n", "-M", "prepared", "-c", &clients.to_string(), "-j", "2", "-T", &seconds.to_string()]);
    for (number, state) in states().iter().enumerate() {
        let script = directory.join(format!("move{number}.sql"));
        let sql = statement(outbox, [":id", &format!(":state{number}")]);
        std::fs::write(&script, format!("\\set id random(1, {ROWS})\n{sql};\n"))?;
        command.arg("-D").arg(format!("state{number}=\\x{state}")).arg("-f").arg(script);
    }
    let output = command.arg(url).stdin(Stdio::null()).output();
    std::fs::remove_dir_all(&directory)?;
    let output = output?;
    let said = String::from_utf8_lossy(&output.stdout);
    let rate = said.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    match rate {
        Some(rate) if output.status.success() => Ok(rate),
        _ => {
            Err(format!("pgbench: {}: {said}{}", output.status, String::from_utf8_lossy(&output.stderr))
                .into())
        }
    }
}
