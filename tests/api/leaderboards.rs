//! Leaderboards: ranks by index, consistent pages and neighbours, and only eligible players.

use std::collections::HashMap;

use diesel_async::RunQueryDsl;
use serde_json::{Value, json};

use crate::support::player::PASSWORD;
use crate::support::{Player, TestApp, until};

/// Inserts this many players with ratings, past the service: higher numbers are better, with ties.
async fn fill(app: &TestApp, count: i64, preset: &str, bots: bool) {
    let (kind, prefix) = if bots { ("bot", "bot") } else { ("person", "rated") };
    app.run(&format!(
        "INSERT INTO accounts (id, username, password_hash, kind) \
         SELECT md5('{prefix}{preset}' || n)::uuid, '{prefix}_{preset}_' || n, '', '{kind}' \
         FROM generate_series(1, {count}) n"
    ))
    .await;
    // Every tenth is provisional.
    app.run(&format!(
        "INSERT INTO ratings (account_id, preset, bots, mu, sigma, matches, last_at, listed) \
         SELECT md5('{prefix}{preset}' || n)::uuid, '{preset}', {bots}, round(rating / 60.0 * 1000000), \
         CASE WHEN n % 10 = 0 THEN 7000000 ELSE 2000000 END, 20, now(), CASE WHEN n % 10 <> 0 THEN rating END \
         FROM generate_series(1, {count}) n, LATERAL (SELECT (1200 + n * 7919 % 600)::integer AS rating) r"
    ))
    .await;
    app.run(
        "INSERT INTO rating_counts (preset, bots, rating, players) SELECT preset, bots, listed, count(*) FROM ratings \
         WHERE listed IS NOT NULL GROUP BY 1, 2, 3 ON CONFLICT DO NOTHING",
    )
    .await;
}

async fn page(asker: &Player, query: &str) -> Value {
    asker.get(&format!("/v1/leaderboards/{query}")).await.expect(200)
}

fn items(page: &Value) -> &Vec<Value> {
    page["items"].as_array().unwrap()
}

fn name(item: &Value) -> &str {
    item["username"].as_str().unwrap()
}

