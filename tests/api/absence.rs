//! Absent players: matches continue and end automatically; and a year in which one of two players plays rarely.

use chrono::{DateTime, Datelike, Duration, NaiveDate, TimeDelta, Timelike, Utc};
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::clocks::{pass, sandbox};
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version};

const DAY: i64 = 86_400;

pub(crate) async fn whole_log(player: &Player, match_id: &str) -> Vec<Value> {
    let mut entries: Vec<Value> = Vec::new();
    loop {
        let path = format!("/v1/matches/{match_id}/log?limit=100&after={}", entries.len());
        let page = player.get(&path).await.expect(200);
        entries.extend(page["items"].as_array().unwrap().iter().cloned());
        if i64::try_from(entries.len()).unwrap() >= page["version"].as_i64().unwrap() {
            return entries;
        }
    }
}

async fn whole_ledger(player: &Player, match_id: &str) -> Vec<Value> {
    let (mut lines, mut after): (Vec<Value>, i64) = (Vec::new(), 0);
    let now = version(&player.view(match_id).await);
    while after < now {
        let path = format!("/v1/matches/{match_id}/clock-changes?after={after}");
        let page = player.get(&path).await.expect(200);
        lines.extend(page["items"].as_array().unwrap().iter().cloned());
        after = page["version"].as_i64().unwrap();
    }
    lines
}

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn five_bots_and_one_who_never_comes_end_their_match_within_two_weeks() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // Twelve rounds with at least one turn for each player: enough for a bot to take the seat, and no player is out
    // before.
    let rules = json!({"preset": "yaniv", "max_rounds": 12, "min_turns": 1, "elimination": 1000});
    let bots = ["easy", "easy", "medium", "medium", "easy"];
    let body = json!({"size": 6, "rules": rules, "sandbox": true, "bots": bots,
        "time_control": {"clock": "turn", "turn_seconds": DAY, "misses": 2}});
    let created = ada.create(&body).await.expect(201);
    let match_id = id(&created);
    let started = ada.start(match_id).await.expect(200);
    let mut days = 0;
    while ada.view(match_id).await["status"] == "running" {
        // The bots play until they wait for the absent player, or the match is over.
        until("the bots have played", async || {
            let view = ada.view(match_id).await;
            view["your_turn"] == true || view["status"] == "finished"
        })
        .await;
        if ada.view(match_id).await["status"] == "finished" {
            break;
        }
        days += 1;
        assert!(days <= 14, "two weeks, and it is not over");
        pass(&ada, match_id, DAY + 3).await;
        let seen = days;
        until("what is due is done", async || {
            let view = ada.view(match_id).await;
            let held = view["seats"].to_string().contains("held_by_bot");
            // Once a bot has the seat, the match needs no player.
            if held { view["status"] == "finished" } else { missed(&ada, match_id).await >= seen }
        })
        .await;
    }
    let log = whole_log(&ada, match_id).await;
    let versions: Vec<i64> = log.iter().map(version).collect();
    assert_eq!(versions, (1..=i64::try_from(log.len()).unwrap()).collect::<Vec<_>>());
    let own = log.iter().filter(|entry| entry["username"] == "ada" && version(entry) > version(&started));
    let mut held = false;
    for entry in own {
        match entry["type"].as_str().unwrap() {
            "clock_moved" => {}
            "seat_held" => held = true,
            kind => {
                let expected = if held { "bot" } else { "absent" };
                assert_eq!(entry["automatic"], expected, "{kind}: {entry}");
            }
        }
    }
    assert!(held, "a bot has taken the seat");
    let bots_acted = log.iter().any(|entry| entry["username"] != "ada" && entry["type"] == "play");
    assert!(bots_acted);
    assert!(ada.view(match_id).await["result"].is_object());
    let finer = "SELECT count(*) FROM actions WHERE at <> date_trunc('milliseconds', at)";
    assert_eq!(app.count(finer).await, 0);
}

/// Deadlines that a player of the match has missed.
async fn missed(player: &Player, match_id: &str) -> usize {
    let lines = whole_ledger(player, match_id).await;
    lines.iter().filter(|line| line["reason"] == "turn_missed").count()
}

/// Periods in which a player's clock is stopped.
struct Stops {
    zone: Tz,
    quiet: (u32, u32),
    vacations: Vec<(NaiveDate, NaiveDate)>,
}

impl Stops {
    fn stands(&self, at: DateTime<Utc>) -> bool {
        let there = at.with_timezone(&self.zone);
        let day = there.date_naive();
        let (from, to) = self.quiet;
        let hour = there.hour();
        hour >= from
            || hour < to
            || self.vacations.iter().any(|(first, last)| (*first..=*last).contains(&day))
    }

