//! Actual plans of the hot statements.
//!
//! The service's own functions run on its own connections, while the server logs each plan (`auto_explain`); the plans
//! are read from its log. A sequential scan of a large table is an error.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::runtime::Handle;
use tokio_postgres::Client;
use yaniv_db::Store;

use super::markdown::Table;
use super::statements::{ALL, Subjects};
use crate::Error;
use crate::player::Random;

/// Settings that log every plan, with its actual costs.
pub const EXPLAIN: [&str; 5] = [
    "session_preload_libraries=auto_explain",
    "auto_explain.log_min_duration=0",
    "auto_explain.log_analyze=on",
    "auto_explain.log_buffers=on",
    "auto_explain.log_format=json",
];
/// Beside the data directory.
const LOG: &str = "current_setting('data_directory') || '/../server.log'";
/// How often each statement runs: from the sixth time on PostgreSQL may use a generic plan.
const TIMES: usize = 8;
/// Tables with fewer rows may be scanned sequentially.
const SMALL: f64 = 50_000.0;

/// What a plan reads.
#[derive(Debug, Default)]
pub struct Reads {
    /// Node types, with their number.
    nodes: BTreeMap<String, usize>,
    /// Tables that are scanned sequentially.
    whole: Vec<String>,
}

/// Adds settings of the session to the address of a database.
#[must_use]
pub fn with_settings(url: &str, settings: &[&str]) -> String {
    let options: Vec<String> = settings
        .iter()
        .map(|setting| format!("-c%20{}", setting.replace('=', "%3D").replace(',', "%2C")))
        .collect();
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}options={}", options.join("%20"))
}

/// Prints the plans of a log in this schema; returns what is wrong with them, in words.
///
/// # Errors
/// If a statement fails.
pub async fn print(
    client: &Client,
    url: &str,
    schema: &str,
    subjects: &mut Subjects,
) -> Result<Vec<String>, Error> {
    if client.batch_execute("LOAD 'auto_explain'").await.is_err() {
        return Ok(vec!["plans were not checked: this server has no auto_explain".to_owned()]);
    }
    let rows = rows_of_tables(client).await?;
    let path = format!("search_path={schema},public");
    let settings: Vec<&str> = EXPLAIN.into_iter().chain([path.as_str()]).collect();
    let store = Store::new(&with_settings(url, &settings), 2, &Handle::current())?;
    let saving = store.lane_connection().await?;
    let other = store.connection().await?;
    let mut random = Random(5);
    let mut table =
        Table::new(&["statement", "the last plan reads by", "pages, of them not in shared buffers", "ms"]);
    let mut wrong = Vec::new();
    for (asked, _) in ALL {
        let before = log_length(client).await?;
        for _ in 0..TIMES {
            let connection = if asked.has_a_lane() { &saving } else { &other };
            subjects.ask(connection, asked, &mut random).await?;
        }
        let plans = plans(client, before).await?;
        let mut last = Reads::default();
        for plan in &plans {
            last = Reads::of(plan.pointer("/Plan").unwrap_or(&Value::Null));
            for whole in &last.whole {
                let what = format!("{} reads all of {whole}", asked.name());
                if rows.get(whole).copied().unwrap_or_default() >= SMALL && !wrong.contains(&what) {
                    wrong.push(what);
                }
            }
        }
        let figure =
            |name: &str| plans.last().and_then(|plan| plan.pointer(name)?.as_f64()).unwrap_or_default();
        let (hit, read) = (figure("/Plan/Shared Hit Blocks"), figure("/Plan/Shared Read Blocks"));
        let ms = figure("/Plan/Actual Total Time");
        table.row(&[asked.name(), last.said(), format!("{:.0}, {read:.0}", hit + read), format!("{ms:.2}")]);
        if plans.is_empty() {
            wrong.push(format!("{}: no plan was found", asked.name()));
        }
    }
    table.print("Plans (with `ANALYZE` on, which costs time)");
    Ok(wrong)
}

impl Reads {
    /// What this plan reads.
    #[must_use]
    pub fn of(plan: &Value) -> Self {
        let mut reads = Self::default();
        reads.walk(plan);
        reads
    }

    /// In words.
    #[must_use]
    pub fn said(&self) -> String {
        let nodes: Vec<String> = self.nodes.iter().map(|(node, count)| format!("{count} × {node}")).collect();
        nodes.join(", ")
    }

    fn walk(&mut self, plan: &Value) {
        let text = |name: &str| plan.get(name).and_then(Value::as_str).unwrap_or_default();
        let (node, relation, index) = (text("Node Type"), text("Relation Name"), text("Index Name"));
        if node.ends_with("Scan") && !(relation.is_empty() && index.is_empty()) {
            let through = if index.is_empty() { format!("{node} of {relation}") } else { index.to_owned() };
            let prefix = match node {
                "Index Only Scan" => "(only) ",
                "Bitmap Index Scan" => "(bitmap) ",
                _ => "",
            };
            if node != "Bitmap Heap Scan" {
                *self.nodes.entry(format!("{prefix}`{through}`")).or_default() += 1;
            }
            if node == "Seq Scan" {
                self.whole.push(relation.to_owned());
            }
        }
        for child in plan.get("Plans").and_then(Value::as_array).into_iter().flatten() {
            self.walk(child);
        }
    }
}

async fn rows_of_tables(client: &Client) -> Result<BTreeMap<String, f64>, Error> {
    let sql =
        "SELECT relname::text, max(reltuples)::float8 FROM pg_class WHERE relkind IN ('r', 'p') GROUP BY 1";
    let mut rows = BTreeMap::new();
    for row in client.query(sql, &[]).await? {
        rows.insert(row.try_get(0)?, row.try_get(1)?);
    }
    Ok(rows)
}

/// Length of the server's log.
///
/// # Errors
/// If the server does not return it.
pub async fn log_length(client: &Client) -> Result<i64, Error> {
    Ok(client.query_one(&format!("SELECT (pg_stat_file({LOG})).size"), &[]).await?.try_get(0)?)
}

/// The plans written to the server's log since this position.
///
/// # Errors
/// If the server does not show the log.
pub async fn plans(client: &Client, since: i64) -> Result<Vec<Value>, Error> {
    let sql = format!("SELECT convert_from(pg_read_binary_file({LOG}, $1, 100000000), 'UTF8')");
    let text: String = client.query_one(&sql, &[&since]).await?.try_get(0)?;
    let mut plans = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if !line.ends_with("plan:") {
            continue;
        }
        let mut json = String::new();
        while let Some(line) = lines.next_if(|line| line.starts_with('\t')) {
            json.push_str(line);
        }
        // The connection check is not one of the statements.
        plans.extend(serde_json::from_str(&json).ok().filter(|plan| !is_check(plan)));
    }
    Ok(plans)
}

fn is_check(plan: &Value) -> bool {
    plan.get("Query Text").and_then(Value::as_str).is_some_and(|text| text.contains("pg_is_in_recovery"))
}
