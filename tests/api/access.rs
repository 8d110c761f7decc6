//! Access control: `access.txt` has a row for each operation and a column for each kind of caller. Every cell is tested
//! on resources of the owner.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write;

use chrono::{TimeDelta, Utc};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use yaniv_app::moderation::decision::DecisionKind;
use yaniv_auth::token::Tokens;
use yaniv_http::openapi;
use yaniv_model::ids::{AccountId, SessionId};

use crate::sign_up::admin;
use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id, within_a_second};

const TABLE: &str = include_str!("access.txt");
const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// An identifier that does not exist.
const RANDOM: &str = "0193aa00-0000-7000-8000-0000000000ff";
/// The columns: callers. `scope` is a personal token of the owner with all scopes but the required one, `bot` one with
/// only that scope; `random` is the owner with identifiers that do not exist.
const PEOPLE: [&str; 12] = [
    "nobody",
    "expired",
    "suspended",
    "scope",
    "bot",
    "outsider",
    "blocked",
    "invited",
    "former",
    "opponent",
    "owner",
    "random",
];

/// Resources of matches,
const OF_MATCHES: [&str; 5] = ["running", "waiting", "code", "rematch", "dedication"];
/// and resources of every account.
const OF_ACCOUNTS: [&str; 2] = ["own", "log-in"];
/// Callers that log in.
const LOGGED_IN: [&str; 6] = ["outsider", "blocked", "invited", "former", "opponent", "owner"];

/// An operation of the document.
struct Operation {
    id: String,
    method: Method,
    path: String,
    scope: Option<String>,
    body: Option<Value>,
}

fn operations() -> Vec<Operation> {
    let document = openapi::declared();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let example = operation.pointer("/requestBody/content/application~1json/example");
            operations.push(Operation {
                id: id.to_owned(),
                method: Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                path: path.clone(),
                scope: operation["x-scope"].as_str().map(str::to_owned),
                body: example.map(|example| body(id, example)),
            });
        }
    }
    operations
}

/// The codes of the problems of an operation.
fn problems(document: &Value, operation: &Value) -> BTreeSet<String> {
    let responses = operation["responses"].as_object().unwrap().values();
    let whole = responses.map(|response| match response["$ref"].as_str() {
        Some(shared) => document.pointer(shared.trim_start_matches('#')).unwrap(),
        None => response,
    });
    let codes = whole.filter_map(|response| response["x-problem-codes"].as_array()).flatten();
    codes.map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// The example body of an operation, changed where the answer would depend on the cards or the date.
fn body(operation: &str, example: &Value) -> Value {
    let mut body = example.clone();
    match operation {
        // No hand has a card twice, as the matches use one deck.
        "playCards" => body["cards"] = json!(["9C", "9C"]),
        "setStandingOrders" => body["plays"][0]["cards"] = json!(["9C", "9C"]),
        "announceVacation" => body = days(20),
        _ => {}
    }
    body
}

/// The table: for each operation, its resource and the expected result of each caller.
fn table() -> HashMap<&'static str, (&'static str, Vec<&'static str>)> {
    rows().into_iter().map(|(operation, (target, _, cells))| (operation, (target, cells))).collect()
}

/// The rows of the table: for each operation, its resource, what it needs besides a token, and the cells.
fn rows() -> HashMap<&'static str, (&'static str, &'static str, Vec<&'static str>)> {
    let rows = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split_whitespace();
        let mut word = || cells.next().unwrap();
        let (operation, target, needed) = (word(), word(), word());
        (operation, (target, needed, cells.collect()))
    })
    .collect()
}

/// The callers, and the owner's resources.
struct Scene<'a> {
    app: &'a TestApp,
    people: BTreeMap<&'static str, Player>,
    parameters: HashMap<&'static str, String>,
}

