//! Automatic marks: what the service finds for people to look at, and that it does nothing else.

use serde_json::json;

use crate::moderation::{decision, items, moderator};
use crate::push::{Browser, subscribe_at};
use crate::support::player::PASSWORD;
use crate::support::receiver::Receiver;
use crate::support::{TestApp, id, until, until_swept};

/// Makes counted replies of a player: of each bucket of the histogram, from the first.
async fn replies(app: &TestApp, name: &str, buckets: &str) {
    app.run(&format!(
        "INSERT INTO player_stats SELECT (jsonb_populate_record(NULL::player_stats, zeros || jsonb_build_object( \
         'account_id', id, 'month', date_trunc('month', now())::date, 'preset', 'yaniv', 'bots', false, 'seats', 2, \
         'places', '{{}}'::integer[], 'replies', '{buckets}'::integer[]))).* FROM accounts, \
         (SELECT jsonb_object_agg(column_name, 0) AS zeros FROM information_schema.columns \
          WHERE table_name = 'player_stats') z WHERE username = '{name}'"
    ))
    .await;
}

/// Makes rated matches of two players: as many as the first wins, and as many as the other.
async fn rated(app: &TestApp, match_id: &str, names: [&str; 2], wins: [u32; 2]) {
    for (winner, count) in wins.into_iter().enumerate() {
        let (winner, loser) = (names[winner], names[1 - winner]);
        app.run(&format!(
            "INSERT INTO rating_changes (match_id, account_id, at, mu_before, sigma_before, mu, sigma, number, place, \
             players, bots, preset) SELECT CASE number WHEN 1 THEN '{match_id}' ELSE overlay('{match_id}' PLACING \
             lpad(number::text, 8, '0') FROM 1) END::uuid, a.id, now() - interval '1 day', 1, 1, 1, 1, 1, \
             CASE a.username WHEN '{winner}' THEN 1 ELSE 2 END, 2, false, 'yaniv' \
             FROM generate_series(1 + {winner_at}, {count} + {winner_at}) number, accounts a \
             WHERE a.username IN ('{winner}', '{loser}') ON CONFLICT DO NOTHING",
            winner_at = if winner == names[0] { 0 } else { 1000 },
        ))
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_marks_what_people_should_look_at_and_does_nothing_else() {
    let app = TestApp::start().await;
    let mod_1 = moderator(&app, "mod_1").await;
    let players = app.players(8).await;
    // Fast as a program: 480 of 500 within two seconds; 474 are not enough, nor is too little play, nor a bot's.
    players[0].bot("robot").await;
    replies(&app, "player_0", "{200,200,80,10,10}").await;
    replies(&app, "player_1", "{200,200,74,16,10}").await;
    replies(&app, "player_2", "{200,200,90}").await;
    replies(&app, "robot", "{1000}").await;
    // One of two wins nearly always, and they play nobody else.
    let mut matches = Vec::new();
    for pair in [[3, 4], [5, 6]] {
        let view = app.started(&pair.map(|seat: usize| players[seat].clone()), json!({})).await;
        matches.push(id(&view).to_owned());
    }
    rated(&app, &matches[0], ["player_3", "player_4"], [19, 1]).await;
    rated(&app, &matches[1], ["player_5", "player_6"], [16, 4]).await;
    let marked = async || {
        let reports = items(&mod_1, "/v1/moderation/reports").await;
        let mut marked: Vec<_> = reports
            .iter()
            .map(|report| {
                assert_eq!((&report["automatic"], report.get("reporter")), (&json!(true), None));
                let text = |field: &str| report[field].as_str().unwrap().to_owned();
                (text("username"), text("reason"))
            })
            .collect();
        marked.sort();
        marked
    };
    let expected = [("player_0", "undeclared_bot"), ("player_3", "collusion"), ("player_4", "collusion")];
    let expected = expected.map(|(name, reason)| (name.to_owned(), reason.to_owned()));
    assert_eq!(marked().await, []);
    // Two instances look at once.
    tokio::join!(app.second(), app.second());
    until_swept(&app, "marked", async || marked().await == expected).await;
    let reports = items(&mod_1, "/v1/moderation/reports").await;
    for report in reports.iter().filter(|report| report["reason"] == "collusion") {
        assert_eq!(report["about"], "match");
        assert!(!report["comment"].as_str().unwrap().contains("player_"), "{report}");
    }
    for player in &players {
        assert!(items(player, "/v1/account/sanctions").await.is_empty());
        player.get("/v1/account").await.expect(200);
    }
    // What a person has decided stays decided.
    for report in &reports {
        mod_1.put_json(&decision(report), &json!({"kind": "dismissal"})).await.expect(200);
    }
    replies(&app, "player_7", "{600}").await;
    app.second().await;
    let last = [("player_7".to_owned(), "undeclared_bot".to_owned())];
    until_swept(&app, "marked", async || marked().await == last).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn players_who_play_each_other_from_one_browser_are_marked() {
    let app = TestApp::start().await;
    let mod_1 = moderator(&app, "mod_1").await;
    let players = app.players(5).await;
    let receiver = Receiver::start().await;
    // Two pairs with one browser each, and one with two; the second plays too little.
    for (player, browser) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3)] {
        let endpoint = receiver.url(&format!("/{browser}"));
        subscribe_at(&players[player], &Browser::new(browser), &endpoint, json!({})).await;
    }
    let view = app.started(&players[..2], json!({})).await;
    rated(&app, id(&view), ["player_0", "player_1"], [3, 2]).await;
    let view = app.started(&players[2..4], json!({})).await;
    rated(&app, id(&view), ["player_2", "player_3"], [2, 2]).await;
    let view = app.started(&[players[1].clone(), players[4].clone()], json!({})).await;
    rated(&app, id(&view), ["player_1", "player_4"], [5, 5]).await;
    app.second().await;
    let marked = async || {
        let reports = items(&mod_1, "/v1/moderation/reports").await;
        let mut names: Vec<_> =
            reports.iter().map(|report| report["username"].as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    until_swept(&app, "marked", async || marked().await == ["player_0", "player_1"]).await;
    for report in items(&mod_1, "/v1/moderation/reports").await {
        let comment = report["comment"].as_str().unwrap();
        assert!(
            comment.starts_with("has used the same browser") && comment.contains(" 5 rated"),
            "{comment}"
        );
        assert_eq!((&report["about"], &report["reason"]), (&json!("match"), &json!("collusion")));
    }
    // Kept for 90 days.
    assert_eq!(app.count("SELECT count(*) FROM shared_browsers").await, 2);
    app.run(
        "UPDATE shared_browsers SET seen_at = seen_at - interval '91 days' WHERE account_id IN \
         (SELECT id FROM accounts WHERE username = 'player_1')",
    )
    .await;
    app.second().await;
    until_swept(&app, "swept", async || app.count("SELECT count(*) FROM shared_browsers").await == 1).await;
    // An account takes its pairs with it.
    let deletion = json!({"password": PASSWORD});
    players[2].post("/v1/account/delete", None, &deletion).await.expect(202);
    until("forgotten", async || app.count("SELECT count(*) FROM shared_browsers").await == 0).await;
}
