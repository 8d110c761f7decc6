//! Events of a match: by long poll and by event stream; on every instance, and only with access.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::sign_up::admin;
use crate::support::looks::Looks;
use crate::support::strategy::{Random, choose};
use crate::support::stream::Event;
use crate::support::{Player, TestApp, id, until, version};

/// A match of two, and the paths of its feeds.
struct Scene {
    app: TestApp,
    players: Vec<Player>,
    started: Value,
    events: String,
    stream: String,
}

impl Scene {
    async fn set() -> Self {
        Self::of(TestApp::start().await).await
    }

    async fn of(app: TestApp) -> Self {
        let players = app.players(2).await;
        let started = app.started(&players, json!({})).await;
        let path = format!("/v1/matches/{}", id(&started));
        Self {
            app,
            players,
            started,
            events: format!("{path}/events"),
            stream: format!("{path}/events/stream"),
        }
    }

    fn id(&self) -> &str {
        id(&self.started)
    }

    /// One action of the player to act; returns the version after it. It is never a call, so that the round continues.
    async fn act(&self, random: &mut Random) -> i64 {
        let view = self.players[0].view(self.id()).await;
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let mut view = self.players[seat].view(self.id()).await;
        if view["legal"]["discards"].as_array().is_some_and(|discards| !discards.is_empty()) {
            view["legal"]["call"] = json!(false);
        }
        let (kind, body) = choose(&view, random);
        version(&self.players[seat].act(self.id(), kind, &body).await.expect(200))
    }

    async fn resign(&self, player: usize) -> i64 {
        version(&self.players[player].resign(self.id()).await)
    }

    /// The whole log, as a player may see it now.
    async fn log(&self, player: usize) -> Vec<Value> {
        let mut log: Vec<Value> = Vec::new();
        loop {
            let path = format!("/v1/matches/{}/log?after={}", self.id(), log.len());
            let page = self.players[player].get(&path).await.expect(200);
            log.extend(page["items"].as_array().unwrap().iter().cloned());
            if page["version"] == log.len() {
                return log;
            }
        }
    }

    async fn wait(&self, player: &Player, query: &str) -> Value {
        player.get(&format!("{}?{query}", self.events)).await.expect(200)
    }
}

