//! The archive: a match whose log has moved to a compact row is answered as before, and nothing is lost on the way.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use serde_json::{Value, json};
use yaniv_db::matches::archived_logs::{archived_log_find, checksum};
use yaniv_model::ids::MatchId;

use crate::fsck::fsck;
use crate::support::player::{PASSWORD, new_key};
use crate::support::strategy::{Random, choose};
use crate::support::{Answer, Player, TestApp, id, options, serve, until, version};

/// An action that a player sent, with its answer.
struct Sent {
    seat: usize,
    match_id: String,
    kind: &'static str,
    key: String,
    body: Value,
    answer: Answer,
}

fn archive(app: &TestApp, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.args(["archive", "--days", "0"]).args(arguments).env("DATABASE_URL", app.database.url());
    tokio::task::block_in_place(|| command.output().unwrap())
}

/// Recomputes statistics or ratings from the logs.
fn rebuild(app: &TestApp, what: &str) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.args(["rebuild", what]).env("DATABASE_URL", app.database.url());
    let output = tokio::task::block_in_place(|| command.output().unwrap());
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn archived(output: &Output, matches: usize) {
    let said = (text(&output.stdout), text(&output.stderr));
    assert_eq!(
        (output.status.code(), said.0),
        (Some(0), format!("{matches} matches are archived\n")),
        "{}",
        said.1
    );
}

#[track_caller]
fn intact(app: &TestApp) {
    let clean = fsck(app, &[]);
    assert_eq!((text(&clean.stdout).as_str(), clean.status.code()), ("", Some(0)), "{}", text(&clean.stderr));
}

/// Waits until the workers are done with all matches.
async fn all_counted(app: &TestApp) {
    let waits = "SELECT (SELECT count(*) FROM rounds WHERE counted_at IS NULL) + \
         (SELECT count(*) FROM matches WHERE rated AND rated_at IS NULL) + \
         (SELECT count(*) FROM notification_positions) AS count";
    until("all is counted, rated and announced", async || app.count(waits).await == 0).await;
}

async fn hot_rows(app: &TestApp) -> i64 {
    app.count("SELECT (SELECT count(*) FROM actions) + (SELECT count(*) FROM rounds) AS count").await
}

/// Plays a match to its end; after some actions the calendar of the first player changes.
async fn play_out(players: &[Player], started: &Value, random: &mut Random, sent: &mut Vec<Sent>) {
    let mut view = started.clone();
    for played in 0.. {
        if view["status"] != "running" {
            return;
        }
        if played == 4 {
            let hours = json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "Pacific/Chatham"});
            players[0].put_json("/v1/account/quiet-hours", &hours).await.expect(200);
        }
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let (kind, body) = choose(&players[seat].view(id(started)).await, random);
        let key = new_key();
        let answer = players[seat].act_with(id(started), kind, &key, &body).await;
        view = answer.expect(200);
        sent.push(Sent { seat, match_id: id(started).to_owned(), kind, key, body, answer });
    }
}

/// Matches of all presets and some custom rules, a resigned one, and a cancelled one. Returns their identifiers.
async fn matches_of(players: &[Player], app: &TestApp, sent: &mut Vec<Sent>) -> Vec<String> {
    let mut random = Random(5);
    let mut made = Vec::new();
    let presets = players[0].get("/v1/rule-presets").await.expect(200);
    let mut bodies: Vec<Value> = presets["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|preset| {
            let mut rules = preset["rules"].clone();
            rules["max_rounds"] = json!(2);
            json!({"size": 3, "rules": rules, "client_seed": "seed-0"})
        })
        .collect();
    bodies.push(
        json!({"size": 3, "rules": {"max_rounds": 3}, "visibility": "public", "client_seed": "a+b+ \\"}),
    );
    for body in bodies {
        let started = app.started_by(players, &body).await;
        let dealer = usize::try_from(started["table"]["dealer"].as_u64().unwrap()).unwrap();
        let path = format!("/v1/matches/{}/dedications", id(&started));
        let given = players[dealer].post(&path, None, &json!({"text": "for you"})).await;
        assert!(matches!(given.status.as_u16(), 204 | 409), "{}", given.body);
        play_out(players, &started, &mut random, sent).await;
        made.push(id(&started).to_owned());
    }
    let rated =
        app.started_by(&players[..2], &json!({"size": 2, "rules": {"preset": "yaniv"}, "rated": true})).await;
    players[0].resign(id(&rated)).await;
    let cancelled = players[1].create(&json!({"size": 2})).await.expect(201);
    players[1].leave(id(&cancelled)).await.expect(204);
    made.extend([id(&rated).to_owned(), id(&cancelled).to_owned()]);
    made
}

