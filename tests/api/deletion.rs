//! Account deletion, also during a match: no log-in from that moment on, opponents continue and keep their records, and
//! no personal data is left, even after a crash half-way.

use std::collections::HashMap;
use std::time::Instant;

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use futures_util::future::join_all;
use serde_json::{Value, json};
use yaniv_db::connect;

use crate::support::player::{PASSWORD, new_key};
use crate::support::strategy::{Random, choose};
use crate::support::{Answer, Player, TestApp, comes, held_up, id, until, version, within_a_second};

async fn delete_account(player: &Player) -> Answer {
    player.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await
}

fn names(view: &Value) -> Vec<String> {
    let seats = view["seats"].as_array().unwrap().iter();
    seats.map(|seat| seat["username"].as_str().unwrap().to_owned()).collect()
}

async fn deleted(app: &TestApp) -> i64 {
    app.count("SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL").await
}

async fn all_deleted(app: &TestApp, count: i64) {
    until_finished("everything personal has gone", async || deleted(app).await == count).await;
}

/// Waits for what a deletion does at once. If it failed because the machine stalled, waits for housekeeping, which
/// finishes it within two minutes.
async fn until_finished(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    let mut waits = 1;
    while !comes(&mut holds).await {
        assert!(waits < 3 || waits < 12 && held_up::since(begun).await, "not in time: {what}");
        waits += 1;
    }
}

/// Every table as text, by name.
async fn dump(app: &TestApp) -> HashMap<String, String> {
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        text: String,
    }
    let mut connection = connect(app.database.url()).await.unwrap();
    let tables: Vec<Row> = diesel::sql_query(
        "SELECT relname::text AS text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
    )
    .load(&mut connection)
    .await
    .unwrap();
    let mut dumped = HashMap::new();
    for Row { text: table } in tables {
        let query = format!("SELECT coalesce(string_agg(t::text, chr(10)), '') AS text FROM \"{table}\" t");
        let row: Row = diesel::sql_query(query).get_result(&mut connection).await.unwrap();
        dumped.insert(table, row.text);
    }
    assert!(dumped.len() > 15, "{:?}", dumped.keys());
    dumped
}

/// Tables that contain one of these texts.
async fn tables_with(app: &TestApp, texts: &[&str]) -> Vec<String> {
    let tables = dump(app).await.into_iter();
    let with = tables.filter(|(_, rows)| texts.iter().any(|text| rows.contains(text)));
    let mut names: Vec<String> = with.map(|(table, _)| table).collect();
    names.sort();
    names
}

