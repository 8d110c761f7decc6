//! Requests that do not fit: each problem names every wrong part, in the words of the document.

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id, version};

const NOBODYS: &str = "0193aa00-0000-7000-8000-00000000abcd";

/// Words of parsers and of the implementation.
const FORBIDDEN: [&str; 27] = [
    "expected",
    "struct",
    "enum",
    "variant",
    "variants",
    "tuple",
    "sequence",
    "map",
    "string",
    "str",
    "i8",
    "i16",
    "i32",
    "i64",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "f64",
    "serde",
    "deserialize",
    "line",
    "column",
    "EOF",
    "trailing",
    "pattern",
];

/// Names of the wrong parts, in alphabetical order.
fn names(problem: &Value) -> Vec<&str> {
    let fields = problem["fields"].as_array().unwrap();
    let mut names: Vec<&str> = fields.iter().map(|field| field["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    names
}

/// The sentence about a part.
#[track_caller]
fn detail<'a>(problem: &'a Value, name: &str) -> &'a str {
    let fields = problem["fields"].as_array().unwrap();
    let field = fields.iter().find(|field| field["name"] == name);
    field.unwrap_or_else(|| panic!("{name} is not in {problem}"))["detail"].as_str().unwrap()
}

/// The first word of a problem that a person should not have to read.
fn foreign_word(problem: &Value) -> Option<String> {
    let fields = problem["fields"].as_array().unwrap();
    let texts = fields.iter().map(|field| &field["detail"]).chain([&problem["detail"], &problem["title"]]);
    let words = |text: &Value| -> Vec<String> {
        let is_end = |letter: char| !(letter.is_alphanumeric() || letter == '_');
        text.as_str().unwrap().split(is_end).map(str::to_owned).collect()
    };
    texts
        .flat_map(words)
        .find(|word| FORBIDDEN.contains(&word.as_str()))
        .or_else(|| problem.to_string().contains("invalid type").then(|| "invalid type".to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_part_of_a_body_is_named_at_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let plays = format!("/v1/matches/{NOBODYS}/plays");
    for (path, body, wrong) in [
        (
            plays.as_str(),
            json!({"expected_version": 0, "cards": ["4D", "1Z", 5], "draw_from": "sleeve", "role": "admin"}),
            vec!["cards[1]", "cards[2]", "draw_from", "expected_version", "role"],
        ),
        // `serde` reads this one; bounds and words are checked by the operation.
        (
            "/v1/matches",
            json!({"size": 99, "seat_order": "tallest", "visibility": "secret", "client_seed": "a,b"}),
            vec!["client_seed", "seat_order", "size", "visibility"],
        ),
        (
            "/v1/matches",
            json!({
                "rules": {
                    "hand_size": 8, "pickup": "all", "points": {"jack": 21, "queen": "ten", "jak": 1},
                    "reductions": [{"at": 100}], "colour": "red"
                },
                "time_control": {"clock": "sun"},
            }),
            vec![
                "rules.colour",
                "rules.hand_size",
                "rules.pickup",
                "rules.points.jack",
                "rules.points.jak",
                "rules.points.queen",
                "rules.reductions[0].to",
                "size",
                "time_control.clock",
            ],
        ),
        (
            "/v1/matches",
            json!({"size": 2, "rules": {"hand_size": 8, "decks": 5, "call_words": ["Yaniv"], "preset": "poker"}}),
            vec!["rules.call_words[0]", "rules.decks", "rules.hand_size", "rules.preset"],
        ),
        ("/v1/accounts", json!({"username": "A", "password": "x"}), vec!["password", "username"]),
        (
            "/v1/tokens",
            json!({"name": "", "scopes": ["fly"], "expires_in_days": 1000}),
            vec!["expires_in_days", "name", "scopes[0]"],
        ),
        (
            "/v1/account/vacations",
            json!({"first_day": "tomorrow", "last_day": 5}),
            vec!["first_day", "last_day"],
        ),
        (
            "/v1/webhook-channels",
            json!({"format": "carrier_pigeon", "kinds": [null], "immediate": null}),
            vec!["format", "immediate", "kinds[0]", "url"],
        ),
    ] {
        are_named(&ada, path, &body, &wrong).await;
    }
}

async fn are_named(ada: &Player, path: &str, body: &Value, wrong: &[&str]) {
    let problem = ada.post(path, Some(&new_key()), body).await.expect(422);
    assert_eq!(names(&problem), wrong, "{path}: {problem}");
    assert_eq!(foreign_word(&problem), None, "{problem}");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_sentence_says_what_a_part_must_be() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body = json!({
        "size": 11, "seat_order": 1, "bots": "easy", "rated": "no", "sandbox_seed": "xyz", "join_code_expires_in_hours": null,
        "rules": [], "colour": 1,
    });
    let problem = ada.create(&body).await.expect_problem(422, "invalid_body");
    for (name, sentence) in [
        ("size", "must be a whole number from 2 to 10"),
        ("seat_order", "must be joined or random"),
        ("bots", "must be a list"),
        ("rated", "must be true or false"),
        ("sandbox_seed", "must be 64 hexadecimal digits 0-9 and a-f"),
        ("join_code_expires_in_hours", "must not be null; leave an optional field out"),
        ("rules", "must be an object"),
    ] {
        assert_eq!(detail(&problem, name), sentence);
    }
    let unknown = detail(&problem, "colour");
    assert!(unknown.starts_with("is not a field here; known are size, rules, "), "{unknown}");
    let problem = ada.create(&json!({"rules": {"pickup": "all"}})).await.expect_problem(422, "invalid_body");
    assert_eq!(detail(&problem, "size"), "is missing");
    assert_eq!(detail(&problem, "rules.pickup"), "must be one of ends, ends_of_runs, any, top");
    assert!(problem["detail"].as_str().unwrap().contains("size: is missing; "), "{problem}");
    // A list is no object, also where it would have all fields in their order.
    for rules in [json!({"bonus": [3, 20]}), json!({"reductions": [[100, 50]]})] {
        let problem =
            ada.create(&json!({"size": 2, "rules": rules})).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["detail"], "must be an object", "{problem}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_parameter_of_a_query_is_named_at_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (path, wrong) in [
        ("/v1/matches?limit=ten&status=lost&sort=points", vec!["limit", "sort", "status"]),
        ("/v1/matches?limit=0&status=lost", vec!["limit", "status"]),
        ("/v1/matches?limit=1&limit=2", vec!["limit"]),
        ("/v1/history?since=yesterday&rated=perhaps&size=2", vec!["rated", "since", "size"]),
        ("/v1/profiles", vec!["usernames"]),
        ("/v1/account?colour=red&taste=sour", vec!["colour", "taste"]),
    ] {
        let problem = ada.get(path).await.expect_problem(422, "invalid_parameter");
        assert_eq!(names(&problem), wrong, "{path}: {problem}");
        assert_eq!(foreign_word(&problem), None, "{problem}");
    }
}

/// Generators leave out a body without fields.
#[tokio::test(flavor = "multi_thread")]
async fn a_body_may_be_left_out_if_all_its_fields_may() {
    let app = TestApp::start().await;
    let (nobody, ada) = (Player::anonymous(app.address), app.player("ada").await);
    let guest = nobody.request(Method::POST, "/v1/guests", &[], None).await.expect(201);
    let guest = Player::of(app.address, &guest);
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let join = format!("/v1/join-codes/{}/seats", created["join_code"].as_str().unwrap());
    let joined = guest.request(Method::POST, &join, &[], Some(Vec::new())).await;
    assert!(joined.status == 200 || joined.status == 201, "{}", joined.body);
    // One that is needed is missed.
    let problem = ada.request(Method::POST, "/v1/matches", &[], None).await;
    problem.expect_problem(415, "unsupported_media_type");
}

/// In JSON Schema, `2.0` is an integer.
#[tokio::test(flavor = "multi_thread")]
async fn a_whole_number_may_have_a_fraction_of_zeros() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let body = Some(b"{\"size\": 3.0, \"rules\": {\"elimination\": 1e2}}".to_vec());
    let created = ada.request(Method::POST, "/v1/matches", &[], body).await.expect(201);
    let settings = format!("/v1/matches/{}/settings", created["match_id"].as_str().unwrap());
    let settings = ada.get(&settings).await.expect(200);
    assert_eq!((&settings["size"], &settings["rules"]["elimination"]), (&json!(3), &json!(100)));
    let body = Some(b"{\"size\": 2.5}".to_vec());
    let refused = ada.request(Method::POST, "/v1/matches", &[], body).await;
    assert_eq!(names(&refused.expect_problem(422, "invalid_body")), ["size"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_no_json_is_told_where() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (body, detail) in [
        ("", "the body is empty"),
        ("{\"size\": 2", "the body ends within a value"),
        ("{\"size\": 2,\n \"rated\": yes}", "the fault is at byte 23"),
        ("{} {}", "the fault is at byte 4"),
    ] {
        let bytes = Some(body.as_bytes().to_vec());
        let problem = ada.request(Method::POST, "/v1/matches", &[], bytes).await;
        let problem = problem.expect_problem(400, "invalid_json");
        assert_eq!(problem["detail"], detail, "{body}");
    }
    let twice = Some(b"{\"size\": 2, \"size\": 3}".to_vec());
    let problem = ada.request(Method::POST, "/v1/matches", &[], twice).await;
    assert_eq!(detail(&problem.expect_problem(422, "invalid_body"), "size"), "is given twice");
}

/// Values of each type of JSON; some fit some fields.
fn garbage() -> [Value; 10] {
    [
        Value::Null,
        json!(true),
        json!(-1),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("\u{202e}none of the words"),
        json!([]),
        json!([[null], {}, 7, "x"]),
        json!({"x": 1}),
    ]
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

/// Bodies of a schema with garbage in one field each, and in the fields of its objects.
fn bodies(document: &Value, schema: &Value, example: &Value) -> Vec<Value> {
    let schema = resolved(document, schema);
    let mut bodies = Vec::new();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let inner = bodies_within(document, field);
        for value in garbage().into_iter().chain(inner) {
            let mut body = example.as_object().cloned().unwrap_or_default();
            body.insert(name.clone(), value);
            bodies.push(Value::Object(body));
        }
    }
    bodies
}

/// Values of an object or a list of objects with garbage within.
fn bodies_within(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolved(document, schema);
    match schema["type"].as_str() {
        Some("object") => bodies(document, schema, &Value::Object(Map::new())),
        Some("array") => {
            bodies_within(document, &schema["items"]).into_iter().map(|one| json!([one])).collect()
        }
        _ => Vec::new(),
    }
}

/// Checks that an answer neither fails nor shows words of the parser.
#[track_caller]
fn check(answer: &Answer, what: &str) -> bool {
    assert!(answer.status.as_u16() < 500, "{what}: {}", answer.body);
    if answer.header("content-type") != Some("application/problem+json") {
        return false;
    }
    let problem: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(foreign_word(&problem), None, "{what}: {problem}");
    if ["invalid_body", "invalid_parameter"].iter().any(|code| problem["code"] == *code) {
        assert!(!problem["fields"].as_array().unwrap().is_empty(), "{what}: {problem}");
    }
    true
}

#[tokio::test(flavor = "multi_thread")]
async fn no_problem_speaks_like_a_parser() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let document = yaniv_contract::resolved(&ada.get("/openapi.json").await.expect(200));
    let mut refused = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let path = path.replace("{username}", "ada").replace("{preset}", "yaniv").replace("{round}", "1");
        let path: String = path
            .split('/')
            .map(|part| if part.starts_with('{') { NOBODYS } else { part })
            .collect::<Vec<_>>()
            .join("/");
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let content = &operation["requestBody"]["content"]["application/json"];
            let (key, takes_key) =
                (new_key(), operation["parameters"].to_string().contains("Idempotency-Key"));
            let headers = [("idempotency-key", key.as_str())];
            let headers = if takes_key { &headers[..] } else { &[] };
            for body in
                garbage().into_iter().chain(bodies(&document, &content["schema"], &content["example"]))
            {
                if !content.is_object() {
                    break;
                }
                let answer =
                    ada.request(method.clone(), &path, headers, Some(body.to_string().into_bytes())).await;
                refused += i32::from(check(&answer, &format!("{method} {path} {body}")));
            }
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                for text in ["", "x", "-1", "1.5", "99999999999", "true", "%00", "%FF"] {
                    if parameter["in"] != "query" || method != Method::GET || path.ends_with("/stream") {
                        continue;
                    }
                    let target = format!("{path}?{}={text}", parameter["name"].as_str().unwrap());
                    let answer = ada.get(&target).await;
                    refused += i32::from(check(&answer, &target));
                }
            }
        }
    }
    assert!(refused > 1500, "only {refused} were refused");
}

