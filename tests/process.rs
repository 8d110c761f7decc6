//! The program itself: started, stopped, killed and started again, with a PostgreSQL of its own and with one that is
//! given; and what it says when it cannot start.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

#[path = "api/support/contract.rs"]
#[expect(dead_code, reason = "shared with the tests of the API, which use all of it")]
mod contract;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use local_postgres::TestDatabase;
use serde_json::{Value, json};

use contract::send;

/// A directory for one test, short enough for a socket in it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let directory = PathBuf::from(format!("/tmp/yaniv-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(postmaster) = postmaster(&self.0) {
            signal("KILL", postmaster);
        }
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Service {
    child: Child,
    address: String,
    said: Arc<Mutex<String>>,
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.env_remove("DATABASE_URL").env_remove("YANIV_TOKEN_SECRET").env_remove("RUST_LOG");
    command
        .env("YANIV_LISTEN", "127.0.0.1:0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

impl Service {
    fn start(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("listening on http://") {
            let before = said.len();
            log.read_line(&mut said).unwrap();
            assert!(said.len() > before, "the service ended: {said}");
        }
        let address =
            said.split("listening on http://").nth(1).unwrap().split(',').next().unwrap().to_owned();
        assert!(said.contains("documentation at http://"), "{said}");
        let said = Arc::new(Mutex::new(said));
        let heard = Arc::clone(&said);
        // Read to its end, so that the service never waits for us.
        std::thread::spawn(move || {
            let mut line = String::new();
            while log.read_line(&mut line).unwrap_or(0) > 0 {
                heard.lock().unwrap().push_str(&std::mem::take(&mut line));
            }
        });
        Self { child, address, said }
    }

    fn embedded(directory: &Path) -> Self {
        let mut command = command();
        command.env("YANIV_DATA_DIR", directory);
        Self::start(command)
    }

    async fn post(&self, path: &str, token: &str, body: &Value) -> Option<(u16, Value)> {
        let client = reqwest::Client::new();
        let request = client.post(format!("http://{}{path}", self.address)).bearer_auth(token).json(body);
        let key = format!("process-test-{}", uuid::Uuid::new_v4());
        let answer = send(&client, request.header("idempotency-key", key)).await.ok()?;
        Some((answer.status.as_u16(), serde_json::from_str(&answer.body).ok()?))
    }

    async fn get(&self, path: &str, token: &str) -> Value {
        let client = reqwest::Client::new();
        let request = client.get(format!("http://{}{path}", self.address)).bearer_auth(token);
        serde_json::from_str(&send(&client, request).await.unwrap().body).unwrap()
    }

    async fn log_in(&self, name: &str, path: &str) -> String {
        let credentials = json!({"username": name, "password": "correct horse"});
        let (status, session) = self.post(path, "", &credentials).await.unwrap();
        assert_eq!(status, 201, "{session}");
        session["access_token"].as_str().unwrap().to_owned()
    }

    fn stop(mut self) {
        signal("TERM", self.child.id());
        let ended = wait_for_end(&mut self.child);
        assert!(ended.success(), "{ended}");
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn wait_for_end(child: &mut Child) -> std::process::ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "the process does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(name: &str, process: u32) {
    Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status().unwrap();
}

/// The running postmaster of a data directory.
fn postmaster(directory: &Path) -> Option<u32> {
    let clusters = std::fs::read_dir(directory).ok()?.filter_map(Result::ok);
    let pid_files = clusters.map(|cluster| cluster.path().join("data/postmaster.pid"));
    let text = pid_files.filter_map(|file| std::fs::read_to_string(file).ok()).next()?;
    text.lines().next()?.parse().ok()
}

fn fails(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success());
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_stops_the_database_and_starting_again_finds_everything() {
    let scratch = Scratch::new("stop");
    let service = Service::embedded(&scratch.0);
    let token = service.log_in("ada", "/v1/accounts").await;
    let (status, created) = service.post("/v1/matches", &token, &json!({"size": 2})).await.unwrap();
    assert_eq!(status, 201);
    assert!(postmaster(&scratch.0).is_some());
    service.stop();
    assert_eq!(postmaster(&scratch.0), None, "the database has stopped with the service");

    let service = Service::embedded(&scratch.0);
    let path = format!("/v1/matches/{}", created["id"].as_str().unwrap());
    // The token is still good: its secret is kept with the data.
    assert_eq!(service.get(&path, &token).await["code"], created["code"]);
    service.log_in("ada", "/v1/sessions").await;
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn killing_the_service_or_its_database_loses_nothing_acknowledged() {
    let scratch = Scratch::new("kill");
    let mut service = Service::embedded(&scratch.0);
    let (ada, bob) =
        (service.log_in("ada", "/v1/accounts").await, service.log_in("bob", "/v1/accounts").await);
    let (_, created) = service.post("/v1/matches", &ada, &json!({"size": 2})).await.unwrap();
    let code = created["code"].as_str().unwrap();
    service.post(&format!("/v1/invitations/{code}/seats"), &bob, &json!({})).await.unwrap();
    let path = format!("/v1/matches/{}", created["id"].as_str().unwrap());
    service.post(&format!("{path}/start"), &ada, &json!({})).await.unwrap();
    for round in 0..8_u64 {
        let acknowledged = play_until_killed(&mut service, &scratch.0, &path, [&ada, &bob], round).await;
        service = Service::embedded(&scratch.0);
        let view = service.get(&path, &ada).await;
        let version = view["version"].as_i64().unwrap();
        assert!(version >= acknowledged, "version {acknowledged} was acknowledged, {version} is there");
        assert!(version <= acknowledged + 1, "at most the one under way has happened besides");
        let log = service.get(&format!("{path}/actions?after={}", version.max(100) - 100), &ada).await;
        let last = log["items"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["version"], version, "log and state are of one moment");
    }
    service.stop();
}

/// Plays the top card of the stock as fast as it goes; after a while kills the service or the database. Answers the
/// last version that was acknowledged.
async fn play_until_killed(
    service: &mut Service,
    data: &Path,
    path: &str,
    tokens: [&str; 2],
    round: u64,
) -> i64 {
    let mut acknowledged = play_once(service, path, tokens).await.unwrap();
    let begun = Instant::now();
    let end = Duration::from_millis(150 + 37 * round);
    let database = (round % 2 == 1).then(|| postmaster(data).unwrap());
    let process = database.unwrap_or(service.child.id());
    let killer = std::thread::spawn(move || {
        std::thread::sleep(end);
        signal("KILL", process);
    });
    while begun.elapsed() < end + Duration::from_millis(100) {
        let Some(version) = play_once(service, path, tokens).await else { break };
        acknowledged = version;
    }
    killer.join().unwrap();
    service.kill();
    acknowledged
}

async fn play_once(service: &Service, path: &str, tokens: [&str; 2]) -> Option<i64> {
    let client = reqwest::Client::new();
    for token in tokens {
        let request = client.get(format!("http://{}{path}", service.address)).bearer_auth(token);
        let view: Value = serde_json::from_str(&send(&client, request).await.ok()?.body).ok()?;
        if view["your_turn"] != true {
            continue;
        }
        let card = view["hand"]["cards"].as_array()?.last()?;
        let body = json!({"expected_version": view["version"], "cards": [card], "draw_from": "stock"});
        let (status, after) = service.post(&format!("{path}/plays"), token, &body).await?;
        return (status == 200).then(|| after["version"].as_i64().unwrap());
    }
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_dies_while_the_service_lives_comes_back() {
    let scratch = Scratch::new("back");
    let service = Service::embedded(&scratch.0);
    let token = service.log_in("ada", "/v1/accounts").await;
    signal("KILL", postmaster(&scratch.0).unwrap());
    let begun = Instant::now();
    loop {
        let (status, answer) = service.post("/v1/matches", &token, &json!({"size": 2})).await.unwrap();
        if status == 201 {
            break;
        }
        assert_eq!(status, 503, "{answer}");
        assert!(begun.elapsed() < Duration::from_secs(20), "{answer}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    service.stop();
    assert_eq!(postmaster(&scratch.0), None);
}

/// Tokens of every kind, each of them used.
async fn tokens(service: &Service, access_token: &str) -> Vec<String> {
    let credentials = json!({"username": "ada", "password": "correct horse"});
    let (_, session) = service.post("/v1/sessions", "", &credentials).await.unwrap();
    let refresh = json!({"refresh_token": session["refresh_token"]});
    let (status, refreshed) = service.post("/v1/sessions/refreshes", "", &refresh).await.unwrap();
    assert_eq!(status, 200, "{refreshed}");
    let wanted = json!({"name": "my bot", "scopes": ["read"], "expires_in_days": 1});
    let (_, created) = service.post("/v1/tokens", access_token, &wanted).await.unwrap();
    let token = created["token"].as_str().unwrap().to_owned();
    assert_eq!(service.get("/v1/account", &token).await["username"], "ada");
    let of = |session: &Value, name: &str| session[name].as_str().unwrap().to_owned();
    vec![
        of(&session, "refresh_token"),
        of(&refreshed, "refresh_token"),
        of(&refreshed, "access_token"),
        token,
    ]
}

/// Cards, passwords, tokens, keys and seeds: nothing of them is in the log, however much it is made to say.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_keeps_secrets_at_every_level() {
    let database = std::thread::spawn(|| TestDatabase::create("empty", |_| Ok(())).unwrap()).join().unwrap();
    let mut command = command();
    command.env("DATABASE_URL", database.url()).env("RUST_LOG", "trace,tokio_postgres=trace");
    command.env("YANIV_TOKEN_SECRET", "a-secret-of-the-operator-0123456789");
    let service = Service::start(command);
    let (ada, bob) =
        (service.log_in("ada", "/v1/accounts").await, service.log_in("bob", "/v1/accounts").await);
    let tokens = tokens(&service, &ada).await;
    let seed = json!({"size": 2, "client_seed": "client-seed-of-ada"});
    let (_, created) = service.post("/v1/matches", &ada, &seed).await.unwrap();
    let code = created["code"].as_str().unwrap();
    service.post(&format!("/v1/invitations/{code}/seats"), &bob, &json!({})).await.unwrap();
    let path = format!("/v1/matches/{}", created["id"].as_str().unwrap());
    service.post(&format!("{path}/start"), &ada, &json!({})).await.unwrap();
    let mut hidden = [tokens, vec![ada.clone(), bob.clone(), code.to_owned()]].concat();
    for _ in 0..6 {
        for token in [&ada, &bob] {
            let view = service.get(&path, token).await;
            let cards: Vec<&str> =
                view["hand"]["cards"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            hidden.push(cards.join(", "));
            hidden.push(cards.join("\",\""));
        }
        play_once(&service, &path, [&ada, &bob]).await.unwrap();
        // A conflict carries a view; a card that is not held and a body that cannot be read carry words of the caller.
        let stale = json!({"expected_version": 1, "cards": ["4D"], "draw_from": "stock"});
        assert_eq!(service.post(&format!("{path}/plays"), &ada, &stale).await.unwrap().0, 409);
        assert_eq!(service.post(&format!("{path}/plays"), &bob, &json!({"cards": 1})).await.unwrap().0, 422);
    }
    let said = service.said.lock().unwrap().clone();
    service.stop();
    assert!(said.contains("answered"), "the log says something at this level");
    hidden.extend(
        [
            "correct horse",
            "client-seed-of-ada",
            "a-secret-of-the-operator",
            "argon2",
            "HandBody",
            "parameters",
        ]
        .map(str::to_owned),
    );
    for secret in hidden.iter().filter(|secret| secret.len() > 3) {
        let line = said.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "{secret}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_during_the_start_stops_the_database_as_well() {
    for wait in [0, 50, 150, 400, 800] {
        let scratch = Scratch::new("early");
        let mut command = command();
        command.env("YANIV_DATA_DIR", &scratch.0).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(40 + wait));
        signal("TERM", child.id());
        wait_for_end(&mut child);
        assert_eq!(postmaster(&scratch.0), None, "after {wait} ms");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_given_database_is_used_and_left_running() {
    let database = std::thread::spawn(|| TestDatabase::create("empty", |_| Ok(())).unwrap()).join().unwrap();
    let scratch = Scratch::new("given");
    let file = scratch.0.join("url");
    std::fs::write(&file, format!("{}\n", database.url())).unwrap();
    for given in [("DATABASE_URL", database.url()), ("DATABASE_URL_FILE", file.to_str().unwrap())] {
        let mut command = command();
        command.env(given.0, given.1).env("YANIV_DATA_DIR", &scratch.0).env("YANIV_LOG_FORMAT", "text");
        let service = Service::start(command);
        let path = if given.0 == "DATABASE_URL" { "/v1/accounts" } else { "/v1/sessions" };
        service.log_in("ada", path).await;
        // A busy machine may take longer than it waits: a supervisor asks again, too.
        let is_well = || {
            let mut health = Command::new(env!("CARGO_BIN_EXE_yaniv"));
            health.args(["health", "--listen", &service.address]).status().unwrap().success()
        };
        assert!((0..3).any(|_| is_well()));
        service.stop();
    }
    assert_eq!(postmaster(&scratch.0), None, "none of its own was brought up");
}

#[test]
fn without_any_postgres_it_says_what_to_do() {
    let scratch = Scratch::new("none");
    let mut command = command();
    command
        .env("YANIV_DATA_DIR", &scratch.0)
        .env("PATH", "/nonexistent")
        .env("LOCAL_POSTGRES_SKIP_INSTALLED", "1");
    command.env("XDG_CACHE_HOME", scratch.0.join("cache")).env("HOME", &scratch.0);
    let said = fails(command);
    for way in ["DATABASE_URL", "npm", "pip", "install"] {
        assert!(said.contains(way), "{way} in: {said}");
    }
}

#[test]
fn what_would_be_unsafe_is_refused_at_the_start() {
    let mut short = command();
    short.env("DATABASE_URL", "postgres:///x?host=/nonexistent").env("YANIV_TOKEN_SECRET", "short");
    let said = fails(short);
    assert!(said.starts_with("yaniv: "), "{said}");
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let mut short = command();
    short.env("DATABASE_URL", database.url()).env("YANIV_TOKEN_SECRET", "short");
    let said = fails(short);
    assert!(said.contains("at least 32") && !said.contains("short\n"), "{said}");
    let mut unsafe_commits = command();
    let url = format!("{}&options=-c%20synchronous_commit%3Doff", database.url());
    unsafe_commits.env("DATABASE_URL", url);
    let said = fails(unsafe_commits);
    assert!(said.contains("synchronous_commit"), "{said}");
    // As behind a pooler that drops what the service asks of its sessions.
    let mut dropped = command();
    dropped.env("DATABASE_URL", format!("{}&options=-c%20lock_timeout%3D0", database.url()));
    let said = fails(dropped);
    assert!(said.contains("pooler"), "{said}");
}

/// Whoever listens would otherwise keep the service from stopping, or be cut off without a word.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_streams_and_answers_who_waits() {
    let scratch = Scratch::new("streams");
    let service = Service::embedded(&scratch.0);
    let token = service.log_in("ada", "/v1/accounts").await;
    let open = |path: &str| {
        let url = format!("http://{}{path}", service.address);
        reqwest::Client::new().get(url).bearer_auth(&token).send()
    };
    let stream = open("/v1/inbox/stream").await.unwrap();
    let waiting = tokio::spawn(open("/v1/inbox?after=now&wait=50"));
    tokio::time::sleep(Duration::from_millis(500)).await;
    let begun = Instant::now();
    tokio::task::spawn_blocking(move || service.stop()).await.unwrap();
    // Requests have eight seconds, those that just wait need none.
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(stream.text().await.unwrap().ends_with("event: end\ndata: {\"reason\":\"shutting_down\"}\n\n"));
    let answer = waiting.await.unwrap().unwrap();
    assert_eq!(answer.status(), 200);
    assert!(answer.text().await.unwrap().contains("\"items\":[]"));
}
