//! The export contains all data of an account, of running matches what the account may see, and no secret.

use serde_json::{Value, json};

use crate::support::player::PASSWORD;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id};

async fn export(player: &Player) -> Value {
    player.get("/v1/account/export").await.expect(200)
}

fn without_time(mut answer: Value) -> Value {
    answer.as_object_mut().unwrap().remove("server_time");
    answer
}

/// An account with all kinds of data.
struct Busy {
    players: Vec<Player>,
    secrets: Vec<String>,
    pairing: Value,
    waiting: String,
    running: String,
}

impl Busy {
    async fn new(app: &TestApp) -> Self {
        let players = app.players(3).await;
        let ada = &players[0];
        ada.patch("/v1/account", &json!({"display_name": "Ada", "time_zone": "UTC"})).await.expect(200);
        let quiet = json!({"from_time": "22:00", "to_time": "06:00"});
        ada.put_json("/v1/account/quiet-hours", &quiet).await.expect(200);
        let day = chrono::Utc::now().date_naive() + chrono::TimeDelta::days(3);
        ada.post("/v1/account/vacations", None, &json!({"first_day": day, "last_day": day}))
            .await
            .expect(201);
        let wanted = json!({"name": "my script", "scopes": ["read"], "expires_in_days": 30});
        let token = ada.post("/v1/tokens", None, &wanted).await.expect(201);
        let bot = ada.bot("ada_bot").await;
        ada.put("/v1/friends/player_1").await.expect(204);
        ada.put("/v1/blocks/player_2").await.expect(204);
        let wish = json!({"size": 2, "client_seed": "a wish"});
        let pairing = without_time(ada.request_pairing(None, &wish).await.expect(201));
        let waiting = id(&ada.create(&json!({"size": 2})).await.expect(201)).to_owned();
        let running = app.started(&players[..2], json!({"preset": "yaniv"})).await;
        let over = app.started(&players[..2], json!({"preset": "yaniv"})).await;
        let resigned = json!({"expected_version": over["version"]});
        ada.act(id(&over), "resignations", &resigned).await.expect(200);
        let mut random = Random(5);
        for _ in 0..6 {
            for player in &players[..2] {
                let view = player.view(id(&running)).await;
                if view["your_turn"] == true && view["status"] == "running" {
                    let (kind, body) = choose(&view, &mut random);
                    player.act(id(&running), kind, &body).await.expect(200);
                }
            }
        }
        let secrets = vec![ada.token.clone(), bot.token, token["token"].as_str().unwrap().to_owned()];
        Self { pairing, waiting, running: id(&running).to_owned(), secrets, players }
    }
}

