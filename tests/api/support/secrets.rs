//! Searches every answer in the tests for secrets of matches, and for seeds of unfinished rounds.
//!
//! The secrets are those in the service's database. It is queried only for values of the right form that were not seen
//! before: a value that is not a secret now never becomes one.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{LazyLock, Mutex};

use diesel::sql_types::{Binary, Integer};
use diesel_async::RunQueryDsl;
use yaniv_contract::leaks::{Secret, Stretch, stretches};
use yaniv_engine::SeedChain;

/// Databases of the services here, by address.
static DATABASES: LazyLock<Mutex<HashMap<SocketAddr, String>>> = LazyLock::new(Mutex::default);
/// Values that are not secrets, by database.
static HARMLESS: LazyLock<Mutex<HashSet<(String, Stretch)>>> = LazyLock::new(Mutex::default);
/// The seed chains of secrets: a thousand hashes each.
static CHAINS: LazyLock<Mutex<HashMap<Secret, Vec<Secret>>>> = LazyLock::new(Mutex::default);
/// The last round.
const ROUNDS: u16 = 1000;

/// The newest public seed is that of the last finished round; before the first one, the commitment.
const SECRETS: &str = "\
    SELECT secret, coalesce((SELECT max(round) FROM rounds WHERE match_id = id), 0)::int AS public FROM matches \
    UNION ALL SELECT secret, 0 FROM pairing_groups WHERE match_id NOT IN (SELECT id FROM matches) \
    UNION ALL SELECT secret, 0 FROM challenges WHERE secret IS NOT NULL AND match_id NOT IN (SELECT id FROM matches)";

#[derive(diesel::QueryableByName)]
struct Row {
    #[diesel(sql_type = Binary)]
    secret: Vec<u8>,
    #[diesel(sql_type = Integer)]
    public: i32,
}

/// Registers the database of the service at this address.
pub(crate) fn serves(address: SocketAddr, database_url: &str) {
    DATABASES.lock().unwrap().insert(address, database_url.to_owned());
}

/// Fails if a part of an answer contains a secret of the service at this address. If the database cannot be queried,
/// because the test has made it unavailable, nothing is found.
pub(crate) async fn search(address: &str, parts: &[&[u8]]) -> Result<(), String> {
    let Ok(address) = address.parse::<SocketAddr>() else { return Ok(()) };
    let Some(url) = DATABASES.lock().unwrap().get(&address).cloned() else { return Ok(()) };
    let found = parts.iter().flat_map(|part| stretches(part)).map(|stretch| (url.clone(), stretch));
    let harmless = |seen: &(String, Stretch)| HARMLESS.lock().unwrap().contains(seen);
    let new: Vec<_> = found.filter(|seen| !harmless(seen)).collect();
    if new.is_empty() {
        return Ok(());
    }
    let Some(secrets) = secrets(&url).await else { return Ok(()) };
    for seen in new {
        if let Some(secret) = seen.1.secret(&secrets) {
            return Err(format!("an answer has a secret of a match in it: {secret:02x?}, in {:?}", seen.1));
        }
        HARMLESS.lock().unwrap().insert(seen);
    }
    Ok(())
}

/// The secrets of matches, and all seeds of unfinished rounds.
async fn secrets(url: &str) -> Option<HashSet<Secret>> {
    let mut connection = yaniv_db::connect(url).await.ok()?;
    let rows: Vec<Row> = diesel::sql_query(SECRETS).load(&mut connection).await.ok()?;
    let hidden = rows.into_iter().flat_map(|row| {
        let mut chains = CHAINS.lock().unwrap();
        let root: Secret = row.secret.try_into().unwrap();
        let chain = chains.entry(root).or_insert_with(|| {
            let chain = SeedChain::new(root);
            (0..=ROUNDS).map(|round| *chain.round(round).as_bytes()).collect()
        });
        chain.iter().skip(usize::try_from(row.public).unwrap() + 1).copied().collect::<Vec<_>>()
    });
    Some(hidden.collect())
}
