//! The command `yaniv admin`, run as a program: on a given database, and on the embedded one while the service runs.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use local_postgres::TestDatabase;
use serde_json::{Value, json};

const PASSWORD: &str = "correct horse battery";

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    for name in ["DATABASE_URL", "DATABASE_URL_FILE", "YANIV_TOKEN_SECRET", "RUST_LOG", "SUDO_USER"] {
        command.env_remove(name);
    }
    command
}

/// The database of a command: a given one, or the embedded one in a directory.
#[derive(Clone)]
enum Place {
    Url(String),
    Directory(PathBuf),
}

impl Place {
    fn put(&self, command: &mut Command) {
        match self {
            Self::Url(url) => command.env("DATABASE_URL", url),
            Self::Directory(directory) => command.env("YANIV_DATA_DIR", directory),
        };
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = program();
        self.put(&mut command);
        command.arg("admin").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        // A command that does not read its input may have ended.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn says(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let all: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        let said = self.says(&all);
        assert!(!said.contains("null"), "{said}");
        serde_json::from_str(&said).unwrap()
    }

    fn refuses(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments, "");
        assert!(!output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    }
}

struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(place: &Place, variables: &[(&str, &str)]) -> Self {
        let mut command = program();
        place.put(&mut command);
        command.env("YANIV_LISTEN", "127.0.0.1:0").envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("listening on http://") {
            let before = said.len();
            log.read_line(&mut said).unwrap();
            assert!(said.len() > before, "the service ended: {said}");
        }
        let address = said.split("listening on http://").nth(1).unwrap().split(',').next().unwrap();
        let address = address.to_owned();
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { child, address }
    }

    async fn post(&self, path: &str, token: &str, body: &Value) -> (u16, Value) {
        let request = reqwest::Client::new().post(format!("http://{}{path}", self.address));
        let answer = request.bearer_auth(token).json(body).send().await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or_default())
    }

    async fn get(&self, path: &str, token: &str) -> (u16, Value) {
        let request = reqwest::Client::new().get(format!("http://{}{path}", self.address));
        let answer = request.bearer_auth(token).send().await.unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap_or_default())
    }

    async fn enter(&self, path: &str, name: &str, password: &str) -> (u16, Value) {
        self.post(path, "", &json!({"username": name, "password": password})).await
    }

    async fn is_out(&self, token: &str) {
        let (begun, mut looks) = (Instant::now(), 0);
        while self.get("/v1/account", token).await.0 != 401 {
            looks += 1;
            // On a stalled machine, count checks instead of time.
            let late = looks > 60 && begun.elapsed() > Duration::from_millis(1500);
            assert!(!late, "the token is still good");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn stop(mut self) {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A database without tables: the first command creates them.
async fn database() -> (TestDatabase, Place) {
    let create = || TestDatabase::create("admin-empty", |_| Ok::<(), String>(())).unwrap();
    let database = tokio::task::spawn_blocking(create).await.unwrap();
    let place = Place::Url(database.url().to_owned());
    (database, place)
}

fn token(session: &Value) -> &str {
    session["access_token"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_are_made_listed_and_shown() {
    let (_database, place) = database().await;
    let drawn = place.json(&["accounts", "create", "ada"])["password"].as_str().unwrap().to_owned();
    assert_eq!(drawn.len(), 23);
    let made = place.run(&["accounts", "create", "bob_1", "--password-stdin"], &format!("{PASSWORD}\n"));
    assert_eq!(String::from_utf8_lossy(&made.stdout), "bob_1: created\n");
    place.says(&["accounts", "create", "bobs"]);
    assert!(place.refuses(&["accounts", "create", "ada"]).contains("the username is taken"));
    assert!(place.refuses(&["accounts", "create", "No"]).contains("username"));
    let short = place.run(&["accounts", "create", "cleo", "--password-stdin"], "short\n");
    assert!(String::from_utf8_lossy(&short.stderr).contains("must be 8 to 128 characters"));
    for common in ["12345678", "cleo_cleo"] {
        let guessed =
            place.run(&["accounts", "create", "cleo_cleo", "--password-stdin"], &format!("{common}\n"));
        assert!(!guessed.status.success());
        assert!(String::from_utf8_lossy(&guessed.stderr).contains("easy to guess"));
    }
    // No option takes a password, which other users could see.
    assert!(
        place.refuses(&["accounts", "create", "cleo", "--password", "x"]).contains("unexpected argument")
    );

    let names = |listed: &Value| -> Vec<String> {
        let items = listed["items"].as_array().unwrap().iter();
        items.map(|item| item["username"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&place.json(&["accounts", "list"])), ["ada", "bob_1", "bobs"]);
    assert_eq!(names(&place.json(&["accounts", "list", "--search", "b_"])), ["bob_1"]);
    assert_eq!(names(&place.json(&["accounts", "list", "--after", "ada", "--limit", "1"])), ["bob_1"]);
    assert_eq!(names(&place.json(&["accounts", "list", "--search", "%"])), Vec::<String>::new());
    assert!(place.says(&["accounts", "list"]).lines().count() == 3);
    assert_eq!(place.says(&["accounts", "list", "--search", "zzz"]), "no accounts\n");

    let service = Service::start(&place, &[("YANIV_SIGN_UP", "closed")]);
    let (status, refused) = service.enter("/v1/accounts", "cleo", PASSWORD).await;
    assert_eq!((status, &refused["code"]), (403, &json!("sign_up_closed")));
    assert_eq!(service.enter("/v1/sessions", "ada", &drawn).await.0, 201);
    assert_eq!(service.enter("/v1/sessions", "bob_1", PASSWORD).await.0, 201);
    let shown = place.json(&["accounts", "show", "ada"]);
    assert_eq!((&shown["sessions"], &shown["personal_tokens"]), (&json!(1), &json!(0)));
    assert!(shown["last_used_on"].is_string() && shown.get("suspension").is_none());
    assert!(place.refuses(&["accounts", "show", "nobody"]).contains("no such account"));
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_account_is_logged_out_of_a_running_service() {
    let (_database, place) = database().await;
    let service = Service::start(&place, &[]);
    let (_, session) = service.enter("/v1/accounts", "ada", PASSWORD).await;
    assert_eq!(service.get("/v1/account", token(&session)).await.0, 200);
    assert!(place.refuses(&["accounts", "suspend", "ada"]).contains("reason: must be given"));
    let past = ["accounts", "suspend", "ada", "--reason", "x", "--until", "2020-01-01"];
    assert!(place.refuses(&past).contains("is over already"));
    assert!(place.refuses(&["accounts", "suspend", "ada", "--until", "soon"]).contains("2026-12-24"));
    let said = place.says(&["accounts", "suspend", "ada", "--reason", "insults", "--until", "2999-01-01"]);
    assert_eq!(said, "ada: suspended; sessions ended 1, personal tokens 0\n");
    service.is_out(token(&session)).await;
    let (status, refused) = service.enter("/v1/sessions", "ada", PASSWORD).await;
    assert_eq!(status, 403);
    assert_eq!(refused["detail"], "the account is suspended until 2999-01-01T00:00:00.000000Z: insults");
    assert_eq!(place.json(&["accounts", "list"])["items"][0]["suspension"]["reason"], "insults");
    place.says(&["accounts", "restore", "ada"]);
    let (_, session) = service.enter("/v1/sessions", "ada", PASSWORD).await;

    let ended = place.json(&["accounts", "revoke", "ada"]);
    assert_eq!(ended["ended"], json!({"sessions": 1, "personal_tokens": 0}));
    service.is_out(token(&session)).await;
    let (_, session) = service.enter("/v1/sessions", "ada", PASSWORD).await;
    let reset = ["accounts", "reset-password", "ada", "--password-stdin"];
    assert!(!place.run(&reset, "password1\n").status.success());
    assert!(place.run(&reset, "another password\n").status.success());
    service.is_out(token(&session)).await;
    assert_eq!(service.enter("/v1/sessions", "ada", PASSWORD).await.0, 401);
    assert_eq!(service.enter("/v1/sessions", "ada", "another password").await.0, 201);
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_let_people_in_until_they_are_revoked() {
    let (_database, place) = database().await;
    let service = Service::start(&place, &[("YANIV_SIGN_UP", "invitation")]);
    let made = place.json(&["invitations", "create", "--uses", "2", "--note", "the club"]);
    let (id, code) = (made["id"].as_str().unwrap(), made["code"].as_str().unwrap());
    let enter = async |name: &str| {
        let body = json!({"username": name, "password": PASSWORD, "invitation": code});
        service.post("/v1/accounts", "", &body).await
    };
    assert_eq!(enter("ada").await.0, 201);
    let listed = place.json(&["invitations", "list"]);
    assert_eq!((&listed["items"][0]["used"], &listed["items"][0]["note"]), (&json!(1), &json!("the club")));
    assert!(!listed.to_string().contains(code), "a code is shown once");
    assert!(place.says(&["invitations", "revoke", id]).contains("revoked"));
    let (status, refused) = enter("bob").await;
    assert_eq!((status, &refused["code"]), (403, &json!("invitation_invalid")));
    assert!(place.refuses(&["invitations", "create", "--uses", "0"]).contains("uses"));
    let nothing = "0193aa00-0000-7000-8000-000000000001";
    assert!(!place.refuses(&["invitations", "revoke", nothing]).is_empty());
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_listed_decided_and_undone() {
    let (_database, place) = database().await;
    let service = Service::start(&place, &[]);
    let mut tokens = Vec::new();
    for name in ["ada", "bob"] {
        let (status, session) = service.enter("/v1/accounts", name, PASSWORD).await;
        assert_eq!(status, 201);
        tokens.push(token(&session).to_owned());
    }
    assert_eq!(place.says(&["reports", "list"]), "no reports\n");
    let body = json!({"reason": "harassment", "comment": "look at this"});
    let (status, made) = service.post("/v1/profiles/bob/reports", &tokens[0], &body).await;
    assert_eq!(status, 201);
    let report = made["report_id"].as_str().unwrap();
    let listed = place.json(&["reports", "list"])["items"].clone();
    assert_eq!((&listed[0]["report_id"], &listed[0]["reporter"]), (&made["report_id"], &json!("ada")));
    let shown = place.says(&["reports", "show", report]);
    assert!(
        shown.contains("player of bob (harassment), by ada") && shown.contains("look at this"),
        "{shown}"
    );

    assert!(place.refuses(&["reports", "decide", report, "warning"]).contains("reason"));
    assert!(place.refuses(&["reports", "decide", report, "mute", "--reason", "x"]).contains("until"));
    assert!(place.refuses(&["reports", "decide", report, "beheading"]).contains("dedication_removal"));
    let mute = ["reports", "decide", report, "mute", "--until", "2999-01-01", "--reason", "be kind"];
    let decided = place.json(&mute);
    assert_eq!((&decided["kind"], &decided["until"]), (&json!("mute"), &json!("2999-01-01T00:00:00Z")));
    assert_eq!(place.says(&["reports", "list"]), "no reports\n");
    assert_eq!(place.json(&["reports", "list", "--closed"])["items"][0]["decision"], decided);
    let (_, sanctions) = service.get("/v1/account/sanctions", &tokens[1]).await;
    assert_eq!(sanctions["items"][0]["reason"], "be kind");
    assert!(place.refuses(&["reports", "decide", report, "dismissal"]).contains("closed"));
    assert!(place.says(&["reports", "undo", report]).contains("undone_at"));
    place.says(&["reports", "decide", report, "dismissal"]);

    // Moderators.
    let wanted = json!({"name": "queue", "scopes": ["moderate"], "expires_in_days": 1});
    assert_eq!(service.post("/v1/tokens", &tokens[0], &wanted).await.0, 403);
    place.says(&["moderators", "add", "ada"]);
    assert_eq!(place.json(&["moderators", "list"])["items"][0]["username"], "ada");
    let (status, created) = service.post("/v1/tokens", &tokens[0], &wanted).await;
    assert_eq!(status, 201);
    let queue = created["token"].as_str().unwrap();
    let (_, closed) = service.get("/v1/moderation/reports?closed=true", queue).await;
    assert_eq!(closed["items"][0]["report_id"], made["report_id"]);
    assert_eq!(place.json(&["moderators", "remove", "ada"])["personal_tokens"], 1);
    service.is_out(queue).await;
    assert_eq!(place.says(&["moderators", "list"]), "no moderators\n");
    let log = place.says(&["audit", "--account", "bob"]);
    for action in ["reports.show", "reports.mute", "reports.undo", "reports.dismissal"] {
        assert!(log.contains(action), "{action} in {log}");
    }
    service.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_is_in_an_append_only_log() {
    let (database, place) = database().await;
    place.says(&["accounts", "create", "ada", "--as", "root@club", "--reason", "asked by letter"]);
    place.says(&["accounts", "show", "ada"]);
    place.says(&["accounts", "list"]);
    place.says(&["accounts", "suspend", "ada", "--reason", "insults"]);
    place.refuses(&["accounts", "suspend", "nobody", "--reason", "insults"]);
    for command in ["restore", "revoke", "reset-password"] {
        place.says(&["accounts", command, "ada"]);
    }
    place.says(&["accounts", "create", "bob"]);
    let entries = place.json(&["audit", "--account", "ada"])["items"].clone();
    let actions: Vec<&str> =
        entries.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let expected = ["reset-password", "revoke", "restore", "suspend", "show", "create"];
    assert_eq!(actions, expected.map(|command| format!("accounts.{command}")));
    assert!(entries.as_array().unwrap().iter().all(|entry| entry["username"] == "ada"));
    assert_eq!((&entries[3]["reason"], &entries[5]["by"]), (&json!("insults"), &json!("root@club")));
    let user = Command::new("id").arg("-un").output().unwrap().stdout;
    assert_eq!(entries[0]["by"], String::from_utf8(user).unwrap().trim());
    let all = place.says(&["audit"]);
    assert!(all.contains("accounts.list") && all.contains("(asked by letter)"), "{all}");
    for statement in
        ["UPDATE audit_entries SET by = 'nobody'", "DELETE FROM audit_entries", "TRUNCATE audit_entries"]
    {
        let mut connection = yaniv_db::connect(database.url()).await.unwrap();
        let refused = diesel_async::RunQueryDsl::execute(diesel::sql_query(statement), &mut connection).await;
        assert!(refused.unwrap_err().to_string().contains("never changed nor deleted"), "{statement}");
    }
}

/// No command prints a hand, a seed, a hash or a token; only a password or code that it has just generated.
#[tokio::test(flavor = "multi_thread")]
async fn no_command_shows_what_is_secret() {
    let (database, place) = database().await;
    let service = Service::start(&place, &[]);
    let (_, ada) = service.enter("/v1/accounts", "ada", PASSWORD).await;
    let (_, bob) = service.enter("/v1/accounts", "bob", PASSWORD).await;
    let seeded = |seed: &str| json!({"client_seed": seed});
    let new = json!({"size": 2, "client_seed": "seed of ada"});
    let (_, created) = service.post("/v1/matches", token(&ada), &new).await;
    let seats = format!("/v1/join-codes/{}/seats", created["join_code"].as_str().unwrap());
    assert_eq!(service.post(&seats, token(&bob), &seeded("seed of bob")).await.0, 201);
    let path = format!("/v1/matches/{}", created["match_id"].as_str().unwrap());
    let (status, started) = service.post(&format!("{path}/start"), token(&ada), &json!({})).await;
    assert_eq!(status, 200);
    assert!(started["hand"].is_object(), "there is a live hand");
    let mut said = String::new();
    for arguments in [
        &["accounts", "list"][..],
        &["accounts", "show", "ada"],
        &["invitations", "list"],
        &["accounts", "suspend", "bob", "--reason", "x"],
        &["accounts", "restore", "bob"],
        &["accounts", "revoke", "bob"],
        &["audit"],
    ] {
        said.push_str(&place.says(arguments));
        said.push_str(&place.json(arguments).to_string());
    }
    let mut connection = yaniv_db::connect(database.url()).await.unwrap();
    let secrets = "SELECT string_agg(secret, ' ') AS text FROM (SELECT password_hash AS secret FROM accounts \
                   UNION ALL SELECT encode(hash, 'hex') FROM sessions UNION ALL SELECT encode(secret, 'hex') \
                   FROM matches UNION ALL SELECT encode(state, 'hex') FROM match_states) AS all_secrets";
    #[derive(diesel::QueryableByName)]
    struct Text {
        #[diesel(sql_type = diesel::sql_types::Text)]
        text: String,
    }
    let secrets: Text =
        diesel_async::RunQueryDsl::get_result(diesel::sql_query(secrets), &mut connection).await.unwrap();
    let known = [PASSWORD, "seed of", "$argon2", "hand", token(&ada)];
    for secret in secrets.text.split(' ').chain(known) {
        assert!(!said.contains(secret), "{secret} in {said}");
    }
    service.stop();
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn has_postmaster(directory: &Path) -> bool {
    let clusters = std::fs::read_dir(directory).unwrap().filter_map(Result::ok);
    clusters.map(|cluster| cluster.path().join("data/postmaster.pid")).any(|file| file.exists())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_database_it_works_on_the_one_of_the_service() {
    let scratch = Scratch(PathBuf::from(format!("/tmp/yaniv-admin-{}", std::process::id())));
    std::fs::create_dir_all(&scratch.0).unwrap();
    let place = Place::Directory(scratch.0.clone());
    // After the first run of the service, which made the database; while it runs; and afterwards.
    Service::start(&place, &[]).stop();
    let password = place.json(&["accounts", "create", "ada"])["password"].as_str().unwrap().to_owned();
    assert!(!has_postmaster(&scratch.0), "the database was brought up for the command alone");
    let service = Service::start(&place, &[]);
    let (status, session) = service.enter("/v1/sessions", "ada", &password).await;
    assert_eq!(status, 201);
    place.says(&["accounts", "revoke", "ada"]);
    service.is_out(token(&session)).await;
    assert_eq!(service.get("/readyz", "").await.0, 200);
    service.stop();
    assert_eq!(place.json(&["accounts", "show", "ada"])["sessions"], 0);
    assert!(!has_postmaster(&scratch.0));
}

#[test]
fn a_command_that_finds_no_database_makes_none() {
    let directory = std::env::temp_dir().join(format!("yaniv-no-database-{}", std::process::id()));
    let place = Place::Directory(directory.clone());
    for arguments in [&["accounts", "list"][..], &["storage"]] {
        let said = place.refuses(arguments);
        assert!(said.contains("there is no database in") && said.contains("DATABASE_URL_FILE"), "{said}");
    }
    let mut fsck = program();
    place.put(&mut fsck);
    let output = fsck.arg("fsck").output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(!directory.exists());
}
