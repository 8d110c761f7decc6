//! Consistency of statistics: updated at once, on every instance, each round once despite faults, and always equal to a
//! rebuild from the log.

use std::process::Command;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::absence::whole_log;
use crate::statistics::{all_counted, played, statistics};
use crate::support::player::PASSWORD;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version, within_a_second};

/// The sum of all counts.
async fn sum(app: &TestApp) -> i64 {
    let mut sum = 0_i64;
    for table in ["match_player_stats", "player_stats", "service_totals", "activity"] {
        let query = format!(
            "SELECT hashtextextended(COALESCE(string_agg(t::text, '|' ORDER BY t::text), ''), 0) AS count FROM {table} t"
        );
        sum = sum.rotate_left(1).wrapping_add(app.count(&query).await);
    }
    sum
}

/// Runs `yaniv rebuild statistics`.
fn rebuild(app: &TestApp) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.args(["rebuild", "statistics", "--workers", "2"]).env("DATABASE_URL", app.database.url());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

async fn mover<'a>(players: &'a [Player], match_id: &str) -> Option<(&'a Player, Value)> {
    let view = players[0].view(match_id).await;
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64()?).unwrap();
    Some((&players[seat], players[seat].view(match_id).await))
}

/// Plays until a round has ended; returns the view after it.
async fn play_a_round(players: &[Player], match_id: &str, random: &mut Random) -> Value {
    loop {
        let (player, view) = mover(players, match_id).await.unwrap();
        let (kind, body) = choose(&view, random);
        let after = player.act(match_id, kind, &body).await.expect(200);
        if after["scores"].as_array().unwrap().len() > view["scores"].as_array().unwrap().len() {
            return after;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_counts_within_a_second_at_every_instance() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let second = players[1].at(app.second().await);
    let started = app.started(&players, json!({})).await;
    let mut random = Random(8);
    for rounds in 1..4 {
        play_a_round(&players, id(&started), &mut random).await;
        for reader in [&players[0], &second] {
            within_a_second("the round is counted", async || {
                statistics(reader, "player_0").await["overall"]["rounds"] == rounds
            })
            .await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_while_it_is_counted_is_counted_once() {
    let app = TestApp::start().await;
    app.second().await;
    let players = app.players(3).await;
    // It breaks after writing tallies and totals; a sequence counts across rollbacks.
    app.run("CREATE SEQUENCE broken").await;
    app.run(
        "CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.05); \
         PERFORM nextval('broken'); RAISE EXCEPTION 'planted'; END $$",
    )
    .await;
    app.run("CREATE TRIGGER break_off BEFORE INSERT ON service_totals EXECUTE FUNCTION break_off()").await;
    let rules = json!({"preset": "yaniv", "max_rounds": 4});
    let mut random = Random(30);
    played(&players, Some(&rules), &mut random).await;
    let broken = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS count FROM broken";
    until("it has broken several times", async || app.count(broken).await >= 3).await;
    assert_eq!(app.count("SELECT count(*) FROM match_player_stats").await, 0);
    assert_eq!(app.count("SELECT count(*) FROM player_stats").await, 0);
    app.run("DROP TRIGGER break_off ON service_totals").await;
    all_counted(&app).await;
    played(&players, Some(&rules), &mut random).await;
    all_counted(&app).await;
    let rounds = app.count("SELECT count(*) FROM rounds").await;
    let service = players[0].get("/v1/statistics").await.expect(200);
    assert_eq!((service["rounds"].as_i64(), &service["matches"]), (Some(rounds), &json!(2)));
    assert_eq!(statistics(&players[0], "player_2").await["overall"]["matches"], 2);
    let kept = sum(&app).await;
    assert_eq!(rebuild(&app), "2 matches are counted\n");
    assert_eq!(sum(&app).await, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_comes_out_equal_also_while_it_is_played() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let mut random = Random(77);
    for count in [2, 3, 4, 2] {
        played(&players[..count], None, &mut random).await;
    }
    let started = app.started(&players[..2], json!({})).await;
    play_a_round(&players, id(&started), &mut random).await;
    all_counted(&app).await;
    let before = sum(&app).await;
    assert_eq!(rebuild(&app), "5 matches are counted\n");
    assert_eq!(sum(&app).await, before);
    // The wrong values are gone.
    app.run("UPDATE player_stats SET rounds = rounds + 7").await;
    app.run("DELETE FROM match_player_stats WHERE seat = 1").await;
    let (rebuilt, _) = tokio::join!(
        tokio::task::spawn_blocking({
            let url = app.database.url().to_owned();
            move || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
                command.args(["rebuild", "statistics"]).env("DATABASE_URL", url).output().unwrap()
            }
        }),
        play_a_round(&players[..2], id(&started), &mut random),
    );
    assert!(rebuilt.unwrap().status.success());
    all_counted(&app).await;
    let kept = sum(&app).await;
    rebuild(&app);
    assert_eq!(sum(&app).await, kept);
    assert_ne!(kept, before, "another round was played");
}

/// From the log, which is changed so that a minute lies between any two entries.
#[tokio::test(flavor = "multi_thread")]
async fn reply_times_start_when_the_turn_starts() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    played(&players, Some(&json!({"preset": "yaniv", "max_rounds": 2})), &mut Random(9)).await;
    all_counted(&app).await;
    let shown = statistics(&players[0], "player_0").await;
    assert!(shown["overall"]["median_reply_seconds"].as_f64().unwrap() < 60.0);
    app.run("UPDATE actions SET at = at + version * interval '1 minute'").await;
    rebuild(&app);
    for player in &players {
        let overall = statistics(player, &player.name).await["overall"].clone();
        let median = overall["median_reply_seconds"].as_f64().unwrap();
        assert!((60.0 / 1.19..60.0 * 1.19).contains(&median), "{median}");
        let seat = "SELECT seat FROM seats s JOIN accounts a ON a.id = s.account_id WHERE a.username";
        let acted =
            format!("SELECT count(*) FROM actions WHERE kind = 'a' AND seat = ({seat} = '{}')", player.name);
        assert_eq!(overall["actions_in_time"].as_i64(), Some(app.count(&acted).await));
        assert_eq!(overall["on_time_share"], 1.0);
    }
}

/// One of two is absent: their deadlines pass, and automatic actions do not count as theirs.
#[tokio::test(flavor = "multi_thread")]
async fn actions_of_timeouts_are_not_counted_for_the_absent_player() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let time_control = json!({"clock": "turn", "turn_seconds": 60, "misses": 2, "then": "bot"});
    let body = json!({"size": 2, "rules": {"max_rounds": 1, "call_limit": 2}, "time_control": time_control});
    let created = players[0].create(&body).await.expect(201);
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let started = players[0].start(id(&created)).await.expect(200);
    let match_id = id(&started).to_owned();
    // The starter is present: the start of the first wait is stored; that of later ones is the time of the previous
    // entry, which is moved here.
    let first = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let (present, gone) = (&players[first], &players[1 - first]);
    let mut random = Random(4);
    while present.view(&match_id).await["status"] == "running" {
        let view = present.view(&match_id).await;
        if view["your_turn"] == true {
            let (kind, body) = choose(&view, &mut random);
            present.act(&match_id, kind, &body).await;
        } else if !view.to_string().contains("held_by_bot") {
            // An hour passes.
            let (seen, earlier) = (version(&view), "= (SELECT max(version) FROM actions)");
            app.run(&format!("UPDATE actions SET at = at - interval '1 hour' WHERE version {earlier}")).await;
            app.run("UPDATE match_states SET updated_at = updated_at - interval '1 hour', check_at = now()")
                .await;
            until("the deadline is noticed", async || version(&present.view(&match_id).await) > seen).await;
        }
    }
    all_counted(&app).await;
    let entries = whole_log(present, &match_id).await;
    let absent =
        entries.iter().filter(|entry| entry["automatic"] == "absent" || entry["type"] == "seat_held");
    let missed = absent.count();
    assert_eq!(missed, 2, "{entries:?}");
    let overall = statistics(present, &gone.name).await["overall"].clone();
    assert_eq!(overall["missed_deadlines"], missed);
    assert_eq!((&overall["actions_in_time"], &overall["on_time_share"]), (&json!(0), &json!(0.0)));
    assert_eq!((&overall["right_calls"], &overall["wrong_calls"]), (&json!(0), &json!(0)));
    assert!(overall.get("median_reply_seconds").is_none(), "{overall}");
    assert_eq!((&overall["matches"], overall["rounds"].as_i64() > Some(0)), (&json!(1), true));
    let own =
        entries.iter().filter(|entry| entry["username"] == present.name.as_str() && !entry["seat"].is_null());
    let other = statistics(present, &present.name).await["overall"].clone();
    assert_eq!(other["actions_in_time"], own.count());
    assert_eq!(other["on_time_share"], 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_deleted_has_no_statistics_and_takes_none_from_others() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"preset": "yaniv", "max_rounds": 1});
    played(&players, Some(&rules), &mut Random(2)).await;
    all_counted(&app).await;
    let before = statistics(&players[1], "player_1").await["overall"].clone();
    players[0].post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    let gone = players[1].get("/v1/profiles/player_0/statistics").await;
    gone.expect_problem(404, "account_not_found");
    let against = players[1].get("/v1/profiles/player_1/head-to-head/player_0").await;
    against.expect_problem(404, "account_not_found");
    until("the name is gone", async || {
        app.count("SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL").await == 1
    })
    .await;
    assert_eq!(statistics(&players[1], "player_1").await["overall"], before);
    let kept = sum(&app).await;
    rebuild(&app);
    assert_eq!(sum(&app).await, kept);
}

/// Matches played before there were statistics, or while no worker ran.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_never_counted_is_counted_by_itself() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"preset": "yaniv", "max_rounds": 1});
    let over = played(&players, Some(&rules), &mut Random(6)).await;
    all_counted(&app).await;
    let kept = sum(&app).await;
    app.run("TRUNCATE match_player_stats, player_stats, service_totals, activity").await;
    app.run("UPDATE rounds SET counted_at = NULL").await;
    all_counted(&app).await;
    assert_eq!(sum(&app).await, kept);
    let shown = players[0].get("/v1/profiles/player_0/head-to-head/player_1").await.expect(200);
    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap();
    assert_eq!(time(&shown["last_match_at"]), time(&over["finished_at"]));
}