/// All that players can read of these matches.
fn paths(matches: &[String], players: &[Player], cursor: &str) -> Vec<String> {
    let mut paths = vec![
        "/v1/matches?limit=100".to_owned(),
        "/v1/history?limit=100".to_owned(),
        "/v1/history?result=won&bots=without".to_owned(),
        "/v1/history?preset=yaniv&rated=true".to_owned(),
        "/v1/records".to_owned(),
        "/v1/statistics".to_owned(),
        "/v1/account/export".to_owned(),
        format!("/v1/events?after={cursor}&limit=100"),
        format!("/v1/events?after={cursor}&limit=7"),
        "/v1/leaderboards/yaniv".to_owned(),
    ];
    for player in players {
        let profile = format!("/v1/profiles/{}", player.name);
        paths.extend(
            ["/statistics", "/statistics/months", "/ratings", "/ratings/yaniv/changes", "/matches"]
                .map(|part| format!("{profile}{part}")),
        );
        paths.push(format!("{profile}/head-to-head/{}", players[1].name));
    }
    for id in matches {
        let parts = [
            "",
            "?since=3",
            "/settings",
            "/clock-changes",
            "/clock-changes?after=5",
            "/log",
            "/log?after=6&limit=5",
            "/events?after=2",
            "/recap",
            "/recap?after=4",
            "/rounds",
            "/rounds/1",
            "/rounds/2",
            "/rounds/3",
            "/rounds/1/analysis",
            "/rounds/2/analysis",
            "/record",
            "/record/text",
            "/fairness",
            "/rematch",
            "/standing-orders",
        ];
        paths.extend(parts.map(|part| format!("/v1/matches/{id}{part}")));
    }
    paths
}

/// The answers to these requests, without the current time.
async fn answers(players: &[Player], paths: &[String]) -> BTreeMap<(String, String), (u16, Value)> {
    let mut answers = BTreeMap::new();
    for player in players {
        for path in paths {
            let answer = player.get(path).await;
            let mut body =
                serde_json::from_str(&answer.body).unwrap_or_else(|_| Value::from(answer.body.clone()));
            for of_now in ["server_time", "cursor", "as_of", "exported_at"] {
                if let Some(value) = body.get_mut(of_now) {
                    value.take();
                }
            }
            answers.insert((player.name.clone(), path.clone()), (answer.status.as_u16(), body));
        }
    }
    answers
}

