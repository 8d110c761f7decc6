//! Match codes: they expire, and the host replaces or revokes them; an invalid code looks like one that does not exist.

use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::{Player, TestApp, id, version};

fn code(view: &Value) -> &str {
    view["join_code"].as_str().unwrap()
}

async fn dead(player: &Player, code: &str) {
    let look = player.get(&format!("/v1/join-codes/{code}")).await;
    let none = player.get("/v1/join-codes/22222222").await;
    look.expect_problem(404, "join_code_not_found");
    assert_eq!(look.body, none.body);
    player.join(code, "").await.expect_problem(404, "join_code_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_host_exchanges_the_code_and_the_old_one_is_dead_at_once() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(4).await;
    let created = players[0].create(&json!({"size": 4, "visibility": "public"})).await.expect(201);
    let (match_id, first) = (id(&created), code(&created));
    let join_key = new_key();
    let path = format!("/v1/join-codes/{first}/seats");
    let joined = players[1].post(&path, Some(&join_key), &json!({})).await;
    joined.expect(201);
    players[1].renew_code(match_id, None, &json!({})).await.expect_problem(403, "host_only");
    players[2].renew_code(match_id, None, &json!({})).await.expect_problem(404, "match_not_found");
    let key = new_key();
    let renewed = players[0].renew_code(match_id, Some(&key), &json!({"expires_in_hours": 2})).await;
    let view = renewed.expect(200);
    assert_ne!(code(&view), first);
    assert_eq!((version(&view), &view["recent"][0]["type"]), (3, &json!("code_renewed")));
    assert!(view["join_code_expires_at"].as_str().unwrap() > view["server_time"].as_str().unwrap());
    for address in [app.address, second] {
        dead(&players[2].at(address), first).await;
        assert_eq!(players[1].at(address).view(match_id).await["join_code"], view["join_code"]);
    }
    let listed = players[2].get("/v1/open-matches").await.expect(200);
    assert_eq!(listed["items"][0]["join_code"], view["join_code"]);
    let mine = players[1].get("/v1/matches").await.expect(200);
    assert_eq!(mine["items"][0]["join_code"], view["join_code"]);
    players[2].join(code(&view), "").await.expect(201);

    // A repeated answer shows the code of its time.
    assert_eq!(
        players[0].at(second).renew_code(match_id, Some(&key), &json!({"expires_in_hours": 2})).await.body,
        renewed.body
    );
    assert_eq!(players[1].post(&path, Some(&join_key), &json!({})).await.body, joined.body);
    let revoked = players[0].revoke_code(match_id).await.expect(200);
    assert_eq!(revoked["recent"][0]["type"], "code_revoked");
    assert_eq!(revoked["join_code_expires_at"], revoked["server_time"]);
    dead(&players[3], code(&revoked)).await;
    assert_eq!(players[3].get("/v1/open-matches").await.expect(200)["items"], json!([]));
    players[1].get(&format!("/v1/join-codes/{}", code(&revoked))).await.expect(200);
    let open = players[0].renew_code(match_id, None, &json!({})).await.expect(200);
    assert!(open.get("join_code_expires_at").is_none());
    players[3].join(code(&open), "").await.expect(201);
    players[0].start(match_id).await.expect(200);
    players[0].renew_code(match_id, None, &json!({})).await.expect_problem(409, "match_started");
    players[0].revoke_code(match_id).await.expect_problem(409, "match_started");
    players[0].record(match_id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_expires_when_its_creator_says() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let body = json!({"size": 2, "visibility": "public", "join_code_expires_in_hours": 1});
    let created = players[0].create(&body).await.expect(201);
    assert!(created["join_code_expires_at"].as_str().unwrap() > created["created_at"].as_str().unwrap());
    players[1].get(&format!("/v1/join-codes/{}", code(&created))).await.expect(200);
    app.run("UPDATE matches SET code_expires_at = now() - interval '1 s'").await;
    app.run("UPDATE open_matches SET code_expires_at = now() - interval '1 s'").await;
    app.outdate_cached_matches().await;
    dead(&players[1], code(&created)).await;
    assert_eq!(players[1].get("/v1/open-matches").await.expect(200)["items"], json!([]));
    for hours in [0, 721] {
        let body = json!({"size": 2, "join_code_expires_in_hours": hours});
        let problem = players[0].create(&body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "join_code_expires_in_hours");
        let body = json!({"expires_in_hours": hours});
        let problem =
            players[0].renew_code(id(&created), None, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "expires_in_hours");
    }
}
