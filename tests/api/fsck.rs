//! `yaniv fsck`: detects every difference between stored data and the log, and reports none in an intact database.

use std::collections::BTreeMap;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::clocks::{pass, sandbox};
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version};

/// State of a match into which a difference is planted.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// In its second round: versions 1 to 3 before play, 4 a call, 5 to 7 plays. The round's card is dedicated.
    Running,
    /// The same, resigned.
    Over,
    /// Public, with another code than the first.
    Waiting,
    /// Resigned and rated, with the rules of this preset.
    Rated(&'static str),
}

use Kind::{Over, Rated, Running, Waiting};

/// Statements that plant a difference in a match `$m`, and the expected findings.
const PLANTED: [(Kind, &str, &str); 49] = [
    (
        Running,
        "UPDATE match_states SET version = version + 1 WHERE match_id = $m",
        "match_states.version: stored 8",
    ),
    (
        Running,
        "UPDATE match_states SET state = set_byte(state, 12, get_byte(state, 12) # 1) WHERE match_id = $m",
        "match_states.state",
    ),
    (
        Running,
        "UPDATE match_states SET status = 'finished' WHERE match_id = $m",
        "match_states.status: stored finished",
    ),
    (
        Running,
        "UPDATE match_states SET waiting_on = waiting_on # 3 WHERE match_id = $m",
        "match_states.waiting_on",
    ),
    (
        Running,
        "UPDATE match_states SET updated_at = updated_at + interval '1 s' WHERE match_id = $m",
        "match_states.updated_at",
    ),
    (
        Running,
        "UPDATE match_states SET clocks = regexp_replace(clocks, '\"b\":\\d+', '\"b\":1') WHERE match_id = $m",
        "match_states.clocks",
    ),
    (Running, "UPDATE match_states SET clocks = NULL WHERE match_id = $m", "match_states.clocks"),
    (
        Running,
        "UPDATE rounds SET next_state = set_byte(next_state, 12, get_byte(next_state, 12) # 1) WHERE match_id = $m",
        "rounds.next_state of version 4",
    ),
    (
        Running,
        "UPDATE rounds SET next_clocks = regexp_replace(next_clocks, '\"b\":\\d+', '\"b\":1') WHERE match_id = $m",
        "rounds.next_clocks of version 4",
    ),
    (Running, "UPDATE match_states SET gifts = 5 WHERE match_id = $m", "match_states.gifts: stored 5"),
    (Running, "UPDATE match_states SET check_at = NULL WHERE match_id = $m", "match_states.check_at"),
    (
        Running,
        "UPDATE match_states SET check_at = now() + interval '90 days' WHERE match_id = $m",
        "match_states.check_at",
    ),
    (
        Running,
        "UPDATE matches SET started_at = started_at + interval '1 s' WHERE id = $m",
        "matches.started_at",
    ),
    (Running, "UPDATE matches SET commitment = md5('a') || md5('b') WHERE id = $m", "matches.commitment"),
    (Running, "UPDATE matches SET secret = sha256(secret) WHERE id = $m", "matches.commitment"),
    (Running, "UPDATE matches SET preset = 'kluft' WHERE id = $m", "matches.preset"),
    (Running, "UPDATE matches SET rules = '{\"decks\": 9}' WHERE id = $m", "matches: rules"),
    (Running, "DELETE FROM actions WHERE match_id = $m AND version = 5", "actions: version 5 is missing"),
    (
        Running,
        "DELETE FROM actions WHERE match_id = $m AND version = 7",
        "match_states.version: stored 7, by the log 6",
    ),
    (
        Running,
        "UPDATE actions SET detail = 'resign' WHERE match_id = $m AND version = 5",
        "actions.flags of version 5",
    ),
    (
        Running,
        "UPDATE actions SET detail = 'give' WHERE match_id = $m AND version = 6",
        "actions: version 6 cannot follow",
    ),
    (
        Running,
        "UPDATE actions SET seat = 1 - seat WHERE match_id = $m AND version = 6",
        "actions: version 6 cannot follow",
    ),
    (
        Running,
        "UPDATE actions SET flags = flags | 8 WHERE match_id = $m AND version = 7",
        "actions.flags of version 7",
    ),
    (
        Running,
        "UPDATE actions SET flags = flags | 17 WHERE match_id = $m AND version = 6",
        "actions.flags of version 6",
    ),
    (
        Running,
        "UPDATE actions SET drew = CASE WHEN drew IS NULL THEN '\\x00'::bytea END WHERE match_id = $m AND version = 6",
        "actions.drew of version 6",
    ),
    (
        Running,
        "UPDATE actions SET round = round + 1 WHERE match_id = $m AND version = 6",
        "actions.round of version 6",
    ),
    (
        Running,
        "UPDATE actions SET fingerprint = NULL WHERE match_id = $m AND version = 6",
        "actions: key of version 6",
    ),
    (Running, "DELETE FROM rounds WHERE match_id = $m", "rounds: stored 0, by the log 1"),
    (
        Running,
        "INSERT INTO rounds (match_id, round, starter, last_version, ended_at) SELECT match_id, 2, 0, 7, ended_at FROM rounds WHERE match_id = $m",
        "rounds: stored 2",
    ),
    (
        Running,
        "UPDATE rounds SET result = jsonb_set(result::jsonb, '{scores,0}', '777')::json WHERE match_id = $m",
        "rounds.result of 1",
    ),
    (
        Running,
        "UPDATE rounds SET starter = 1 - starter, last_version = 3 WHERE match_id = $m",
        "rounds.starter of 1",
    ),
    (
        Running,
        "UPDATE rounds SET ended_at = ended_at + interval '1 s' WHERE match_id = $m",
        "rounds.ended_at of 1",
    ),
    (Running, "UPDATE seats SET seat = 1 - seat WHERE match_id = $m", "seats.account_id of 0"),
    (
        Running,
        "UPDATE seats SET client_seed = 'other' WHERE match_id = $m AND seat = 1",
        "seats.client_seed of 1",
    ),
    (Running, "UPDATE seats SET closed_at = now() WHERE match_id = $m AND seat = 1", "seats.closed_at"),
    (Running, "UPDATE dedications SET seat = 1 - seat WHERE match_id = $m", "dedications of round 2"),
    (Over, "UPDATE matches SET finished_at = NULL WHERE id = $m", "matches.finished_at: stored none"),
    (Waiting, "UPDATE join_codes SET code = 'BCDFGHJK' WHERE match_id = $m", "join_codes of version"),
    (Waiting, "DELETE FROM open_matches WHERE match_id = $m", "open_matches"),
    (
        Over,
        "UPDATE match_player_stats SET calls_wrong = 5 WHERE match_id = $m AND seat = 1",
        "tallies of seat 1",
    ),
    (
        Over,
        "UPDATE match_player_stats SET place = 3 - place WHERE match_id = $m AND seat = 0",
        "tallies of seat 0",
    ),
    // With the time, so that the rating worker leaves it alone.
    (Over, "UPDATE matches SET rated = true, rated_at = now() WHERE id = $m", "matches.rated: it cannot be"),
    (
        Over,
        "UPDATE actions SET at = at - interval '1 h' WHERE match_id = $m AND version = 6",
        "actions.at of version 6",
    ),
    (
        Over,
        "DELETE FROM match_player_stats WHERE match_id = $m AND seat = 1",
        "tallies: stored 1, by the log 2",
    ),
    (
        Running,
        "UPDATE match_player_stats SET counted = 2 WHERE match_id = $m AND seat = 1",
        "tallies.counted of seat 1",
    ),
    (
        Rated("yaniv"),
        "UPDATE rating_changes SET mu = mu + 1 WHERE match_id = $m AND place = 1",
        "rating_changes: not what the match comes to",
    ),
    (
        Rated("kluft"),
        "UPDATE rating_changes SET mu_before = mu_before - 1 WHERE match_id = $m AND place = 1",
        "rating_changes: not what the match comes to",
    ),
    (
        Rated("dhumbal"),
        "DELETE FROM rating_changes WHERE match_id = $m AND place = 1",
        "rating_changes: stored 1, by the log 2",
    ),
    (
        Rated("speedy"),
        "UPDATE ratings SET mu = ratings.mu + 1 FROM rating_changes c WHERE c.account_id = ratings.account_id \
         AND c.preset = ratings.preset AND c.match_id = $m AND c.place = 1",
        "ratings: not as number 1, the newest, ended",
    ),
];

