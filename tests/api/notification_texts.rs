//! Texts of notifications: in the language and time zone of the recipient, with the same parameters in every language.

use chrono::{DateTime, Datelike, Utc};
use serde_json::{Value, json};

use crate::clocks::{mover, pass, sandbox};
use crate::notices::webhook;
use crate::push::{Browser, subscribe_at};
use crate::support::receiver::Receiver;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until};

const HOUR: i64 = 3600;

async fn speaks(player: &Player, language: &str, zone: &str) {
    let said = json!({"language": language, "time_zone": zone});
    player.patch("/v1/account", &said).await.expect(200);
}

/// The notification of this kind that a player got by a webhook at `/name`.
async fn told(receiver: &Receiver, player: &Player, kind: &str, is: impl Fn(&Value) -> bool) -> Value {
    let mut found = None;
    until(kind, async || {
        let all = receiver.at(&format!("/{}", player.name));
        let mut all = all.iter().map(|posted| posted.json());
        found = all.find(|said| said["type"] == kind && is(&said["data"]));
        found.is_some()
    })
    .await;
    found.unwrap()
}

async fn webhooks(players: &[Player], receiver: &Receiver, kinds: Value) {
    for player in players {
        webhook(player, receiver, &format!("/{}", player.name), json!({"kinds": kinds})).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_in_hebrew_has_the_deadline_in_the_zone_of_its_player() {
    let app = TestApp::start().await;
    let (players, receiver, browser) = (app.players(2).await, Receiver::start().await, Browser::new(7));
    for player in &players {
        speaks(player, "he", "Asia/Jerusalem").await;
        let endpoint = receiver.url(&format!("/{}", player.name));
        subscribe_at(player, &browser, &endpoint, json!({"kinds": ["deadline_near"], "immediate": true}))
            .await;
    }
    let started = sandbox(&players, json!({"clock": "turn", "turn_seconds": 48 * HOUR})).await;
    let (mover, _) = mover(&players, id(&started)).await;
    let other = players.iter().find(|player| player.name != mover.name).unwrap();
    pass(other, id(&started), 25 * HOUR).await;
    let posted = receiver.wait(&format!("/{}", mover.name), 1).await.remove(0);
    let notification = browser.read(&posted)["notification"].clone();
    let data = &notification["data"];
    assert_eq!(data["code"], "deadline_near");
    let parameters = &data["parameters"];
    assert_eq!(parameters["opponents"], json!([other.name]));
    assert_eq!((&parameters["round"], &parameters["phase"]), (&json!(1), &json!("turn")));
    let deadline: DateTime<Utc> = parameters["deadline"].as_str().unwrap().parse().unwrap();
    let local = deadline.with_timezone(&chrono_tz::Asia::Jerusalem);
    let days = ["יום ב׳", "יום ג׳", "יום ד׳", "יום ה׳", "יום ו׳", "שבת", "יום א׳"];
    let day = days[usize::try_from(local.weekday().num_days_from_monday()).unwrap()];
    let until = format!("{day} {}", local.format("%H:%M"));
    assert_eq!(notification["title"], "הזמן שלך אוזל");
    let body = format!("עד {until}: סיבוב 1 מול \u{2068}{}\u{2069}.", other.name);
    assert_eq!(notification["body"], body);
    assert_eq!((&notification["lang"], &notification["dir"]), (&json!("he"), &json!("rtl")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nudge_names_the_player_who_sent_it() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(3).await, Receiver::start().await);
    webhooks(&players, &receiver, json!(["nudged"])).await;
    let started = sandbox(&players, json!({})).await;
    let (mover, _) = mover(&players, id(&started)).await;
    speaks(mover, "de", "Europe/Berlin").await;
    let by = players.iter().rfind(|player| player.name != mover.name).unwrap();
    pass(by, id(&started), HOUR).await;
    by.post(&format!("/v1/matches/{}/nudges", id(&started)), None, &Value::Null).await.expect(200);
    let said = told(&receiver, mover, "nudged", |_| true).await;
    assert_eq!(said["data"]["nudged_by"], *by.name);
    assert_eq!(said["text"]["language"], "de");
    assert_eq!(said["text"]["title"], format!("{} wartet auf dich", by.name));
}

/// Plays until the match is over; calls `seen` with each player's view before the player acts.
async fn play_on(players: &[Player], match_id: &str, mut seen: impl AsyncFnMut(&Player, &Value)) -> Value {
    let mut random = Random(11);
    for _ in 0..2000 {
        for player in players {
            let view = player.view(match_id).await;
            if view["status"] == "finished" {
                return view;
            }
            if view["your_turn"] == true {
                seen(player, &view).await;
                let (kind, body) = choose(&view, &mut random);
                player.act(match_id, kind, &body).await;
            }
        }
    }
    panic!("the match does not end");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_and_ends_are_told_in_the_language_of_each_player() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(3).await, Receiver::start().await);
    for (player, language) in players.iter().zip(["nl", "ne", "en"]) {
        speaks(player, language, "UTC").await;
    }
    webhooks(&players, &receiver, json!(["your_turn", "round_over", "match_over"])).await;
    let started = app.started(&players, json!({"preset": "kluft", "max_rounds": 2})).await;
    let match_id = id(&started);
    let mut calls = 0;
    let end = play_on(&players, match_id, async |player, view| {
        if view["table"]["phase"] != "challenge" || calls > 0 {
            return;
        }
        calls += 1;
        let caller = view["table"]["caller"].as_u64().unwrap();
        let caller = &players[usize::try_from(caller).unwrap()].name;
        let said = told(&receiver, player, "your_turn", |data| data["phase"] == "challenge").await;
        assert_eq!(said["data"]["caller"], **caller);
        let titles = [
            format!("{caller} riep Kluft"),
            format!("{caller} ले क्लुफ्ट भन्यो"),
            format!("{caller} called Kluft"),
        ];
        assert!(titles.contains(&said["text"]["title"].as_str().unwrap().to_owned()), "{said}");
    })
    .await;
    assert_eq!(calls, 1);
    let rounds = players[0].get(&format!("/v1/matches/{match_id}/rounds")).await.expect(200);
    let first =
        &rounds["items"].as_array().unwrap().iter().find(|round| round["round"] == 1).unwrap().clone();
    let of_kind = |seat: usize, kind: &str| {
        let all = receiver.at(&format!("/{}", players[seat].name)).into_iter().map(|posted| posted.json());
        all.filter(|said| said["type"] == kind).map(|said| said["data"].clone()).collect::<Vec<Value>>()
    };
    let of_round = |seat: usize| of_kind(seat, "round_over").into_iter().find(|data| data["round"] == 1);
    until("the end of the first round, for all but the player who ended it", async || {
        (0..3).filter_map(of_round).count() == 2
    })
    .await;
    for seat in 0..3 {
        let Some(data) = of_round(seat) else { continue };
        assert_eq!(data["score"], first["result"]["scores"][seat], "{first}");
        assert_eq!(data["total"], first["result"]["totals"][seat], "{first}");
    }
    until("the end of the match, likewise", async || {
        (0..3).filter(|seat| !of_kind(*seat, "match_over").is_empty()).count() == 2
    })
    .await;
    for seat in 0..3 {
        let Some(data) = of_kind(seat, "match_over").into_iter().next() else { continue };
        assert_eq!(data["place"], end["result"]["ranking"][seat], "{end}");
        // Two, and one more for each tie.
        let played = rounds["items"].as_array().unwrap().len();
        assert_eq!((&data["players"], &data["rounds"]), (&json!(3), &json!(played)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_channel_would_read_as_its_own_syntax_stays_text() {
    let app = TestApp::start().await;
    let (ada, bob, receiver) = (app.player("_ada_").await, app.player("bob").await, Receiver::start().await);
    speaks(&bob, "he", "UTC").await;
    for format in ["discord", "ntfy"] {
        webhook(&bob, &receiver, &format!("/{format}"), json!({"format": format})).await;
    }
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let discord = receiver.wait("/discord", 1).await.remove(0).json();
    let line = "\u{2068}bob\u{2069}: הזמנה למשחק מ־\u{2068}\\_ada\\_\u{2069} – הוזמנת לשחק.";
    assert_eq!(discord["content"], line);
    let ntfy = receiver.wait("/ntfy", 1).await.remove(0);
    assert!(ntfy.header("title").starts_with("=?UTF-8?B?"), "{}", ntfy.header("title"));
}
