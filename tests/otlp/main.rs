//! Traces of the running program, as a real collector receives them.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

mod collector;
#[path = "../program/mod.rs"]
mod program;

use collector::Collector;
use local_postgres::TestDatabase;
use program::Program;
use reqwest::Client;
use serde_json::{Value, json};

/// A trace that a proxy has begun.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
/// One that a client claims.
const OTHER_TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const SPAN: &str = "00f067aa0ba902b7";

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_traced_by_route_and_without_secrets() {
    let Some(collector) = Collector::start() else { return };
    let database = tokio::task::spawn_blocking(|| TestDatabase::create("empty", |_| Ok(())).unwrap());
    let database = database.await.unwrap();
    let endpoint = collector.endpoint();
    let variables = [("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "100")];
    let by_proxy = [&variables[..], &[("YANIV_TRUSTED_PROXIES", "127.0.0.0/8")]].concat();
    let program = Program::start(database.url(), &by_proxy);
    let (client, base) = (Client::new(), format!("http://{}", program.address()));
    let account = json!({"username": "ada_of_traces", "password": "correct horse"});
    let registered = client.post(format!("{base}/v1/accounts")).json(&account).send().await.unwrap();
    let session: Value = registered.json().await.unwrap();
    let token = session["access_token"].as_str().unwrap();
    let create = client.post(format!("{base}/v1/matches")).bearer_auth(token);
    let created = create
        .header("idempotency-key", "a-key-of-the-trace-0001")
        .header("traceparent", format!("00-{TRACE}-{SPAN}-01"))
        .json(&json!({"size": 2}));
    let created: Value = created.send().await.unwrap().json().await.unwrap();
    let id = created["match_id"].as_str().unwrap();
    let unknown = client.get(format!("{base}/v1/matches/not-a-match")).bearer_auth(token);
    let unknown = unknown.send().await.unwrap();
    let request_id = unknown.headers()["x-request-id"].to_str().unwrap().to_owned();

    let received = collector.received(&request_id);

    for expected in
        ["POST /v1/accounts", "POST /v1/matches", "GET /v1/matches/{match_id}", "transaction", "connection"]
    {
        assert!(received.contains(expected), "{expected}: {received}");
    }
    assert!(received.contains(TRACE) && received.contains(SPAN), "the proxy's trace goes on: {received}");
    // A client that is no proxy begins no trace.
    let direct = Program::start(database.url(), &variables);
    let asked = client.get(format!("http://{}/v1/server", direct.address()));
    let asked = asked.header("traceparent", format!("00-{OTHER_TRACE}-{SPAN}-01")).send().await.unwrap();
    let received = collector.received(asked.headers()["x-request-id"].to_str().unwrap());
    assert!(!received.contains(OTHER_TRACE), "{received}");
    for secret in [token, "ada_of_traces", "correct horse", "a-key-of-the-trace", id, "not-a-match"] {
        assert!(!received.contains(secret), "{secret}: {received}");
    }
}
