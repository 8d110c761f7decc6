//! Statistics: each figure equals a recount from the exported records alone; and each operation shows them to the right
//! callers.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::{Value, json};

use crate::matches::play_to_the_end;
use crate::recount::{Recount, Recounted};
use crate::support::strategy::{Random, random_rules};
use crate::support::{Player, TestApp, id, until, version};

/// Waits until every finished round is counted.
pub(crate) async fn all_counted(app: &TestApp) {
    let left = "SELECT count(*) FROM rounds WHERE counted_at IS NULL";
    until("all rounds are counted", async || app.count(left).await == 0).await;
}

pub(crate) async fn statistics(player: &Player, of: &str) -> Value {
    player.get(&format!("/v1/profiles/{of}/statistics")).await.expect(200)
}

/// A match with random rules, or with these, played to the end.
pub(crate) async fn played(players: &[Player], rules: Option<&Value>, random: &mut Random) -> Value {
    let created = loop {
        let rules = rules.cloned().unwrap_or_else(|| random_rules(random));
        let created = players[0].create(&json!({"size": players.len(), "rules": rules})).await;
        if created.status != 422 {
            break created.expect(201);
        }
    };
    for player in &players[1..] {
        player.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    }
    let started = players[0].start(id(&created)).await.expect(200);
    let mut players = players.to_vec();
    let mut last = started.clone();
    if players.len() > 3 && random.below(2) == 0 {
        let leaving = players.pop().unwrap();
        let body = json!({"expected_version": version(&started)});
        last = leaving.act(id(&started), "resignations", &body).await.expect(200);
    }
    play_to_the_end(&players, &last, random).await
}

/// Compares the statistics of a player with the recount.
fn compare(shown: &Value, counted: &Recounted) {
    assert_eq!(counted.differences(shown), Vec::<String>::new(), "{shown}");
}

/// Whether all rare events have occurred.
fn all_happened(recount: &Recount) -> bool {
    [
        |player: &Recounted| player.wrong_calls,
        |player: &Recounted| player.slam_downs,
        |player: &Recounted| player.asafs_inflicted,
        |player: &Recounted| player.reductions,
    ]
    .iter()
    .all(|of| recount.players.values().map(of).sum::<i64>() > 0)
}

