//! The archive: answers about random matches before and after all old matches are archived, which must be the same.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio_postgres::Client;
use yaniv_app::admin::archive::archive_all;
use yaniv_db::Store;

use super::asked::{ALL, Who};
use super::client::Asker;
use super::generate::connect;
use super::measure::{at, fill_in, millis, named, serve};
use super::people::account;
use super::play::Plan;
use crate::Error;
use crate::growth::markdown::Table;
use crate::growth::sizes;
use crate::instance::Instance;
use crate::load::results::machine;
use crate::load::results::number::{pretty, real};

/// The newest matches that are not archived, in days.
const ENDED: i64 = 15;
/// Very active players whose matches are read; each may have played against anybody.
const READERS: u64 = 3;
/// Matches that are read with one log-in.
const OF_A_SESSION: usize = 500;
/// Entries of a page.
const PAGE: i64 = 100;

/// Requests about a match without further parameters: description and end of the path.
const PLAIN: [(&str, &str); 9] = [
    ("settings", "/settings"),
    ("clock changes", "/clock-changes"),
    ("rematch", "/rematch"),
    ("standing orders", "/standing-orders"),
    ("rounds", "/rounds"),
    ("recap", "/recap?after=5"),
    ("record", "/record"),
    ("record as text", "/record/text"),
    ("fairness", "/fairness"),
];

/// An answer, and how long it took.
struct Answer {
    kind: &'static str,
    /// Hash of its status and its bytes.
    hash: u64,
    took: Duration,
}

/// Answers by reader and path.
type Answers = BTreeMap<(u64, String), Answer>;

/// Reads this many matches, archives, reads them again, and prints how the answers differ and how long they took.
///
/// # Errors
/// If an answer differs, a match was refused, or the service or the database fails.
pub async fn archive(url: &str, plan: &Plan, matches: usize) -> Result<(), Error> {
    let client = connect(url).await?;
    let readers: Vec<u64> = (0..READERS).chain([plan.people().light()]).collect();
    let of_each = matches / usize::try_from(READERS)?;
    let mut picked = Vec::new();
    for reader in readers {
        picked.push((reader, pick(&client, reader, of_each).await?));
    }
    let before = read(url, &picked, plan).await?;
    sizes::print(&client, plan.matches).await?;
    let begun = Instant::now();
    let workers = machine::cores();
    let store = Store::new(url, workers, &Handle::current())?;
    let done = archive_all(&store, TimeDelta::days(ENDED), workers).await?;
    let rate = real(done.archived) / begun.elapsed().as_secs_f64();
    println!("\n{} matches are archived, {} a second.", pretty(real(done.archived)), pretty(rate));
    client.batch_execute("VACUUM ANALYZE").await?;
    sizes::print(&client, plan.matches).await?;
    let after = read(url, &picked, plan).await?;
    print(&before, &after);
    let differing =
        before.iter().filter(|(path, answer)| after.get(path).is_none_or(|new| new.hash != answer.hash));
    let differing: Vec<String> =
        differing.map(|((reader, path), _)| format!("player_{reader}: {path}")).collect();
    let read: usize = picked.iter().map(|(_, matches)| matches.len()).sum();
    println!(
        "\n{} answers about {} matches and their players, before and after: {} differ.",
        pretty(real(u64::try_from(before.len())?)),
        pretty(real(u64::try_from(read)?)),
        differing.len()
    );
    if done.refused > 0 {
        return Err(format!("{} matches were refused", done.refused).into());
    }
    if differing.is_empty() && before.len() == after.len() {
        Ok(())
    } else {
        Err(differing.join("; ").into())
    }
}

/// Random matches of a player that will be archived.
async fn pick(client: &Client, reader: u64, most: usize) -> Result<Vec<String>, Error> {
    let sql = "SELECT s.match_id::text FROM seats s WHERE s.account_id = $1::text::uuid \
         AND s.closed_at < now() - make_interval(days => $2) \
         AND NOT EXISTS (SELECT 1 FROM archived_logs a WHERE a.match_id = s.match_id) \
         ORDER BY md5(s.match_id::text) LIMIT $3";
    // A day more: the choice and the archiving are not at the same time.
    let days = i32::try_from(ENDED)? + 1;
    let rows = client.query(sql, &[&account(reader).0.to_string(), &days, &i64::try_from(most)?]).await?;
    Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
}