/// Plays a match to its end with the remaining players.
async fn play_on(players: &[&Player], match_id: &str) -> Value {
    let mut random = Random(11);
    for _ in 0..3000 {
        let mut view = Value::Null;
        for player in players {
            view = player.view(match_id).await;
            if view["status"] == "finished" {
                return view;
            }
            if view["your_turn"] == true {
                let (kind, body) = choose(&view, &mut random);
                player.act(match_id, kind, &body).await.expect(200);
                break;
            }
        }
        assert!(view.is_object());
    }
    panic!("the match does not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn opponents_play_on_with_an_anonymous_name_in_their_records() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(3).await;
    let view = app.started(&players, json!({"preset": "yaniv", "max_rounds": 2})).await;
    let match_id = id(&view).to_owned();
    let path = format!("/v1/matches/{match_id}");
    // The player to act leaves: the match does not wait for them.
    let seat = usize::try_from(view["table"]["to_act"][0].as_i64().unwrap()).unwrap();
    let (gone, others): (&Player, Vec<&Player>) =
        (&players[seat], players.iter().filter(|player| player.name != players[seat].name).collect());
    let before = others[0].at(second).get(&path).await;
    let tag = before.header("etag").unwrap().to_owned();
    assert!(names(&before.expect(200)).contains(&gone.name));

    delete_account(gone).await.expect(202);
    all_deleted(&app, 1).await;
    let view = others[0].view(&match_id).await;
    assert_eq!(version(&view), version(&before.expect(200)) + 1, "one resignation");
    assert_eq!(view["seats"][seat]["out"], true);
    let name = names(&view)[seat].clone();
    assert!(name.starts_with("deleted_") && name.len() == 18, "{name}");
    let log = others[0].get(&format!("{path}/log")).await.expect(200);
    let last = log["items"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["type"], &last["username"]), (&json!("resign"), &json!(name)));
    assert!(!log.to_string().contains(&gone.name));
    until("the new name on the other instance", async || {
        let seen =
            others[0].at(second).request(reqwest::Method::GET, &path, &[("if-none-match", &tag)], None).await;
        seen.status == 200 && names(&seen.expect(200))[seat] == name
    })
    .await;

    let end = play_on(&others, &match_id).await;
    assert!(end["result"].is_object());
    let record = others[1].record(&match_id).await;
    assert_eq!(record["players"][seat]["name"], name.as_str());
    // The client seed stays: it is needed to verify the shuffles.
    assert_eq!(record["players"][seat]["client_seed"], format!("seed-{seat}"));
    others[0].get(&format!("/v1/profiles/{name}")).await.expect_problem(404, "account_not_found");
    others[0].put(&format!("/v1/blocks/{name}")).await.expect_problem(404, "account_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_account_is_logged_out_on_every_instance() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let credentials = json!({"username": "ada", "password": PASSWORD});
    let session = Player::anonymous(second).post("/v1/sessions", None, &credentials).await.expect(201);
    let other = Player::of(second, &session);
    let wanted = json!({"name": "script", "scopes": ["read"], "expires_in_days": 30});
    let made = ada.post("/v1/tokens", None, &wanted).await.expect(201);
    let script = Player { token: made["token"].as_str().unwrap().to_owned(), ..Player::anonymous(second) };
    let bot = ada.bot("ada_bot").await.at(second);
    for player in [&other, &script, &bot] {
        player.get("/v1/account").await.expect(200);
    }
    for (body, status, code) in [
        (json!({}), 422, "invalid_body"),
        (json!({"password": "not the password"}), 403, "wrong_password"),
        (json!({"password": "x".repeat(129)}), 403, "wrong_password"),
    ] {
        ada.post("/v1/account/delete", None, &body).await.expect_problem(status, code);
    }
    script.post("/v1/account/delete", None, &json!({})).await.expect_problem(403, "insufficient_scope");
    delete_account(&ada).await.expect(202);
    delete_account(&ada).await.expect_problem(401, "invalid_token");
    let refused = Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await;
    refused.expect_problem(401, "invalid_credentials");
    let refresh = json!({"refresh_token": session["refresh_token"]});
    let refused = Player::anonymous(second).post("/v1/sessions/refresh", None, &refresh).await;
    refused.expect_problem(401, "invalid_refresh_token");
    within_a_second("refused", async || {
        let refused = join_all([&other, &script, &bot].map(Player::is_refused)).await;
        refused == [true; 3]
    })
    .await;
    // The bot is deleted with its owner; the name is free again.
    all_deleted(&app, 2).await;
    assert_ne!(app.player("ada").await.token, ada.token);
    bob.get("/v1/profiles/ada_bot").await.expect_problem(404, "account_not_found");
}

/// An access token is accepted by other instances for half a second more: what it creates must not outlast the account.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_marked_binds_itself_to_nothing() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let bobs = bob.create(&json!({"size": 3})).await.expect(201);
    let waiting = ada.request_pairing(None, &json!({"size": 2})).await.expect(201);
    app.run("UPDATE accounts SET deletion_asked_at = clock_timestamp() WHERE username = 'ada'").await;
    for answer in [
        ada.create(&json!({"size": 2})).await,
        ada.join(bobs["join_code"].as_str().unwrap(), "").await,
        ada.request_pairing(None, &json!({"size": 4})).await,
        ada.put("/v1/friends/bob").await,
        ada.put("/v1/blocks/bob").await,
        ada.patch("/v1/account", &json!({"display_name": "Ada"})).await,
        ada.post("/v1/bots", None, &json!({"username": "ada_bot"})).await,
        ada.get("/v1/account").await,
    ] {
        answer.expect_problem(401, "invalid_token");
    }
    for answer in
        [bob.put("/v1/friends/ada").await, bob.put("/v1/blocks/ada").await, bob.get("/v1/profiles/ada").await]
    {
        answer.expect_problem(404, "account_not_found");
    }
    // A player who asks for the same is paired with it; it resigns when the deletion completes.
    let paired = bob.request_pairing(None, &json!({"size": 2})).await.expect(201);
    assert_eq!(paired["status"], "paired");
    assert!(waiting["pairing_id"].is_string());
    app.run("UPDATE accounts SET deletion_asked_at = clock_timestamp() - interval '1 minute' WHERE username = 'ada'")
        .await;
    app.second().await;
    all_deleted(&app, 1).await;
    assert_eq!(bob.view(paired["match_id"].as_str().unwrap()).await["status"], "finished");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_is_left_and_taken_back() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let shared = ada.create(&json!({"size": 3, "visibility": "public"})).await.expect(201);
    bob.join(shared["join_code"].as_str().unwrap(), "").await.expect(201);
    let alone = ada.create(&json!({"size": 2, "visibility": "public"})).await.expect(201);
    let wish = json!({"size": 2, "rules": {"preset": "kluft"}});
    ada.request_pairing(None, &wish).await.expect(201);
    delete_account(&ada).await.expect(202);
    all_deleted(&app, 1).await;
    let view = bob.view(id(&shared)).await;
    assert_eq!(names(&view), ["bob"], "who is left is the host");
    let open = eve.get("/v1/open-matches").await.expect(200);
    assert_eq!(open["items"].as_array().unwrap().len(), 1);
    assert_eq!(open["items"][0]["usernames"], json!(["bob"]));
    let code = alone["join_code"].as_str().unwrap();
    eve.get(&format!("/v1/join-codes/{code}")).await.expect_problem(404, "join_code_not_found");
    assert_eq!(eve.request_pairing(None, &wish).await.expect(201)["status"], "waiting");
    let log = bob.get(&format!("/v1/matches/{}/log", id(&shared))).await.expect(200);
    let who: Vec<&str> =
        log["items"].as_array().unwrap().iter().map(|entry| entry["username"].as_str().unwrap()).collect();
    assert!(who[0].starts_with("deleted_") && who[2] == who[0] && who[1] == "bob", "{who:?}");
}

