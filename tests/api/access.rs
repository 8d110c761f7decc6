//! Who may do what: `access.txt` has a row for each operation of the document and a column for each kind of person. Every
//! cell is tried, on what the owner has, and must be answered as the table says.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use chrono::{TimeDelta, Utc};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use yaniv::auth::token::Tokens;
use yaniv::http::openapi;
use yaniv::ids::{AccountId, SessionId};

use crate::sign_up::admin;
use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id};

const TABLE: &str = include_str!("access.txt");
const SECRET: &str = "0123456789abcdef0123456789abcdef";
/// An identifier that nothing has.
const RANDOM: &str = "0193aa00-0000-7000-8000-0000000000ff";
/// The columns: who asks. `scope` is a personal token of the owner that has all scopes but the one, `bot` one that has it alone, `random` is the owner, who asks for what does not exist.
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

/// An operation of the document.
struct Operation {
    id: String,
    method: Method,
    path: String,
    scope: Option<String>,
    body: Option<Value>,
}

fn operations() -> Vec<Operation> {
    let document = openapi::document();
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let body = operation.pointer("/requestBody/content/application~1json/example").cloned();
            operations.push(Operation {
                id: operation["operationId"].as_str().unwrap().to_owned(),
                method: Method::from_bytes(method.to_uppercase().as_bytes()).unwrap(),
                path: path.clone(),
                scope: operation["x-scope"].as_str().map(str::to_owned),
                body,
            });
        }
    }
    operations
}

/// The table: for each operation what it is tried on, and what each kind of person is answered.
fn table() -> HashMap<&'static str, (&'static str, Vec<&'static str>)> {
    let rows = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split_whitespace();
        let (operation, target) = (cells.next().unwrap(), cells.next().unwrap());
        (operation, (target, cells.collect()))
    })
    .collect()
}

/// People who are something to the owner, and what the owner has.
struct Scene<'a> {
    app: &'a TestApp,
    people: BTreeMap<&'static str, Player>,
    parameters: HashMap<&'static str, String>,
}

impl<'a> Scene<'a> {
    /// Everything anew: what an operation of before has changed does not count.
    async fn set(app: &'a TestApp, suspended: &Player, operation: &Operation, target: &str) -> Self {
        app.run("DELETE FROM personal_tokens").await;
        let names = ["outsider", "blocked", "invited", "former", "opponent", "owner"];
        let entering = names.map(|name| Player::log_in(app.address, name));
        let mut people: BTreeMap<_, _> =
            names.into_iter().zip(futures_util::future::join_all(entering).await).collect();
        let owner = people["owner"].clone();
        people.insert("random", owner.clone());
        people.insert("nobody", Player::nobody(app.address));
        people.insert("suspended", suspended.clone());
        let account = owner.get("/v1/account").await.expect(200);
        let account = AccountId(id(&account).parse().unwrap());
        let late = Utc::now() - TimeDelta::minutes(16);
        let tokens = Tokens::new(&[SECRET.as_bytes().to_vec()]).unwrap();
        let expired = tokens.issue(account, SessionId::generate(), late).unwrap().token;
        people.insert("expired", Player { token: expired, ..owner.clone() });
        let (needed, others): (Vec<&str>, Vec<&str>) =
            ["read", "play", "account"].iter().partition(|scope| operation.scope.as_deref() == Some(**scope));
        // What needs no token takes any.
        let needed = if needed.is_empty() { vec!["read"] } else { needed };
        for (name, scopes) in [("scope", others), ("bot", needed)] {
            let token = token(&owner, &scopes).await["token"].as_str().unwrap().to_owned();
            people.insert(name, Player { token, ..owner.clone() });
        }
        let mut scene = Self { app, people, parameters: HashMap::new() };
        scene.furnish(target).await;
        scene
    }

