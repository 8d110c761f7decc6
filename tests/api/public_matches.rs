//! Finished public matches can be read by all, with all cards. Running ones, and private ones at any time, do not exist
//! for callers without a seat.

use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, version};

/// Readable parts of a match, and whether they need a finished round.
const READINGS: [&str; 8] =
    ["", "?since=0", "/log", "/rounds", "/rounds/1", "/rounds/1/analysis", "/record", "/fairness"];
/// What only players with a seat can read.
const OWN: [&str; 6] =
    ["/recap", "/clock-changes", "/standing-orders", "/events?wait=0", "/rematch", "/rounds/1/nothing"];

/// A match of two after some rounds.
async fn played(app: &TestApp, players: &[Player], visibility: &str) -> String {
    let created = players[0].create(&json!({"size": 2, "visibility": visibility})).await.expect(201);
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let mut view = players[0].start(id(&created)).await.expect(200);
    let mut random = Random(5);
    while view["table"]["round"] != 3 && view["status"] == "running" {
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let own = players[seat].view(id(&created)).await;
        let (kind, body) = choose(&own, &mut random);
        view = players[seat].act(id(&created), kind, &body).await.expect(200);
    }
    assert!(app.count("SELECT count(*) FROM rounds").await >= 2);
    id(&created).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_match_is_readable_by_all_accounts_only_once_it_is_over() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let stranger = app.player("stranger").await;
    let absent = stranger.get("/v1/matches/0193aa00-0000-7000-8000-0000000000ff").await;
    absent.expect_problem(404, "match_not_found");
    let (public, private) = (played(&app, &players, "public").await, played(&app, &players, "private").await);
    let hidden = async |id: &str, paths: &[&str]| {
        for path in paths {
            let answer = stranger.get(&format!("/v1/matches/{id}{path}")).await;
            if path.ends_with("/nothing") {
                answer.expect_problem(404, "not_found");
            } else {
                answer.expect_problem(404, "match_not_found");
                assert_eq!(answer.body, absent.body, "{path}");
            }
        }
    };
    for id in [&public, &private] {
        hidden(id, &READINGS).await;
        hidden(id, &OWN).await;
        players[1].resign(id).await;
    }
    hidden(&private, &READINGS).await;
    for id in [&public, &private] {
        hidden(id, &OWN).await;
    }
    let path = format!("/v1/matches/{public}");
    let view = stranger.view(&public).await;
    assert!(view.get("your_seat").is_none() && view.get("hand").is_none() && view.get("legal").is_none());
    assert_eq!((&view["status"], &view["your_turn"]), (&json!("finished"), &json!(null)));
    assert_eq!(view["result"]["winner"], 0);
    assert_eq!(view["scores"], players[0].view(&public).await["scores"]);
    // After the end a player may know everything, so the answers are the same.
    for reading in &READINGS[2..] {
        let [mut own, mut theirs] = [
            players[0].get(&format!("{path}{reading}")).await.expect(200),
            stranger.get(&format!("{path}{reading}")).await.expect(200),
        ];
        for answer in [&mut own, &mut theirs] {
            answer.as_object_mut().unwrap().remove("server_time");
        }
        assert_eq!(own, theirs, "{reading}");
    }
    let record: Record = serde_json::from_value(stranger.record(&public).await).unwrap();
    verify(&record).unwrap_or_else(|fault| panic!("{fault:?}"));
    assert_eq!(record.rounds.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_read_a_match_may_not_act_in_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let stranger = app.player("stranger").await;
    let public = played(&app, &players, "public").await;
    players[1].resign(&public).await;
    let now = version(&stranger.view(&public).await);
    for kind in ["calls", "resignations", "slam-downs", "passes"] {
        let answer = stranger.act(&public, kind, &json!({"expected_version": now})).await;
        answer.expect_problem(404, "match_not_found");
    }
    let path = format!("/v1/matches/{public}");
    let offered = stranger.post(&format!("{path}/offer-rematch"), None, &json!({})).await;
    offered.expect_problem(404, "match_not_found");
    let gift = json!({"text": "for you"});
    stranger.post(&format!("{path}/dedications"), None, &gift).await.expect_problem(404, "match_not_found");
    assert_eq!(version(&players[0].view(&public).await), now);
    // A blocked player can read it, too: it is public.
    players[0].put("/v1/blocks/stranger").await.expect(204);
    let view: Value = stranger.view(&public).await;
    assert_eq!(view["status"], "finished");
}