/// Everything before the matches is as the operations show it.
async fn check_account(busy: &Busy, file: &Value) {
    let ada = &busy.players[0];
    assert_eq!(file["format"], "yaniv-export/1");
    assert_eq!(file["account"], ada.get("/v1/account").await.expect(200));
    assert_eq!(file["profile"], json!({"username": "player_0", "display_name": "Ada"}));
    assert_eq!(file["calendar"], without_time(ada.get("/v1/account/calendar").await.expect(200)));
    assert!(file["calendar"]["quiet_hours"].is_object() && file["calendar"]["vacations"][0].is_object());
    let items = async |path: &str| ada.get(path).await.expect(200)["items"].clone();
    assert_eq!(file["sessions"], items("/v1/sessions").await);
    assert_eq!(file["personal_tokens"], items("/v1/tokens").await);
    let path = format!("/v1/bots/{}/tokens", file["bots"][0]["bot"]["bot_id"].as_str().unwrap());
    let bots = json!([{"bot": items("/v1/bots").await[0], "personal_tokens": items(&path).await}]);
    assert_eq!(file["bots"], bots);
    assert_eq!(file["ratings"], items("/v1/profiles/player_0/ratings").await);
    assert_eq!(file["friends"], items("/v1/friends").await);
    assert_eq!(file["blocks"], items("/v1/blocks").await);
    assert_eq!(file["pairings"], json!([{"pairing": busy.pairing, "client_seed": "a wish"}]));
    assert_eq!(file["challenges"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_has_everything_that_the_operations_show() {
    let app = TestApp::start().await;
    let busy = Busy::new(&app).await;
    let ada = &busy.players[0];
    let answer = ada.get("/v1/account/export").await;
    let file = answer.expect(200);
    assert_eq!(answer.header("content-type"), Some("application/vnd.yaniv.export+json"));
    assert_eq!(answer.header("content-disposition"), Some("attachment; filename=\"yaniv-export.json\""));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let fields: Vec<&String> = file.as_object().unwrap().keys().collect();
    assert_eq!((fields.len(), fields[0].as_str(), fields[18].as_str()), (20, "format", "matches"));
    let documented = std::fs::read_to_string("docs/export.md").unwrap();
    for field in fields {
        assert!(documented.contains(&format!("`{field}`")), "{field} is not documented");
    }
    check_account(&busy, &file).await;
    let schema = ada.get("/docs/export.schema.json").await.expect(200);
    assert_eq!(yaniv_contract::check_file(&schema, &file), Ok(()));

    let matches = file["matches"].as_array().unwrap();
    assert_eq!(matches.len(), 3);
    for exported in matches {
        let match_id = id(&exported["match"]);
        assert_eq!(exported["match"], without_time(ada.view(match_id).await));
        assert_eq!(exported["settings"], ada.settings(match_id).await);
        let log = ada.get(&format!("/v1/matches/{match_id}/log?limit=100")).await.expect(200);
        assert_eq!(exported["log"], log["items"]);
        if match_id == busy.waiting {
            assert!(exported.get("record").is_none());
        } else {
            assert_eq!(exported["record"], ada.record(match_id).await);
        }
    }
    assert!(matches.iter().any(|exported| exported["match"]["hand"].is_object()), "one's own hand is in it");
    // No credentials.
    for secret in busy.secrets.iter().map(String::as_str).chain([PASSWORD, "argon2", "yaniv_pat_"]) {
        assert!(!answer.body.contains(secret), "{secret}");
    }
    // Another player's export of the same match has their own hand, and nothing private of this player.
    let other = export(&busy.players[1]).await;
    let theirs = other["matches"].as_array().unwrap().iter();
    let theirs = theirs.map(|exported| &exported["match"]).find(|view| id(view) == busy.running).unwrap();
    assert_eq!(theirs, &without_time(busy.players[1].view(&busy.running).await));
    assert!(!other.to_string().contains("my script") && other["blocks"] == json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_nothing_is_whole_and_one_of_much_as_well() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let empty = export(&bob).await;
    for list in
        ["personal_tokens", "bots", "friends", "blocks", "pairings", "reports", "sanctions", "matches"]
    {
        assert_eq!(empty[list], json!([]), "{list}");
    }
    for _ in 0..230 {
        // Few may wait at a time.
        let made = ada.create(&json!({"size": 2, "bots": ["easy"]})).await.expect(201);
        ada.start(id(&made)).await.expect(200);
    }
    app.run(
        "INSERT INTO accounts (id, username, password_hash) \
         SELECT gen_random_uuid(), 'friend_' || number, '' FROM generate_series(1, 230) AS number",
    )
    .await;
    app.run(
        "INSERT INTO friend_requests (wisher_id, wished_id) SELECT a.id, b.id FROM accounts a, accounts b \
         WHERE a.username = 'ada' AND b.username LIKE 'friend%'",
    )
    .await;
    let file = export(&ada).await;
    let ids: std::collections::HashSet<&str> =
        file["matches"].as_array().unwrap().iter().map(|exported| id(&exported["match"])).collect();
    assert_eq!(ids.len(), 230);
    assert_eq!(file["friends"].as_array().unwrap().len(), 230);
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_are_limited_by_a_bucket_of_their_own() {
    let app = TestApp::start_with(|options| options.rate_limits = true).await;
    let ada = app.player("ada").await;
    for _ in 0..5 {
        export(&ada).await;
    }
    let refused = ada.get("/v1/account/export").await;
    refused.expect_problem(429, "too_many_exports");
    assert!(refused.header("ratelimit-policy").unwrap().contains("exports"));
    ada.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_match_is_named_and_the_others_are_exported() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(id(&app.started(&players, json!({"preset": "yaniv"})).await).to_owned());
    }
    app.run(&format!("UPDATE match_states SET state = '\\x00' WHERE match_id = '{}'", ids[1])).await;
    let file = export(&players[0]).await;
    let exported = file["matches"].as_array().unwrap().iter().map(|one| id(&one["match"]));
    assert!(exported.eq([ids[0].as_str(), ids[2].as_str()]), "{}", file["matches"]);
    assert_eq!(file["unreadable_matches"], json!([ids[1]]));
    assert_eq!(export(&app.player("cleo").await).await["unreadable_matches"], json!([]));
}