    /// Gives the owner something new of this kind.
    async fn furnish(&mut self, target: &str) {
        // There are not to be too many of them.
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
            "running" | "waiting" | "code" | "rematch" => self.a_match(target).await,
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
            "channel" => {
                let body = json!({"url": "http://127.0.0.1:9/", "format": "standard", "kinds": []});
                let made = owner.post("/v1/webhook-channels", None, &body).await.expect(201);
                vec![("channel_id", id(&made["channel"]).to_owned())]
            }
            "person" => vec![("username", "outsider".to_owned()), ("opponent", "owner".to_owned())],
            "preset" => vec![("preset", "yaniv".to_owned())],
            "rating" => vec![("username", "outsider".to_owned()), ("preset", "yaniv".to_owned())],
            other => panic!("{other} is no target"),
        };
        self.parameters = parameters.into_iter().collect();
    }

    /// A match of the owner's and the opponent's, which the former has left.
    async fn a_match(&self, target: &str) -> Vec<(&'static str, String)> {
        let owner = &self.people["owner"];
        let body = json!({"size": 3, "visibility": "public"});
        let created = owner.create(&body).await.expect(201);
        let code = created["code"].as_str().unwrap().to_owned();
        self.people["former"].join(&code, "").await.expect(201);
        self.people["former"].leave(id(&created)).await.expect(204);
        self.people["opponent"].join(&code, "").await.expect(201);
        if ["running", "rematch"].contains(&target) {
            let view = owner.start(id(&created)).await.expect(200);
            if target == "rematch" {
                let resigning = json!({"expected_version": view["version"]});
                self.people["opponent"].act(id(&view), "resignations", &resigning).await.expect(200);
                let path = format!("/v1/matches/{}/rematch", id(&view));
                owner.post(&path, None, &json!({})).await.expect(201);
            }
        }
        vec![("match_id", id(&created).to_owned()), ("code", code), ("round", "1".to_owned())]
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
        if ["waitForEvents", "readInbox"].contains(&operation.id.as_str()) {
            path.push_str("?wait=0");
        }
        let body = operation.body.as_ref().map(|body| serde_json::to_vec(body).unwrap());
        let key = new_key();
        self.people[person].request(operation.method.clone(), &path, &[("idempotency-key", &key)], body).await
    }
}

/// What stands for a stream that was opened, and cut at once.
fn opened() -> Answer {
    Answer { status: reqwest::StatusCode::OK, headers: HeaderMap::new(), body: String::new() }
}

/// A vacation of one day.
async fn vacation(owner: &Player) -> String {
    let day = Utc::now().date_naive() + TimeDelta::days(2);
    let body = json!({"first_day": day, "last_day": day, "time_zone": "UTC"});
    id(&owner.post("/v1/account/vacations", None, &body).await.expect(201)).to_owned()
}

async fn token(owner: &Player, scopes: &[&str]) -> Value {
    owner.post("/v1/tokens", None, &wanted(scopes)).await.expect(201)
}

fn wanted(scopes: &[&str]) -> Value {
    json!({"name": "old", "scopes": scopes, "expires_in_days": 1})
}

/// What a cell says of an answer: `in`, or a status that keeps out.
fn verdict(answer: &Answer) -> String {
    match answer.status.as_u16() {
        status @ (401 | 403 | 404) => status.to_string(),
        status if status < 500 => "in".to_owned(),
        status => panic!("{status}: {}", answer.body),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_gets_at_what_is_not_theirs() {
    let app = TestApp::start_with(|options| options.token_secret = Some(SECRET.into())).await;
    // The last is in an example.
    for name in ["outsider", "blocked", "invited", "former", "opponent", "owner", "bob"] {
        app.player(name).await;
    }
    Player::log_in(app.address, "owner").await.put("/v1/blocks/blocked").await.expect(204);
    let suspended = app.player("suspended").await;
    admin(&app, Some("because")).suspend("suspended", None).await.unwrap();
    let (table, mut wrong, mut seen) = (table(), String::new(), 0);
    for operation in operations() {
        let Some((target, expected)) = table.get(operation.id.as_str()) else {
            writeln!(wrong, "{} has no row", operation.id).unwrap();
            continue;
        };
        seen += 1;
        let mut scene = Scene::set(&app, &suspended, &operation, target).await;
        let (mut cells, mut absent) = (Vec::new(), Vec::new());
        for person in PEOPLE {
            if person == "random" && ["own", "log-in"].contains(target) {
                cells.push("-".to_owned());
                continue;
            }
            let answer = scene.ask(&operation, person).await;
            let cell = verdict(&answer);
            match cell.as_str() {
                "404" => absent.push(answer.body.clone()),
                "in" => scene.furnish(target).await,
                "401" => {
                    assert!(answer.headers.contains_key("www-authenticate") || operation.scope.is_none())
                }
                _ => {}
            }
            if person == "scope" && cell == "403" {
                answer.expect_problem(403, "insufficient_scope");
            }
            cells.push(cell);
        }
        // What is not theirs is answered like what does not exist, byte for byte.
        absent.dedup();
        assert!(absent.len() < 2, "{}: {absent:?}", operation.id);
        if &cells != expected {
            writeln!(wrong, "{:<20} {target:<8} {}", operation.id, cells.join(" ")).unwrap();
        }
    }
    assert!(wrong.is_empty(), "not as the table says:\n{wrong}");
    assert_eq!(seen, table.len(), "the table has rows of operations that there are not");
}
