//! The history of an account: every match once and in order, while others are added, and all filters.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, id, until};

/// A match of two, started.
async fn started(players: [&Player; 2], body: Value) -> String {
    let mut wanted = json!({"size": 2});
    wanted.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let created = players[0].create(&wanted).await.expect(201);
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    players[0].start(id(&created)).await.expect(200);
    id(&created).to_owned()
}

/// Waits until the statistics worker has counted a finished match.
async fn counted(app: &TestApp, id: &str) {
    let query =
        format!("SELECT count(*) FROM match_player_stats WHERE match_id = '{id}' AND place IS NOT NULL");
    until("the match is counted", async || app.count(&query).await == 2).await;
}

async fn page(player: &Player, path: &str) -> Value {
    player.get(path).await.expect(200)
}

fn ids(page: &Value) -> Vec<String> {
    page["items"].as_array().unwrap().iter().map(|item| id(item).to_owned()).collect()
}

/// All pages of a list.
async fn walk(player: &Player, path: &str, limit: usize) -> Vec<String> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = page(player, &format!("{path}limit={limit}{cursor}")).await;
        assert!(page["items"].as_array().unwrap().len() <= limit);
        found.extend(ids(&page));
        let Some(next) = page["next_cursor"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_pages_have_every_match_once_while_others_come() {
    let app = TestApp::start().await;
    let player = app.player("walker").await;
    // Few may wait at a time.
    let begun = async |player: &Player, size: i32| {
        let bots = vec!["easy"; usize::try_from(size - 1).unwrap()];
        let made = player.create(&json!({"size": size, "bots": bots})).await.expect(201);
        id(&player.start(id(&made)).await.expect(200)).to_owned()
    };
    let mut before = Vec::new();
    for _ in 0..45 {
        before.push(begun(&player, 2).await);
    }
    before.reverse();
    let other = player.clone();
    let inserting = tokio::spawn(async move {
        let mut made = Vec::new();
        for _ in 0..60 {
            made.push(begun(&other, 3).await);
        }
        made
    });
    let mut walks = 0;
    while walks < 3 || !inserting.is_finished() {
        let found = walk(&player, "/v1/history?", 4 + walks % 5).await;
        let mut once = found.clone();
        once.sort_unstable_by(|one, other| other.cmp(one));
        assert_eq!(found, once, "newest first");
        once.dedup();
        assert_eq!(found.len(), once.len(), "nothing twice");
        assert!(found.ends_with(&before), "nothing left out");
        walks += 1;
    }
    let mut all = inserting.await.unwrap();
    all.reverse();
    all.extend(before);
    assert_eq!(walk(&player, "/v1/history?", 100).await, all);
    assert_eq!(walk(&player, "/v1/history?", 1).await, all);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_is_found_by_what_is_asked_of_it() {
    let app = TestApp::start().await;
    let [ada, bob, eve] = [app.player("ada").await, app.player("bob").await, app.player("eve").await];
    let won = started([&ada, &bob], json!({"visibility": "public"})).await;
    bob.resign(&won).await;
    let lost = started([&bob, &ada], json!({"rules": {"preset": "kluft"}})).await;
    ada.resign(&lost).await;
    let running = started([&ada, &eve], json!({"rules": {"preset": "yaniv", "jokers": 1}})).await;
    let waiting = id(&ada.create(&json!({"size": 3})).await.expect(201)).to_owned();
    let with_bot = id(&ada.create(&json!({"size": 2, "bots": ["easy"]})).await.expect(201)).to_owned();
    counted(&app, &won).await;
    counted(&app, &lost).await;
    let expected: [(&str, Vec<&str>); 18] = [
        ("", vec![&with_bot, &waiting, &running, &lost, &won]),
        ("status=finished", vec![&lost, &won]),
        ("status=running", vec![&running]),
        ("status=waiting", vec![&with_bot, &waiting]),
        ("preset=kluft", vec![&lost]),
        ("preset=custom", vec![&running]),
        ("preset=speedy", vec![]),
        ("opponent=bob", vec![&lost, &won]),
        ("opponent=eve", vec![&running]),
        ("opponent=nobody_at_all", vec![]),
        ("result=won", vec![&won]),
        ("result=lost", vec![&lost]),
        ("visibility=public", vec![&won]),
        ("visibility=private&status=finished", vec![&lost]),
        ("bots=true", vec![&with_bot]),
        ("bots=false", vec![&waiting, &running, &lost, &won]),
        ("rated=false&opponent=eve", vec![&running]),
        ("rated=true", vec![]),
    ];
    for (query, expected) in expected {
        assert_eq!(ids(&page(&ada, &format!("/v1/history?{query}")).await), expected, "{query}");
    }
    let of_bob = page(&bob, "/v1/history?result=lost").await;
    assert_eq!(ids(&of_bob), std::slice::from_ref(&won));
    let item = &of_bob["items"][0];
    assert_eq!(
        (&item["result"], &item["seat"], &item["status"]),
        (&json!("lost"), &json!(1), &json!("finished"))
    );
    assert_eq!((&item["preset"], &item["rounds"]), (&json!("yaniv"), &json!(1)));
    assert_eq!((&item["seats"][0]["username"], &item["seats"][0]["place"]), (&json!("ada"), &json!(1)));
    assert_eq!(item["seats"][1]["place"], 2);
    assert!(item["finished_at"].is_string() && item["rated"] == false);
    let item = &page(&ada, "/v1/history?status=waiting").await["items"][1];
    assert!(item.get("result").is_none() && item.get("started_at").is_none() && item["rounds"] == 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_are_those_of_the_creation() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut made = Vec::new();
    for _ in 0..3 {
        made.push(ada.create(&json!({"size": 2})).await.expect(201));
    }
    let created = |place: usize| made[place]["created_at"].as_str().unwrap();
    let id_of = |place: usize| id(&made[place]).to_owned();
    let asked = [
        (format!("since={}", created(1)), vec![id_of(2), id_of(1)]),
        (format!("until={}", created(1)), vec![id_of(0)]),
        (format!("since={}&until={}", created(1), created(2)), vec![id_of(1)]),
        (format!("since={}&until={}", created(2), created(1)), vec![]),
        (
            "since=0001-01-01T00:00:00Z&until=9999-01-01T00:00:00Z".to_owned(),
            vec![id_of(2), id_of(1), id_of(0)],
        ),
    ];
    for (query, expected) in asked {
        assert_eq!(ids(&page(&ada, &format!("/v1/history?{query}")).await), expected, "{query}");
    }
    // An identifier that was generated two weeks before, as that of a challenge may be.
    let old = "UPDATE matches SET created_at = created_at + interval '14 days'";
    app.run(old).await;
    let later = chrono::Utc::now() + chrono::TimeDelta::days(13);
    let query = format!("since={}", later.to_rfc3339_opts(chrono::SecondsFormat::Secs, true));
    assert_eq!(ids(&page(&ada, &format!("/v1/history?{query}")).await).len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn others_see_public_matches_that_are_over_and_no_more() {
    let app = TestApp::start().await;
    let [ada, bob, eve] = [app.player("ada").await, app.player("bob").await, app.player("eve").await];
    let public = json!({"visibility": "public"});
    let over = started([&ada, &bob], public.clone()).await;
    bob.resign(&over).await;
    let private = started([&ada, &bob], json!({})).await;
    bob.resign(&private).await;
    started([&ada, &bob], public.clone()).await;
    ada.create(&json!({"size": 2, "visibility": "public"})).await.expect(201);
    counted(&app, &over).await;
    for reader in [&eve, &ada, &bob] {
        assert_eq!(ids(&page(reader, "/v1/profiles/ada/matches").await), std::slice::from_ref(&over));
    }
    let of_bob = page(&eve, "/v1/profiles/bob/matches").await;
    assert_eq!((&of_bob["items"][0]["seat"], &of_bob["items"][0]["result"]), (&json!(1), &json!("lost")));
    assert!(ids(&page(&eve, "/v1/profiles/eve/matches").await).is_empty());
    assert_eq!(ids(&page(&eve, "/v1/profiles/ada/matches?result=won&opponent=bob").await), [over]);
    assert!(ids(&page(&eve, "/v1/profiles/ada/matches?result=lost").await).is_empty());
    let nobody = eve.get("/v1/profiles/nobody_at_all/matches").await;
    nobody.expect_problem(404, "account_not_found");
    for query in ["status=running", "visibility=private"] {
        let answer = eve.get(&format!("/v1/profiles/ada/matches?{query}")).await;
        answer.expect_problem(422, "invalid_parameter");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_history_can_be_asked_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for query in [
        "status=cancelled",
        "status=over",
        "preset=bridge",
        "result=drawn",
        "since=yesterday",
        "since=-9999-01-01T00:00:00Z",
        "opponent=0",
        "opponent=Bob",
        "until=2026-13-01T00:00:00Z",
        "rated=perhaps",
        "bots=1",
        "visibility=secret",
        "limit=0",
        "limit=101",
        "cursor=x",
        "place=1",
    ] {
        let answer = ada.get(&format!("/v1/history?{query}")).await;
        let problem = answer.expect_problem(422, "invalid_parameter");
        assert_eq!(problem["fields"][0]["name"], query.split('=').next().unwrap(), "{query}");
    }
    let first = ada.get("/v1/history").await;
    let tag = first.header("etag").unwrap().to_owned();
    let again = ada.request(reqwest::Method::GET, "/v1/history", &[("if-none-match", &tag)], None).await;
    assert_eq!(again.status, 304);
}