    /// Minutes for which the clock runs between two times.
    fn minutes(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> i64 {
        let mut at = from;
        let mut count = 0;
        while at < to {
            count += i64::from(!self.stands(at));
            at += Duration::minutes(1);
        }
        count
    }
}

/// Announces vacation in the next year, before and after the changes to and from summer time.
async fn furnish(player: &Player, zone: Tz, changes: &[(u32, u32)]) -> Stops {
    let hours = json!({"from_time": "22:00", "to_time": "07:00", "time_zone": zone.name()});
    player.put_json("/v1/account/quiet-hours", &hours).await.expect(200);
    let year = Utc::now().year() + 1;
    let mut vacations = Vec::new();
    for (month, day) in changes {
        let middle = NaiveDate::from_ymd_opt(year, *month, *day).unwrap();
        let (first, last) = (middle - TimeDelta::days(2), middle + TimeDelta::days(2));
        let body = json!({"first_day": first, "last_day": last, "time_zone": zone.name()});
        player.post("/v1/account/vacations", None, &body).await.expect(201);
        vacations.push((first, last));
    }
    Stops { zone, quiet: (22, 7), vacations }
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_year_every_deadline_comes_once_and_never_early() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let stops = [
        furnish(&players[0], chrono_tz::America::New_York, &[(3, 14), (7, 4), (11, 7)]).await,
        furnish(&players[1], chrono_tz::Europe::Berlin, &[(3, 28), (5, 1), (10, 31)]).await,
    ];
    let time_control = json!({"clock": "turn", "turn_seconds": DAY, "misses": 10, "then": "safe_turns"});
    let started = sandbox(&players, time_control).await;
    let match_id = id(&started);
    // Another instance, whose scheduler handles the match as well.
    let elsewhere = app.second().await;
    let mut random = Random(11);
    let end = time(&started["server_time"]) + Duration::days(370);
    let mut now = time(&started["server_time"]);
    while now < end {
        let view = players[random.below(2)].at(elsewhere).view(match_id).await;
        if view["status"] != "running" {
            break;
        }
        if view["your_turn"] == true && random.below(3) == 0 {
            let mut view = view;
            view["legal"]["call"] = json!(false);
            let (kind, body) = choose(&view, &mut random);
            let player = &players[usize::try_from(view["your_seat"].as_u64().unwrap()).unwrap()];
            // The deadline may just have passed.
            player.act(match_id, kind, &body).await;
        }
        let hours = i64::try_from(random.below(60)).unwrap() + 1;
        now = time(&pass(&players[0], match_id, hours * 3600).await["server_time"]);
        until("nobody is late", async || {
            let view = players[0].view(match_id).await;
            let late =
                |seat: &Value| seat.get("deadline").is_some_and(|at| time(at) + Duration::seconds(3) < now);
            !view["seats"].as_array().unwrap().iter().any(late)
        })
        .await;
    }
    assert!(now >= end, "the match has ended before the year");
    check_ledger(&players[0], match_id, &stops).await;
}

async fn check_ledger(player: &Player, match_id: &str, stops: &[Stops; 2]) {
    let log = whole_log(player, match_id).await;
    let lines = whole_ledger(player, match_id).await;
    let mut last: [Option<&Value>; 2] = [None, None];
    let mut began: [Option<DateTime<Utc>>; 2] = [None, None];
    let (mut missed, mut counted) = (0, 0);
    for line in &lines {
        let seat = usize::try_from(line["seat"].as_u64().unwrap()).unwrap();
        if let Some(before) = last[seat] {
            assert_eq!(before.get("deadline_after"), line.get("deadline_before"), "{before} {line}");
            assert_eq!(before["bank_after_seconds"], line["bank_before_seconds"]);
        }
        last[seat] = Some(line);
        let at = time(&line["at"]);
        match line["reason"].as_str().unwrap() {
            "turn_began" => began[seat] = Some(at),
            "turn_missed" => {
                let deadline = time(&line["deadline_before"]);
                assert!(at >= deadline + Duration::seconds(2), "too early: {line}");
                // Independent calculation: the clock has run for a day, counted minute by minute.
                let ran = stops[seat].minutes(began[seat].unwrap(), deadline);
                assert!((1439..=1441).contains(&ran), "{ran} minutes: {line}");
                missed += 1;
                let entry = log.iter().find(|entry| entry["version"] == line["version"]).unwrap();
                assert!(entry["automatic"] == "absent" || entry["type"] == "seat_held", "{entry}");
            }
            "turn_used" => {
                let deadline = time(&line["deadline_before"]);
                assert!(at < deadline + Duration::seconds(2), "too late: {line}");
                counted += 1;
            }
            _ => {}
        }
    }
    let absent = log.iter().filter(|entry| entry["automatic"] == "absent" || entry["type"] == "seat_held");
    assert_eq!(absent.count(), missed, "each deadline once");
    assert!(missed > 50 && counted > 5, "{missed} missed, {counted} kept");
}
