//! Measures the service on a filled database: bytes, HTTP answers, and actual query plans.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use tokio_postgres::Client;

use super::asked::{ALL, Asked, Who};
use super::client::Asker;
use super::generate::connect;
use super::options::Measured;
use super::people::account;
use super::play::Plan;
use super::{recounted, walk};
use crate::Error;
use crate::growth::markdown::{Table, number};
use crate::growth::plans::{EXPLAIN, Reads, log_length, plans, with_settings};
use crate::growth::sizes;
use crate::instance::{self, Instance};
use crate::load::results::number::{pretty, real};
use crate::player::Random;

/// Matches of an account to request.
const PICKED: i64 = 2000;
/// How often each request is sent while plans are logged.
const LOOKED_AT: usize = 8;

/// A client, and the values of its paths.
pub struct Asking {
    /// The client.
    pub asker: Asker,
    /// Some of its finished matches.
    pub matches: Vec<String>,
    /// Values of the other placeholders in paths.
    named: [(&'static str, String); 3],
}

/// Both clients.
pub struct Everybody {
    heavy: Asking,
    light: Asking,
}

/// Measures and prints.
///
/// # Errors
/// If the service or the database refuses, or a page is wrong.
pub async fn measure(url: &str, plan: Plan, measured: &Measured) -> Result<(), Error> {
    let client = connect(url).await?;
    let bytes = sizes::print(&client, plan.matches).await?;
    let entries: i64 = client.query_one("SELECT count(*) FROM actions", &[]).await?.try_get(0)?;
    let each = number(bytes) / number(entries).max(1.0);
    println!(
        "\nOf {} entries of logs; all tables and indexes, {} bytes for each.",
        pretty(number(entries)),
        pretty(each)
    );
    let log = std::env::temp_dir().join(format!("yaniv-history-{}.log", std::process::id()));
    let service = serve(url.to_owned(), &log)?;
    let mut everybody = Everybody::log_in(&service, &client, &plan).await?;
    let mut random = Random(11);
    let mut table = Table::new(&["request", "p50, ms", "p99, ms", "bytes", "path"]);
    for asked in ALL {
        let mut took = Vec::new();
        let mut length = 0;
        for time in 0..measured.times + measured.times / 10 {
            let asking = everybody.who(asked.who);
            let path = asking.path(&asked, &mut random)?;
            let this = asking.asker.get(&path).await?;
            length = asking.asker.length();
            if time >= measured.times / 10 {
                took.push(this);
            }
        }
        took.sort_unstable();
        let (half, last) = (at(&took, 50), at(&took, 99));
        table.row(&[asked.name, &millis(half), &millis(last), &length.to_string(), asked.path]);
    }
    table.print(&format!("Answers over HTTP, {} of each, one after the other", measured.times));
    recounted::recount(service.address, &client, measured.recounted).await?;
    // The recount may have taken longer than a token is valid.
    let mut everybody = Everybody::log_in(&service, &client, &plan).await?;
    walk::all(&mut everybody, url, plan, measured.inserted).await?;
    drop(everybody);
    service.terminate(Duration::from_secs(10))?;
    print_plans(url, &client, plan, &log).await?;
    std::fs::remove_file(log)?;
    Ok(())
}

/// Starts the service, with its log in this file.
pub(super) fn serve(database_url: String, log: &std::path::Path) -> Result<Instance, Error> {
    let log = PathBuf::from(log);
    Instance::start(&instance::Options { database_url, address: None, log, environment: Vec::new() })
}

impl Everybody {
    async fn log_in(service: &Instance, client: &Client, plan: &Plan) -> Result<Self, Error> {
        Ok(Self {
            heavy: Asking::log_in(service, client, plan, 0).await?,
            light: Asking::log_in(service, client, plan, plan.people().light()).await?,
        })
    }

    /// One of the two.
    pub fn who(&mut self, who: Who) -> &mut Asking {
        match who {
            Who::Heavy => &mut self.heavy,
            Who::Light => &mut self.light,
        }
    }
}

impl Asking {
    async fn log_in(service: &Instance, client: &Client, plan: &Plan, number: u64) -> Result<Self, Error> {
        let asker = Asker::log_in(service.address, &format!("player_{number}")).await?;
        let sql =
            "SELECT match_id::text FROM seats WHERE account_id = $1::text::uuid AND closed_at IS NOT NULL
            ORDER BY md5(match_id::text) LIMIT $2";
        let rows = client.query(sql, &[&account(number).0.to_string(), &PICKED]).await?;
        let matches = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        Ok(Self { asker, matches, named: named(plan) })
    }

    fn path(&self, asked: &Asked, random: &mut Random) -> Result<String, Error> {
        let picked = random.pick(&self.matches).ok_or("the account has no finished match")?;
        let path = asked.path.replace("{match}", picked);
        Ok(fill_in(&path, &self.named))
    }
}

/// Values of the placeholders of paths, except `{match}`.
pub(super) fn named(plan: &Plan) -> [(&'static str, String); 3] {
    let third = plan.created(plan.matches / 3);
    let text = |at: DateTime<Utc>| at.to_rfc3339_opts(SecondsFormat::Secs, true);
    [
        ("{light}", format!("player_{}", plan.people().light())),
        ("{then}", text(third - TimeDelta::days(30))),
        ("{later}", text(third)),
    ]
}

/// A path with its placeholders filled in.
pub(super) fn fill_in(path: &str, named: &[(&str, String)]) -> String {
    named.iter().fold(path.to_owned(), |path, (name, value)| path.replace(name, value))
}

/// The plans of all statements that a request causes, without those of background work.
async fn print_plans(url: &str, client: &Client, plan: Plan, log: &std::path::Path) -> Result<(), Error> {
    if client.batch_execute("LOAD 'auto_explain'").await.is_err() {
        println!("\nPlans were not checked: this server has no auto_explain.");
        return Ok(());
    }
    let service = serve(with_settings(url, &EXPLAIN), log)?;
    let mut everybody = Everybody::log_in(&service, client, &plan).await?;
    let mut random = Random(5);
    let before = log_length(client).await?;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let text = |plan: &serde_json::Value| {
        plan.get("Query Text").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    };
    let always: Vec<String> = plans(client, before).await?.iter().map(text).collect();
    let mut table = Table::new(&["request", "statement", "reads by", "pages", "ms"]);
    for asked in ALL {
        let before = log_length(client).await?;
        for _ in 0..LOOKED_AT {
            let asking = everybody.who(asked.who);
            let path = asking.path(&asked, &mut random)?;
            asking.asker.get(&path).await?;
        }
        let mut last = HashMap::new();
        for plan in plans(client, before).await? {
            last.insert(text(&plan), plan);
        }
        for (statement, plan) in last.into_iter().filter(|(statement, _)| !always.contains(statement)) {
            let top = plan.get("Plan").unwrap_or(&serde_json::Value::Null);
            let figure = |name: &str| top.get(name).and_then(serde_json::Value::as_f64).unwrap_or_default();
            let pages = figure("Shared Hit Blocks") + figure("Shared Read Blocks");
            let said: String =
                statement.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(60).collect();
            let ms = format!("{:.2}", figure("Actual Total Time"));
            table.row(&[asked.name, &format!("`{said}…`"), &Reads::of(top).said(), &pretty(pages), &ms]);
        }
    }
    table.print("Plans (with `ANALYZE` on, which costs time)");
    service.terminate(Duration::from_secs(10))?;
    Ok(())
}

/// A percentile.
pub(super) fn at(sorted: &[Duration], percent: usize) -> Duration {
    sorted.get(sorted.len() * percent / 100).copied().unwrap_or_default()
}

/// A time in milliseconds, as text.
pub(super) fn millis(time: Duration) -> String {
    pretty(real(u64::try_from(time.as_micros()).unwrap_or_default()) / 1000.0)
}