/// The player allows a third-party app.
fn app_of_zzyzx() -> Value {
    json!({
        "approved": true,
        "response_type": "code",
        "client_id": "zzyzx app",
        "redirect_uri": "https://zzyzx.example/",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256",
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_personal_is_left_in_any_table() {
    let app = TestApp::start().await;
    let (name, bob) = ("zzyzx_ada", app.player("bob").await);
    let credentials = json!({"username": name, "password": PASSWORD, "device": "Zzyzx phone"});
    let session = Player::anonymous(app.address).post("/v1/accounts", None, &credentials).await.expect(201);
    let ada = Player::of(app.address, &session);
    let said = json!({"display_name": "Zzyzx Lovelace", "language": "ne", "time_zone": "Pacific/Chatham"});
    ada.patch("/v1/account", &said).await.expect(200);
    let quiet = json!({"from_time": "22:00", "to_time": "06:00"});
    ada.put_json("/v1/account/quiet-hours", &quiet).await.expect(200);
    let day = chrono::Utc::now().date_naive() + chrono::TimeDelta::days(3);
    let vacation = json!({"first_day": day, "last_day": day});
    ada.post("/v1/account/vacations", None, &vacation).await.expect(201);
    let wanted = json!({"name": "zzyzx script", "scopes": ["read"], "expires_in_days": 30});
    ada.post("/v1/tokens", None, &wanted).await.expect(201);
    ada.post("/v1/account/authorize-app", None, &app_of_zzyzx()).await.expect(200);
    app.run("UPDATE personal_tokens SET issued_to = 'https://zzyzx.example'").await;
    ada.bot("zzyzx_bot").await.create(&json!({"size": 2})).await.expect(201);
    ada.put("/v1/friends/bob").await.expect(204);
    bob.put("/v1/friends/zzyzx_ada").await.expect(204);
    let view = app.started(&[ada.clone(), bob.clone()], json!({"preset": "yaniv"})).await;
    let other_hours = json!({"from_time": "21:00", "to_time": "06:00"});
    ada.put_json("/v1/account/quiet-hours", &other_hours).await.expect(200);
    let gifts = format!("/v1/matches/{}/dedications", id(&view));
    let dealer = if view["table"]["dealer"] == 0 { &ada } else { &bob };
    dealer.post(&gifts, None, &json!({"text": "for Zzyzx"})).await.expect(204);
    if dealer.name == "bob" {
        // Bob's dedication would not be deleted with ada: make it hers.
        app.run("UPDATE dedications SET seat = 0").await;
    }
    ada.post("/v1/pairings", Some(&new_key()), &json!({"size": 2, "client_seed": "zzyzx wish"}))
        .await
        .expect(201);
    let texts =
        ["zzyzx", "Zzyzx", "tlh-", "Chatham", "rnoe", "lovelace", "$argon2id$v=19$m=19456,t=2,p=1$zzyzx"];
    let before = tables_with(&app, &texts).await;
    let calendars = ["actions", "match_states", "quiet_hours", "vacations"];
    let others =
        ["accounts", "authorization_codes", "dedications", "pairings", "personal_tokens", "sessions"];
    let mut expected: Vec<&str> = calendars.into_iter().chain(others).collect();
    expected.sort_unstable();
    assert_eq!(before, expected);
    let own = ada.get("/v1/account").await.expect(200)["account_id"].as_str().unwrap().to_owned();
    assert!(tables_with(&app, &[&own]).await.contains(&"friend_requests".to_owned()));

    delete_account(&ada).await.expect(202);
    all_deleted(&app, 2).await;
    assert_eq!(tables_with(&app, &texts).await, Vec::<String>::new());
    // What remains names an account without data; sessions remain until every instance has seen their end.
    crate::statistics::all_counted(&app).await;
    let left = tables_with(&app, &[&own]).await;
    let played = ["actions", "activity", "seats", "match_player_stats", "player_stats"];
    let mut expected: Vec<&str> =
        ["accounts", "personal_tokens", "sessions"].into_iter().chain(played).collect();
    expected.sort_unstable();
    assert_eq!(left, expected);
    assert_eq!(app.count("SELECT count(*) FROM accounts WHERE password_hash <> ''").await, 1);
    assert_eq!(bob.get("/v1/friends").await.expect(200)["items"], json!([]));
    let view = bob.view(id(&view)).await;
    assert!(!view.to_string().contains("yzx"), "{view}");
    assert!(!bob.record(id(&view)).await.to_string().contains("yzx"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_that_a_crash_interrupted_is_finished_by_another_instance() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let mut matches = Vec::new();
    for _ in 0..12 {
        matches.push(app.started(&[ada.clone(), bob.clone()], json!({"preset": "yaniv"})).await);
    }
    // As after the first transaction; and one match later.
    ada.act(id(&matches[0]), "resignations", &json!({"expected_version": version(&matches[0])}))
        .await
        .expect(200);
    app.run(
        "UPDATE accounts SET deletion_asked_at = clock_timestamp() - interval '1 minute', password_hash = '' \
         WHERE username = 'ada'",
    )
    .await;
    // Three instances start at once, and each finds it.
    join_all((0..3).map(|_| app.second())).await;
    until("the account is deleted", async || deleted(&app).await == 1).await;
    for before in &matches {
        let view = bob.view(id(before)).await;
        assert_eq!((&view["status"], version(&view)), (&json!("finished"), version(before) + 1));
        until("the name is gone", async || names(&bob.view(id(before)).await)[0].starts_with("deleted_"))
            .await;
    }
    let names =
        app.count("SELECT count(DISTINCT username) FROM accounts WHERE username LIKE 'deleted%'").await;
    assert_eq!(names, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dedication_is_deleted_with_its_author_also_from_repeated_answers() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(3).await;
    let view = app.started(&players, json!({"preset": "yaniv"})).await;
    let (match_id, path) = (id(&view).to_owned(), format!("/v1/matches/{}", id(&view)));
    let dealer = usize::try_from(view["table"]["dealer"].as_i64().unwrap()).unwrap();
    players[dealer]
        .post(&format!("{path}/dedications"), None, &json!({"text": "with love"}))
        .await
        .expect(204);
    let actor = usize::try_from(view["table"]["to_act"][0].as_i64().unwrap()).unwrap();
    assert_ne!(actor, dealer);
    let actor = players[actor].at(second);
    let mut seen = actor.view(&match_id).await;
    assert_eq!(seen["table"]["dedication"]["text"], "with love");
    // A call would end the round, and with it the dedication.
    seen["legal"]["call"] = json!(false);
    let (kind, body) = choose(&seen, &mut Random(1));
    let key = new_key();
    let first = actor.act_with(&match_id, kind, &key, &body).await.expect(200);
    assert_eq!(first["table"]["dedication"]["text"], "with love");

    delete_account(&players[dealer]).await.expect(202);
    all_deleted(&app, 1).await;
    until("it is gone on the other instance", async || {
        actor.view(&match_id).await["table"].get("dedication").is_none()
    })
    .await;
    let again = actor.act_with(&match_id, kind, &key, &body).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let (mut first, mut again) = (first, again.expect(200));
    assert!(again["table"].get("dedication").is_none());
    // Everything else is unchanged.
    first["table"].as_object_mut().unwrap().remove("dedication");
    for answer in [&mut first, &mut again] {
        answer["seats"][dealer]["username"] = json!("");
    }
    assert_eq!(again, first);
    actor.record(&match_id).await;
}

/// Concurrent deletions, on two instances, while the others act.
#[tokio::test(flavor = "multi_thread")]
async fn the_remaining_players_can_finish_every_match() {
    const MATCHES: usize = 8;
    let app = TestApp::start().await;
    let second = app.second().await;
    let one = async |number: usize| {
        let there = |address| {
            let names = (0..3).map(move |seat| format!("m{number}_p{seat}"));
            join_all(names.map(move |name| async move { Player::register(address, &name).await }))
        };
        let players = there(if number.is_multiple_of(2) { app.address } else { second }).await;
        let view = app.started(&players, json!({"preset": "speedy", "max_rounds": 1})).await;
        let mut random = Random(u64::try_from(number).unwrap());
        let match_id = id(&view).to_owned();
        let leaving = players[number % 3].at(if number % 4 < 2 { app.address } else { second });
        let left: Vec<Player> =
            players.iter().filter(|player| player.name != leaving.name).cloned().collect();
        let acting = async {
            for _ in 0..6 {
                for player in &left {
                    let view = player.view(&match_id).await;
                    if view["your_turn"] == true && view["status"] == "running" {
                        let (kind, body) = choose(&view, &mut random);
                        // The match may have advanced.
                        assert!(
                            [200, 409].contains(&player.act(&match_id, kind, &body).await.status.as_u16())
                        );
                    }
                }
            }
        };
        futures_util::join!(acting, async { delete_account(&leaving).await.expect(202) });
        until_finished("it has left", async || {
            let view = left[0].view(&match_id).await;
            names(&view)[number % 3].starts_with("deleted_")
        })
        .await;
        play_on(&[&left[0], &left[1]], &match_id).await;
        left[1].record(&match_id).await
    };
    let records = join_all((0..MATCHES).map(one)).await;
    for (number, record) in records.iter().enumerate() {
        assert!(!record.to_string().contains(&format!("m{number}_p{}\"", number % 3)));
    }
    all_deleted(&app, i64::try_from(MATCHES).unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_deleted_without_a_password() {
    let app = TestApp::start().await;
    let guest = Player::guest(app.address).await;
    guest.post("/v1/account/delete", None, &json!({})).await.expect(202);
    all_deleted(&app, 1).await;
}

/// Copies of ada's only match, which is over, with all its rows: a history of this many.
async fn grow_history(app: &TestApp, copies: usize) {
    let copied = |table: &str, new: &str| {
        format!(
            "INSERT INTO {table} SELECT (jsonb_populate_record(t, jsonb_build_object({new}))).* \
             FROM {table} t, copies c;"
        )
    };
    // The table of matches first; then seats, which depend on them.
    let statements = format!(
        "CREATE TABLE copies AS SELECT gen_random_uuid() AS id FROM generate_series(1, {copies}); {} {} {} {} {} \
         INSERT INTO idempotency_keys (account_id, kind, key_hash, fingerprint, at, entries, match_id) \
         SELECT a.id, 'match', row_number() OVER (), 0, now(), 1, c.id \
         FROM copies c, accounts a WHERE a.username = 'ada'; \
         ANALYZE;",
        copied("matches", "'id', c.id, 'code', c.id"),
        copied("match_states", "'match_id', c.id"),
        copied("seats", "'match_id', c.id"),
        copied("actions", "'match_id', c.id"),
        copied("dedications", "'match_id', c.id"),
    );
    connect(app.database.url()).await.unwrap().batch_execute(&statements).await.unwrap();
}

/// Records how many rows each statement changes whose cost grows with the number of matches played.
async fn note_sizes(app: &TestApp) {
    let mut statements = "CREATE TABLE sizes (name text, rows bigint); \
         CREATE FUNCTION note_size() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         INSERT INTO sizes SELECT TG_TABLE_NAME, count(*) FROM changed; RETURN NULL; END $$;"
        .to_owned();
    for (table, event, rows) in [
        ("dedications", "UPDATE", "NEW"),
        ("actions", "UPDATE", "NEW"),
        ("match_states", "UPDATE", "NEW"),
        ("idempotency_keys", "DELETE", "OLD"),
    ] {
        statements += &format!(
            "CREATE TRIGGER note_size AFTER {event} ON {table} REFERENCING {rows} TABLE AS changed \
             FOR EACH STATEMENT EXECUTE FUNCTION note_size();"
        );
    }
    connect(app.database.url()).await.unwrap().batch_execute(&statements).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_history_is_erased_in_batches_and_after_a_crash_by_another_instance() {
    const COPIES: usize = 3000;
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let quiet = json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "Pacific/Chatham"});
    ada.put_json("/v1/account/quiet-hours", &quiet).await.expect(200);
    let view = app.started(&[ada.clone(), bob.clone()], json!({"preset": "yaniv"})).await;
    let other_hours = json!({"from_time": "21:00", "to_time": "06:00", "time_zone": "Pacific/Chatham"});
    ada.put_json("/v1/account/quiet-hours", &other_hours).await.expect(200);
    let dealer = if view["table"]["dealer"] == 0 { &ada } else { &bob };
    let path = format!("/v1/matches/{}/dedications", id(&view));
    dealer.post(&path, None, &json!({"text": "for Zzyzx"})).await.expect(204);
    app.run("UPDATE dedications SET seat = 0").await;
    bob.resign(id(&view)).await;
    let closed = "SELECT count(*) FROM seats WHERE closed_at IS NOT NULL";
    until("it is noted that it is over", async || app.count(closed).await == 2).await;
    grow_history(&app, COPIES).await;
    note_sizes(&app).await;
    let all = i64::try_from(COPIES).unwrap() + 1;
    let gifts_left = "SELECT count(*) FROM dedications WHERE text <> ''";
    let calendars_left = "SELECT count(*) FROM actions WHERE detail LIKE '%Chatham%'";
    assert_eq!((app.count(gifts_left).await, app.count(calendars_left).await), (all, 2 * all));

    // The process dies half-way, as far as the database can see.
    app.run(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         IF (SELECT count(*) FROM dedications WHERE text = '') >= 1000 THEN RAISE EXCEPTION 'planted'; END IF; \
         RETURN NEW; END $$",
    )
    .await;
    app.run("CREATE TRIGGER fail BEFORE UPDATE ON dedications FOR EACH ROW EXECUTE FUNCTION fail()").await;
    delete_account(&ada).await.expect(202);
    until("it has begun", async || app.count(gifts_left).await <= all - 1000).await;
    assert_eq!((deleted(&app).await, app.count(gifts_left).await), (0, all - 1000));
    app.run("DROP TRIGGER fail ON dedications").await;
    app.run("UPDATE accounts SET deletion_asked_at = deletion_asked_at - interval '1 minute'").await;
    app.second().await;
    all_deleted(&app, 1).await;
    assert_eq!((app.count(gifts_left).await, app.count(calendars_left).await), (0, 0));
    let clocks_left = "SELECT count(*) FROM match_states WHERE clocks LIKE '%Chatham%'";
    assert_eq!(app.count(clocks_left).await, 0);
    assert_eq!(app.count("SELECT count(*) FROM idempotency_keys").await, 0);
    let largest = app.count("SELECT max(rows) AS count FROM sizes").await;
    let changed = app.count("SELECT sum(rows)::bigint AS count FROM sizes").await;
    assert!((1..=500).contains(&largest) && changed > 3 * all, "{largest} of {changed}");
}