/// All pages, one after the other.
async fn whole(asker: &Player, query: &str) -> Vec<Value> {
    let mut found = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = page(asker, &format!("{query}{cursor}")).await;
        found.extend(items(&page).clone());
        let Some(next) = page["next_cursor"].as_str() else { return found };
        cursor = format!("&cursor={next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ranks_are_those_of_the_whole_list_however_it_is_asked_for() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    fill(&app, 2_000, "yaniv", false).await;
    fill(&app, 30, "kluft", false).await;
    fill(&app, 20, "speedy", true).await;
    let all = whole(&ada, "yaniv?limit=100").await;
    assert_eq!(all.len(), 1_800, "who is provisional is not on it");
    assert_eq!(page(&ada, "yaniv?limit=1").await["players"], 1_800);
    let rating = |item: &Value| item["rating"].as_i64().unwrap();
    let names: HashMap<&str, usize> =
        all.iter().enumerate().map(|(place, item)| (name(item), place)).collect();
    assert_eq!(names.len(), all.len(), "nobody twice");
    for (place, item) in all.iter().enumerate() {
        let better = all.iter().take(place).filter(|other| rating(other) > rating(item)).count();
        assert!(place == 0 || rating(&all[place - 1]) >= rating(item));
        assert_eq!(item["rank"], json!(better + 1), "{item}");
    }
    for (asked, place) in
        [("rated_yaniv_1", 7), ("rated_yaniv_1234", 5), (name(&all[0]), 5), (name(&all[1_799]), 3)]
    {
        let part = page(&ada, &format!("yaniv/around/{asked}?limit={place}")).await;
        let at = names[asked];
        let expected = &all[at.saturating_sub(place)..(at + place + 1).min(all.len())];
        assert_eq!(items(&part), expected, "{asked}");
        assert_eq!(part["players"], 1_800);
        // Continues from there.
        if let Some(cursor) = part["next_cursor"].as_str() {
            let next = page(&ada, &format!("yaniv?limit=1&cursor={cursor}")).await;
            assert_eq!(items(&next)[0], all[at + place + 1]);
        }
        let own = ada.get(&format!("/v1/profiles/{asked}/ratings")).await.expect(200);
        assert_eq!(own["items"][0]["rank"], all[at]["rank"]);
        assert_eq!(own["items"][0]["players"], 1_800);
    }
    assert_eq!(whole(&ada, "kluft?limit=7").await.len(), 27);
    assert_eq!(whole(&ada, "speedy?limit=7").await.len(), 0);
    assert_eq!(whole(&ada, "speedy?bots=true&limit=7").await.len(), 18);
    assert_eq!(page(&ada, "speedy/around/bot_speedy_3").await["bots"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_on_no_leaderboard_has_no_neighbours() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    fill(&app, 20, "yaniv", false).await;
    for nobody in ["ada", "rated_yaniv_10"] {
        let part = page(&ada, &format!("yaniv/around/{nobody}")).await;
        assert_eq!((items(&part).len(), &part["players"], &part["bots"]), (0, &json!(18), &json!(false)));
        assert!(part.get("next_cursor").is_none());
    }
    ada.get("/v1/leaderboards/yaniv/around/not_there").await.expect_problem(404, "account_not_found");
    ada.get("/v1/leaderboards/bridge").await.expect_problem(404, "preset_not_found");
    ada.get("/v1/leaderboards/bridge/around/ada").await.expect_problem(404, "preset_not_found");
    for query in ["limit=0", "limit=101", "cursor=x", "cursor=1500", "cursor=many.ada", "bots=some", "of=all"]
    {
        let answer = ada.get(&format!("/v1/leaderboards/yaniv?{query}")).await;
        let problem = answer.expect_problem(422, "invalid_parameter");
        assert_eq!(problem["fields"][0]["name"], query.split('=').next().unwrap());
    }
    ada.get("/v1/leaderboards/yaniv/around/ada?limit=50").await.expect_problem(422, "invalid_parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_deleted_or_has_not_played_for_long_leaves_the_leaderboard() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    fill(&app, 20, "yaniv", false).await;
    // The best player, one who stopped playing half a year ago, and one a day later.
    let rate = |username: &str, rating: i32, days: i32| {
        format!(
            "INSERT INTO ratings (account_id, preset, bots, mu, sigma, matches, last_at, listed) \
             SELECT id, 'yaniv', false, {rating} / 60 * 1000000, 2000000, 30, now() - interval '{days} days', {rating} \
             FROM accounts WHERE username = '{username}'"
        )
    };
    app.run(&rate("bob", 2400, 1)).await;
    app.run("UPDATE ratings SET last_at = now() - interval '181 days' WHERE account_id = md5('ratedyaniv3')::uuid")
        .await;
    app.run("UPDATE ratings SET last_at = now() - interval '179 days' WHERE account_id = md5('ratedyaniv4')::uuid")
        .await;
    app.run("INSERT INTO rating_counts (preset, bots, rating, players) VALUES ('yaniv', false, 2400, 1)")
        .await;
    assert_eq!(name(&items(&page(&ada, "yaniv?limit=1").await)[0]), "bob");
    // Every instance looks for inactive players at its start.
    app.second().await;
    until("who has not played for long is gone", async || page(&ada, "yaniv").await["players"] == 18).await;
    let names: Vec<String> =
        whole(&ada, "yaniv?limit=10").await.iter().map(|item| name(item).to_owned()).collect();
    assert!(!names.contains(&"rated_yaniv_3".to_owned()) && names.contains(&"rated_yaniv_4".to_owned()));
    let left = ada.get("/v1/profiles/rated_yaniv_3/ratings").await.expect(200);
    assert_eq!(left["items"][0]["provisional"], false);
    assert!(left["items"][0].get("rank").is_none());

    bob.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    assert!(whole(&ada, "yaniv?limit=10").await.iter().all(|item| name(item) != "bob"), "at once");
    until("the others move up", async || {
        let page = page(&ada, "yaniv?limit=1").await;
        page["players"] == 17 && items(&page)[0]["rank"] == 1
    })
    .await;
    // A cursor at a player who was removed continues behind them.
    let page = page(&ada, "yaniv?limit=100&cursor=2400.bob").await;
    assert_eq!(items(&page).len(), 17);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_found_by_an_index_however_many_are_before_it() {
    #[derive(diesel::QueryableByName)]
    struct Line {
        #[diesel(sql_type = diesel::sql_types::Text)]
        #[diesel(column_name = "QUERY PLAN")]
        line: String,
    }
    let app = TestApp::start().await;
    fill(&app, 20_000, "yaniv", false).await;
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    diesel::sql_query("ANALYZE").execute(&mut connection).await.unwrap();
    let statement = "EXPLAIN SELECT r.account_id, a.username FROM ratings r JOIN accounts a ON a.id = r.account_id \
         WHERE r.preset = 'yaniv' AND r.bots = false AND r.listed IS NOT NULL AND a.deletion_asked_at IS NULL \
         AND (r.listed, r.account_id) < (1300, '00000000-0000-0000-0000-000000000000') \
         ORDER BY r.listed DESC, r.account_id DESC LIMIT 51";
    let plan: Vec<Line> = diesel::sql_query(statement).load(&mut connection).await.unwrap();
    let plan: Vec<String> = plan.into_iter().map(|row| row.line).collect();
    let plan = plan.join("\n");
    assert!(plan.contains("ratings_listed_idx"), "{plan}");
    assert!(!plan.contains("Seq Scan") && !plan.contains("Sort"), "{plan}");
}
