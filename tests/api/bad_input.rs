//! Invalid input: each case gets a documented problem and changes nothing.

use reqwest::Method;
use serde_json::{Value, json};

use crate::moderation::moderator;
use crate::support::contract::send;
use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id, version};

/// An identifier that does not exist.
const NOBODYS: &str = "0193aa0000007000800000000000abcd";

async fn posted(player: &Player, path: &str, content_type: &str, body: Vec<u8>) -> Answer {
    let client = reqwest::Client::new();
    let request = client
        .post(format!("http://{}{path}", player.address))
        .bearer_auth(&player.token)
        .header("idempotency-key", new_key())
        .header("content-type", content_type)
        .body(body);
    send(&client, request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_and_changes_nothing() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}/plays", id(&started));
    let now = version(&started);
    let json = "application/json";
    let deep = [vec![b'['; 5_000], vec![b']'; 5_000]].concat();
    for (content_type, body, status, code) in [
        (json, b"{".to_vec(), 400, "invalid_json"),
        (json, b"".to_vec(), 400, "invalid_json"),
        (json, b"\xff\xfe".to_vec(), 400, "invalid_json"),
        (json, b"{} {}".to_vec(), 400, "invalid_json"),
        (json, deep, 400, "invalid_json"),
        (json, b"null".to_vec(), 422, "invalid_body"),
        (json, b"[]".to_vec(), 422, "invalid_body"),
        (json, b"{}".to_vec(), 422, "invalid_body"),
        (json, vec![b' '; 1_000_000], 413, "body_too_large"),
        ("text/plain", b"{}".to_vec(), 415, "unsupported_media_type"),
        ("application/x-www-form-urlencoded", b"a=b".to_vec(), 415, "unsupported_media_type"),
    ] {
        posted(&players[0], &path, content_type, body).await.expect_problem(status, code);
    }
    for (field, body) in [
        ("role", json!({"expected_version": now, "cards": ["4D"], "draw_from": "stock", "role": "admin"})),
        ("cards", json!({"expected_version": now, "cards": "4D", "draw_from": "stock"})),
        ("cards[1]", json!({"expected_version": now, "cards": ["4D", "1Z"], "draw_from": "stock"})),
        ("cards", json!({"expected_version": now, "cards": [], "draw_from": "stock"})),
        ("draw_from", json!({"expected_version": now, "cards": ["4D"], "draw_from": "sleeve"})),
        ("draw_card", json!({"expected_version": now, "cards": ["4D"], "draw_from": "pile"})),
        (
            "draw_card",
            json!({"expected_version": now, "cards": ["4D"], "draw_from": "stock", "draw_card": "4D"}),
        ),
        ("expected_version", json!({"expected_version": "5", "cards": ["4D"], "draw_from": "stock"})),
        ("expected_version", json!({"expected_version": 1e300, "cards": ["4D"], "draw_from": "stock"})),
        ("draw_from", json!({"expected_version": now, "cards": ["4D"]})),
        (
            "draw_card",
            json!({"expected_version": now, "cards": ["4D"], "draw_from": "stock", "draw_card": null}),
        ),
        ("body", json!([now, ["4D"], "stock"])),
        ("draw_from", json!({"expected_version": now, "cards": ["4D"], "draw_from": true})),
        (
            "slam_down",
            json!({"expected_version": now, "cards": ["4D"], "draw_from": "stock", "slam_down": 1}),
        ),
    ] {
        let answer = players[0].act(id(&started), "plays", &body).await;
        let problem = answer.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], field, "{problem}");
    }
    assert_eq!(players[0].view(id(&started)).await["version"], now);
    let nested = json!({"size": 2, "rules": {"points": {"jak": 1}}});
    let problem = players[0].create(&nested).await.expect_problem(422, "invalid_body");
    assert_eq!(problem["fields"][0]["name"], "rules.points.jak");
}