/// House bots have hundreds of thousands of matches.
#[tokio::test(flavor = "multi_thread")]
async fn streaks_and_common_matches_are_those_of_the_newest_ten_thousand() {
    let app = TestApp::start().await;
    let (players, mut random) = (app.players(2).await, Random(31));
    played(&players, Some(&json!({"preset": "speedy"})), &mut random).await;
    all_counted(&app).await;
    // Both win the match that there is, then lose all others.
    app.run("UPDATE match_player_stats SET place = 1").await;
    app.run(
        "INSERT INTO match_player_stats SELECT (jsonb_populate_record(s, jsonb_build_object('match_id', n.id, 'place', 2, \
         'ended_at', s.ended_at + interval '1 day'))).* FROM match_player_stats s, \
         (SELECT ('ffffffff-0000-7000-8000-' || lpad(i::text, 12, '0'))::uuid AS id FROM generate_series(1, 10000) i) n",
    )
    .await;
    let shown = statistics(&players[0], "player_0").await;
    assert_eq!(shown["overall"]["longest_streak"], 0, "{shown}");
    let shown = players[0].get("/v1/profiles/player_0/head-to-head/player_1").await.expect(200);
    assert_eq!((&shown["matches"], &shown["wins"]), (&json!(10_000), &json!(0)), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn statistics_equal_a_recount_from_the_records() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let all = app.players(5).await;
    let mut random = Random(20_261_122);
    let (mut recount, mut of_two) = (Recount::default(), Recount::default());
    let mut by_preset: BTreeMap<String, Recount> = BTreeMap::new();
    // The hands are random: repeat until every kind of event has occurred.
    for round in 0..64 {
        if round >= 16 && all_happened(&recount) {
            break;
        }
        let players: Vec<Player> = all[..2 + round % 4].to_vec();
        let at = if round % 2 == 0 { app.address } else { second };
        let players: Vec<Player> = players.iter().map(|player| player.at(at)).collect();
        // The random rules include a penalty for calls out of turn, and each way to continue.
        let preset = ["yaniv", "kluft", "jhyap"][round % 3];
        let plain = json!({"preset": preset});
        let over = played(&players, (round % 4 == 1).then_some(&plain), &mut random).await;
        let record = players[0].record(id(&over)).await;
        let ended_at = over["finished_at"].as_str();
        recount.add(&record, ended_at);
        if players.len() == 2 {
            of_two.add(&record, ended_at);
        }
        let settings = players[0].settings(id(&over)).await;
        let preset = settings["preset"].as_str().unwrap_or("custom").to_owned();
        by_preset.entry(preset).or_default().add(&record, ended_at);
    }
    all_counted(&app).await;
    assert!(all_happened(&recount), "something never happened: {recount:?}");
    for player in &all {
        let shown = statistics(&all[0], &player.name).await;
        compare(&shown["overall"], &recount.players[&player.name]);
        for preset in shown["presets"].as_array().unwrap() {
            let name = preset["preset"].as_str().unwrap();
            compare(&preset["figures"], &by_preset[name].players[&player.name]);
            let path = format!("/v1/profiles/{}/statistics?preset={name}", player.name);
            assert_eq!(all[1].get(&path).await.expect(200)["overall"], preset["figures"]);
        }
    }
    let path = "/v1/profiles/player_0/statistics?size=2&bots=false";
    compare(&all[0].get(path).await.expect(200)["overall"], &of_two.players["player_0"]);
    let rounds: i64 = all[0].get("/v1/statistics").await.expect(200)["rounds"].as_i64().unwrap();
    assert_eq!(rounds, app.count("SELECT count(*) FROM rounds").await);
    head_to_head(&all, &recount).await;
}

/// Head-to-head statistics, of the matches that both played.
async fn head_to_head(all: &[Player], recount: &Recount) {
    let (first, second) = (&recount.players["player_0"], &recount.players["player_3"]);
    let place_of =
        |of: &Recounted, id: &str| of.ended.iter().find(|ended| ended.1 == id).map(|ended| ended.3);
    let together: Vec<(i64, i64)> =
        first.ended.iter().filter_map(|ended| Some((ended.3, place_of(second, &ended.1)?))).collect();
    let count = |of: fn(&(i64, i64)) -> bool| together.iter().filter(|places| of(places)).count();
    let shown = all[1].get("/v1/profiles/player_0/head-to-head/player_3").await.expect(200);
    assert!(!together.is_empty());
    assert_eq!(shown["matches"], together.len());
    assert_eq!(shown["ahead"], count(|(one, other)| one < other));
    assert_eq!(shown["behind"], count(|(one, other)| one > other));
    assert_eq!(shown["level"], count(|(one, other)| one == other));
    assert_eq!(shown["wins"], count(|(one, _)| *one == 1));
    assert_eq!(shown["opponent_wins"], count(|(_, other)| *other == 1));
    let back = all[1].get("/v1/profiles/player_3/head-to-head/player_0").await.expect(200);
    for (one, other) in [
        ("ahead", "behind"),
        ("wins", "opponent_wins"),
        ("rounds_won", "opponent_rounds_won"),
        ("asafs_inflicted", "asafs_suffered"),
    ] {
        assert_eq!(shown[one], back[other], "{one}: {shown} {back}");
        assert_eq!(shown[other], back[one], "{other}: {shown} {back}");
    }
}

/// With two players, a failed call is always the other's Asaf.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_each_inflicts_what_the_other_suffers() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    // About every other call fails: the probability that none of 24 does is 10^-7.
    let rules = json!({"preset": "yaniv", "max_rounds": 24, "elimination": 1000, "call_limit": 60});
    played(&players, Some(&rules), &mut Random(5)).await;
    all_counted(&app).await;
    let [one, other] = ["player_0", "player_1"];
    let (first, second) = (statistics(&players[0], one).await, statistics(&players[0], other).await);
    let shown = players[0].get("/v1/profiles/player_0/head-to-head/player_1").await.expect(200);
    assert_eq!(shown["asafs_inflicted"], second["overall"]["wrong_calls"]);
    assert_eq!(shown["asafs_suffered"], first["overall"]["wrong_calls"]);
    assert_eq!(first["overall"]["asafs_inflicted"], second["overall"]["wrong_calls"]);
    let suffered = |of: &Value| of["overall"]["wrong_calls"].as_i64().unwrap();
    assert!(suffered(&first) + suffered(&second) > 0, "nobody has called wrongly: {first} {second}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_not_ended_counts_for_nothing_and_tells_nothing() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let (players, others) = players.split_at(2);
    let path = "/v1/profiles/player_0/statistics";
    let before = players[1].get(path).await;
    assert_eq!(before.expect(200)["overall"]["rounds"], 0);
    assert_eq!(before.expect(200)["presets"], json!([]));
    let tag = before.header("etag").unwrap().to_owned();
    let started = app.started(players, json!({})).await;
    let mut random = Random(3);
    for _ in 0..6 {
        let view = players[0].view(id(&started)).await;
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let mut view = players[seat].view(id(&started)).await;
        view["legal"]["call"] = json!(false);
        let (kind, body) = crate::support::strategy::choose(&view, &mut random);
        players[seat].act(id(&started), kind, &body).await.expect(200);
    }
    // Matches that end after that are counted.
    others[0].resign(id(&app.started(others, json!({})).await)).await;
    all_counted(&app).await;
    assert_eq!(statistics(&others[0], "player_2").await["overall"]["rounds"], 1);
    let same = players[1].request(Method::GET, path, &[("if-none-match", &tag)], None).await;
    assert_eq!(same.status, 304);
    let theirs = format!("SELECT count(*) FROM match_player_stats WHERE match_id = '{}'", id(&started));
    assert_eq!(app.count(&theirs).await, 0);
    // Resigned in the first round: that round and the match are over.
    players[0].resign(id(&started)).await;
    all_counted(&app).await;
    let other = players[1].request(Method::GET, path, &[("if-none-match", &tag)], None).await;
    let overall = &other.expect(200)["overall"];
    assert_eq!(
        (&overall["matches"], &overall["wins"], &overall["rounds"]),
        (&json!(1), &json!(0), &json!(1))
    );
    assert_eq!(overall["rounds_won"], 0);
    assert!(overall.get("mean_call_points").is_none());
    let winner = statistics(&players[0], "player_1").await;
    assert_eq!(winner["overall"]["places"], json!([{"size": 2, "place": 1, "matches": 1}]));
}

#[tokio::test(flavor = "multi_thread")]
async fn sandboxes_count_for_nothing_and_bots_are_kept_apart() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for sandbox in [true, false] {
        let body = json!({"size": 2, "bots": ["easy"], "sandbox": sandbox});
        let created = ada.create(&body).await.expect(201);
        let started = ada.start(id(&created)).await.expect(200);
        ada.resign(id(&started)).await;
    }
    all_counted(&app).await;
    let with = |query: &str| format!("/v1/profiles/ada/statistics?bots={query}");
    assert_eq!(ada.get(&with("true")).await.expect(200)["overall"]["matches"], 1);
    assert_eq!(ada.get(&with("false")).await.expect(200)["overall"]["matches"], 0);
    assert_eq!(statistics(&ada, "house_easy_1").await["overall"]["wins"], 1);
    let service = ada.get("/v1/statistics").await.expect(200);
    assert_eq!((&service["matches"], &service["active_players"]), (&json!(1), &json!(1)));
    assert_eq!(service["presets"][0]["preset"], "yaniv");
}

