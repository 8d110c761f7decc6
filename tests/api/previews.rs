//! What a join code leads to: read by anyone who has the code, without an account.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, id, settings_of};

fn path(match_view: &Value) -> String {
    format!("/v1/join-codes/{}", match_view["join_code"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_the_link_sees_what_there_is_to_decide_and_nothing_else() {
    let app = TestApp::start().await;
    let (ada, nobody) = (app.player("ada").await, Player::anonymous(app.address));
    ada.patch("/v1/account", &json!({"display_name": "Ada Lovelace"})).await.expect(200);
    let wish = json!({"size": 4, "client_seed": "lucky 7", "bots": ["easy"], "rules": {"preset": "speedy"}});
    let created = ada.create(&wish).await.expect(201);
    let read = nobody.get(&path(&created)).await;
    let seen = read.expect(200);
    assert_eq!((&seen["join_code"], &seen["status"]), (&created["join_code"], &json!("waiting")));
    assert_eq!((&seen["settings"]["size"], &seen["free_seats"]), (&json!(4), &json!(2)));
    assert_eq!(seen["players"][0], json!({"username": "ada", "display_name": "Ada Lovelace", "host": true}));
    assert_eq!(seen["players"][1]["bot"], true);
    assert_eq!(seen["commitment"], created["commitment"]);
    assert_eq!(
        (&seen["settings_tag"], &seen["settings"]),
        (&created["settings_tag"], &settings_of(&created))
    );
    for field in ["match_id", "your_seat", "seats", "recent", "version", "hand"] {
        assert!(seen.get(field).is_none(), "{field}");
    }
    assert!(!read.body.contains("lucky 7") && !read.body.contains(id(&created)), "{}", read.body);
    let tag = read.header("etag").unwrap();
    let again = [("if-none-match", tag)];
    assert_eq!(nobody.request(reqwest::Method::GET, &path(&created), &again, None).await.status, 304);

    // A new account sees the same; who has a seat is led to the match.
    let eve = app.player("eve").await;
    let with_token = eve.get(&path(&created)).await.expect(200);
    assert_eq!(with_token["players"], seen["players"]);
    assert!(with_token.get("match_id").is_none());
    let own = ada.get(&path(&created)).await.expect(200);
    assert_eq!((&own["match_id"], &own["your_seat"]), (&created["match_id"], &json!(0)));
    // A token that is sent has to be valid.
    let odd = Player { token: "odd".to_owned(), ..nobody.clone() };
    odd.get(&path(&created)).await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_no_longer_admits_looks_like_none_without_an_account_too() {
    let app = TestApp::start().await;
    let (players, nobody) = (app.players(2).await, Player::anonymous(app.address));
    let none = nobody.get("/v1/join-codes/22222222").await;
    none.expect_problem(404, "join_code_not_found");
    let same = async |view: &Value| assert_eq!(nobody.get(&path(view)).await.body, none.body);
    assert_eq!(nobody.get("/v1/join-codes/nonsense").await.body, none.body);
    let revoked = players[0].create(&json!({"size": 2})).await.expect(201);
    nobody.get(&path(&revoked)).await.expect(200);
    players[0].revoke_code(id(&revoked)).await.expect(200);
    same(&revoked).await;
    let renewed =
        players[0].renew_code(id(&revoked), None, &json!({"expires_in_hours": 1})).await.expect(200);
    nobody.get(&path(&renewed)).await.expect(200);
    same(&revoked).await;
    app.run("UPDATE join_codes SET expires_at = now() - interval '1 s'").await;
    same(&renewed).await;
    let started = players[0].create(&json!({"size": 2})).await.expect(201);
    players[1].join(started["join_code"].as_str().unwrap(), "").await.expect(201);
    players[0].start(id(&started)).await.expect(200);
    same(&started).await;
    let own = players[1].get(&path(&started)).await.expect(200);
    assert_eq!((&own["status"], &own["match_id"]), (&json!("running"), &started["match_id"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_player_is_told_and_is_refused_until_the_host_renews_the_code() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let players = app.players(4).await;
    let [ada, bob, eve, out] = [0, 1, 2, 3].map(|number| &players[number]);
    let created = ada.create(&json!({"size": 4, "visibility": "public"})).await.expect(201);
    let (match_id, code) = (id(&created), created["join_code"].as_str().unwrap());
    for player in [bob, eve] {
        player.join(code, "").await.expect(201);
    }
    let (_, cursor) = events(bob, "after=now").await;
    let mut stream = bob.follow(&format!("/v1/matches/{match_id}/events/stream"), None).await;
    stream.take(3).await;
    let remove = |who: &str| format!("/v1/matches/{match_id}/players/{who}/remove");
    eve.post(&remove(&bob.name), None, &Value::Null).await.expect_problem(403, "host_only");
    out.post(&remove(&bob.name), None, &Value::Null).await.expect_problem(404, "match_not_found");
    ada.post(&remove(&ada.name), None, &Value::Null).await.expect_problem(409, "own_account");
    ada.post(&remove(&out.name), None, &Value::Null).await.expect_problem(404, "player_not_found");
    let key = crate::support::player::new_key();
    let removed = ada.post(&remove(&bob.name), Some(&key), &Value::Null).await;
    let view = removed.expect(200);
    assert_eq!(
        (&view["recent"][0]["type"], &view["recent"][0]["username"]),
        (&json!("removed"), &json!(bob.name))
    );
    assert_eq!(view["seats"].as_array().unwrap().len(), 2);
    assert_eq!(ada.at(other).post(&remove(&bob.name), Some(&key), &Value::Null).await.body, removed.body);

    // The removed player gets the event, and cannot read the match any more.
    let (items, later) = events(bob, &format!("after={cursor}&wait=20")).await;
    assert_eq!(
        (items.len(), &items[0]["type"], &items[0]["match_id"]),
        (1, &json!("removed"), &json!(match_id))
    );
    let mut entry = items[0]["entry"].clone();
    entry.as_object_mut().unwrap().remove("at");
    assert_eq!(entry, view["recent"][0]);
    assert_eq!(stream.next().await.unwrap().data, json!({"reason": "seat_gone"}));
    bob.get(&format!("/v1/matches/{match_id}")).await.expect_problem(404, "match_not_found");
    assert_eq!(events(bob, &format!("after={later}")).await.0, Vec::<Value>::new());
    assert_eq!(events(bob, "after=now").await.0, Vec::<Value>::new());
    assert_eq!(kinds(&events(bob, "").await.0), ["removed"]);
    assert_eq!(kinds(&events(eve, "").await.0), ["joined", "joined", "joined", "removed"]);
    bob.join(code, "").await.expect_problem(403, "removed_by_host");
    bob.at(other).join(code, "").await.expect_problem(403, "removed_by_host");
    out.join(code, "").await.expect(201);
    let renewed = ada.renew_code(match_id, None, &json!({})).await.expect(200);
    bob.join(renewed["join_code"].as_str().unwrap(), "").await.expect(201);
    assert_eq!(kinds(&events(bob, "").await.0).iter().filter(|kind| **kind == "removed").count(), 1);
    ada.start(match_id).await.expect(200);
    ada.post(&remove(&bob.name), None, &Value::Null).await.expect_problem(409, "match_started");
    // The log is folded with it.
    let log = ada.get(&format!("/v1/matches/{match_id}/log")).await.expect(200);
    assert_eq!(kinds(log["items"].as_array().unwrap())[3], "removed");
    ada.record(match_id).await;
    let output = crate::fsck::fsck(&app, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_removes_bots_and_has_their_seats_for_people() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let created = ada.create(&json!({"size": 2, "bots": ["easy"]})).await.expect(201);
    let bot = created["seats"][1]["username"].as_str().unwrap();
    bob.join(created["join_code"].as_str().unwrap(), "").await.expect_problem(409, "match_full");
    let path = format!("/v1/matches/{}/players/{bot}/remove", id(&created));
    ada.post(&path, None, &Value::Null).await.expect(200);
    bob.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
}

/// Events of the events, and the cursor after them.
async fn events(player: &Player, query: &str) -> (Vec<Value>, String) {
    let page = player.get(&format!("/v1/events?{query}")).await.expect(200);
    (page["items"].as_array().unwrap().clone(), page["cursor"].as_str().unwrap().to_owned())
}

fn kinds(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["type"].as_str().unwrap()).collect()
}
