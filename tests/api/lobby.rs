//! Before the start of a match: create, read, join, leave, start.

use serde_json::{Value, json};

use crate::support::{TestApp, id, settings_of};

#[tokio::test(flavor = "multi_thread")]
async fn who_has_the_code_may_look_and_join() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let created = players[0].create(&json!({"size": 2, "client_seed": "lucky 7"})).await;
    let location = created.header("location").unwrap().to_owned();
    let created = created.expect(201);
    assert_eq!(location, format!("/v1/matches/{}", id(&created)));
    assert_eq!(created["status"], "waiting");
    assert_eq!(created["your_seat"], 0);
    assert_eq!(settings_of(&created)["preset"], "yaniv");
    assert_eq!(created["host_seat"], 0);
    assert!(created.get("table").is_none());
    let code = created["join_code"].as_str().unwrap();

    let preview = players[1].get(&format!("/v1/join-codes/{code}")).await.expect(200);
    assert_eq!(preview["commitment"], created["commitment"]);
    assert!(preview.get("your_seat").is_none());
    // Without a seat, the match does not exist.
    players[1].get(&location).await.expect_problem(404, "match_not_found");

    let joined = players[1].join(&code.to_lowercase(), "blue").await.expect(201);
    assert_eq!(joined["your_seat"], 1);
    let fairness = players[1].get(&format!("{location}/fairness")).await.expect(200);
    assert_eq!(fairness["client_seeds"], json!(["lucky 7", "blue"]));
    assert_eq!(fairness["commitment"], created["commitment"]);
    assert_eq!(joined["recent"][0]["type"], "joined");
    assert_eq!(joined["version"], 2);
    players[1].join(code, "").await.expect_problem(409, "already_seated");
    app.player("third").await.join(code, "").await.expect_problem(409, "match_full");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_none_and_one_that_is_over_look_alike() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let stranger = app.player("stranger").await;
    let started = app.started(&players, json!({})).await;
    let listed = players[0].get("/v1/matches").await.expect(200);
    let code = listed["items"][0]["join_code"].as_str().unwrap();
    assert!(started.get("join_code").is_none(), "it admits no other player");
    let running = stranger.get(&format!("/v1/join-codes/{code}")).await;
    let none = stranger.get("/v1/join-codes/22222222").await;
    none.expect_problem(404, "join_code_not_found");
    assert_eq!(running.body, none.body);
    let join = stranger.join(code, "").await;
    join.expect_problem(404, "join_code_not_found");
    assert_eq!(join.body, none.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_who_leaves_is_replaced_until_no_player_is_left() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let created = players[0].create(&json!({"size": 3})).await.expect(201);
    let (match_id, code) = (id(&created), created["join_code"].as_str().unwrap());
    players[1].join(code, "").await.expect(201);
    players[0].leave(match_id).await.expect(204);
    players[0].leave(match_id).await.expect_problem(404, "match_not_found");
    let view = players[1].view(match_id).await;
    assert_eq!(view["your_seat"], 0, "the next in joining order is the host");
    assert_eq!(view["seats"].as_array().unwrap().len(), 1);
    players[2].join(code, "").await.expect(201);
    players[2].start(match_id).await.expect_problem(403, "host_only");
    players[2].leave(match_id).await.expect(204);
    players[1].leave(match_id).await.expect(204);
    players[0].join(code, "").await.expect_problem(404, "join_code_not_found");
    let list = players[1].get("/v1/matches").await.expect(200);
    assert_eq!(list["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_starts_early_and_any_player_when_all_seats_are_taken() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let created = players[0].create(&json!({"size": 3})).await.expect(201);
    let (match_id, code) = (id(&created), created["join_code"].as_str().unwrap());
    players[0].start(match_id).await.expect_problem(409, "too_few_players");
    players[1].join(code, "").await.expect(201);
    players[2].join(code, "").await.expect(201);
    let started = players[2].start(match_id).await.expect(200);
    assert_eq!(started["status"], "running");
    assert_eq!(started["recent"][0]["type"], "started");
    assert_eq!(started["hand"]["cards"].as_array().unwrap().len(), 5);
    players[0].start(match_id).await.expect_problem(409, "match_started");
    players[0].leave(match_id).await.expect_problem(409, "match_started");

    let early = players[0].create(&json!({"size": 3})).await.expect(201);
    players[1].join(early["join_code"].as_str().unwrap(), "").await.expect(201);
    players[0].start(id(&early)).await.expect(200);
    let stranger = app.player("stranger").await;
    for action in ["start", "leave"] {
        let answer = stranger.post(&format!("/v1/matches/{}/{action}", id(&early)), None, &Value::Null).await;
        answer.expect_problem(404, "match_not_found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_seats_are_drawn_at_the_start_and_keep_the_seeds_with_their_owners() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let mut orders = std::collections::HashSet::new();
    for _ in 0..8 {
        let created = players[0]
            .create(&json!({"size": 4, "seat_order": "random", "client_seed": "of player_0"}))
            .await;
        let created = created.expect(201);
        for player in &players[1..] {
            player
                .join(created["join_code"].as_str().unwrap(), &format!("of {}", player.name))
                .await
                .expect(201);
        }
        let started = players[0].start(id(&created)).await.expect(200);
        let seats = started["seats"].as_array().unwrap();
        let fairness = format!("/v1/matches/{}/fairness", id(&created));
        let seeds = players[0].get(&fairness).await.expect(200)["client_seeds"].clone();
        for (seat, seed) in seats.iter().zip(seeds.as_array().unwrap()) {
            assert_eq!(*seed, format!("of {}", seat["username"].as_str().unwrap()));
        }
        orders.insert(seats.iter().map(|seat| seat["username"].to_string()).collect::<Vec<_>>());
        let mine = players[3].view(id(&created)).await;
        let seat = usize::try_from(mine["your_seat"].as_i64().unwrap()).unwrap();
        assert_eq!(mine["seats"][seat]["username"], "player_3");
    }
    assert!(orders.len() > 1, "eight times the same order of four has a probability of 10^-10");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_out_of_bounds_are_refused_by_the_name_of_the_option() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (rules, option) in [
        (json!({"preset": "poker"}), "preset"),
        (json!({"elimination": 5}), "elimination"),
        (json!({"elimination": 100_000}), "elimination"),
        (json!({"hand_size": 8}), "hand_size"),
        (json!({"call_limit": -1}), "call_limit"),
        (json!({"call_limit": 7, "call_limit_off": true}), "call_limit"),
        (json!({"pickup": "all"}), "pickup"),
        (json!({"call_words": []}), "call_words"),
        (json!({"call_words": ["Yaniv!"]}), "call_words"),
        (json!({"points": {"jack": 21}}), "points"),
        (json!({"reductions": [{"at": 100, "to": 50}, {"at": 100, "to": 0}]}), "reductions"),
        (json!({"bonus": {"every": 0, "points": 20}}), "bonus"),
    ] {
        let problem = ada.create(&json!({"size": 2, "rules": rules})).await.expect_problem(422, "bad_rules");
        let named = problem["fields"][0]["name"].as_str().unwrap();
        assert!(named.starts_with(&format!("rules.{option}")), "{option}: {problem}");
    }
    let many = ada.create(&json!({"size": 5, "rules": {"preset": "speedy"}})).await;
    assert_eq!(many.expect_problem(422, "bad_rules")["fields"][0]["name"], "size");
    for size in [1, 11] {
        let problem = ada.create(&json!({"size": size})).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "size");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_a_match_are_told_in_full() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let rules =
        json!({"preset": "jhyap", "second_deck_off": true, "call_limit_off": true, "points": {"jack": 0}});
    let created = ada.create(&json!({"size": 6, "rules": rules})).await.expect(201);
    let settings = settings_of(&created);
    let told = &settings["rules"];
    assert!(settings.get("preset").is_none(), "it is no longer the preset");
    assert_eq!(told["call_words"], json!(["jhyap", "yaniv"]));
    assert_eq!(told["points"], json!({"ace": 1, "jack": 0, "queen": 10, "king": 10, "joker": 0}));
    assert_eq!(told["call_limit_off"], true);
    assert!(told.get("call_limit").is_none() && told.get("second_deck_at").is_none());
    assert_eq!(told["reductions"], json!([{"at": 100, "to": 50}, {"at": 200, "to": 100}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn my_matches_come_most_urgent_first_page_by_page() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let mut expected = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..6 {
        let started = app.started(&players, json!({})).await;
        let group = if started["your_turn"] == true { 0 } else { 1 };
        expected[group].push(id(&started).to_owned());
        let waiting = players[0].create(&json!({"size": 2})).await.expect(201);
        expected[2].push(id(&waiting).to_owned());
    }
    // Matches that wait for the player are sorted by longest wait, the others by newest change.
    expected[1].reverse();
    expected[2].reverse();
    let mut listed = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = players[0].get(&format!("/v1/matches?limit=5{cursor}")).await.expect(200);
        listed.extend(
            page["items"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| item["match_id"].as_str().unwrap().to_owned()),
        );
        let Some(next) = page["next_cursor"].as_str() else {
            break;
        };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(listed, expected.concat());
    let waiting = players[0].get("/v1/matches?status=waiting").await.expect(200);
    assert_eq!(waiting["items"].as_array().unwrap().len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unchanged_view_costs_a_304() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    for path in ["/v1/matches".to_owned(), format!("/v1/matches/{}", id(&started))] {
        let first = players[0].get(&path).await;
        first.expect(200);
        let tag = first.header("etag").unwrap();
        let second = players[0].request(reqwest::Method::GET, &path, &[("if-none-match", tag)], None).await;
        second.expect(304);
        assert_eq!(second.header("etag"), Some(tag));
        let other = players[1].request(reqwest::Method::GET, &path, &[("if-none-match", tag)], None).await;
        other.expect(200);
    }
}
