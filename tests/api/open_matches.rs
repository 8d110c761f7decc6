//! Public matches: listed for all while they wait for players, and not before or after.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, id, settings_of};

async fn listed(player: &Player, query: &str) -> Vec<String> {
    let page = player.get(&format!("/v1/open-matches{query}")).await.expect(200);
    page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["join_code"].as_str().unwrap().to_owned())
        .collect()
}

async fn public(player: &Player, size: usize, preset: &str) -> Value {
    let body = json!({"size": size, "rules": {"preset": preset}, "visibility": "public"});
    player.create(&body).await.expect(201)
}

fn code(created: &Value) -> &str {
    created["join_code"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_match_is_listed_while_it_has_a_free_seat() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let private = players[0].create(&json!({"size": 2})).await.expect(201);
    assert_eq!(settings_of(&private)["visibility"], "private");
    let created = public(&players[0], 3, "kluft").await;
    assert_eq!(settings_of(&created)["visibility"], "public");
    let page = players[1].get("/v1/open-matches").await.expect(200);
    assert_eq!(page["items"].as_array().unwrap().len(), 1);
    let item = &page["items"][0];
    assert_eq!((code(item), &item["preset"], &item["size"]), (code(&created), &json!("kluft"), &json!(3)));
    assert_eq!(item["usernames"], json!(["player_0"]));
    assert_eq!(item["created_at"], created["created_at"]);
    assert!(listed(&players[0], "").await.is_empty(), "one's own are in listMatches");

    players[1].join(code(&created), "").await.expect(201);
    assert!(listed(&players[1], "").await.is_empty());
    let page = players[2].get("/v1/open-matches").await.expect(200);
    assert_eq!(page["items"][0]["usernames"], json!(["player_0", "player_1"]));
    players[2].join(code(&created), "").await.expect(201);
    assert!(listed(&players[3], "").await.is_empty(), "full");
    players[2].leave(id(&created)).await.expect(204);
    assert_eq!(listed(&players[3], "").await, [code(&created)]);
    players[0].start(id(&created)).await.expect(200);
    assert!(listed(&players[3], "").await.is_empty(), "started");

    let left = public(&players[0], 2, "yaniv").await;
    players[0].leave(id(&left)).await.expect(204);
    assert!(listed(&players[3], "").await.is_empty(), "nobody waits any more");
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_go_on_where_they_ended_whatever_comes_meanwhile() {
    let app = TestApp::start().await;
    let (host, guest) = (app.player("host").await, app.player("guest").await);
    let mut expected = Vec::new();
    for number in 0..7 {
        let preset = if number % 2 == 0 { "yaniv" } else { "speedy" };
        expected.push(code(&public(&host, 2 + number % 2, preset).await).to_owned());
    }
    expected.reverse();
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = guest.get(&format!("/v1/open-matches?limit=3{cursor}")).await.expect(200);
        found.extend(page["items"].as_array().unwrap().iter().map(|item| code(item).to_owned()));
        public(&host, 2, "yaniv").await;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(found, expected);
    assert_eq!(listed(&guest, "?preset=speedy").await.len(), 3);
    assert_eq!(listed(&guest, "?size=3").await.len(), 3);
    assert!(listed(&guest, "?size=3&preset=yaniv").await.is_empty());
    for query in ["cursor=x", "size=1", "size=11", "limit=0", "time_control=fast", "preset=bridge"] {
        let answer = guest.get(&format!("/v1/open-matches?{query}")).await;
        let problem = answer.expect_problem(422, "invalid_parameter");
        assert_eq!(problem["fields"][0]["name"], query.split('=').next().unwrap());
    }
    let wrong = host.create(&json!({"size": 2, "visibility": "secret"})).await;
    assert_eq!(wrong.expect_problem(422, "invalid_body")["fields"][0]["name"], "visibility");
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_that_are_too_slow_are_left_out_if_one_wishes() {
    let app = TestApp::start().await;
    let (host, guest) = (app.player("host").await, app.player("guest").await);
    let with = |time_control: Value| json!({"size": 2, "visibility": "public", "time_control": time_control});
    let fast = host.create(&with(json!({"clock": "turn", "turn_seconds": 3600}))).await.expect(201);
    let usual = host.create(&with(json!({}))).await.expect(201);
    let endless = host.create(&with(json!({"clock": "none"}))).await.expect(201);
    assert_eq!(listed(&guest, "").await, [code(&endless), code(&usual), code(&fast)]);
    assert_eq!(listed(&guest, "?longest_turn_hours=120").await, [code(&usual), code(&fast)]);
    assert_eq!(listed(&guest, "?longest_turn_hours=119").await, [code(&fast)]);
    let page = guest.get("/v1/open-matches?longest_turn_hours=1").await.expect(200);
    assert_eq!(page["items"][0]["time_control"]["turn_seconds"], 3600);
    guest.get("/v1/open-matches?longest_turn_hours=0").await.expect_problem(422, "invalid_parameter");
}