impl<'a> Scene<'a> {
    /// Recreates everything, so that changes of earlier operations do not matter.
    async fn set(
        app: &'a TestApp,
        cast: &mut BTreeMap<&'static str, Player>,
        operation: &Operation,
        target: &str,
    ) -> Self {
        app.run("DELETE FROM personal_tokens").await;
        for name in LOGGED_IN {
            // Hashing passwords takes most of the time: log in only callers whose token was ended.
            if cast[name].is_refused().await {
                cast.insert(name, Player::log_in(app.address, name).await);
            }
        }
        let mut people = cast.clone();
        let owner = people["owner"].clone();
        people.insert("random", owner.clone());
        people.insert("nobody", Player::anonymous(app.address));
        let account = owner.get("/v1/account").await.expect(200);
        let account = AccountId(id(&account).parse().unwrap());
        let late = Utc::now() - TimeDelta::minutes(16);
        let tokens = Tokens::new(&[SECRET.as_bytes().to_vec()]).unwrap();
        let expired = tokens.issue(account, SessionId::generate(), None, late).unwrap().token;
        people.insert("expired", Player { token: expired, ..owner.clone() });
        let (needed, others): (Vec<&str>, Vec<&str>) = ["read", "play", "account", "moderate"]
            .iter()
            .partition(|scope| operation.scope.as_deref() == Some(**scope));
        // An operation that needs no token accepts any.
        let needed = if needed.is_empty() { vec!["read"] } else { needed };
        for (name, scopes) in [("scope", others), ("bot", needed)] {
            let token = token(&owner, &scopes).await["token"].as_str().unwrap().to_owned();
            people.insert(name, Player { token, ..owner.clone() });
        }
        let mut scene = Self { app, people, parameters: HashMap::new() };
        scene.furnish(target).await;
        scene
    }

    /// Creates a fresh resource of this kind.
    async fn furnish(&mut self, target: &str) {
        // Stay below the limits.
        let tables = [
            "personal_tokens WHERE name = 'new'",
            "challenges",
            "channels",
            "accounts WHERE kind = 'bot'",
            "vacations",
        ];
        let deletes: String = tables.iter().map(|table| format!("DELETE FROM {table}; ")).collect();
        self.app.run(&format!("DO $$ BEGIN {deletes} END $$")).await;
        let owner = &self.people["owner"];
        let parameters = match target {
            "own" => vec![],
            "log-in" => {
                let again = Player::log_in(owner.address, "owner").await;
                self.people.insert("owner", again);
                vec![]
            }
            "running" | "waiting" | "code" | "rematch" | "dedication" => self.a_match(target).await,
            "report" => vec![("report_id", self.a_report().await)],
            "pairing" => {
                let pairing = owner.request_pairing(None, &json!({"size": 8})).await.expect(201);
                vec![("pairing_id", id(&pairing).to_owned())]
            }
            "session" => {
                let other = Player::log_in(owner.address, "owner").await;
                let list = other.get("/v1/sessions").await.expect(200);
                let items = list["items"].as_array().unwrap().clone();
                let session = items.iter().find(|session| session["current"] == true).unwrap();
                vec![("session_id", id(session).to_owned())]
            }
            "token" => {
                let token = token(owner, &["read"]).await;
                vec![("token_id", id(&token["personal_token"]).to_owned())]
            }
            "challenge" => {
                let body = json!({"opponents": ["opponent", "invited"]});
                let challenge = owner.post("/v1/challenges", None, &body).await.expect(201);
                vec![("challenge_id", id(&challenge).to_owned())]
            }
            "bot" | "bot-token" => {
                let bot = owner.post("/v1/bots", None, &json!({"username": "robot"})).await.expect(201);
                let path = format!("/v1/bots/{}/tokens", id(&bot));
                let token = owner.post(&path, None, &wanted(&["read"])).await.expect(201);
                let token = id(&token["personal_token"]).to_owned();
                vec![("bot_id", id(&bot).to_owned()), ("token_id", token)]
            }
            "vacation" => vec![("vacation_id", vacation(owner).await)],
            "channel" => vec![("channel_id", a_channel(owner).await)],
            "email" => vec![("channel_id", self.an_address().await)],
            "passkey" => vec![("passkey_id", self.a_passkey().await)],
            "person" => vec![("username", "outsider".to_owned()), ("opponent", "owner".to_owned())],
            "preset" => vec![("preset", "yaniv".to_owned())],
            "rating" => vec![("username", "outsider".to_owned()), ("preset", "yaniv".to_owned())],
            other => panic!("{other} is no target"),
        };
        self.parameters = parameters.into_iter().collect();
    }