#[tokio::test(flavor = "multi_thread")]
async fn months_are_those_in_which_matches_started() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"preset": "yaniv", "max_rounds": 1});
    for (number, month) in ["2026-01-31 23:59:59+00", "2026-02-01 00:00:00+00"].into_iter().enumerate() {
        let created = players[0].create(&json!({"size": 2, "rules": rules})).await.expect(201);
        players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
        let started = players[0].start(id(&created)).await.expect(200);
        app.run(&format!("UPDATE matches SET started_at = '{month}' WHERE id = '{}'", id(&started))).await;
        play_to_the_end(&players, &started, &mut Random(u64::try_from(number).unwrap())).await;
    }
    all_counted(&app).await;
    let months = async |query: &str| {
        let list =
            players[0].get(&format!("/v1/profiles/player_1/statistics/months{query}")).await.expect(200);
        let items = list["items"].as_array().unwrap().clone();
        items.iter().map(|item| item["month"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(months("").await, ["2026-02", "2026-01"]);
    assert_eq!(months("?since=2026-02").await, ["2026-02"]);
    assert_eq!(months("?until=2026-01&preset=custom").await, ["2026-01"]);
    assert!(months("?preset=yaniv").await.is_empty());
    let path = "/v1/profiles/player_1/statistics?since=2026-01&until=2026-01";
    assert_eq!(players[0].get(path).await.expect(200)["overall"]["matches"], 1);
    let service = players[0].get("/v1/statistics").await.expect(200);
    assert_eq!(service["months"][0]["month"], "2026-02");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_for_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (query, name) in [
        ("preset=canasta", "preset"),
        ("size=11", "size"),
        ("since=2026-13", "since"),
        ("until=11-2026", "until"),
        ("since=%2B026-01", "since"),
        ("bots=perhaps", "bots"),
        ("month=2026-11", "month"),
    ] {
        for path in ["statistics", "statistics/months"] {
            let answer = ada.get(&format!("/v1/profiles/ada/{path}?{query}")).await;
            assert_eq!(answer.expect_problem(422, "invalid_parameter")["fields"][0]["name"], name, "{query}");
        }
    }
    let alone = ada.get("/v1/profiles/ada/head-to-head/ada").await;
    assert_eq!(alone.expect_problem(422, "invalid_parameter")["fields"][0]["name"], "opponent");
    for path in
        ["nobody/statistics", "nobody/statistics/months", "ada/head-to-head/nobody", "%00/head-to-head/ada"]
    {
        ada.get(&format!("/v1/profiles/{path}")).await.expect_problem(404, "account_not_found");
    }
}
