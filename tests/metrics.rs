//! Metrics of the running program: its own listener, in OpenMetrics text, with what was requested before.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests say what they expect"
)]

mod program;

use std::collections::HashMap;

use local_postgres::TestDatabase;
use reqwest::{Client, Response};
use serde_json::{Value, json};

use program::Program;

struct Service {
    program: Program,
    client: Client,
}

impl Service {
    fn start(database: &TestDatabase) -> Self {
        let variables = [
            ("YANIV_METRICS_LISTEN", "127.0.0.1:0"),
            ("YANIV_PRIVATE_DESTINATIONS", "on"),
            ("YANIV_RATE_LIMITS", "off"),
            ("YANIV_ARCHIVE_AFTER", "30"),
        ];
        let program = Program::start(database.url(), &variables);
        Self { program, client: Client::new() }
    }

    /// Sends a request; the status and the body of the answer.
    async fn post(&self, path: &str, token: &str, key: &str, body: &Value) -> (u16, Value) {
        let request = self.client.post(format!("http://{}{path}", self.program.address())).bearer_auth(token);
        let answer = request.header("idempotency-key", key).json(body).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    async fn get(&self, address: &str, path: &str, token: &str) -> Response {
        self.client.get(format!("http://{address}{path}")).bearer_auth(token).send().await.unwrap()
    }

    /// The text of the metrics.
    async fn metrics(&self) -> String {
        let answer = self.get(self.program.said_after("metrics at http://"), "/metrics", "").await;
        let media_type = answer.headers()["content-type"].to_str().unwrap().to_owned();
        assert!(media_type.starts_with("application/openmetrics-text; version=1.0.0"), "{media_type}");
        answer.text().await.unwrap()
    }
}

/// The samples by name and labels. Every other line must be a comment, and the last `# EOF`.
fn samples(text: &str) -> HashMap<&str, f64> {
    assert!(text.ends_with("# EOF\n"), "{text}");
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(name, value)| (name, value.parse().unwrap()))
        .collect()
}