    /// The e-mail address of the owner; there is no mail server here.
    async fn an_address(&self) -> String {
        let made = "0193aa00-0000-7000-8000-0000000000ab";
        let insert = format!(
            "INSERT INTO channels (id, account_id, format, name, url, host, kinds, immediate, secret, created_at, \
             verified_at) SELECT '{made}', id, 'email', 'e', 'owner@example.org', 'example.org', 0, false, '', now(), \
             now() FROM accounts WHERE username = 'owner'"
        );
        self.app.run(&insert).await;
        made.to_owned()
    }

    /// A passkey of the owner, whose browser is not here.
    async fn a_passkey(&self) -> String {
        let made = "0193aa00-0000-7000-8000-0000000000aa";
        let insert = format!(
            "INSERT INTO passkeys (id, account_id, credential_id, credential, name, created_at) \
             SELECT '{made}', id, '\\x01', '{{}}', 'phone', now() FROM accounts WHERE username = 'owner' \
             ON CONFLICT DO NOTHING"
        );
        self.app.run(&insert).await;
        made.to_owned()
    }

    /// A match of owner and opponent, which `former` has left.
    async fn a_match(&self, target: &str) -> Vec<(&'static str, String)> {
        let owner = &self.people["owner"];
        // There are more rows than matches that may wait, or be made on a day.
        let uncounted = "WITH made AS (DELETE FROM daily_counts) UPDATE seats SET closed_at = now() WHERE closed_at IS NULL";
        self.app.run(uncounted).await;
        // No call is possible in the first turn: whether it is would depend on the cards.
        let body = json!({"size": 3, "visibility": "public", "rules": {"decks": 1, "min_turns": 1}});
        let created = owner.create(&body).await.expect(201);
        let code = created["join_code"].as_str().unwrap().to_owned();
        self.people["former"].join(&code, "").await.expect(201);
        self.people["former"].leave(id(&created)).await.expect(204);
        self.people["opponent"].join(&code, "").await.expect(201);
        if ["running", "rematch", "dedication"].contains(&target) {
            let view = owner.start(id(&created)).await.expect(200);
            if target == "dedication" {
                let dealer = if view["table"]["dealer"] == view["your_seat"] { "owner" } else { "opponent" };
                let path = format!("/v1/matches/{}/dedications", id(&view));
                self.people[dealer].post(&path, None, &json!({"text": "with love"})).await.expect(204);
            }
            if target == "rematch" {
                let resigning = json!({"expected_version": view["version"]});
                self.people["opponent"].act(id(&view), "resignations", &resigning).await.expect(200);
                let path = format!("/v1/matches/{}/offer-rematch", id(&view));
                owner.post(&path, None, &json!({})).await.expect(201);
            }
        }
        let others = [("code", code), ("round", "1".to_owned()), ("username", "opponent".to_owned())];
        [("match_id", id(&created).to_owned())].into_iter().chain(others).collect()
    }

    /// A report that has been decided.
    async fn a_report(&self) -> String {
        self.app.run("UPDATE reports SET closed_at = now()").await;
        let body = json!({"reason": "other"});
        let made =
            self.people["opponent"].post("/v1/profiles/outsider/reports", None, &body).await.expect(201);
        let moderator = admin(self.app, Some("because"));
        let warning = DecisionKind::Warning;
        moderator.decide_report(id(&made).parse().unwrap(), warning, None).await.unwrap();
        id(&made).to_owned()
    }