/// The values of a parameter of a problem.
fn values<'a>(problem: &'a Value, name: &str) -> Vec<&'a str> {
    let parameters = problem["parameters"].as_array().unwrap();
    let named = parameters.iter().filter(|parameter| parameter["name"] == name);
    named.map(|parameter| parameter["value"].as_str().unwrap()).collect()
}

/// The player to act of a new match of two, with their view.
async fn mover(app: &TestApp, players: &[Player], rules: Value) -> (Player, Value) {
    let started = app.started(players, rules).await;
    let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let view = players[seat].view(id(&started)).await;
    (players[seat].clone(), view)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_of_cards_says_what_was_wrong() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"call_limit": 0, "jokers": 0, "call_words": ["uno", "due"]});
    let (mover, view) = mover(&app, &players, rules).await;
    let now = version(&view);
    let hand = view["hand"]["cards"].as_array().unwrap();
    let held = |code: &str| hand.iter().any(|card| card == code);
    let pile = view["table"]["pile"][0].as_str().unwrap();
    let codes =
        "A23456789TJQK".chars().flat_map(|rank| "CDHS".chars().map(move |suit| format!("{rank}{suit}")));
    let missing: Vec<String> = codes.filter(|card| !held(card) && card != pile).take(2).collect();

    let body =
        json!({"expected_version": now, "cards": [missing[0], hand[0], missing[1]], "draw_from": "stock"});
    let problem = mover.act(id(&view), "plays", &body).await.expect_problem(422, "card_not_in_hand");
    assert_eq!(names(&problem), ["cards[0]", "cards[2]"]);
    assert_eq!(values(&problem, "card"), missing);
    assert_eq!(problem["detail"], format!("you do not hold {}, {}", missing[0], missing[1]));

    let body =
        json!({"expected_version": now, "cards": [hand[0]], "draw_from": "pile", "draw_card": missing[0]});
    let problem = mover.act(id(&view), "plays", &body).await.expect_problem(422, "draw_not_available");
    assert_eq!(names(&problem), ["draw_card"]);
    assert_eq!(values(&problem, "card"), [&missing[0]]);
    assert_eq!(values(&problem, "available"), ["stock", pile]);

    let body = json!({"expected_version": now, "cards": [hand[0]], "draw_from": "nothing"});
    let problem = mover.act(id(&view), "plays", &body).await.expect_problem(422, "draw_not_available");
    assert_eq!(names(&problem), ["draw_from"]);

    let rank = |card: &Value| card.as_str().unwrap()[..1].to_owned();
    if let Some(other) = hand.iter().find(|card| rank(card) != rank(&hand[0])) {
        let body = json!({"expected_version": now, "cards": [hand[0], other], "draw_from": "stock"});
        let problem = mover.act(id(&view), "plays", &body).await.expect_problem(422, "not_a_meld");
        assert_eq!(names(&problem), ["cards"]);
        let reason = values(&problem, "reason");
        assert!(reason == ["different_suits"] || reason == ["too_few_cards"], "{problem}");
    }
    let body = json!({"expected_version": now});
    let problem = mover.act(id(&view), "calls", &body).await.expect_problem(422, "call_over_limit");
    let points = view["hand"]["points"].to_string();
    assert_eq!((values(&problem, "points"), values(&problem, "limit")), (vec![points.as_str()], vec!["0"]));

    let body = json!({"expected_version": now, "word": "tre"});
    let problem = mover.act(id(&view), "calls", &body).await.expect_problem(422, "unknown_word");
    assert_eq!(values(&problem, "known_word"), ["uno", "due"]);
    assert_eq!(problem["detail"], "tre is not a word of these rules; known are uno, due");

    let body = json!({"expected_version": now});
    let problem = mover.act(id(&view), "slam-downs", &body).await.expect_problem(422, "not_allowed_by_rules");
    assert_eq!(values(&problem, "option"), ["slam_down"]);
    assert_eq!(values(&problem, "needed"), ["any", "stock", "stock_sets"]);
    assert_eq!(mover.view(id(&view)).await["version"], now);
}
