//! Pagination while matches are inserted: each existing match is listed exactly once.

use std::collections::{HashMap, HashSet};

use chrono::Utc;
use serde_json::Value;

use super::asked::{WALKED, Who};
use super::copy::Copied;
use super::generate::connect;
use super::measure::Everybody;
use super::people::account;
use super::play::Plan;
use crate::Error;

/// Reads each list from its first page to its last, while this many matches of the reader are inserted.
///
/// # Errors
/// If an existing match is missing or listed twice.
pub async fn all(everybody: &mut Everybody, url: &str, plan: Plan, inserted: u64) -> Result<(), Error> {
    for (number, (path, by_change)) in (1..).zip(WALKED) {
        let before = known(url).await?;
        let first = plan.matches * number + 1;
        let url = url.to_owned();
        let inserting = tokio::spawn(async move { insert(&url, plan, first..first + inserted).await });
        let met = walk(everybody, path, &inserting).await?;
        inserting.await??;
        let missing = before.iter().filter(|id| !met.contains_key(*id)).count();
        let twice = met.values().filter(|count| **count > 1).count();
        println!(
            "\n`{path}`: {} matches met while {inserted} were inserted, {missing} missing, {twice} met twice.",
            met.len()
        );
        if missing > 0 || (twice > 0 && !by_change) {
            return Err(format!("{path}: {missing} missing, {twice} met twice").into());
        }
    }
    Ok(())
}

/// The reader's matches.
async fn known(url: &str) -> Result<HashSet<String>, Error> {
    let client = connect(url).await?;
    let sql = "SELECT match_id::text FROM seats WHERE account_id = $1::text::uuid";
    let rows = client.query(sql, &[&account(0).0.to_string()]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

/// Inserts matches of the reader, one after the other.
async fn insert(url: &str, plan: Plan, numbers: std::ops::Range<u64>) -> Result<(), Error> {
    let client = connect(url).await?;
    for number in numbers {
        let mut copied = Copied::default();
        copied.push(&plan.play_with(number, Utc::now(), Some(account(0)))?)?;
        client.batch_execute("BEGIN").await?;
        copied.store(&client).await?;
        client.batch_execute("COMMIT").await?;
    }
    Ok(())
}

/// Reads all pages, and again from the first as long as matches are inserted; returns how often each match was listed
/// in the last pass.
async fn walk(
    everybody: &mut Everybody,
    path: &str,
    inserting: &tokio::task::JoinHandle<Result<(), Error>>,
) -> Result<HashMap<String, usize>, Error> {
    let asker = &mut everybody.who(Who::Heavy).asker;
    loop {
        let begun_meanwhile = !inserting.is_finished();
        let mut met = HashMap::new();
        let mut cursor: Option<String> = None;
        loop {
            let page = cursor.map_or_else(|| path.to_owned(), |cursor| format!("{path}&cursor={cursor}"));
            asker.get(&page).await?;
            let body = asker.json()?;
            for item in body.get("items").and_then(Value::as_array).into_iter().flatten() {
                let id = item.get("match_id").and_then(Value::as_str).ok_or("an item without an id")?;
                *met.entry(id.to_owned()).or_insert(0) += 1;
            }
            cursor = body.get("next_cursor").and_then(Value::as_str).map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
        let repeated = met.values().any(|count| *count > 1);
        if repeated || !begun_meanwhile || inserting.is_finished() {
            return Ok(met);
        }
    }
}