pub(crate) fn fsck(app: &TestApp, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.arg("fsck").args(arguments).env("DATABASE_URL", app.database.url());
    tokio::task::block_in_place(|| command.output().unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

async fn act(players: &[Player], match_id: &str) {
    let view = players[0].view(match_id).await;
    let player = &players[usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap()];
    let mut view = player.view(match_id).await;
    if view["table"]["round"] == 1 {
        player.act(match_id, "calls", &json!({"expected_version": version(&view)})).await.expect(200);
        return;
    }
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(4));
    player.act(match_id, kind, &body).await.expect(200);
}

/// A match of this kind.
async fn a_match(players: &[Player], app: &TestApp, kind: Kind) -> String {
    if kind == Waiting {
        let created = players[0].create(&json!({"size": 3, "visibility": "public"})).await.expect(201);
        players[0].renew_code(id(&created), None, &json!({"expires_in_hours": 48})).await.expect(200);
        return id(&created).to_owned();
    }
    if let Rated(preset) = kind {
        let body = json!({"size": 2, "rules": {"preset": preset}, "rated": true});
        let started = app.started_by(players, &body).await;
        players[0].resign(id(&started)).await;
        return id(&started).to_owned();
    }
    let started = app.started(players, json!({"call_limit_off": true})).await;
    let match_id = id(&started);
    act(players, match_id).await;
    let mut given = 0;
    for player in players {
        let answer =
            player.post(&format!("/v1/matches/{match_id}/dedications"), None, &json!({"text": "luck"})).await;
        given += u32::from(answer.status == 204);
    }
    assert_eq!(given, 1, "one of them has dealt");
    for _ in 0..3 {
        act(players, match_id).await;
    }
    if kind == Over {
        players[0].resign(match_id).await;
    }
    match_id.to_owned()
}

/// The findings of each match.
fn said(output: &Output) -> BTreeMap<String, Vec<String>> {
    let mut said = BTreeMap::<String, Vec<String>>::new();
    for line in text(&output.stdout).lines() {
        let (match_id, what) = line.split_once(' ').unwrap();
        said.entry(match_id.to_owned()).or_default().push(what.to_owned());
    }
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn each_planted_corruption_is_found_and_nothing_else() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let mut untouched = Vec::new();
    for kind in [Running, Over, Waiting] {
        untouched.push(a_match(&players, &app, kind).await);
    }
    let mut matches = Vec::new();
    for (kind, _, _) in PLANTED {
        matches.push(a_match(&players, &app, kind).await);
    }
    let waits = "SELECT (SELECT count(*) FROM rounds WHERE counted_at IS NULL) + \
         (SELECT count(*) FROM matches WHERE rated AND rated_at IS NULL) AS count";
    until("all is counted and rated", async || app.count(waits).await == 0).await;
    let clean = fsck(&app, &[]);
    assert_eq!((text(&clean.stdout).as_str(), clean.status.code()), ("", Some(0)), "{}", text(&clean.stderr));
    let all = format!("{} matches checked, 0 differences", matches.len() + untouched.len());
    assert!(text(&clean.stderr).contains(&all), "{}", text(&clean.stderr));

    for ((_, statement, what), match_id) in PLANTED.iter().zip(&matches) {
        let statement = statement.replace("$m", &format!("'{match_id}'"));
        assert_eq!(
            app.changed(&statement).await,
            1.max(usize::from(what.starts_with("seats.account_id")) * 2)
        );
    }
    let output = fsck(&app, &["--jobs", "3"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let said = said(&output);
    // Differences planted in tallies and ratings show up in the sums, too.
    let sums = [("totals:", 2), ("service_totals:", 1), ("ratings:", 1)];
    for (table, rows) in sums {
        let expected = format!("{rows} rows are not the sums of what is stored of the matches");
        assert_eq!(said[table], [expected], "{table}");
    }
    for ((_, statement, what), match_id) in PLANTED.iter().zip(&matches) {
        let found = said.get(match_id).unwrap_or_else(|| panic!("not found: {statement}"));
        assert!(found.iter().any(|found| found.starts_with(what)), "{statement}: {found:?}");
    }
    assert_eq!(said.len(), matches.len() + sums.len(), "nothing was planted elsewhere");
    assert!(untouched.iter().all(|match_id| !said.contains_key(match_id)));

    // It resumes after the given match.
    let ids: Vec<&String> = said.keys().collect();
    let rest = fsck(&app, &["--after", ids[20]]);
    let expected: BTreeMap<_, _> = said.clone().into_iter().skip(21).collect();
    assert_eq!(self::said(&rest), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_read_is_not_said_to_be_well() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    a_match(&players, &app, Running).await;
    app.run("ALTER TABLE rounds RENAME TO rounds_away").await;
    let output = fsck(&app, &[]);
    app.run("ALTER TABLE rounds_away RENAME TO rounds").await;
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("refused a statement"), "{}", text(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_that_the_service_stores_is_as_its_log_has_it_while_it_plays_on() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    // Bots that play automatically, seats they hold, moved clocks, calendars, nudges, random seats.
    let body = json!({"size": 6, "bots": ["easy", "medium", "easy", "medium", "easy"]});
    let with_bots = players[0].create(&body).await.expect(201);
    players[0].start(id(&with_bots)).await.expect(200);
    players[0].resign(id(&with_bots)).await;
    let held = sandbox(&players[..2], json!({"clock": "turn", "turn_seconds": 60, "misses": 1})).await;
    pass(&players[0], id(&held), 63).await;
    let quiet = json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "UTC"});
    players[1].put_json("/v1/account/quiet-hours", &quiet).await.expect(200);
    let wish = json!({"size": 3, "rules": {"slam_down": "any", "card_requests": true}});
    for player in &players {
        player.request_pairing(None, &wish).await.expect(201);
    }
    let left = players[0].create(&json!({"size": 2, "visibility": "public"})).await.expect(201);
    players[1].join(left["join_code"].as_str().unwrap(), "seed").await.expect(201);
    players[0].leave(id(&left)).await.expect(204);
    let over = players[2].create(&json!({"size": 2})).await.expect(201);
    players[2].leave(id(&over)).await.expect(204);
    until("the match of bots has gone on", async || {
        let output = fsck(&app, &[]);
        assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("", Some(0)));
        let view: Value = players[0].view(id(&with_bots)).await;
        version(&view) > 60 || view["status"] == "finished"
    })
    .await;
    let output = fsck(&app, &[]);
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("", Some(0)));
}

/// The format before the number of actions was included: the previous version, without the eighth byte.
const UNCOUNTED: &str = "UPDATE match_states SET state = '\\x01'::bytea || substring(state FROM 2 FOR 6) || substring(state FROM 9)";

#[tokio::test(flavor = "multi_thread")]
async fn a_match_stored_before_its_actions_were_counted_is_well_and_goes_on_counted() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let match_id = a_match(&players, &app, Running).await;
    let all_well = || {
        let output = fsck(&app, &[]);
        assert_eq!(
            (text(&output.stdout).as_str(), output.status.code()),
            ("", Some(0)),
            "{}",
            text(&output.stderr)
        );
    };
    assert_eq!(app.changed(UNCOUNTED).await, 1);
    all_well();
    // Another instance, which has not cached it.
    let second = app.second().await;
    let elsewhere: Vec<Player> = players.iter().map(|player| player.at(second)).collect();
    act(&elsewhere, &match_id).await;
    all_well();
    let counted = "SELECT get_byte(state, 0) * 1000 + get_byte(state, 7)::bigint AS count FROM match_states";
    let actions = "SELECT 2000 + count(*) AS count FROM actions WHERE kind = 'a'";
    assert_eq!(app.count(counted).await, app.count(actions).await);
    // A stored number must be right.
    app.run("UPDATE match_states SET state = set_byte(state, 7, get_byte(state, 7) + 1)").await;
    assert_eq!(fsck(&app, &[]).status.code(), Some(1), "a wrong number is one");
}