fn data(events: &[Event]) -> Vec<Value> {
    events.iter().map(|event| event.data.clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_happened_is_answered_at_once_in_pages_without_gaps() {
    let scene = Scene::set().await;
    let mut random = Random(1);
    for _ in 0..7 {
        scene.act(&mut random).await;
    }
    let log = scene.log(0).await;
    let begun = Instant::now();
    let mut read: Vec<Value> = Vec::new();
    while read.len() < log.len() {
        let page = scene.wait(&scene.players[0], &format!("after={}&limit=3&wait=50", read.len())).await;
        let items = page["items"].as_array().unwrap();
        assert!((1..=3).contains(&items.len()), "{page}");
        assert_eq!(page["version"], log.len());
        assert!(page["server_time"].is_string());
        read.extend(items.iter().cloned());
    }
    assert_eq!(read, log);
    assert!(begun.elapsed() < Duration::from_secs(50), "nobody waits for what is there");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nothing_happens_an_empty_list_comes_after_the_time_that_was_asked_for() {
    let scene = Scene::set().await;
    let now = version(&scene.started);
    for (wait, least) in [(0, 0), (2, 2)] {
        let begun = Instant::now();
        let page = scene.wait(&scene.players[0], &format!("after={now}&wait={wait}")).await;
        assert_eq!((&page["items"], &page["version"]), (&json!([]), &json!(now)));
        assert!(begun.elapsed() >= Duration::from_secs(least), "{:?}", begun.elapsed());
    }
    for query in ["after=-1", "wait=51", "wait=-1", "limit=0", "limit=101", "until=3"] {
        let path = format!("{}?{query}", scene.events);
        scene.players[0].get(&path).await.expect_problem(422, "invalid_parameter");
    }
}

/// Measured from the answer to the action; the best of several, as the machine may be busy.
#[tokio::test(flavor = "multi_thread")]
async fn who_waits_hears_within_a_second_at_every_instance() {
    let scene = Scene::set().await;
    let (second, looks) = (scene.app.second().await, Looks::at(&scene.app));
    let mut random = Random(3);
    for waiter in [scene.players[0].clone(), scene.players[1].at(second)] {
        let mut stream = waiter.follow(&format!("{}?after=1", scene.stream), None).await;
        let known = scene.log(0).await.len() - 1;
        stream.take(known).await;
        let mut soonest = Duration::MAX;
        for _ in 0..3 {
            let now = scene.log(0).await.len();
            let query = format!("after={now}&wait=50");
            let waiting = async { (scene.wait(&waiter, &query).await, looks.now()) };
            let following = async { (stream.next().await.unwrap(), looks.now()) };
            let acting = async {
                tokio::time::sleep(Duration::from_millis(400)).await;
                (scene.act(&mut random).await, looks.now())
            };
            let ((page, heard), (event, told), (version, done)) = tokio::join!(waiting, following, acting);
            assert_eq!(page["items"][0]["version"], now + 1);
            assert_eq!(event.data, page["items"][0], "both doors tell the same");
            assert!(version > i64::try_from(now).unwrap());
            soonest = soonest.min(heard.max(told).since(done));
            // A play with its slam-down is two entries.
            for _ in i64::try_from(now).unwrap() + 1..version {
                stream.next().await.unwrap();
            }
        }
        assert!(soonest < Duration::from_secs(1), "{soonest:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_that_was_cut_goes_on_behind_its_last_event() {
    let scene = Scene::set().await;
    let (mut random, mut cuts) = (Random(4), Random(5));
    let mut told: Vec<Event> = Vec::new();
    for _ in 0..12 {
        let last = told.last().map(|event| event.id.clone().unwrap());
        // The header takes precedence over the query, as browsers keep the original URL.
        let mut stream = scene.players[1].follow(&format!("{}?after=0", scene.stream), last.as_deref()).await;
        let now = scene.act(&mut random).await;
        let left = usize::try_from(now).unwrap() - told.len();
        told.extend(stream.take(cuts.below(left + 1)).await);
    }
    let mut stream = scene.players[1].follow(&format!("{}?after={}", scene.stream, told.len()), None).await;
    let log = scene.log(1).await;
    told.extend(stream.take(log.len() - told.len()).await);
    assert_eq!(data(&told), log);
    for (number, event) in (1..).zip(&told) {
        assert_eq!((event.name.as_str(), event.id.clone()), ("entry", Some(number.to_string())));
    }
    for wrong in ["x", "-1", "1.5"] {
        let refused = scene.players[1].try_follow(&scene.stream, Some(wrong)).await.err().unwrap();
        refused.expect_problem(422, "invalid_parameter");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_when_the_match_is_over_and_everything_told() {
    let scene = Scene::set().await;
    let mut stream = scene.players[0].follow(&scene.stream, None).await;
    let last = scene.resign(1).await;
    let told = stream.take(usize::try_from(last).unwrap()).await;
    assert_eq!(data(&told), scene.log(0).await);
    for mut stream in [stream, scene.players[0].follow(&scene.stream, Some(&last.to_string())).await] {
        let end = stream.next().await.unwrap();
        assert_eq!((end.name.as_str(), end.data), ("end", json!({"reason": "match_over"})));
        assert_eq!(end.id, None);
        assert!(stream.next().await.is_none());
    }
    let begun = Instant::now();
    scene.wait(&scene.players[0], &format!("after={last}&wait=50")).await;
    assert!(begun.elapsed() < Duration::from_secs(50), "nothing will come any more");
}

/// As after restoring a backup that is older than what the client has seen.
#[tokio::test(flavor = "multi_thread")]
async fn who_has_seen_more_than_there_is_hears_so_at_once() {
    let scene = Scene::set().await;
    let now = version(&scene.started);
    let begun = Instant::now();
    let page = scene.wait(&scene.players[0], &format!("after={}&wait=50", now + 1)).await;
    assert_eq!((&page["items"], &page["version"]), (&json!([]), &json!(now)));
    for last in [now + 1, i64::from(i32::MAX)] {
        let mut stream = scene.players[0].follow(&scene.stream, Some(&last.to_string())).await;
        let end = stream.next().await.unwrap();
        assert_eq!((end.name.as_str(), end.data), ("end", json!({"reason": "restored"})));
        assert!(stream.next().await.is_none());
    }
    assert!(begun.elapsed() < Duration::from_secs(50), "nothing is waited for");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_listens_while_the_database_loses_what_was_told_hears_so() {
    let scene = Scene::set().await;
    scene.app.run("CREATE TABLE backup AS SELECT * FROM match_states").await;
    let (kept, mut random) = (version(&scene.started), Random(6));
    let mut stream = scene.players[0].follow(&scene.stream, None).await;
    let lost = scene.act(&mut random).await;
    stream.take(usize::try_from(lost).unwrap()).await;
    // The stream has delivered what gets lost; the long poll waits for what follows it.
    let query = format!("after={lost}&wait=50");
    let waiting = scene.wait(&scene.players[1], &query);
    let losing = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        scene.app.run(&format!("DELETE FROM actions WHERE version > {kept}")).await;
        scene
            .app
            .run(
                "UPDATE match_states m SET version = b.version, updated_at = b.updated_at, state = b.state, \
                 clocks = b.clocks, check_at = b.check_at FROM backup b WHERE b.match_id = m.match_id",
            )
            .await;
    };
    let (page, ()) = tokio::join!(waiting, losing);
    assert_eq!((&page["items"], &page["version"]), (&json!([]), &json!(kept)));
    let end = stream.next().await.unwrap();
    assert_eq!((end.name.as_str(), end.data), ("end", json!({"reason": "restored"})));
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_look_any_more_is_told_nothing_more_within_a_second() {
    let scene = Scene::set().await;
    let (second, looks) = (scene.app.second().await, Looks::at(&scene.app));
    let now = version(&scene.started);
    for way in ["log_out", "suspension", "revocation"] {
        let name = if way == "suspension" { "player_1" } else { "player_0" };
        let again = Player::log_in(scene.app.address, name).await;
        let wanted = json!({"name": "x", "scopes": ["read"], "expires_in_days": 1});
        let made = again.post("/v1/tokens", None, &wanted).await.expect(201);
        let token = made["token"].as_str().unwrap().to_owned();
        let who =
            if way == "revocation" { Player { token, ..again.clone() } } else { again.clone() }.at(second);
        let mut stream = who.follow(&format!("{}?after={now}", scene.stream), None).await;
        let mut inbox = who.follow("/v1/events/stream", None).await;
        let path = format!("{}?after={now}&wait=50", scene.events);
        let waiting = async { (who.get(&path).await, looks.now()) };
        let ending = async {
            tokio::time::sleep(Duration::from_millis(500)).await;
            match way {
                "log_out" => drop(again.delete("/v1/sessions/current").await.expect(204)),
                "revocation" => {
                    let path = format!("/v1/tokens/{}", id(&made["personal_token"]));
                    drop(again.delete(&path).await.expect(204));
                }
                _ => drop(admin(&scene.app, Some("because")).suspend("player_1", None).await.unwrap()),
            }
            looks.now()
        };
        let following = async { (stream.next().await.unwrap(), inbox.next().await.unwrap(), looks.now()) };
        let ((answer, refused), (end, other, told), done) = tokio::join!(waiting, following, ending);
        answer.expect_problem(401, "invalid_token");
        assert_eq!(
            (end.data, other.data),
            (json!({"reason": "token_ended"}), json!({"reason": "token_ended"}))
        );
        let slowest = refused.max(told).since(done);
        assert!(slowest < Duration::from_millis(1500), "{way}: {slowest:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_limited_and_give_their_places_back() {
    let app = TestApp::start_with(|options| options.streams = 22).await;
    let scene = Scene::of(app).await;
    let mut open = Vec::new();
    for _ in 0..20 {
        open.push(scene.players[0].follow(&scene.stream, None).await);
    }
    let refused = scene.players[0].try_follow("/v1/events/stream", None).await.err().unwrap();
    refused.expect_problem(429, "too_many_streams");
    assert_eq!(refused.header("retry-after"), Some("5"));
    assert_eq!(refused.header("ratelimit-policy"), Some("\"streams\";q=20"));
    for _ in 0..2 {
        open.push(scene.players[1].follow("/v1/events/stream", None).await);
    }
    let refused = scene.players[1].try_follow(&scene.stream, None).await.err().unwrap();
    refused.expect_problem(503, "streams_full");
    drop(open);
    until("a place is free", async || scene.players[0].try_follow(&scene.stream, None).await.is_ok()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_stream_shows_that_it_lives() {
    let scene = Scene::set().await;
    let begun = Instant::now();
    let mut stream = scene.players[0].follow(&format!("{}?after=3", scene.stream), None).await;
    stream.beats(2).await;
    assert!(begun.elapsed() >= Duration::from_millis(1500), "{:?}", begun.elapsed());
    // No event is delayed by compression.
    let url = scene.app.url(&scene.stream);
    let request = scene.players[0].client.get(url).bearer_auth(&scene.players[0].token);
    let response = request.header("accept-encoding", "gzip").send().await.unwrap();
    assert_ne!(response.headers()["content-encoding"], "gzip");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_ask_to_wait_is_answered_at_once() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let events = format!("/v1/matches/{}/events?after=1", id(&created));
    for path in [events.as_str(), "/v1/events?after=now"] {
        let begun = std::time::Instant::now();
        let page = ada.get(path).await.expect(200);
        assert_eq!(page["items"], json!([]), "{path}");
        // With `wait` it is answered after that time.
        let at_once = begun.elapsed();
        ada.get(&format!("{path}&wait=3")).await.expect(200);
        assert!(begun.elapsed() - at_once > at_once, "{path}: {at_once:?}");
    }
}

/// A player who leaves the match loses its feeds.
#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_hears_no_more() {
    let app = TestApp::start().await;
    let (host, guest) = (app.player("host").await, app.player("guest").await);
    let created = host.create(&json!({"size": 3})).await.expect(201);
    guest.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let path = format!("/v1/matches/{}", id(&created));
    let mut stream = guest.follow(&format!("{path}/events/stream"), None).await;
    stream.take(2).await;
    guest.leave(id(&created)).await.expect(204);
    assert_eq!(stream.next().await.unwrap().data, json!({"reason": "seat_gone"}));
    guest.get(&format!("{path}/events")).await.expect_problem(404, "match_not_found");
    let refused = guest.try_follow(&format!("{path}/events/stream"), None).await.err().unwrap();
    refused.expect_problem(404, "match_not_found");
}