/// The service may refuse any input, but must not fail.
#[tokio::test(flavor = "multi_thread")]
async fn odd_texts_are_refused_not_stumbled_over() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for name in ["a\u{0}b", "ada\u{0}", "' OR 1=1 --", "\u{202e}ada"] {
        let credentials = json!({"username": name, "password": "correct horse"});
        ada.post("/v1/sessions", None, &credentials).await.expect_problem(401, "invalid_credentials");
        ada.post("/v1/accounts", None, &credentials).await.expect_problem(422, "invalid_body");
    }
    for code in ["%00ABCDEFG", "2222222", "222222222", "%2e%2e%2f", "2222-222"] {
        ada.get(&format!("/v1/join-codes/{code}")).await.expect_problem(404, "join_code_not_found");
        ada.join(code, "").await.expect_problem(404, "join_code_not_found");
    }
    for cursor in [
        format!("1.-5000000000000000.{NOBODYS}"),
        format!("9.0.{NOBODYS}"),
        format!("1.7fffffffffffffff.{NOBODYS}"),
    ] {
        ada.get(&format!("/v1/matches?cursor={cursor}")).await.expect_problem(422, "invalid_parameter");
    }
    for seed in ["a,b", "a\nb", "é", &*"x".repeat(65)] {
        let created = ada.create(&json!({"size": 2, "client_seed": seed})).await;
        assert_eq!(created.expect_problem(422, "invalid_body")["fields"][0]["name"], "client_seed");
    }
    for coding in ["identity;q=0", "br;q=1, *;q=0", "gzip, br", ""] {
        let answer = ada.request(Method::GET, "/healthz", &[("accept-encoding", coding)], None).await;
        assert_eq!(answer.status, 200, "{coding}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_operation_does_not_take_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}", id(&started));
    for path in
        [format!("{path}?colour=red"), format!("{path}/record?colour=red"), "/v1/account?colour=red".into()]
    {
        let problem = players[0].get(&path).await.expect_problem(422, "invalid_parameter");
        assert_eq!(problem["fields"][0]["name"], "colour");
    }
    let waiting = players[0].create(&json!({"size": 2})).await.expect(201);
    for action in ["start", "leave"] {
        let path = format!("/v1/matches/{}/{action}", id(&waiting));
        let problem = players[0].post(&path, None, &json!({"force": true})).await;
        assert_eq!(problem.expect_problem(422, "invalid_body")["fields"][0]["name"], "force");
        let problem = players[0].post(&format!("{path}?force=1"), None, &json!({})).await;
        assert_eq!(problem.expect_problem(422, "invalid_parameter")["fields"][0]["name"], "force");
    }
    assert_eq!(players[0].view(id(&waiting)).await["version"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_rules_refuse_is_refused_and_changes_nothing() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({"call_limit": 0})).await;
    let match_id = id(&started);
    let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let (mover, other) = (&players[seat], &players[1 - seat]);
    let view = mover.view(match_id).await;
    let hand: Vec<&str> =
        view["hand"]["cards"].as_array().unwrap().iter().map(|card| card.as_str().unwrap()).collect();
    let pile = view["table"]["pile"][0].as_str().unwrap();
    let codes = |suits: &'static str| {
        "A23456789TJQK".chars().flat_map(move |rank| suits.chars().map(move |suit| format!("{rank}{suit}")))
    };
    let not_held = codes("CDHS").find(|card| !hand.contains(&&**card) && card != pile).unwrap();
    let now = version(&view);
    let play = |cards: Value, from: &str, card: Option<&str>| {
        let mut body = json!({"expected_version": now, "cards": cards, "draw_from": from});
        if let Some(card) = card {
            body["draw_card"] = json!(card);
        }
        body
    };
    // Cards of one rank would be a set, perhaps with a joker; the whole hand may be a run. Almost always two cards are
    // neither.
    let plain: Vec<&str> = hand.iter().copied().filter(|card| !card.starts_with('X')).collect();
    let unlike = plain.iter().find(|card| card[..1] != plain[0][..1]);
    let no_meld =
        unlike.map(|card| ("plays", play(json!([plain[0], card]), "stock", None), 422, "not_a_meld"));
    let refused = [
        ("plays", play(json!([not_held]), "stock", None), 422, "card_not_in_hand"),
        ("plays", play(json!([hand[0], hand[0]]), "stock", None), 422, "card_not_in_hand"),
        ("plays", play(json!([hand[0]]), "nothing", None), 422, "draw_not_available"),
        ("plays", play(json!([hand[0]]), "pile", Some(&not_held)), 422, "draw_not_available"),
        ("plays", play(json!([hand[0]]), "pile", Some(hand[0])), 422, "draw_not_available"),
        ("calls", json!({"expected_version": now}), 422, "call_over_limit"),
        ("calls", json!({"expected_version": now, "word": "uno"}), 422, "unknown_word"),
    ];
    for (kind, body, status, code) in refused.into_iter().chain(no_meld) {
        mover.act(match_id, kind, &body).await.expect_problem(status, code);
    }
    let theirs = other.view(match_id).await;
    let card = theirs["hand"]["cards"][0].clone();
    other
        .act(match_id, "plays", &play(json!([card]), "stock", None))
        .await
        .expect_problem(409, "not_your_turn");
    other
        .act(match_id, "calls", &json!({"expected_version": now}))
        .await
        .expect_problem(409, "not_your_turn");
    assert_eq!(mover.view(match_id).await["hand"], view["hand"]);
    assert_eq!(mover.view(match_id).await["version"], now);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_waits_takes_no_actions() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let answer = ada.act(id(&created), "resignations", &json!({"expected_version": 1})).await;
    answer.expect_problem(409, "match_not_started");
    ada.get(&format!("/v1/matches/{}/record", id(&created))).await.expect_problem(409, "match_not_started");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_and_what_is_not_yours_look_alike() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let stranger = app.player("stranger").await;
    let started = app.started(&players, json!({})).await;
    let real = id(&started);
    let body = json!({"expected_version": version(&started)});
    let play = json!({"expected_version": version(&started), "cards": ["4D"], "draw_from": "stock"});
    let random = "0193aa00-0000-7000-8000-000000000001";
    let used = new_key();
    stranger.post("/v1/matches", Some(&used), &json!({"size": 2})).await.expect(201);
    for (method, suffix, body) in [
        (Method::GET, "", Value::Null),
        (Method::GET, "/log", Value::Null),
        (Method::GET, "/rounds", Value::Null),
        (Method::GET, "/record", Value::Null),
        (Method::POST, "/start", Value::Null),
        (Method::POST, "/leave", Value::Null),
        (Method::POST, "/plays", play),
        (Method::POST, "/calls", body.clone()),
        (Method::POST, "/resignations", body),
    ] {
        let mut answers = Vec::new();
        for match_id in [real, random, "not-an-id"] {
            let path = format!("/v1/matches/{match_id}{suffix}");
            let bytes = (!body.is_null()).then(|| body.to_string().into_bytes());
            let key = new_key();
            let answer = stranger.request(method.clone(), &path, &[("idempotency-key", &key)], bytes).await;
            answer.expect_problem(404, "match_not_found");
            answers.push(answer);
        }
        assert!(answers.iter().all(|answer| answer.body == answers[0].body), "{method} {suffix}");
        if method == Method::POST {
            let path = |match_id: &str| format!("/v1/matches/{match_id}{suffix}");
            let there = stranger.post(&path(real), Some(&used), &body).await;
            let nowhere = stranger.post(&path(random), Some(&used), &body).await;
            there.expect_problem(404, "match_not_found");
            assert_eq!(there.body, nowhere.body, "a key that has been used tells nothing either");
        }
        let path = format!("/v1/matches/{real}{suffix}");
        let key = new_key();
        let nobody = Player::anonymous(app.address);
        let answer =
            nobody.request(method.clone(), &path, &[("idempotency-key", &key)], Some(b"{}".to_vec())).await;
        answer.expect_problem(401, "invalid_token");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_methods_and_parameters_that_are_none_are_named() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    ada.get("/v1/nothing").await.expect_problem(404, "not_found");
    ada.get("/nothing").await.expect_problem(404, "not_found");
    let answer = ada.request(Method::DELETE, "/v1/matches", &[], None).await;
    answer.expect_problem(405, "method_not_allowed");
    let allow = answer.header("allow").unwrap();
    assert!(allow.contains("GET") && allow.contains("POST"), "{allow}");
    for (query, name) in [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=ten", "limit"),
        ("sort=points", "sort"),
        ("status=lost", "status"),
        ("cursor=abc", "cursor"),
        ("cursor=1.zz.0193aa0000007000", "cursor"),
    ] {
        let problem = ada.get(&format!("/v1/matches?{query}")).await.expect_problem(422, "invalid_parameter");
        let fields = problem["fields"][0].to_string();
        assert!(fields.contains(name), "{query}: {problem}");
    }
}

/// Every query parameter with a length limit. Cursors are padded with leading zeros, which does not change their
/// meaning.
#[tokio::test(flavor = "multi_thread")]
async fn a_parameter_that_is_too_long_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mod_1 = moderator(&app, "mod_1").await;
    let document = yaniv_contract::resolved(&ada.get("/openapi.json").await.expect(200));
    let mut cursors = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = &item["get"];
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let Some(longest) = parameter["schema"]["maxLength"].as_u64() else { continue };
            if parameter["in"] != "query" {
                continue;
            }
            let name = parameter["name"].as_str().unwrap();
            let path = path.replace("{username}", "ada").replace("{preset}", "yaniv");
            let path = path.replace("{match_id}", NOBODYS).replace("{channel_id}", NOBODYS);
            let value = "0".repeat(usize::try_from(longest).unwrap() + 1);
            let caller = if operation["x-scope"] == "moderate" { &mod_1 } else { &ada };
            let answer = caller.get(&format!("{path}?{name}={value}")).await;
            let problem = answer.expect_problem(422, "invalid_parameter");
            assert_eq!(problem["fields"][0]["name"], name, "{path}");
            cursors += i32::from(name == "cursor");
        }
    }
    assert_eq!(cursors, 15);
    for (path, cursor) in [
        ("/v1/matches", format!("1.0.{NOBODYS}")),
        ("/v1/leaderboards/yaniv", "1500.ada".to_owned()),
        ("/v1/profiles/ada/ratings/yaniv/changes", "5.0".to_owned()),
    ] {
        ada.get(&format!("{path}?cursor={cursor}")).await.expect(200);
        ada.get(&format!("{path}?cursor={cursor:0>100}")).await.expect(200);
        let longer = ada.get(&format!("{path}?cursor={cursor:0>101}")).await;
        assert_eq!(longer.expect_problem(422, "invalid_parameter")["fields"][0]["name"], "cursor");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_never_comes_is_not_waited_for() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let app = TestApp::start().await;
    let mut stream = tokio::net::TcpStream::connect(app.address).await.unwrap();
    let head = "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = vec![0; 4096];
    // Sent after ten seconds.
    let wait = std::time::Duration::from_secs(120);
    let read = tokio::time::timeout(wait, stream.read(&mut answer)).await.expect("no answer").unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]).into_owned();
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("request_timeout"), "{answer}");
}