/// A match of two with one action, played, sent again, and sent too late. Returns what no metric may name.
async fn play(service: &Service) -> Vec<String> {
    let mut tokens = Vec::new();
    for name in ["ada_of_metrics", "bob_of_metrics"] {
        let account = json!({"username": name, "password": "correct horse"});
        let (status, session) = service.post("/v1/accounts", "", "", &account).await;
        assert_eq!(status, 201, "{session}");
        tokens.push(session["access_token"].as_str().unwrap().to_owned());
    }
    let (_, created) =
        service.post("/v1/matches", &tokens[0], "create-0000000001", &json!({"size": 2})).await;
    let code = created["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &tokens[1], "join-000000000001", &json!({})).await;
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    service.post(&format!("{path}/start"), &tokens[0], "start-00000000001", &json!({})).await;
    let mut acted = Vec::new();
    for token in &tokens {
        let view: Value = service.get(service.program.address(), &path, token).await.json().await.unwrap();
        if view["your_turn"] != true {
            continue;
        }
        let card = view["hand"]["cards"].as_array().unwrap().last().unwrap();
        let play =
            |version: &Value| json!({"expected_version": version, "cards": [card], "draw_from": "stock"});
        let plays = format!("{path}/plays");
        // Played, the same again, and too late.
        for (key, version) in
            [("play-000000000001", &view["version"]); 2].into_iter().chain([("play-000000000002", &json!(1))])
        {
            acted.push(service.post(&plays, token, key, &play(version)).await.0);
        }
        break;
    }
    assert_eq!(acted, [200, 200, 409]);
    let texts = ["of_metrics", code, created["match_id"].as_str().unwrap()];
    texts.map(str::to_owned).into()
}

/// The newest folder of migrations, as a number.
fn newest_migration() -> f64 {
    let names = std::fs::read_dir("migrations").unwrap().map(|entry| entry.unwrap().file_name());
    let names = names.map(|name| name.to_str().unwrap().split('_').next().unwrap().replace('-', ""));
    names.filter(|name| name.len() == 14).max().unwrap().parse().unwrap()
}

async fn new_database() -> TestDatabase {
    let create = tokio::task::spawn_blocking(|| TestDatabase::create("empty", |_| Ok(())).unwrap());
    create.await.unwrap()
}

async fn run(database: &TestDatabase, statement: &str) {
    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(statement).await.unwrap();
}

/// The metrics, once this one has this value.
async fn once(service: &Service, name: &str, value: f64) -> String {
    for _ in 0..600 {
        let text = service.metrics().await;
        if samples(&text).get(name) == Some(&value) {
            return text;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{name} is not {value}: {}", service.metrics().await);
}

/// Two players with webhooks at seven hosts, where nothing listens; the first turn of a match is notified at each.
async fn seven_hosts(service: &Service) {
    let mut tokens = Vec::new();
    for name in ["cleo", "dan"] {
        let account = json!({"username": name, "password": "correct horse"});
        let (_, session) = service.post("/v1/accounts", "", "", &account).await;
        tokens.push(session["access_token"].as_str().unwrap().to_owned());
        for host in 1..=7 {
            let url = format!("http://127.0.0.{host}:9/");
            let channel = json!({"url": url, "format": "standard", "immediate": true});
            let key = format!("{name}-webhook-at-host-{host}");
            let (status, channel) =
                service.post("/v1/webhook-channels", &tokens[tokens.len() - 1], &key, &channel).await;
            assert_eq!(status, 201, "{channel}");
        }
    }
    let (_, created) =
        service.post("/v1/matches", &tokens[0], "create-0000000001", &json!({"size": 2})).await;
    let code = created["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &tokens[1], "join-000000000001", &json!({})).await;
    let path = format!("/v1/matches/{}/start", created["match_id"].as_str().unwrap());
    assert_eq!(service.post(&path, &tokens[0], "start-00000000001", &json!({})).await.0, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_hosts_of_the_outbox_are_named_and_the_rest_is_one() {
    let database = new_database().await;
    let service = Service::start(&database);
    seven_hosts(&service).await;
    let text = once(&service, "yaniv_outbox_host_pending{host=\"other\"}", 2.0).await;
    let hosts: Vec<_> = text.lines().filter(|line| line.starts_with("yaniv_outbox_host_pending{")).collect();
    assert_eq!(hosts.len(), 6, "{text}");
    run(&database, "DELETE FROM deliveries").await;
    once(&service, "yaniv_outbox_pending", 0.0).await;
    assert!(!service.metrics().await.contains("yaniv_outbox_host_pending{"), "a host without any is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_archiver_counts_what_it_moves_and_what_it_refuses() {
    let database = new_database().await;
    let service = Service::start(&database);
    play(&service).await;
    // According to the log it is not over.
    run(&database, "UPDATE matches SET finished_at = now() - interval '40 days'").await;
    once(&service, "yaniv_archive_pending", 1.0).await;
    drop(service);
    let service = Service::start(&database);
    let text = once(&service, "yaniv_matches_refused_by_archiver_total", 1.0).await;
    let samples = samples(&text);
    assert_eq!(samples["yaniv_matches_archived_total"], 0.0, "{text}");
    assert!((samples["yaniv_archive_late_seconds"] / 86_400.0 - 10.0).abs() < 0.1, "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_fails_is_down() {
    let database = new_database().await;
    let service = Service::start(&database);
    let worker = "yaniv_worker_up{worker=\"statistics\"}";
    once(&service, worker, 1.0).await;
    run(&database, "ALTER TABLE rounds RENAME TO gone").await;
    once(&service, worker, 0.0).await;
    run(&database, "ALTER TABLE gone RENAME TO rounds").await;
    once(&service, worker, 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_requested_is_counted_by_operation_and_without_names() {
    let database = new_database().await;
    let service = Service::start(&database);
    let secrets = play(&service).await;
    let text = service.metrics().await;
    let samples = samples(&text);
    assert_eq!(samples.get("yaniv_worker_up{worker=\"scheduler\"}"), Some(&1.0), "{text}");
    assert_eq!(samples.get("yaniv_schema_version"), Some(&newest_migration()), "{text}");
    let requests = |operation: &str, status: &str| {
        let labels = format!("operation=\"{operation}\",status=\"{status}\"");
        samples.get(format!("yaniv_request_duration_seconds_count{{{labels}}}").as_str()).copied()
    };
    assert_eq!(requests("registerAccount", "2xx"), Some(2.0), "{text}");
    assert_eq!(
        (requests("playCards", "2xx"), requests("playCards", "4xx")),
        (Some(2.0), Some(1.0)),
        "{text}"
    );
    assert_eq!(requests("getMatch", "5xx"), None);
    for (name, value) in [
        ("yaniv_actions_total", 1.0),
        ("yaniv_replays_total", 1.0),
        ("yaniv_action_conflicts_total", 1.0),
        ("yaniv_action_batch_size_count", 1.0),
        ("yaniv_cached_matches", 1.0),
        ("yaniv_streams_open", 0.0),
        ("yaniv_database_up", 1.0),
        ("yaniv_due_matches", 0.0),
        ("yaniv_outbox_pending", 0.0),
        (concat!("yaniv_build_info{version=\"", env!("CARGO_PKG_VERSION"), "\"}"), 1.0),
    ] {
        assert_eq!(samples.get(name), Some(&value), "{name}: {text}");
    }
    assert!(samples["yaniv_database_connections_open"] >= samples["yaniv_database_connections_in_use"]);
    for secret in secrets {
        assert!(!text.contains(&secret), "{secret}: {text}");
    }
    let public = service.get(service.program.address(), "/metrics", "").await.text().await.unwrap();
    assert!(!public.contains("yaniv_actions"), "only on the listener of its own");
}
