//! Compares statistics of players, as the service shows them, with a recount from their records.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Instant;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;
use tokio_postgres::Client;

use super::client::Asker;
use super::recount::Recount;
use crate::Error;
use crate::load::results::number::{pretty, real};

/// Random players, and when their matches ended.
const PICKED: &str = "SELECT username FROM accounts WHERE kind = 'person' ORDER BY md5(id::text) LIMIT $1";
const ENDS: &str = "SELECT m.id::text, (extract(epoch FROM m.finished_at) * 1000000)::bigint FROM matches m
    JOIN seats s ON s.match_id = m.id JOIN accounts a ON a.id = s.account_id
    WHERE a.username = $1 AND m.finished_at IS NOT NULL";

/// Compares this many random players.
///
/// # Errors
/// If a player's statistics differ from their records.
pub async fn recount(address: SocketAddr, client: &Client, players: u32) -> Result<(), Error> {
    let begun = Instant::now();
    let (mut records, mut differing) = (0_usize, Vec::new());
    let picked = client.query(PICKED, &[&i64::from(players)]).await?;
    for row in &picked {
        let username: String = row.try_get(0)?;
        let mut asker = Asker::log_in(address, &username).await?;
        let ends = ends(client, &username).await?;
        asker.get("/v1/records").await?;
        let mut recount = Recount::default();
        for line in asker.body().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let record: Value = serde_json::from_slice(line)?;
            let id = record.get("match_id").and_then(Value::as_str).ok_or("a record without a match")?;
            recount.add(&record, ends.get(id).map(String::as_str));
            records += 1;
        }
        asker.get(&format!("/v1/profiles/{username}/statistics")).await?;
        let shown = asker.json()?;
        let counted = recount.players.remove(&username).unwrap_or_default();
        let found = counted.differences(shown.get("overall").unwrap_or(&Value::Null));
        differing.extend(found.into_iter().map(|what| format!("{username}: {what}")));
    }
    println!(
        "\nStatistics of {} players, by chance, counted again from their {} records in {:.0} s: {} differ.",
        picked.len(),
        pretty(real(u64::try_from(records)?)),
        begun.elapsed().as_secs_f64(),
        differing.len()
    );
    if differing.is_empty() { Ok(()) } else { Err(differing.join("; ").into()) }
}

/// When a player's matches ended, as the API prints it.
async fn ends(client: &Client, username: &str) -> Result<HashMap<String, String>, Error> {
    let mut ends = HashMap::new();
    for row in client.query(ENDS, &[&username]).await? {
        let at = DateTime::<Utc>::from_timestamp_micros(row.try_get(1)?).ok_or("a time out of bounds")?;
        ends.insert(row.try_get(0)?, at.to_rfc3339_opts(SecondsFormat::Micros, true));
    }
    Ok(ends)
}
