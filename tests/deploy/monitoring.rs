//! Prometheus scrapes the service: each alert fires by a fault, and each panel of the dashboard shows something.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use diesel_async::{AsyncPgConnection, RunQueryDsl};
use local_postgres::TestCluster;
use reqwest::Client;
use serde_json::{Value, json};

use crate::program::Program;
use crate::{Running, directory, eventually, free_port, installed, replaced, sample};

/// Prometheus, and the service that it scrapes.
struct Monitored {
    cluster: TestCluster,
    program: Program,
    prometheus: String,
    client: Client,
    _prometheus: Running,
}

impl Monitored {
    fn start() -> Self {
        let cluster = TestCluster::start_in_memory().unwrap();
        cluster.ensure_database("yaniv").unwrap();
        let variables = [
            ("YANIV_METRICS_LISTEN", "127.0.0.1:0"),
            ("YANIV_RATE_LIMITS", "off"),
            ("YANIV_PRIVATE_DESTINATIONS", "on"),
            ("YANIV_ARCHIVE_AFTER", "30"),
            ("YANIV_PUBLIC_URL", "https://yaniv.example"),
            ("YANIV_SMTP_URL", "smtp://127.0.0.1:9"),
            ("YANIV_MAIL_FROM", "Yaniv <yaniv@yaniv.example>"),
            ("YANIV_EMAIL_CODES", "1"),
        ];
        let program = Program::start(&cluster.url("yaniv"), &variables);
        let home = directory("prometheus");
        let scrape =
            replaced(&sample("prometheus.yaml"), "127.0.0.1:9464", program.said_after("metrics at http://"));
        std::fs::write(home.join("prometheus.yaml"), replaced(&scrape, "15s", "500ms")).unwrap();
        std::fs::write(home.join("alerts.yaml"), hurried(&sample("alerts.yaml"))).unwrap();
        let port = free_port();
        let running = Running::start(&mut prometheus(&home, port));
        let prometheus = format!("http://127.0.0.1:{port}");
        Self { cluster, program, prometheus, client: Client::new(), _prometheus: running }
    }

    /// The data of an answer of Prometheus; nothing while it does not answer.
    async fn asked(&self, path: &str, query: &[(&str, &str)]) -> Option<Value> {
        let url = reqwest::Url::parse_with_params(&format!("{}{path}", self.prometheus), query).unwrap();
        let answer: Value = self.client.get(url).send().await.ok()?.json().await.ok()?;
        (answer["status"] == "success").then(|| answer["data"].clone())
    }

    /// The names of the alerts that fire; nothing while Prometheus does not answer.
    async fn firing(&self) -> Option<Vec<String>> {
        let alerts = self.asked("/api/v1/alerts", &[]).await?;
        let alerts = alerts["alerts"].as_array()?.iter();
        let firing = alerts.filter(|alert| alert["state"] == "firing");
        Some(firing.map(|alert| alert["labels"]["alertname"].as_str().unwrap().to_owned()).collect())
    }

    async fn fires(&self, alert: &str) {
        eventually(alert, async || {
            self.request().await;
            self.firing().await.is_some_and(|firing| firing.iter().any(|name| name == alert))
        })
        .await;
    }

    async fn calms_down(&self) {
        eventually("no alert fires", async || {
            self.request().await;
            self.firing().await.is_some_and(|firing| firing.is_empty())
        })
        .await;
    }

    /// A request that needs the database.
    async fn request(&self) {
        let body = json!({"username": "nobody", "password": "correct horse"});
        let request = self.client.post(format!("http://{}/v1/sessions", self.program.address()));
        let _ = request.timeout(Duration::from_secs(5)).json(&body).send().await;
    }

    async fn connection(&self) -> AsyncPgConnection {
        yaniv_db::connect(&self.cluster.url("yaniv")).await.unwrap()
    }

    async fn run(&self, statement: &str) {
        diesel::sql_query(statement).execute(&mut self.connection().await).await.unwrap();
    }