    async fn ask(&self, operation: &Operation, person: &str) -> Answer {
        let mut path = operation.path.clone();
        for (name, value) in &self.parameters {
            // Outsiders do not know the code.
            let unknown = person == "random" || (*name == "code" && person == "outsider");
            let random = match *name {
                "code" => "AAAAAAAA",
                "username" => "nobody_at_all",
                _ => RANDOM,
            };
            path = path.replace(&format!("{{{name}}}"), if unknown { random } else { value });
        }
        assert!(!path.contains('{'), "{path}: what is it tried on?");
        if operation.id == "listProfiles" {
            path.push_str("?usernames=owner");
        }
        if path.ends_with("/stream") {
            return self.people[person]
                .try_follow(&path, None)
                .await
                .map_or_else(|answer| answer, |_| opened());
        }
        if ["listMatchEvents", "listEvents"].contains(&operation.id.as_str()) {
            path.push_str("?wait=0");
        }
        let body = operation.body.as_ref().map(|body| serde_json::to_vec(body).unwrap());
        let key = new_key();
        self.people[person].request(operation.method.clone(), &path, &[("idempotency-key", &key)], body).await
    }
}

/// Stands for a stream that was opened, and closed at once.
fn opened() -> Answer {
    Answer { status: reqwest::StatusCode::OK, headers: HeaderMap::new(), body: String::new() }
}

/// A vacation of one day, after this many days.
fn days(after: i64) -> Value {
    let day = Utc::now().date_naive() + TimeDelta::days(after);
    json!({"first_day": day, "last_day": day, "time_zone": "UTC"})
}

async fn a_channel(owner: &Player) -> String {
    let body = json!({"url": "http://127.0.0.1:9/", "format": "standard", "kinds": []});
    let made = owner.post("/v1/webhook-channels", None, &body).await.expect(201);
    id(&made["channel"]).to_owned()
}

async fn vacation(owner: &Player) -> String {
    id(&owner.post("/v1/account/vacations", None, &days(2)).await.expect(201)).to_owned()
}

async fn token(owner: &Player, scopes: &[&str]) -> Value {
    owner.post("/v1/tokens", None, &wanted(scopes)).await.expect(201)
}

fn wanted(scopes: &[&str]) -> Value {
    json!({"name": "old", "scopes": scopes, "expires_in_days": 1})
}

/// The value of a cell for an answer: `in` if it succeeded, `no` if the resource's state refuses it, else the status.
fn verdict(answer: &Answer) -> String {
    match answer.status.as_u16() {
        200..=299 => "in".to_owned(),
        409 | 422 => "no".to_owned(),
        status => status.to_string(),
    }
}

/// A service with the accounts of all callers.
async fn stage() -> (TestApp, BTreeMap<&'static str, Player>) {
    let app = TestApp::start_with(|options| options.token_secret = Some(SECRET.into())).await;
    let mut cast = BTreeMap::new();
    for name in LOGGED_IN.into_iter().chain(["suspended"]) {
        cast.insert(name, app.player(name).await);
    }
    // A name in an example.
    app.player("bob").await;
    cast["owner"].put("/v1/blocks/blocked").await.expect(204);
    admin(&app, None).add_moderator("owner").await.unwrap();
    admin(&app, Some("because")).suspend("suspended", None).await.unwrap();
    // A suspension by another process takes effect within a second, not at once.
    within_a_second("suspended", async || cast["suspended"].is_refused().await).await;
    (app, cast)
}

#[test]
fn every_operation_has_a_row_and_every_row_an_operation() {
    let operations = operations();
    let operations: BTreeSet<&str> = operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(table().into_keys().collect::<BTreeSet<_>>(), operations);
}

