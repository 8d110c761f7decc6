//! Searches every answer in the tests for secrets of matches, and for seeds of unfinished rounds.
//!
//! The secrets are those in the service's database. It is queried only for values of the right form that were not seen
//! before: a value that is not a secret now never becomes one.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{LazyLock, Mutex};

use diesel::sql_types::{Binary, Integer};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_contract::leaks::{Secret, Stretch, stretches};
use yaniv_engine::SeedChain;

/// Databases of the services here, by address.
static DATABASES: LazyLock<Mutex<HashMap<SocketAddr, String>>> = LazyLock::new(Mutex::default);
/// An idle connection to each database, of the test that owns it.
static CONNECTIONS: LazyLock<Mutex<HashMap<String, AsyncPgConnection>>> = LazyLock::new(Mutex::default);
/// Values that are not secrets, by database.
static HARMLESS: LazyLock<Mutex<HashSet<(String, Stretch)>>> = LazyLock::new(Mutex::default);
/// The seeds of all secrets that were seen.
static SEEDS: LazyLock<Mutex<Seeds>> = LazyLock::new(Mutex::default);
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

/// The seeds of secrets: a thousand hashes each, computed and indexed once.
#[derive(Default)]
struct Seeds {
    /// Secrets whose seeds are indexed.
    roots: HashSet<Secret>,
    /// The secrets that have each seed, with its round. Where the secret of one is a seed of another, there are two.
    index: HashMap<Secret, Vec<(Secret, u16)>>,
}

/// The secrets of a database, each with its last round whose seed is public.
type Secrets = HashMap<Secret, u16>;

impl Seeds {
    fn add(&mut self, root: Secret) {
        if self.roots.insert(root) {
            let chain = SeedChain::new(root);
            for round in 0..=ROUNDS {
                self.index.entry(*chain.round(round).as_bytes()).or_default().push((root, round));
            }
        }
    }

    /// Whether it is the seed of an unfinished round.
    fn is_hidden(&self, seed: &Secret, secrets: &Secrets) -> bool {
        let hidden = |(root, round): &(Secret, u16)| secrets.get(root).is_some_and(|public| round > public);
        self.index.get(seed).is_some_and(|owners| owners.iter().any(hidden))
    }
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
    let mut seeds = SEEDS.lock().unwrap();
    secrets.keys().for_each(|root| seeds.add(*root));
    for seen in new {
        if let Some(secret) = seen.1.secret(|window| seeds.is_hidden(window, &secrets)) {
            return Err(format!("an answer has a secret of a match in it: {secret:02x?}, in {:?}", seen.1));
        }
        HARMLESS.lock().unwrap().insert(seen);
    }
    Ok(())
}

/// The secrets of matches. Each with the smallest of its public rounds.
async fn secrets(url: &str) -> Option<Secrets> {
    let kept = CONNECTIONS.lock().unwrap().remove(url);
    let known = match kept {
        Some(connection) => rows(url, connection).await,
        None => None,
    };
    // A kept connection may have been lost, as in tests that terminate them.
    let known = match known {
        Some(known) => known,
        None => rows(url, yaniv_db::connect(url).await.ok()?).await?,
    };
    let mut secrets = Secrets::new();
    for row in known {
        let public = row.public.try_into().unwrap();
        let least = secrets.entry(row.secret.try_into().unwrap()).or_insert(public);
        *least = public.min(*least);
    }
    Some(secrets)
}

/// Queries the secrets, and keeps the connection.
async fn rows(url: &str, mut connection: AsyncPgConnection) -> Option<Vec<Row>> {
    let rows = diesel::sql_query(SECRETS).load(&mut connection).await.ok()?;
    CONNECTIONS.lock().unwrap().insert(url.to_owned(), connection);
    Some(rows)
}
