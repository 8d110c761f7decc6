//! Ratings derive from rated matches alone, each counted once and in order, whatever happens to the rating worker; and
//! a rebuild from the logs gives the same.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use diesel_async::RunQueryDsl;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use yaniv_app::ratings::rebuild::rebuild_ratings;
use yaniv_db::Store;

use crate::support::player::PASSWORD;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, within_a_second};

/// A rated match of these players; all resign, the last named first: the first named wins.
async fn play(players: &[Player]) -> String {
    let match_id = started(players).await;
    for player in players[1..].iter().rev() {
        player.resign(&match_id).await;
    }
    match_id
}

async fn started(players: &[Player]) -> String {
    let body = json!({"size": players.len(), "rated": true});
    let created = players[0].create(&body).await.expect(201);
    for player in &players[1..] {
        player.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    }
    players[0].start(id(&created)).await.expect(200);
    id(&created).to_owned()
}

async fn ratings(asker: &Player, of: &str) -> Value {
    asker.get(&format!("/v1/profiles/{of}/ratings")).await.expect(200)["items"].clone()
}

async fn changes(asker: &Player, of: &str) -> Vec<Value> {
    let page = asker.get(&format!("/v1/profiles/{of}/ratings/yaniv/changes")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

/// Waits until this many matches are rated, and none is pending.
pub(crate) async fn all_rated(app: &TestApp, matches: i64) {
    until("the matches are rated", async || {
        app.count("SELECT count(DISTINCT match_id) FROM rating_changes").await == matches
            && queue(app).await == 0
    })
    .await;
}

async fn queue(app: &TestApp) -> i64 {
    app.count("SELECT count(*) FROM matches WHERE rated AND rated_at IS NULL AND finished_at IS NOT NULL")
        .await
}

/// All stored data of ratings.
async fn stored(app: &TestApp) -> Vec<String> {
    #[derive(diesel::QueryableByName)]
    struct Line {
        #[diesel(sql_type = diesel::sql_types::Text)]
        line: String,
    }
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    let rows: Vec<Line> = diesel::sql_query(
        "SELECT 'c' || c::text AS line FROM rating_changes c UNION ALL SELECT 'r' || r::text FROM ratings r \
         UNION ALL SELECT 'n' || n::text FROM rating_counts n WHERE players <> 0 ORDER BY 1",
    )
    .load(&mut connection)
    .await
    .unwrap();
    rows.into_iter().map(|row| row.line).collect()
}

/// The result of a rebuild, and its number of matches.
async fn rebuilt(app: &TestApp) -> (Vec<String>, i64) {
    let store = Store::new(app.database.url(), 1, &Handle::current()).unwrap();
    let (matches, _) = rebuild_ratings(&store, |_, _| {}).await.unwrap();
    (stored(app).await, matches)
}

fn shown(change: &Value) -> (i64, i64, i64, i64) {
    let number = |field: &str| change[field].as_i64().unwrap();
    (number("place"), number("rating_before"), number("rating"), number("deviation"))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_rated_match_changes_the_ratings_of_its_players_within_a_second() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let stranger = app.player("stranger").await;
    assert_eq!(ratings(&stranger, "player_0").await, json!([]));
    let unrated = app.started(&players, json!({})).await;
    for player in &players[1..] {
        player.resign(id(&unrated)).await;
    }
    let match_id = started(&players).await;
    for player in players[1..].iter().rev() {
        assert_eq!(ratings(player, &player.name).await, json!([]), "nothing before the end");
        player.resign(&match_id).await;
    }
    within_a_second("the ratings", async || ratings(&stranger, "player_3").await != json!([])).await;
    // The example of docs/ratings.md.
    for (place, rating) in (1..).zip([1737, 1579, 1421, 1263]) {
        let name = &players[place - 1].name;
        let item = &ratings(&stranger, name).await[0];
        assert_eq!((&item["preset"], &item["rating"]), (&json!("yaniv"), &json!(rating)));
        assert_eq!((&item["deviation"], &item["provisional"]), (&json!(476), &json!(true)));
        assert_eq!((&item["matches"], &item["players"]), (&json!(1), &json!(0)));
        assert!(item.get("rank").is_none(), "who is provisional has none");
        let change = &changes(&players[0], name).await[0];
        assert_eq!(shown(change), (i64::try_from(place).unwrap(), 1500, rating, 476));
        assert_eq!((&change["players"], &change["number"]), (&json!(4), &json!(1)));
        assert_eq!(change["match_id"], match_id.as_str());
        assert_eq!(change["at"], players[0].view(&match_id).await["finished_at"]);
        assert!(changes(&stranger, name).await[0].get("match_id").is_none(), "it is private");
    }
    let file = players[0].get("/v1/account/export").await.expect(200);
    assert_eq!(file["ratings"], ratings(&stranger, "player_0").await);
    app.run(&format!("UPDATE matches SET visibility = 'public' WHERE id = '{match_id}'")).await;
    assert_eq!(changes(&stranger, "player_0").await[0]["match_id"], match_id.as_str());
    stranger.get("/v1/profiles/nobody_here/ratings").await.expect_problem(404, "account_not_found");
    let path = "/v1/profiles/player_0/ratings/bridge/changes";
    stranger.get(path).await.expect_problem(404, "preset_not_found");
    assert_eq!(
        app.count("SELECT count(*) FROM rating_changes").await,
        4,
        "unrated matches count for nothing"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_come_in_pages_and_each_begins_where_the_one_before_it_ended() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    for _ in 0..5 {
        play(&players).await;
    }
    all_rated(&app, 5).await;
    let path = "/v1/profiles/player_1/ratings/yaniv/changes?limit=2";
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = players[0].get(&format!("{path}{cursor}")).await.expect(200);
        found.extend(page["items"].as_array().unwrap().clone());
        play(&players).await;
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    let numbers: Vec<i64> = found.iter().map(|change| change["number"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [5, 4, 3, 2, 1]);
    for pair in found.windows(2) {
        assert_eq!(pair[0]["rating_before"], pair[1]["rating"], "one begins where the other ended");
    }
    for query in ["cursor=x", "cursor=5", "cursor=5.-99999999999999999", "limit=0", "limit=101", "of=all"] {
        let answer = players[0].get(&format!("{path}&{query}").replace("limit=2&limit", "limit")).await;
        let problem = answer.expect_problem(422, "invalid_parameter");
        assert_eq!(problem["fields"][0]["name"], query.split('=').next().unwrap());
    }
}

/// The same seats and rules, with play instead of resignations: only the ranking of the match counts.
#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_was_played_to_its_end_is_rated_by_its_ranking() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let match_id = started(&players).await;
    let mut random = Random(7);
    let mut result = Value::Null;
    while result.is_null() {
        for player in &players {
            let view = player.view(&match_id).await;
            if view["your_turn"] == true {
                let (kind, body) = choose(&view, &mut random);
                player.act(&match_id, kind, &body).await.expect(200);
            }
            result = view["result"].clone();
        }
    }
    all_rated(&app, 1).await;
    for (seat, player) in players.iter().enumerate() {
        let change = &changes(player, &player.name).await[0];
        assert_eq!(change["place"], result["ranking"][seat], "{result}");
        let up = change["rating"].as_i64() > change["rating_before"].as_i64();
        assert!(up || change["place"] != 1, "{change}");
    }
    let before = stored(&app).await;
    assert_eq!(rebuilt(&app).await, (before, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_comes_late_is_rated_in_its_place() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let mut matches = Vec::new();
    for who in [[0, 1], [1, 2], [2, 3], [0, 2], [3, 1]] {
        matches.push(play(&who.map(|who| players[who].clone())).await);
    }
    all_rated(&app, 5).await;
    let whole = stored(&app).await;
    // As if the second one had not been noticed yet.
    let late = format!("id = '{}'", matches[1]);
    app.run(&format!("UPDATE matches SET rated = false WHERE {late}")).await;
    let (without, rated) = rebuilt(&app).await;
    assert_eq!(rated, 4);
    assert_ne!(without, whole);
    let path = "/v1/profiles/player_1/ratings/yaniv/changes?limit=1";
    let page = players[1].get(path).await.expect(200);
    assert_eq!(page["items"][0]["match_id"], *matches[4]);
    let next = format!("{path}&cursor={}", page["next_cursor"].as_str().unwrap());
    app.run(&format!("UPDATE matches SET rated = true, rated_at = NULL WHERE {late}")).await;
    all_rated(&app, 5).await;
    assert_eq!(stored(&app).await, whole, "as if it had come in time");
    let page = players[1].get(&next).await.expect(200);
    assert_eq!(
        page["items"][0]["match_id"], *matches[1],
        "nothing left out, though the numbers have shifted"
    );
    // Matches that ended at the same time are ordered by their identifiers.
    app.run("UPDATE matches SET finished_at = (SELECT max(finished_at) FROM matches)").await;
    app.run("UPDATE actions SET at = (SELECT max(finished_at) FROM matches)").await;
    let same_time = rebuilt(&app).await.0;
    app.run(&format!("DELETE FROM rating_changes WHERE match_{late}")).await;
    app.run(&format!("UPDATE matches SET rated_at = NULL WHERE {late}")).await;
    all_rated(&app, 5).await;
    assert_eq!(stored(&app).await, same_time);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebuild_from_the_logs_makes_the_same_while_the_service_runs() {
    let app = TestApp::start().await;
    let players = app.players(5).await;
    for size in [2, 3, 4, 5, 2, 2] {
        play(&players[..size]).await;
    }
    all_rated(&app, 6).await;
    let before = stored(&app).await;
    assert!(before.len() >= 18 + 5);
    // Only the logs are needed: not even the last positions.
    app.run("UPDATE match_states SET state = '\\x00', waiting_on = 3, clocks = NULL").await;
    app.run("UPDATE ratings SET mu = 1, listed = 7").await;
    assert_eq!(rebuilt(&app).await, (before.clone(), 6));
    // As the command.
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_yaniv"));
    program.args(["rebuild", "ratings"]).env("DATABASE_URL", app.database.url());
    let said = tokio::task::spawn_blocking(move || program.output().unwrap()).await.unwrap();
    assert_eq!(String::from_utf8_lossy(&said.stdout), "6 matches are rated\n", "{said:?}");
    assert_eq!(stored(&app).await, before);
    // A match that ends during a rebuild is rated with the rest, or after it.
    let busy = tokio::spawn({
        let players = players.clone();
        async move { play(&players[..2]).await }
    });
    let _ = rebuilt(&app).await;
    busy.await.unwrap();
    all_rated(&app, 7).await;
    let after = stored(&app).await;
    assert_eq!(rebuilt(&app).await, (after, 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn several_instances_rate_each_match_once_though_their_connections_die() {
    let app = TestApp::start().await;
    let players = app.players(4).await;
    let second = app.second().await;
    let stop = Arc::new(AtomicBool::new(false));
    let (url, stopped) = (app.database.url().to_owned(), Arc::clone(&stop));
    // The rating worker's sessions are terminated again and again, sometimes in the middle of a transaction.
    let killing = tokio::spawn(async move {
        let mut connection = yaniv_db::connect(&url).await.unwrap();
        while !AtomicBool::load(&stopped, Ordering::Relaxed) {
            let statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid() \
                 AND state <> 'idle' AND query LIKE '%rating%'";
            diesel::sql_query(statement).execute(&mut connection).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    for number in 0..8 {
        let at = if number % 2 == 0 { app.address } else { second };
        let seated: Vec<Player> = players[..2 + number % 3].iter().map(|player| player.at(at)).collect();
        play(&seated).await;
    }
    AtomicBool::store(&stop, true, Ordering::Relaxed);
    killing.await.unwrap();
    all_rated(&app, 8).await;
    assert_eq!(changes(&players[0], "player_0").await.len(), 8);
    let before = stored(&app).await;
    assert_eq!(rebuilt(&app).await, (before, 8));
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_have_a_list_of_their_own_and_those_of_the_house_are_on_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let robot = ada.bot("robot").await;
    let created = robot.create(&json!({"size": 2, "rated": true, "bots": ["easy"]})).await.expect(201);
    robot.start(id(&created)).await.expect(200);
    robot.resign(id(&created)).await;
    all_rated(&app, 1).await;
    assert_eq!(ratings(&ada, "robot").await[0]["rating"], 1342);
    assert_eq!(ratings(&ada, "house_easy_1").await[0]["rating"], 1658);
    assert_eq!(app.count("SELECT count(*) FROM ratings WHERE bots").await, 2);
    assert_eq!(app.count("SELECT count(*) FROM ratings WHERE NOT bots").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_deleted_loses_what_is_left_to_play_and_is_found_no_more() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    play(&players).await;
    let running = started(&players).await;
    all_rated(&app, 1).await;
    let deletion = json!({"password": PASSWORD});
    players[2].post("/v1/account/delete", None, &deletion).await.expect(202);
    until("it has left", async || players[0].view(&running).await["seats"][2]["out"] == true).await;
    players[1].resign(&running).await;
    // A deleted player has resigned, and counts as last.
    all_rated(&app, 2).await;
    assert_eq!(changes(&players[0], "player_0").await.len(), 2);
    assert_eq!(app.count("SELECT count(*) FROM rating_changes WHERE place = 3").await, 2);
    until("it is deleted", async || {
        app.count("SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL").await == 1
    })
    .await;
    let path = "/v1/profiles/player_2/ratings";
    players[0].get(path).await.expect_problem(404, "account_not_found");
    let before = stored(&app).await;
    assert_eq!(rebuilt(&app).await, (before, 2), "what it did to others stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_everybody_left_before_the_start_counts_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 2, "rated": true})).await.expect(201);
    ada.leave(id(&created)).await.expect(204);
    until("the rater is done with it", async || queue(&app).await == 0).await;
    assert_eq!(app.count("SELECT count(*) FROM rating_changes").await, 0);
    assert_eq!(rebuilt(&app).await, (Vec::new(), 1));
}