#[test]
fn what_cannot_be_undone_is_documented_to_need_its_owner() {
    let rows = rows();
    let document = openapi::document();
    for operation in operations() {
        let declared = &document["paths"][&operation.path][operation.method.as_str().to_lowercase()];
        let told = problems(&document, declared);
        let has = |codes: &[&str]| codes.iter().any(|code| told.contains(*code));
        let (_, needed, _) = rows[operation.id.as_str()];
        let right = match needed {
            "session" => has(&["session_required"]),
            "proof" => has(&["wrong_password", "identity_required", "email_code_invalid"]),
            "-" => !has(&["session_required", "wrong_password"]),
            _ => false,
        };
        assert!(right, "{}: {needed}, {:?}", operation.id, told);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn access_to_matches_is_as_the_table_says() {
    as_the_table_says(|target| OF_MATCHES.contains(&target)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn access_to_accounts_is_as_the_table_says() {
    as_the_table_says(|target| OF_ACCOUNTS.contains(&target)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn access_to_other_resources_is_as_the_table_says() {
    as_the_table_says(|target| !OF_MATCHES.contains(&target) && !OF_ACCOUNTS.contains(&target)).await;
}

/// Tests the operations on some kinds of resources.
async fn as_the_table_says(tried_on: impl Fn(&str) -> bool) {
    let (app, mut cast) = stage().await;
    let (table, rows, mut wrong) = (table(), rows(), String::new());
    for operation in operations() {
        let (target, expected) = &table[operation.id.as_str()];
        if !tried_on(target) {
            continue;
        }
        let mut scene = Scene::set(&app, &mut cast, &operation, target).await;
        let (mut cells, mut absent) = (Vec::new(), Vec::new());
        for person in PEOPLE {
            if person == "random" && OF_ACCOUNTS.contains(target) {
                cells.push("-".to_owned());
                continue;
            }
            let answer = scene.ask(&operation, person).await;
            let cell = verdict(&answer);
            match cell.as_str() {
                "404" => absent.push(answer.body.clone()),
                "in" | "no" => scene.furnish(target).await,
                "401" => {
                    assert!(answer.headers.contains_key("www-authenticate") || operation.scope.is_none())
                }
                _ => {}
            }
            if person == "scope" && cell == "403" && operation.scope.is_some() {
                answer.expect_problem(403, "insufficient_scope");
            }
            if person == "bot" && rows[operation.id.as_str()].1 == "session" {
                answer.expect_problem(403, "session_required");
            }
            cells.push(cell);
        }
        // A resource of others gets the same answer as one that does not exist, byte for byte.
        absent.dedup();
        assert!(absent.len() < 2, "{}: {absent:?}", operation.id);
        let as_said = |(cell, said): (&String, &&str)| {
            cell == said || (*said == "any" && ["in", "no"].contains(&cell.as_str()))
        };
        if cells.len() != expected.len() || !cells.iter().zip(expected).all(as_said) {
            writeln!(wrong, "{:<20} {target:<8} {}", operation.id, cells.join(" ")).unwrap();
        }
    }
    assert!(wrong.is_empty(), "not as the table says:\n{wrong}");
}

/// A session that holds the locks of everything that the owner has, until dropped.
async fn all_locked(app: &TestApp) -> AsyncPgConnection {
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    connection.batch_execute("SET idle_in_transaction_session_timeout = 0; BEGIN").await.unwrap();
    for rows in [
        "match_states",
        "matches",
        "challenges",
        "pairing_criteria",
        "pairings",
        "sessions JOIN accounts a ON a.id = account_id AND a.username = 'owner' FOR UPDATE OF sessions",
        "personal_tokens",
        "channels",
        "vacations",
        "accounts WHERE username IN ('owner', 'robot')",
    ] {
        let lock = if rows.contains("FOR UPDATE") { "" } else { " FOR UPDATE" };
        connection.batch_execute(&format!("SELECT FROM {rows}{lock}")).await.unwrap();
    }
    connection
}

/// A caller without access must not wait for a lock: then it could also hold one and delay the owner.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_kept_out_waits_for_no_lock() {
    let (app, mut cast) = stage().await;
    let (table, mut tried) = (table(), 0);
    for operation in operations().into_iter().filter(|operation| operation.method != Method::GET) {
        let (target, expected) = &table[operation.id.as_str()];
        let kept_out = |person: &&str| {
            let place = PEOPLE.iter().position(|name| name == person).unwrap();
            expected[place] == "404"
        };
        let kept_out: Vec<&str> = ["outsider", "former"].into_iter().filter(kept_out).collect();
        if kept_out.is_empty() || OF_ACCOUNTS.contains(target) {
            continue;
        }
        let scene = Scene::set(&app, &mut cast, &operation, target).await;
        let held = all_locked(&app).await;
        for person in kept_out {
            // The locks are held: a caller that waits for one gets 503 after three seconds.
            scene.ask(&operation, person).await.expect(404);
            tried += 1;
        }
        drop(held);
    }
    assert!(tried > 40, "{tried}");
}