    async fn post(&self, path: &str, token: &str, body: &Value) -> Value {
        let request = self.client.post(format!("http://{}{path}", self.program.address())).bearer_auth(token);
        let request = request.header("idempotency-key", uuid::Uuid::now_v7().to_string());
        let answer = request.json(body).send().await.unwrap();
        assert!(answer.status().is_success(), "{path}: {}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    }
}

/// The rules with seconds in place of minutes, and of half a minute.
fn hurried(rules: &str) -> String {
    let rules = replaced(&replaced(rules, "[5m]", "[5s]"), "late_seconds) > 30", "late_seconds) > 2");
    let line = |line: &str| match line.split_once("for: ") {
        Some((indent, _)) => format!("{indent}for: 1s\n"),
        None => format!("{line}\n"),
    };
    rules.lines().map(line).collect()
}

fn prometheus(home: &Path, port: u16) -> Command {
    let mut command = Command::new("prometheus");
    command.arg(format!("--config.file={}", home.join("prometheus.yaml").display()));
    command.arg(format!("--storage.tsdb.path={}", home.join("data").display()));
    command.arg(format!("--web.listen-address=127.0.0.1:{port}")).current_dir(home);
    command.stderr(std::fs::File::create(home.join("log")).unwrap());
    command
}

/// A match of two, of which the first to act has played, and is notified where nothing listens. Returns the token of
/// who is to act now, and the match's path.
async fn play(monitored: &Monitored) -> (String, String) {
    let mut tokens = Vec::new();
    for name in ["ada", "bob"] {
        let account = json!({"username": name, "password": "correct horse"});
        let session = monitored.post("/v1/accounts", "", &account).await;
        tokens.push(session["access_token"].as_str().unwrap().to_owned());
    }
    let created = monitored.post("/v1/matches", &tokens[0], &json!({"size": 2})).await;
    let join = format!("/v1/join-codes/{}/seats", created["join_code"].as_str().unwrap());
    monitored.post(&join, &tokens[1], &json!({})).await;
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    let started = monitored.post(&format!("{path}/start"), &tokens[0], &json!({})).await;
    if started["your_turn"] != true {
        tokens.reverse();
    }
    turn(monitored, &tokens[0], &path).await;
    let channel =
        json!({"url": format!("http://127.0.0.1:{}/", free_port()), "format": "standard", "immediate": true});
    monitored.post("/v1/webhook-channels", &tokens[0], &channel).await;
    (tokens.remove(1), path)
}

/// Plays a turn: the last card of the hand, and one from the stock.
async fn turn(monitored: &Monitored, token: &str, path: &str) {
    let request = monitored.client.get(format!("http://{}{path}", monitored.program.address()));
    let view: Value = request.bearer_auth(token).send().await.unwrap().json().await.unwrap();
    let card = view["hand"]["cards"].as_array().unwrap().last().unwrap();
    let body = json!({"expected_version": view["version"], "cards": [card], "draw_from": "stock"});
    monitored.post(&format!("{path}/plays"), token, &body).await;
}

/// One test, since Prometheus and a cluster take seconds to start.
#[tokio::test(flavor = "multi_thread")]
async fn each_alert_fires_by_its_fault_and_each_panel_shows_something() {
    if !installed("prometheus") {
        return;
    }
    let mut monitored = tokio::task::spawn_blocking(Monitored::start).await.unwrap();
    let (token, path) = play(&monitored).await;
    eventually("Prometheus has scraped", async || {
        let query = [("query", "yaniv_actions_total == 1")];
        monitored.asked("/api/v1/query", &query).await.is_some_and(|data| data["result"][0].is_object())
    })
    .await;
    monitored.calms_down().await;
    let rules = monitored.asked("/api/v1/rules", &[]).await.unwrap();
    let rules = rules["groups"][0]["rules"].as_array().unwrap();
    let named = rules.iter().map(|rule| rule["name"].as_str().unwrap());
    let tried = [
        "YanivDown",
        "YanivDatabaseDown",
        "YanivOldPrimary",
        "YanivErrors",
        "YanivSlow",
        "YanivTurnsLate",
        "YanivNotificationsLate",
        "YanivWorkerDown",
        "YanivArchiveLate",
        "YanivEmailCodesRefused",
    ];
    assert!(named.eq(tried), "each alert needs a fault here");

    a_move_waits_for_a_lock(&monitored, &token, &path).await;
    panels_show_something(&monitored).await;
    the_scheduler_passes_a_locked_match(&monitored).await;
    a_receiver_is_down(&monitored).await;
    monitored.calms_down().await;
    a_worker_misses_its_table(&monitored).await;
    monitored.calms_down().await;
    the_archiver_does_not_come(&monitored).await;
    monitored.calms_down().await;
    more_codes_are_wanted_than_allowed(&monitored, &token).await;
    monitored.calms_down().await;

    an_old_primary_runs(&monitored).await;
    monitored.cluster.kill9().unwrap();
    monitored.fires("YanivDatabaseDown").await;
    monitored.fires("YanivErrors").await;
    monitored.cluster.restart().unwrap();
    monitored.calms_down().await;
    monitored.program.kill();
    monitored.fires("YanivDown").await;
}

async fn a_move_waits_for_a_lock(monitored: &Monitored, token: &str, path: &str) {
    let mut holder = monitored.connection().await;
    for statement in ["BEGIN", "LOCK TABLE actions IN EXCLUSIVE MODE"] {
        diesel::sql_query(statement).execute(&mut holder).await.unwrap();
    }
    let (_, ()) = tokio::join!(turn(monitored, token, path), async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        diesel::sql_query("COMMIT").execute(&mut holder).await.unwrap();
    });
    monitored.fires("YanivSlow").await;
}

async fn the_scheduler_passes_a_locked_match(monitored: &Monitored) {
    monitored.run("UPDATE match_states SET check_at = now() + interval '1 second'").await;
    let mut holder = monitored.connection().await;
    for statement in
        ["SET idle_in_transaction_session_timeout = 0", "BEGIN", "SELECT FROM match_states FOR UPDATE"]
    {
        diesel::sql_query(statement).execute(&mut holder).await.unwrap();
    }
    monitored.fires("YanivTurnsLate").await;
    diesel::sql_query("ROLLBACK").execute(&mut holder).await.unwrap();
}

/// The player whose turn came has not been notified for two hours: nothing listens there.
async fn a_receiver_is_down(monitored: &Monitored) {
    let waiting = async || {
        let mut connection = monitored.connection().await;
        let backdate = "UPDATE deliveries SET happened_at = now() - interval '2 hours', \
                        due_at = now() + interval '1 hour', attempts = greatest(attempts, 1::smallint) \
                        WHERE done_at IS NULL";
        diesel::sql_query(backdate).execute(&mut connection).await.unwrap()
    };
    eventually("a notification waits", async || waiting().await == 1).await;
    monitored.fires("YanivNotificationsLate").await;
    monitored.run("DELETE FROM deliveries").await;
}

async fn a_worker_misses_its_table(monitored: &Monitored) {
    monitored.run("ALTER TABLE rounds RENAME TO gone").await;
    monitored.fires("YanivWorkerDown").await;
    monitored.run("ALTER TABLE gone RENAME TO rounds").await;
}

/// A match that ended two days before the last that should have been archived. Its next pass is in ten minutes.
async fn the_archiver_does_not_come(monitored: &Monitored) {
    monitored.run("UPDATE matches SET finished_at = now() - interval '32 days'").await;
    monitored.fires("YanivArchiveLate").await;
    monitored.run("UPDATE matches SET finished_at = NULL").await;
}

/// The second of two new addresses gets no code.
async fn more_codes_are_wanted_than_allowed(monitored: &Monitored, token: &str) {
    for (address, status) in [("one@example.org", 201), ("two@example.org", 429)] {
        let body = json!({"email": address, "current_password": "correct horse"});
        let url = format!("http://{}/v1/email-channels", monitored.program.address());
        let answer = monitored.client.post(url).bearer_auth(token).json(&body).send().await.unwrap();
        assert_eq!(answer.status(), status);
    }
    monitored.fires("YanivEmailCodesRefused").await;
    monitored.run("DELETE FROM channels WHERE format = 'email'").await;
}

/// As if instances had seen a newer timeline on another server.
async fn an_old_primary_runs(monitored: &Monitored) {
    let newer = "INSERT INTO newer_timelines (system_identifier, timeline) \
                 SELECT system_identifier, 9 FROM pg_control_system()";
    monitored.run(newer).await;
    monitored.fires("YanivOldPrimary").await;
    monitored.run("DELETE FROM newer_timelines").await;
}

/// Each expression of the dashboard has a result.
async fn panels_show_something(monitored: &Monitored) {
    let dashboard: Value = serde_json::from_str(&sample("grafana.json")).unwrap();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap().replace("$__rate_interval", "1m");
            let data = monitored.asked("/api/v1/query", &[("query", &expression)]).await;
            let result = data.unwrap_or_else(|| panic!("not an expression: {expression}"))["result"].clone();
            assert!(result[0].is_object(), "{}: nothing for {expression}", panel["title"]);
        }
    }
}
