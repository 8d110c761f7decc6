//! Blocks apply in both directions and are not revealed to the blocked player; friends are two who have both asked.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, id};

async fn people(player: &Player, list: &str) -> Vec<(String, String)> {
    let page = player.get(&format!("/v1/{list}?limit=100")).await.expect(200);
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or_default().to_owned();
    page["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (text(item, "username"), text(item, "status")))
        .collect()
}

fn pair(name: &str, status: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), status.to_owned())]
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_blocked_finds_no_match_of_the_blocker_and_the_other_way_round() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    ada.put("/v1/blocks/bob").await.expect(204);
    ada.put("/v1/blocks/bob").await.expect(204);
    assert_eq!(people(&ada, "blocks").await, pair("bob", ""));
    assert!(people(&bob, "blocks").await.is_empty());
    for (host, guest) in [(&ada, &bob), (&bob, &ada)] {
        let created = host.create(&json!({"size": 3, "visibility": "public"})).await.expect(201);
        let code = created["join_code"].as_str().unwrap();
        let listed = |page: Value| page["items"].as_array().unwrap().len();
        assert_eq!(listed(guest.get("/v1/open-matches").await.expect(200)), 0);
        assert_eq!(listed(eve.get("/v1/open-matches").await.expect(200)), 1);
        let none = guest.get("/v1/join-codes/22222222").await;
        let look = guest.get(&format!("/v1/join-codes/{code}")).await;
        look.expect_problem(404, "join_code_not_found");
        assert_eq!(look.body, none.body);
        let join = guest.join(code, "").await;
        join.expect_problem(404, "join_code_not_found");
        assert_eq!(join.body, none.body);
        eve.join(code, "").await.expect(201);
        // Not only the host, but every seated player.
        host.leave(id(&created)).await.expect(204);
        guest.join(code, "").await.expect(201);
        host.join(code, "").await.expect_problem(404, "join_code_not_found");
        eve.leave(id(&created)).await.expect(204);
        guest.leave(id(&created)).await.expect(204);
    }
    ada.delete("/v1/blocks/bob").await.expect(204);
    ada.delete("/v1/blocks/bob").await.expect(204);
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    bob.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_blocked_is_not_paired_with_the_blocker() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    players[1].put("/v1/blocks/player_0").await.expect(204);
    let wish = json!({"size": 2});
    let status = |answer: Value| answer["status"].as_str().unwrap().to_owned();
    assert_eq!(status(players[0].request_pairing(None, &wish).await.expect(201)), "waiting");
    assert_eq!(status(players[1].request_pairing(None, &wish).await.expect(201)), "waiting");
    // Each of the others is paired with one of them, the longest waiting first.
    for (seated, asking) in [(0, 2), (1, 3)] {
        let paired = players[asking].request_pairing(None, &wish).await.expect(201);
        let view = players[seated].view(paired["match_id"].as_str().unwrap()).await;
        assert_eq!(view["seats"].as_array().unwrap().len(), 2);
    }
}

/// Even if they were in one group before the block.
#[tokio::test(flavor = "multi_thread")]
async fn a_block_while_both_wait_prevents_pairing() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let wish = json!({"size": 3});
    let first = players[0].request_pairing(None, &wish).await.expect(201);
    let second = players[1].request_pairing(None, &wish).await.expect(201);
    assert_eq!(first["commitment"], second["commitment"], "they wait in one group");
    players[1].put("/v1/blocks/player_0").await.expect(204);
    assert_eq!(players[2].request_pairing(None, &wish).await.expect(201)["status"], "waiting");
    let blocker =
        players[1].get(&format!("/v1/pairings/{}", second["pairing_id"].as_str().unwrap())).await.expect(200);
    assert_eq!(blocker["status"], "withdrawn");
    let paired = players[3].request_pairing(None, &wish).await.expect(201);
    let seats = players[0].view(paired["match_id"].as_str().unwrap()).await["seats"].clone();
    let mut names: Vec<_> =
        seats.as_array().unwrap().iter().map(|seat| seat["username"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["player_0", "player_2", "player_3"]);
}

/// A group that all have left does not separate players without a block.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_is_found_before_an_empty_group() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let wish = json!({"size": 2});
    players[1].put("/v1/blocks/player_0").await.expect(204);
    let first = players[0].request_pairing(None, &wish).await.expect(201);
    players[1].request_pairing(None, &wish).await.expect(201);
    players[0].withdraw_pairing(first["pairing_id"].as_str().unwrap()).await.expect(200);
    assert_eq!(players[2].request_pairing(None, &wish).await.expect(201)["status"], "paired");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_have_asked_each_other_are_friends() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    ada.put("/v1/friends/bob").await.expect(204);
    ada.put("/v1/friends/bob").await.expect(204);
    assert_eq!(people(&ada, "friends").await, pair("bob", "asked_by_you"));
    assert_eq!(people(&bob, "friends").await, pair("ada", "asks_you"));
    bob.put("/v1/friends/ada").await.expect(204);
    assert_eq!(people(&ada, "friends").await, pair("bob", "friend"));
    assert_eq!(people(&bob, "friends").await, pair("ada", "friend"));
    bob.delete("/v1/friends/ada").await.expect(204);
    assert!(people(&ada, "friends").await.is_empty() && people(&bob, "friends").await.is_empty());

    // A block ends it; the blocked player sees only that the friendship has ended, and a new request has no effect.
    ada.put("/v1/friends/bob").await.expect(204);
    bob.put("/v1/friends/ada").await.expect(204);
    ada.put("/v1/blocks/bob").await.expect(204);
    assert!(people(&bob, "friends").await.is_empty());
    bob.put("/v1/friends/ada").await.expect(204);
    assert_eq!(people(&bob, "friends").await, pair("ada", "asked_by_you"));
    assert!(people(&ada, "friends").await.is_empty());
    for list in ["blocks", "friends"] {
        for answer in
            [ada.put(&format!("/v1/{list}/ada")).await, ada.delete(&format!("/v1/{list}/ada")).await]
        {
            answer.expect_problem(409, "own_account");
        }
        for name in ["nobody", "%00", "ADA"] {
            ada.put(&format!("/v1/{list}/{name}")).await.expect_problem(404, "account_not_found");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn people_come_by_name_page_by_page() {
    let app = TestApp::start().await;
    let players = app.players(6).await;
    for number in 1..6 {
        players[0].put(&format!("/v1/friends/player_{number}")).await.expect(204);
        players[0].put(&format!("/v1/blocks/player_{number}")).await.expect(204);
        players[0].put(&format!("/v1/friends/player_{number}")).await.expect(204);
    }
    for list in ["blocks", "friends"] {
        let mut names = Vec::new();
        let odd = players[0].get(&format!("/v1/{list}?cursor={}", "x".repeat(21))).await;
        assert_eq!(odd.expect_problem(422, "invalid_parameter")["fields"][0]["name"], "cursor");
        let mut cursor = String::new();
        loop {
            let page = players[0].get(&format!("/v1/{list}?limit=2{cursor}")).await.expect(200);
            names.extend(
                page["items"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|item| item["username"].as_str().unwrap().to_owned()),
            );
            let Some(next) = page["next_cursor"].as_str() else { break };
            cursor = format!("&cursor={next}");
        }
        assert_eq!(names, ["player_1", "player_2", "player_3", "player_4", "player_5"], "{list}");
    }
}
