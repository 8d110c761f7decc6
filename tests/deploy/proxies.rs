//! Proxies with TLS: requests, long polls and event streams pass, and the client's address is the client's.

use std::net::IpAddr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use local_postgres::TestDatabase;
use reqwest::{Client, Response};
use serde_json::{Value, json};

use crate::program::Program;
use crate::{PATIENCE, Running, directory, eventually, free_port, installed, replaced, sample};

/// In the event that the tests wait for.
const JOINED: &str = r#""username":"bob""#;

/// Requests through a proxy.
struct Through {
    client: Client,
    origin: String,
}

impl Through {
    async fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let request = self.client.post(format!("{}{path}", self.origin)).bearer_auth(token);
        let request = request.header("idempotency-key", uuid::Uuid::now_v7().to_string());
        let answer = request.json(body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }

    async fn get(&self, path: &str, token: &str) -> Response {
        let answer =
            self.client.get(format!("{}{path}", self.origin)).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer
    }

    async fn register(&self, name: &str) -> String {
        let session =
            self.post("/v1/accounts", "", &json!({"username": name, "password": "correct horse"})).await;
        session["access_token"].as_str().unwrap().to_owned()
    }
}

/// Two players use the service through a proxy that listens on this port.
async fn try_through(port: u16) {
    let client = Client::builder().danger_accept_invalid_certs(true).build().unwrap();
    let through = Through { client, origin: format!("https://localhost:{port}") };
    eventually("the proxy forwards requests", async || {
        let asked = through.client.get(format!("{}/readyz", through.origin)).send().await;
        asked.is_ok_and(|answer| answer.status() == 200)
    })
    .await;
    let (ada, bob) = (through.register("ada").await, through.register("bob").await);
    let created = through.post("/v1/matches", &ada, &json!({"size": 2})).await;
    let id = created["match_id"].as_str().unwrap();
    let mut stream = through.get(&format!("/v1/matches/{id}/events/stream"), &ada).await;
    let version = created["version"].to_string();
    let poll = format!("/v1/matches/{id}/events?after={version}&wait=20");
    let join = format!("/v1/join-codes/{}/seats", created["join_code"].as_str().unwrap());
    let (polled, _) = tokio::join!(through.get(&poll, &ada), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        through.post(&join, &bob, &json!({})).await
    });
    assert!(polled.text().await.unwrap().contains(JOINED), "the long poll has the event");
    // The stream stays open: what arrives was not buffered until its end.
    let mut received = String::new();
    while !received.contains(JOINED) {
        let part = tokio::time::timeout(PATIENCE, stream.chunk()).await.unwrap().unwrap();
        received += &String::from_utf8_lossy(&part.unwrap());
    }
    // A long cursor is the service's to refuse.
    let long = format!("{}/v1/events?after={}", through.origin, "x".repeat(30_000));
    let long = through.client.get(long).bearer_auth(&ada).send().await.unwrap();
    assert_eq!(long.status(), 422);
    // A made-up X-Forwarded-For does not give an address of its own: the limit of this one is reached, of no other.
    let refused = guess(port, [127, 0, 0, 2], 60).await;
    assert!(refused.contains(&429), "{refused:?}");
    let other = guess(port, [127, 0, 0, 3], 1).await;
    assert_eq!(other, [401]);
}

/// Attempts to log in from an address, each with another X-Forwarded-For; the statuses.
async fn guess(port: u16, address: [u8; 4], times: u8) -> Vec<u16> {
    let client = Client::builder().danger_accept_invalid_certs(true).local_address(IpAddr::from(address));
    let client = client.build().unwrap();
    let mut statuses = Vec::new();
    for number in 0..times {
        let request = client.post(format!("https://localhost:{port}/v1/sessions"));
        let request = request.header("x-forwarded-for", format!("203.0.113.{number}"));
        let body = json!({"username": format!("unknown_{number}"), "password": "correct horse"});
        statuses.push(request.json(&body).send().await.unwrap().status().as_u16());
    }
    statuses
}

fn service() -> (TestDatabase, Program) {
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let program = Program::start(database.url(), &[("YANIV_TRUSTED_PROXIES", "127.0.0.1/32")]);
    (database, program)
}

#[tokio::test(flavor = "multi_thread")]
async fn caddy_passes_everything_on() {
    if !installed("caddy") {
        return;
    }
    let (_database, program) = tokio::task::spawn_blocking(service).await.unwrap();
    let (home, port) = (directory("caddy"), free_port());
    let site = replaced(&sample("Caddyfile"), "yaniv.example {", &format!("https://localhost:{port} {{"));
    let site = replaced(&site, "127.0.0.1:8080", program.address());
    let options = "{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n";
    std::fs::write(home.join("Caddyfile"), format!("{options}{site}")).unwrap();
    let mut caddy = Command::new("caddy");
    caddy.args(["run", "--adapter", "caddyfile", "--config"]).arg(home.join("Caddyfile"));
    let log = std::fs::File::create(home.join("log")).unwrap();
    let _caddy = Running::start(caddy.env("HOME", &home).env("XDG_DATA_HOME", &home).stderr(log));
    try_through(port).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nginx_passes_everything_on() {
    if !installed("nginx") {
        return;
    }
    let (_database, program) = tokio::task::spawn_blocking(service).await.unwrap();
    let (home, port) = (directory("nginx"), free_port());
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(home.join("fullchain.pem"), certified.cert.pem()).unwrap();
    std::fs::write(home.join("privkey.pem"), certified.signing_key.serialize_pem()).unwrap();
    let site = replaced(&sample("nginx.conf"), "    listen [::]:443 ssl http2;\n", "");
    let site = replaced(&site, "listen 443", &format!("listen 127.0.0.1:{port}"));
    let site = replaced(&site, "127.0.0.1:8080", program.address());
    let site = replaced(&site, "/etc/letsencrypt/live/yaniv.example", home.to_str().unwrap());
    std::fs::write(home.join("nginx.conf"), nginx(&home, &site)).unwrap();
    let mut nginx = Command::new("nginx");
    nginx.arg("-c").arg(home.join("nginx.conf")).arg("-p").arg(&home);
    let log = std::fs::File::create(home.join("log")).unwrap();
    let _nginx =
        Running::start(nginx.args(["-e", "stderr", "-g", "daemon off; master_process off;"]).stderr(log));
    try_through(port).await;
}

/// What Debian's `nginx.conf` has around a site, with all files in one directory.
fn nginx(home: &Path, site: &str) -> String {
    let home = home.display();
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {home}/{name};\n"))
        .concat();
    format!("pid {home}/pid;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n")
}
