//! Quick pairing: players with the same criteria are seated together, once, through any instance.

use std::collections::HashMap;

use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::{Player, TestApp, id};

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap()
}

async fn ask(player: &Player, size: usize) -> Value {
    player.request_pairing(None, &json!({"size": size})).await.expect(201)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wishes_the_same_is_seated_when_enough_have_asked() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let wish = json!({"size": 3, "rules": {"preset": "kluft"}, "client_seed": "blue"});
    let asked = players[0].request_pairing(None, &wish).await;
    let first = asked.expect(201);
    assert_eq!(asked.header("location").unwrap(), format!("/v1/pairings/{}", id(&first)));
    assert_eq!((text(&first, "status"), text(&first, "preset")), ("waiting", "kluft"));
    assert!(first.get("match_id").is_none());
    let path = format!("/v1/pairings/{}", id(&first));
    players[1].get(&path).await.expect_problem(404, "pairing_not_found");

    // Another size or other rules are other criteria.
    ask(&players[1], 3).await;
    let other = json!({"size": 2, "rules": {"preset": "kluft"}});
    players[1].request_pairing(None, &other).await.expect(201);
    players[1].request_pairing(None, &wish).await.expect(201);
    assert_eq!(text(&players[0].get(&path).await.expect(200), "status"), "waiting");

    let last = players[2].request_pairing(None, &wish).await.expect(201);
    assert_eq!(text(&last, "status"), "paired");
    let match_id = text(&last, "match_id");
    let paired = players[0].get(&path).await.expect(200);
    assert_eq!((text(&paired, "status"), text(&paired, "match_id")), ("paired", match_id));
    assert_eq!(paired["paired_at"], last["paired_at"]);
    for player in &players {
        let view = player.view(match_id).await;
        assert_eq!(text(&view, "status"), "running");
        assert_eq!(view["seats"].as_array().unwrap().len(), 3);
        assert_eq!(view["hand"]["cards"].as_array().unwrap().len(), 5);
        let fairness = player.get(&format!("/v1/matches/{match_id}/fairness")).await.expect(200);
        assert_eq!(fairness["commitment"], first["commitment"], "told before the others asked");
        assert_eq!(text(&player.settings(match_id).await, "seat_order"), "random");
    }
    let log = players[0].get(&format!("/v1/matches/{match_id}/log")).await.expect(200);
    let kinds: Vec<&str> = log["items"].as_array().unwrap().iter().map(|item| text(item, "type")).collect();
    assert_eq!(kinds, ["joined", "joined", "joined", "started"]);
    let waiting = players[1].get("/v1/pairings").await.expect(200);
    assert_eq!(waiting["items"].as_array().unwrap().len(), 2, "two other wishes");
    let record = players[0].record(match_id).await;
    assert_eq!(record["players"].as_array().unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn asking_again_is_the_same_request() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let first = ask(&players[0], 2).await;
    let again = ask(&players[0], 2).await;
    assert_eq!(id(&first), id(&again));
    assert_eq!(text(&again, "status"), "waiting", "nobody is paired with themselves");
    // The newest seed counts; a request without one keeps it.
    for seed in ["red", "green", ""] {
        let wish = json!({"size": 2, "client_seed": seed});
        assert_eq!(id(&players[0].request_pairing(None, &wish).await.expect(201)), id(&first));
    }
    let paired = ask(&players[1], 2).await;
    let view = players[0].view(text(&paired, "match_id")).await;
    let mine = usize::try_from(view["your_seat"].as_u64().unwrap()).unwrap();
    let fairness = players[0].get(&format!("/v1/matches/{}/fairness", id(&view))).await.expect(200);
    assert_eq!(fairness["client_seeds"][mine], "green");
    // Once seated, a player may ask again.
    assert_ne!(id(&ask(&players[0], 2).await), id(&first));
}

/// A player who changes the seed after the commitment is known is not seated twice, if the match is created at the same
/// time.
#[tokio::test(flavor = "multi_thread")]
async fn who_names_a_commitment_means_the_request_that_has_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let wait = players[0].request_pairing(None, &json!({"size": 2})).await.expect(201);
    let mut again = json!({"size": 2, "client_seed": "mine", "commitment": wait["commitment"]});
    assert_eq!(players[0].request_pairing(None, &again).await.expect(201)["pairing_id"], wait["pairing_id"]);
    players[1].request_pairing(None, &again).await.expect_problem(409, "already_paired");
    players[1].request_pairing(None, &json!({"size": 2})).await.expect(201);
    again["client_seed"] = json!("another");
    players[0].request_pairing(None, &again).await.expect_problem(409, "already_paired");
    assert_eq!(players[0].get("/v1/pairings").await.expect(200)["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_gets_the_same_answer_whatever_came_of_the_request() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let (key, wish) = (new_key(), json!({"size": 2, "client_seed": "a"}));
    let first = players[0].request_pairing(Some(&key), &wish).await;
    assert_eq!(text(&first.expect(201), "status"), "waiting");
    let last_key = new_key();
    let last = players[1].request_pairing(Some(&last_key), &wish).await;
    assert_eq!(text(&last.expect(201), "status"), "paired");
    for player in [players[0].clone(), players[0].at(second)] {
        let again = player.request_pairing(Some(&key), &wish).await;
        assert_eq!((again.status, &again.body), (first.status, &first.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
    }
    let again = players[1].request_pairing(Some(&last_key), &wish).await;
    assert_eq!(again.body, last.body);
    let other = json!({"size": 3});
    let reused = players[0].request_pairing(Some(&key), &other).await;
    reused.expect_problem(422, "idempotency_key_reused");
    assert_eq!(players[0].get("/v1/pairings").await.expect(200)["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_withdrawn_request_is_not_paired() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let first = ask(&players[0], 2).await;
    players[1].withdraw_pairing(id(&first)).await.expect_problem(404, "pairing_not_found");
    players[1].withdraw_pairing("nonsense").await.expect_problem(404, "pairing_not_found");
    let withdrawn = players[0].withdraw_pairing(id(&first)).await;
    assert_eq!(text(&withdrawn.expect(200), "status"), "withdrawn");
    assert_eq!(players[0].withdraw_pairing(id(&first)).await.body, withdrawn.body, "a retry is the same");
    let second = ask(&players[1], 2).await;
    assert_eq!(text(&second, "status"), "waiting");
    assert_eq!(second["commitment"], first["commitment"], "the place is the next one's");
    let third = ask(&players[2], 2).await;
    let view = players[1].view(text(&third, "match_id")).await;
    assert_eq!(view["seats"].as_array().unwrap().len(), 2);
    players[0].get(&format!("/v1/matches/{}", id(&view))).await.expect_problem(404, "match_not_found");
    players[1].withdraw_pairing(id(&second)).await.expect_problem(409, "already_paired");
    let shown = players[0].get(&format!("/v1/pairings/{}", id(&first))).await.expect(200);
    assert_eq!(text(&shown, "status"), "withdrawn");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unanswered_request_expires() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let first = ask(&players[0], 2).await;
    app.run("UPDATE pairings SET expires_at = now() - interval '1 s'").await;
    let path = format!("/v1/pairings/{}", id(&first));
    assert_eq!(text(&players[0].get(&path).await.expect(200), "status"), "expired");
    assert_eq!(players[0].get("/v1/pairings").await.expect(200)["items"], json!([]));
    let second = ask(&players[1], 2).await;
    assert_eq!(text(&second, "status"), "waiting", "an expired request is paired with nobody");
    assert_eq!(text(&players[0].get(&path).await.expect(200), "status"), "expired");
    let anew = ask(&players[0], 2).await;
    assert_eq!(text(&anew, "status"), "paired");
    assert_ne!(id(&anew), id(&first));
}

#[tokio::test(flavor = "multi_thread")]
async fn wishes_are_held_against_the_rules_and_there_are_not_too_many() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (body, code, field) in [
        (json!({"size": 1}), "invalid_body", "size"),
        (json!({"size": 2, "rules": {"hand_size": 8}}), "bad_rules", "rules.hand_size"),
        (json!({"size": 5, "rules": {"preset": "speedy"}}), "bad_rules", "size"),
        (json!({"size": 2, "client_seed": "a,b"}), "invalid_body", "client_seed"),
        (json!({"size": 2, "seat_order": "joined"}), "invalid_body", "seat_order"),
    ] {
        let problem = ada.request_pairing(None, &body).await.expect_problem(422, code);
        assert_eq!(problem["fields"][0]["name"], field, "{problem}");
    }
    for elimination in 100..120 {
        let wish = json!({"size": 2, "rules": {"elimination": elimination}});
        ada.request_pairing(None, &wish).await.expect(201);
    }
    let one_more = ada.request_pairing(None, &json!({"size": 2})).await;
    one_more.expect_problem(409, "too_many_pairings");
    let same = json!({"size": 2, "rules": {"elimination": 100}});
    ada.request_pairing(None, &same).await.expect(201);
}

/// A small version of `faults pairing`, which sends 2,000 requests of 500 accounts.
#[tokio::test(flavor = "multi_thread")]
async fn all_at_once_through_two_instances_everybody_gets_one_seat() {
    const ACCOUNTS: usize = 24;
    const ROUNDS: usize = 3;
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(ACCOUNTS).await;
    for round in 0..ROUNDS {
        let asking = players.iter().enumerate().map(|(number, player)| async move {
            let (size, key) = (if number < ACCOUNTS / 2 { 2 } else { 4 }, new_key());
            let wish = json!({"size": size});
            let ask = async |player: Player| loop {
                let answer = player.request_pairing(Some(&key), &wish).await;
                if answer.status != 503 {
                    return answer.expect(201);
                }
            };
            let other = player.at(second);
            // Sometimes to both instances at once, with the same key.
            if (number + round) % 3 == 0 {
                let (one, two) = tokio::join!(ask(player.clone()), ask(other));
                assert_eq!(one, two);
                id(&one).to_owned()
            } else {
                let player = if number % 2 == 0 { player.clone() } else { other };
                id(&ask(player).await).to_owned()
            }
        });
        let pairings = futures_util::future::join_all(asking).await;
        let mut matches: HashMap<String, usize> = HashMap::new();
        for (player, pairing) in players.iter().zip(&pairings) {
            let paired = player.get(&format!("/v1/pairings/{pairing}")).await.expect(200);
            let match_id = text(&paired, "match_id").to_owned();
            let view = player.view(&match_id).await;
            assert_eq!(
                view["seats"].as_array().unwrap().len(),
                usize::try_from(paired["size"].as_u64().unwrap()).unwrap()
            );
            *matches.entry(match_id).or_default() += 1;
        }
        assert_eq!(matches.len(), ACCOUNTS / 2 / 2 + ACCOUNTS / 2 / 4, "none over-full, none lost");
    }
    for player in &players {
        let mine = player.get("/v1/matches").await.expect(200);
        assert_eq!(mine["items"].as_array().unwrap().len(), ROUNDS);
    }
}