#[track_caller]
fn the_same(
    before: &BTreeMap<(String, String), (u16, Value)>,
    after: &BTreeMap<(String, String), (u16, Value)>,
) {
    for (asked, answer) in before {
        assert_eq!(answer, &after[asked], "{asked:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_about_an_archived_match_is_the_same_as_before() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let stranger = app.player("stranger").await;
    let cursor = players[0].get("/v1/events").await.expect(200)["cursor"].as_str().unwrap().to_owned();
    let mut sent = Vec::new();
    let matches = matches_of(&players, &app, &mut sent).await;
    let running = app.started(&players, json!({"preset": "yaniv"})).await;
    all_counted(&app).await;
    let asked = paths(&matches, &players, &cursor);
    let all = [&players[..], &[stranger]].concat();
    // Instances without cached matches.
    let elsewhere = async || {
        let address = app.second().await;
        all.iter().map(|player| player.at(address)).collect::<Vec<_>>()
    };
    let before = answers(&elsewhere().await, &asked).await;
    assert!(before.values().filter(|(status, _)| *status == 200).count() > 400);
    let finer = "SELECT count(*) FROM actions WHERE at <> date_trunc('milliseconds', at)";
    assert_eq!(app.count(finer).await, 0, "times are in milliseconds, as the archive holds them best");

    archived(&archive(&app, &[]), matches.len());
    let version_of =
        format!("SELECT version::bigint AS count FROM match_states WHERE match_id = '{}'", id(&running));
    assert_eq!(hot_rows(&app).await, app.count(&version_of).await, "what runs stays");
    the_same(&before, &answers(&elsewhere().await, &asked).await);
    // The instance whose cache has them.
    the_same(&before, &answers(&all, &asked).await);
    intact(&app);
    archived(&archive(&app, &[]), 0);

    let others = elsewhere().await;
    for one in &sent {
        let again = others[one.seat].act_with(&one.match_id, one.kind, &one.key, &one.body).await;
        assert_eq!((again.status, &again.body), (one.answer.status, &one.answer.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
    }
    let first = &sent[0];
    // One other body in 256 has the same fingerprint in the bits that the archive keeps.
    let mut refused = 0;
    for version in 101..109 {
        let mut other = first.body.clone();
        other["expected_version"] = json!(version);
        let reused = others[first.seat].act_with(&first.match_id, first.kind, &first.key, &other).await;
        if reused.status != 200 {
            reused.expect_problem(422, "idempotency_key_reused");
            refused += 1;
        }
    }
    assert!(refused >= 6, "{refused} of 8");
    let new = others[first.seat].act(&first.match_id, first.kind, &first.body).await;
    assert_eq!(new.status, 409, "{}", new.body);

    for what in ["statistics", "ratings"] {
        rebuild(&app, what);
    }
    intact(&app);
    the_same(&before, &answers(&elsewhere().await, &asked).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_before_the_start_are_answered_the_same_again() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let keys = [new_key(), new_key(), new_key()];
    let body = json!({"size": 2, "client_seed": "a"});
    let created = players[0].post("/v1/matches", Some(&keys[0]), &body).await;
    let view = created.expect(201);
    let seats = format!("/v1/join-codes/{}/seats", view["join_code"].as_str().unwrap());
    let start = format!("/v1/matches/{}/start", id(&view));
    let joined = players[1].post(&seats, Some(&keys[1]), &json!({"client_seed": "b"})).await;
    joined.expect(201);
    let started = players[0].post(&start, Some(&keys[2]), &Value::Null).await;
    started.expect(200);
    players[1].resign(id(&view)).await;
    all_counted(&app).await;
    archived(&archive(&app, &[]), 1);
    // At the instance whose cached match has the keys, and at one without cached matches.
    for address in [app.address, app.second().await] {
        let [host, guest] = [players[0].at(address), players[1].at(address)];
        for (first, again) in [
            (&created, host.post("/v1/matches", Some(&keys[0]), &body).await),
            (&joined, guest.post(&seats, Some(&keys[1]), &json!({"client_seed": "b"})).await),
            (&started, host.post(&start, Some(&keys[2]), &Value::Null).await),
        ] {
            assert_eq!((first.status, &first.body), (again.status, &again.body));
        }
    }
}

/// Some matches of two, resigned after a round and a few plays.
async fn resigned(app: &TestApp, players: &[Player], count: usize) -> Vec<String> {
    let mut made = Vec::new();
    for number in 0..count {
        let started = app.started(players, json!({"call_limit_off": true})).await;
        let mut random = Random(u64::try_from(number).unwrap());
        let mut view = started.clone();
        for _ in 0..6 {
            let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
            let (kind, body) = choose(&players[seat].view(id(&view)).await, &mut random);
            view = players[seat].act(id(&view), kind, &body).await.expect(200);
        }
        players[0].resign(id(&started)).await;
        made.push(id(&started).to_owned());
    }
    all_counted(app).await;
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn archived_matches_of_the_past_are_deleted_by_the_operator_alone() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let old = resigned(&app, &players, 4).await;
    let report = format!("/v1/matches/{}/players/player_1/reports", old[3]);
    players[0].post(&report, None, &json!({"reason": "collusion"})).await.expect(201);
    let from_before = players[0].get("/v1/events").await.expect(200)["cursor"].as_str().unwrap().to_owned();
    archived(&archive(&app, &[]), 4);
    let hot = resigned(&app, &players, 1).await.remove(0);
    let running = app.started(&players, json!({})).await;
    players[0].get(&format!("/v1/matches/{}/rounds", old[0])).await.expect(200);
    let counted = async |player: &Player| {
        let statistics = player.get("/v1/profiles/player_0/statistics").await.expect(200);
        statistics["overall"]["matches"].as_i64().unwrap()
    };
    let delete = |before: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.args(["admin", "matches", "delete-archived", "--ended-before", before, "--reason", "old"]);
        command.env("DATABASE_URL", app.database.url());
        let output = tokio::task::block_in_place(|| command.output().unwrap());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    assert_eq!(delete("2026-01-01"), "0 archived matches are deleted\n");
    assert_eq!(delete("2100-01-01"), "3 archived matches are deleted\n");
    assert_eq!(delete("2100-01-01"), "0 archived matches are deleted\n");
    assert_eq!(app.count("SELECT count(*) FROM archived_logs").await, 1, "the reported one");
    players[0].get(&format!("/v1/matches/{}/log", old[3])).await.expect(200);
    let elsewhere = app.second().await;
    for player in [&players[0], &players[0].at(elsewhere)] {
        for path in ["", "/log", "/rounds", "/record", "/recap", "/settings"] {
            let asked = player.get(&format!("/v1/matches/{}{path}", old[0])).await;
            asked.expect_problem(404, "match_not_found");
        }
        let listed = |answer: Value| answer["items"].as_array().unwrap().len();
        assert_eq!(listed(player.get("/v1/history?status=finished").await.expect(200)), 2);
        assert_eq!(listed(player.get("/v1/matches").await.expect(200)), 3);
        player.get(&format!("/v1/matches/{hot}/log")).await.expect(200);
        player.get(&format!("/v1/events?after={from_before}")).await.expect(200);
        assert_eq!(counted(player).await, 5);
    }
    players[1].resign(id(&running)).await;
    all_counted(&app).await;
    intact(&app);
    for what in ["statistics", "ratings"] {
        rebuild(&app, what);
    }
    intact(&app);
    assert_eq!(counted(&players[0]).await, 3, "those that are left");
}

#[tokio::test(flavor = "multi_thread")]
async fn archivers_side_by_side_archive_each_match_once() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let matches = resigned(&app, &players, 12).await;
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.args(["archive", "--days", "0", "--workers", "3"]).env("DATABASE_URL", app.database.url());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let running = [start(), start()];
    let ended = tokio::task::block_in_place(|| running.map(|one| one.wait_with_output().unwrap()));
    let number = |output: &Output| -> usize {
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout).split(' ').next().unwrap().parse().unwrap()
    };
    assert_eq!(ended.iter().map(number).sum::<usize>(), matches.len());
    assert_eq!(hot_rows(&app).await, 0);
    let shared = "SELECT count(*) FROM matches m JOIN shared_settings k ON k.id = m.settings_id WHERE m.rules IS NULL \
         AND m.pace IS NULL AND k.rules IS NOT NULL AND k.pace IS NOT NULL";
    assert_eq!(app.count(shared).await, 12);
    assert_eq!(app.count("SELECT count(*) FROM shared_settings").await, 1, "all have the same");
    let mut storage = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    storage.args(["admin", "storage", "--json"]).env("DATABASE_URL", app.database.url());
    let output = tokio::task::block_in_place(|| storage.output().unwrap());
    let storage: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |part: &str, what: &str| storage[part][what].as_i64().unwrap();
    assert_eq!(
        [number("log", "matches"), number("archive", "matches"), number("matches", "matches")],
        [0, 12, 12]
    );
    assert!(number("archive", "bytes") > 12 * 300 && number("statistics", "bytes") > 0);
    assert_eq!(storage["ended_in_30_days"], 12);
    let estimates = [&storage["archive"]["bytes_a_match"], &storage["bytes_of_next_month"]];
    assert_eq!(estimates, [&Value::Null, &Value::Null], "12 matches are too few");
    assert_eq!(app.count("SELECT count(*) FROM archived_logs").await, i64::try_from(matches.len()).unwrap());
    intact(&app);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_archives_in_the_background_what_ended_long_enough_ago() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let matches = resigned(&app, &players, 2).await;
    let elsewhere = app.second().await;
    let before = players[0].at(elsewhere).view(&matches[1]).await;
    let archiving = async |days: u16| {
        let mut options = options();
        options.archive_after = Some(days);
        serve(&options, app.database.url()).await.0
    };
    let archived = "SELECT count(*) FROM archived_logs";
    archiving(1).await;
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(app.count(archived).await, 0, "they ended today");
    let instance = archiving(0).await;
    until("both are archived", async || app.count(archived).await == 2).await;
    let mut after = players[0].at(instance).view(&matches[1]).await;
    after["server_time"] = before["server_time"].clone();
    assert_eq!(after, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_contradicts_its_log_is_not_archived() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let matches = resigned(&app, &players, 4).await;
    app.run(&format!("DELETE FROM actions WHERE match_id = '{}' AND version = 5", matches[0])).await;
    app.run(&format!("UPDATE rounds SET starter = 1 - starter WHERE match_id = '{}'", matches[1])).await;
    // That it refilled the stock: whether an entry drew a card depends on the shuffle.
    app.run(&format!(
        "UPDATE actions SET flags = flags | 1 WHERE match_id = '{}' AND version = 6",
        matches[2]
    ))
    .await;
    let before = hot_rows(&app).await;
    let output = archive(&app, &["--workers", "1"]);
    assert_eq!(text(&output.stdout), "1 matches are archived\n");
    assert!(!output.status.success());
    assert!(text(&output.stderr).contains("3 matches were refused"), "{}", text(&output.stderr));
    let gone = format!("SELECT count(*) FROM archived_logs WHERE match_id = '{}'", matches[3]);
    assert_eq!(app.count(&gone).await, 1);
    let left = app.count("SELECT count(*) FROM archived_logs").await;
    assert!(left == 1 && hot_rows(&app).await < before);
    let kept = format!(
        "SELECT count(*) FROM actions WHERE match_id = ANY ('{{{},{},{}}}')",
        matches[0], matches[1], matches[2]
    );
    assert!(app.count(&kept).await > 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_archived_log_is_named_and_costs_only_its_match() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let cursor = players[0].get("/v1/events").await.expect(200)["cursor"].as_str().unwrap().to_owned();
    let matches = resigned(&app, &players, 3).await;
    archived(&archive(&app, &[]), 3);
    let damages = [
        "packed = set_byte(packed, length(packed) / 2, 255 - get_byte(packed, length(packed) / 2))",
        "format = 99",
    ];
    for (match_id, damage) in matches.iter().zip(damages) {
        app.run(&format!("UPDATE archived_logs SET {damage} WHERE match_id = '{match_id}'")).await;
    }
    let output = fsck(&app, &[]);
    let mut named: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
    named.sort();
    let mut expected: Vec<String> =
        matches[..2].iter().map(|id| format!("{id} a row cannot be read")).collect();
    expected.sort();
    assert_eq!((named, output.status.code()), (expected, Some(1)));
    let player = players[0].at(app.second().await);
    for (match_id, status) in matches.iter().zip([500, 500, 200]) {
        assert_eq!(player.get(&format!("/v1/matches/{match_id}")).await.status, status);
    }
    for path in ["/v1/history", "/v1/matches", "/v1/home"] {
        assert_eq!(player.get(path).await.status, 200, "{path}");
    }
    let events = player.get(&format!("/v1/events?after={cursor}&limit=100")).await.expect(200);
    let of = |id: &String| {
        events["items"].as_array().unwrap().iter().filter(|event| event["match_id"] == *id).count()
    };
    assert!(of(&matches[2]) > 5 && of(&matches[0]) == 0);
    let mut rebuild = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    rebuild.args(["rebuild", "statistics"]).env("DATABASE_URL", app.database.url());
    let output = tokio::task::block_in_place(|| rebuild.output().unwrap());
    assert_eq!(text(&output.stdout), "1 matches are counted\n");
    assert!(text(&output.stderr).contains("2 matches are damaged"), "{}", text(&output.stderr));
    players[0].post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    let deleted = "SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL";
    until("the account is deleted", async || app.count(deleted).await == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn archived_logs_of_an_old_format_are_read_and_rewritten() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let cursor = players[0].get("/v1/events").await.expect(200)["cursor"].as_str().unwrap().to_owned();
    let matches = resigned(&app, &players, 3).await;
    let asked = paths(&matches, &players, &cursor);
    let elsewhere = async || vec![players[0].at(app.second().await)];
    let before = answers(&elsewhere().await, &asked).await;
    archived(&archive(&app, &[]), 3);
    let connection = yaniv_db::connect(app.database.url()).await.unwrap();
    for one in &matches {
        let log = archived_log_find(&connection, MatchId(one.parse().unwrap())).await.unwrap().unwrap();
        let packed = log.pack_as(1).unwrap();
        let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
        let checksum = checksum(&packed);
        app.run(&format!(
            "UPDATE archived_logs SET format = 1, checksum = {checksum}, packed = '\\x{hex}' WHERE match_id = '{one}'"
        ))
        .await;
    }
    the_same(&before, &answers(&elsewhere().await, &asked).await);
    let damage =
        format!("UPDATE archived_logs SET checksum = checksum # 1 WHERE match_id = '{}'", matches[1]);
    app.run(&damage).await;
    let output = archive(&app, &["--rewrite"]);
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        ("2 archived logs are rewritten\n", Some(1))
    );
    assert!(text(&output.stderr).contains("1 archived logs are damaged"), "{}", text(&output.stderr));
    app.run(&damage).await;
    for rewritten in [1, 0] {
        let output = archive(&app, &["--rewrite"]);
        assert_eq!(text(&output.stdout), format!("{rewritten} archived logs are rewritten\n"));
        assert!(output.status.success());
    }
    assert_eq!(app.count("SELECT count(*) FROM archived_logs WHERE format = 2").await, 3);
    the_same(&before, &answers(&elsewhere().await, &asked).await);
    intact(&app);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deletion_of_an_account_erases_its_calendar_from_archived_logs() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let hours = json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "Pacific/Chatham"});
    let others = json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "Asia/Kathmandu"});
    players[0].put_json("/v1/account/quiet-hours", &hours).await.expect(200);
    players[1].put_json("/v1/account/quiet-hours", &others).await.expect(200);
    let started = app.started(&players, json!({"preset": "yaniv"})).await;
    let later = json!({"from_time": "21:00", "to_time": "06:00", "time_zone": "Pacific/Chatham"});
    players[0].put_json("/v1/account/quiet-hours", &later).await.expect(200);
    let match_id = id(&started);
    until("the change is in the log", async || version(&players[0].view(match_id).await) > version(&started))
        .await;
    players[1].resign(match_id).await;
    all_counted(&app).await;
    archived(&archive(&app, &[]), 1);
    let zones = async || {
        let connection = yaniv_db::connect(app.database.url()).await.unwrap();
        let log = archived_log_find(&connection, MatchId(match_id.parse().unwrap())).await.unwrap().unwrap();
        let has = |zone: &str| log.entries.iter().filter(|entry| entry.detail.contains(zone)).count();
        (has("Chatham"), has("Kathmandu"))
    };
    assert_eq!(zones().await, (2, 1));
    players[0].post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    let deleted = "SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL";
    until("the account is deleted", async || app.count(deleted).await == 1).await;
    assert_eq!(zones().await, (0, 1));
    intact(&app);
    players[1].at(app.second().await).get(&format!("/v1/matches/{match_id}/log")).await.expect(200);
}