/// All answers, of a service that has just started.
async fn read(url: &str, picked: &[(u64, Vec<String>)], plan: &Plan) -> Result<Answers, Error> {
    let log = std::env::temp_dir().join(format!("yaniv-history-{}.log", std::process::id()));
    let service = serve(url.to_owned(), &log)?;
    let mut answers = Answers::new();
    for (reader, matches) in picked {
        for some in matches.chunks(OF_A_SESSION) {
            let mut reading = Reading::log_in(&service, *reader, &mut answers).await?;
            for id in some {
                reading.read_match(id).await?;
            }
        }
        let who = if *reader == plan.people().light() { Who::Light } else { Who::Heavy };
        let mut reading = Reading::log_in(&service, *reader, &mut answers).await?;
        for asked in ALL.iter().filter(|asked| asked.who == who && !asked.path.contains("{match}")) {
            let path = fill_in(asked.path, &named(plan));
            reading.read("lists and figures", &path).await?;
        }
    }
    service.terminate(Duration::from_secs(10))?;
    std::fs::remove_file(log)?;
    Ok(answers)
}

/// A player who reads.
struct Reading<'a> {
    asker: Asker,
    reader: u64,
    answers: &'a mut Answers,
}

impl<'a> Reading<'a> {
    async fn log_in(service: &Instance, reader: u64, answers: &'a mut Answers) -> Result<Self, Error> {
        let asker = Asker::log_in(service.address, &format!("player_{reader}")).await?;
        Ok(Self { asker, reader, answers })
    }

    async fn read(&mut self, kind: &'static str, path: &str) -> Result<(), Error> {
        let (status, took) = self.asker.ask(path).await?;
        let mut hash = DefaultHasher::new();
        status.hash(&mut hash);
        without_time(self.asker.body()).hash(&mut hash);
        self.answers.insert((self.reader, path.to_owned()), Answer { kind, hash: hash.finish(), took });
        Ok(())
    }

    /// Everything about a match that is over.
    async fn read_match(&mut self, id: &str) -> Result<(), Error> {
        let base = format!("/v1/matches/{id}");
        self.read("match", &base).await?;
        let field = |view: &Value, name: &str| view.get(name).and_then(Value::as_i64).unwrap_or_default();
        let version = field(&self.asker.json()?, "version");
        for (kind, end) in PLAIN {
            self.read(kind, &format!("{base}{end}")).await?;
        }
        let mut after = 0;
        while after <= version {
            self.read("log", &format!("{base}/log?after={after}&limit={PAGE}")).await?;
            self.read("events", &format!("{base}/events?after={after}&limit={PAGE}")).await?;
            after += PAGE;
        }
        self.read("events", &format!("{base}/events?after={version}")).await?;
        self.asker.ask(&format!("{base}/rounds")).await?;
        let rounds = self.asker.json()?;
        let rounds = rounds.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        for round in rounds {
            let round = field(round, "round");
            self.read("round", &format!("{base}/rounds/{round}")).await?;
            self.read("analysis", &format!("{base}/rounds/{round}/analysis")).await?;
        }
        Ok(())
    }
}

/// An answer without `server_time`, the only part that depends on when it was asked.
fn without_time(body: &[u8]) -> Vec<u8> {
    const FIELD: &[u8] = b"\"server_time\":\"";
    let Some(start) = body.windows(FIELD.len()).position(|part| part == FIELD) else { return body.to_vec() };
    let (before, rest) = body.split_at(start);
    let value = rest.get(FIELD.len()..).unwrap_or_default();
    let end = value.iter().position(|byte| *byte == b'"').unwrap_or(value.len());
    [before, value.get(end..).unwrap_or_default()].concat()
}

fn print(before: &Answers, after: &Answers) {
    let mut kinds: BTreeMap<&str, [Vec<Duration>; 2]> = BTreeMap::new();
    for (place, answers) in [before, after].into_iter().enumerate() {
        for answer in answers.values() {
            if let Some(took) = kinds.entry(answer.kind).or_default().get_mut(place) {
                took.push(answer.took);
            }
        }
    }
    let mut table = Table::new(&["answer", "number", "p50, ms: before", "after", "p99, ms: before", "after"]);
    for (kind, mut took) in kinds {
        took.iter_mut().for_each(|took| took.sort_unstable());
        let [hot, archived] = &took;
        let cells = [at(hot, 50), at(archived, 50), at(hot, 99), at(archived, 99)].map(millis);
        let [hot_50, archived_50, hot_99, archived_99] = &cells;
        table.row(&[kind, &hot.len().to_string(), hot_50, archived_50, hot_99, archived_99]);
    }
    table.print("Answers before and after the archive, one after the other");
}
