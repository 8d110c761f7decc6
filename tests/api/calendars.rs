//! Quiet hours and vacations: stored once, counted correctly, and private except for a vacation's last day.

use chrono::{Datelike, Days, NaiveDate, Utc};
use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::{Answer, Player, TestApp, id};

/// The first of 60 days within one year, all of which can be announced.
fn base() -> NaiveDate {
    let today = Utc::now().date_naive();
    if today.ordinal() <= 300 {
        return today + Days::new(2);
    }
    NaiveDate::from_ymd_opt(today.year() + 1, 1, 2).unwrap()
}

/// A vacation this many days after the base, of this length.
fn days(from: u64, length: u64) -> Value {
    let first = base() + Days::new(from);
    json!({"first_day": first, "last_day": first + Days::new(length - 1), "time_zone": "UTC"})
}

async fn announce(player: &Player, body: &Value) -> Answer {
    player.post("/v1/account/vacations", None, body).await
}

async fn cancel(player: &Player, vacation: &str) -> Answer {
    player.post(&format!("/v1/account/vacations/{vacation}/cancel"), None, &Value::Null).await
}

async fn quiet(player: &Player, body: &Value) -> Answer {
    player.put_json("/v1/account/quiet-hours", body).await
}

async fn calendar(player: &Player) -> Value {
    player.get("/v1/account/calendar").await.expect(200)
}

/// Days left in the year of the base.
fn left(calendar: &Value) -> &Value {
    let allowances = calendar["allowances"].as_array().unwrap();
    let allowance = allowances.iter().find(|allowance| allowance["year"] == json!(base().year()));
    &allowance.unwrap()["days_left"]
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_hours_are_set_changed_and_removed() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let empty = calendar(&ada).await;
    assert_eq!((empty.get("quiet_hours"), &empty["vacations"], left(&empty)), (None, &json!([]), &json!(28)));

    let wanted = json!({"from_time": "22:30", "to_time": "07:30"});
    let refused = quiet(&ada, &wanted).await.expect_problem(422, "invalid_body");
    assert_eq!(refused["fields"][0]["name"], "time_zone", "nobody knows where they are");
    ada.patch("/v1/account", &json!({"time_zone": "Pacific/Chatham"})).await.expect(200);
    let set = quiet(&ada, &wanted).await.expect(200);
    let hours = json!({"from_time": "22:30", "to_time": "07:30", "time_zone": "Pacific/Chatham"});
    assert_eq!(set["quiet_hours"], hours);
    // Vacations keep their dates when the time zone changes.
    ada.patch("/v1/account", &json!({"time_zone": "UTC"})).await.expect(200);
    let seen = ada.get("/v1/account/calendar").await;
    assert_eq!(seen.expect(200)["quiet_hours"], hours);
    let tag = [("if-none-match", seen.header("etag").unwrap())];
    ada.request(reqwest::Method::GET, "/v1/account/calendar", &tag, None).await.expect(304);

    let other = json!({"from_time": "00:00", "to_time": "10:00", "time_zone": "Europe/London"});
    assert_eq!(quiet(&ada, &other).await.expect(200)["quiet_hours"], other);
    ada.delete("/v1/account/quiet-hours").await.expect(204);
    ada.delete("/v1/account/quiet-hours").await.expect(204);
    assert!(calendar(&ada).await.get("quiet_hours").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn quiet_hours_that_are_none_are_refused_by_their_field() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (field, from, to, zone) in [
        ("to_time", "22:00", "22:00", "UTC"),
        ("to_time", "22:00", "08:01", "UTC"),
        ("to_time", "22:00", "24:00", "UTC"),
        ("to_time", "22:00", "7:00", "UTC"),
        ("from_time", "22:60", "07:00", "UTC"),
        ("from_time", "+2:00", "07:00", "UTC"),
        ("from_time", "2200", "07:00", "UTC"),
        ("time_zone", "22:00", "07:00", "+01:00"),
        ("time_zone", "22:00", "07:00", "Europe/Atlantis"),
    ] {
        let body = json!({"from_time": from, "to_time": to, "time_zone": zone});
        let refused = quiet(&ada, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(refused["fields"][0]["name"], field, "{body}");
    }
    assert!(calendar(&ada).await.get("quiet_hours").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vacation_is_announced_once_and_counted() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let key = new_key();
    let path = "/v1/account/vacations";
    let first = ada.post(path, Some(&key), &days(0, 10)).await;
    let vacation = first.expect(201);
    let midnight = |day: NaiveDate| json!(format!("{day}T00:00:00.000000Z"));
    assert_eq!(vacation["begins_at"], midnight(base()));
    assert_eq!(vacation["ends_at"], midnight(base() + Days::new(10)));
    // A repetition with its key does not announce it again, even after it was cancelled; another body is refused.
    let again = ada.post(path, Some(&key), &days(0, 10)).await;
    assert_eq!((&again.expect(201), again.header("idempotency-replayed")), (&vacation, Some("true")));
    ada.post(path, Some(&key), &days(0, 11)).await.expect_problem(422, "idempotency_key_reused");
    let seen = calendar(&ada).await;
    assert_eq!((&seen["vacations"], left(&seen)), (&json!([vacation]), &json!(18)));
    announce(&ada, &days(9, 1)).await.expect_problem(409, "vacation_overlap");
    let refused = announce(&ada, &days(10, 19)).await.expect_problem(409, "vacation_days_used");
    assert!(refused["detail"].as_str().unwrap().contains("18 days"), "{refused}");
    announce(&ada, &days(10, 18)).await.expect(201);
    announce(&ada, &days(30, 1)).await.expect_problem(409, "vacation_days_used");
    assert_eq!(left(&calendar(&ada).await), &json!(0));

    cancel(&ada, id(&vacation)).await.expect(200);
    let again = ada.post(path, Some(&key), &days(0, 10)).await;
    assert_eq!((&again.expect(201), again.header("idempotency-replayed")), (&vacation, Some("true")));
    assert_eq!(left(&calendar(&ada).await), &json!(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn days_and_times_are_read_in_one_form() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for day in ["2027-1-1", "2027-01-1", " 2027-01-01", "+2027-01-01", "2027-02-30", "20270101"] {
        let body = json!({"first_day": day, "last_day": "2027-01-02", "time_zone": "UTC"});
        let problem = announce(&ada, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "first_day", "{day}");
    }
    for time in ["2027-01-01%2000:00:00Z", "2027-1-1T00:00:00Z", "2027-01-01T00:00:00", "2027-01-01"] {
        let path = format!("/v1/history?since={time}");
        ada.get(&path).await.expect_problem(422, "invalid_parameter");
    }
    ada.get("/v1/history?since=2027-01-01T00:00:00%2B02:00").await.expect(200);
    for month in ["2027-1", "2027-001", "2027-+1", "2027-13"] {
        let path = format!("/v1/profiles/ada/statistics/months?since={month}");
        ada.get(&path).await.expect_problem(422, "invalid_parameter");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn vacation_that_cannot_be_is_refused() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let today = Utc::now().date_naive();
    let span =
        |first: String, last: String| json!({"first_day": first, "last_day": last, "time_zone": "UTC"});
    let (soon, late) = (today + Days::new(3), today + Days::new(368));
    for (first, last, status, code) in [
        (today.to_string(), soon.to_string(), 409, "vacation_too_soon"),
        ("0001-01-01".to_owned(), soon.to_string(), 409, "vacation_too_soon"),
        ((soon + Days::new(1)).to_string(), soon.to_string(), 422, "invalid_body"),
        (soon.to_string(), late.to_string(), 422, "invalid_body"),
        (soon.to_string(), "9999-12-31".to_owned(), 422, "invalid_body"),
        ("2026-02-30".to_owned(), soon.to_string(), 422, "invalid_body"),
        ("tomorrow".to_owned(), soon.to_string(), 422, "invalid_body"),
    ] {
        let body = span(first, last);
        announce(&ada, &body).await.expect_problem(status, code);
    }
    let mut nowhere = days(0, 1);
    nowhere.as_object_mut().unwrap().remove("time_zone");
    let refused = announce(&ada, &nowhere).await.expect_problem(422, "invalid_body");
    assert_eq!(refused["fields"][0]["name"], "time_zone");
    assert_eq!(calendar(&ada).await["vacations"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn others_see_who_is_away_and_until_which_day() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    quiet(&ada, &json!({"from_time": "22:00", "to_time": "06:00", "time_zone": "UTC"})).await.expect(200);
    announce(&ada, &days(0, 3)).await.expect(201);
    announce(&ada, &days(3, 2)).await.expect(201);
    announce(&ada, &days(6, 2)).await.expect(201);
    let before = bob.get("/v1/profiles/ada").await;
    assert_eq!(before.expect(200).as_object().unwrap().len(), 2, "what has not begun is nobody's business");
    // The days pass.
    app.run(
        "UPDATE vacations SET begins_at = begins_at - d, ends_at = ends_at - d FROM \
         (SELECT min(begins_at) - now() + interval '1 day' AS d FROM vacations) AS passed",
    )
    .await;
    let tag = [("if-none-match", before.header("etag").unwrap())];
    let seen = bob.request(reqwest::Method::GET, "/v1/profiles/ada", &tag, None).await.expect(200);
    // The second starts where the first ends; the third does not.
    assert_eq!(seen["on_vacation_until"], json!(base() + Days::new(4)));
    assert_eq!(seen.as_object().unwrap().len(), 3, "no more than that, the name and the time: {seen}");
    let both = bob.get("/v1/profiles?usernames=ada,bob").await.expect(200);
    assert_eq!(both["items"][0]["on_vacation_until"], seen["on_vacation_until"]);
    assert!(both["items"][1].get("on_vacation_until").is_none());
    app.run("UPDATE vacations SET begins_at = begins_at - interval '30 days', ends_at = ends_at - interval '30 days'")
        .await;
    assert!(bob.get("/v1/profiles/ada").await.expect(200).get("on_vacation_until").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_vacation_that_has_begun_is_cancelled_from_the_next_day_on() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let coming = announce(&ada, &days(0, 5)).await.expect(201);
    cancel(&bob, id(&coming)).await.expect_problem(404, "vacation_not_found");
    cancel(&ada, "nonsense").await.expect_problem(404, "vacation_not_found");
    let after = cancel(&ada, id(&coming)).await.expect(200);
    assert_eq!((&after["vacations"], left(&after)), (&json!([]), &json!(28)), "nothing of it is left");
    let again = cancel(&ada, id(&coming)).await.expect(200);
    assert_eq!(again["vacations"], json!([]));

    // A vacation whose second day is today.
    let running = announce(&ada, &days(0, 5)).await.expect(201);
    let today = Utc::now().date_naive();
    let (first, last) = (today.pred_opt().unwrap(), today + Days::new(3));
    app.run(&format!(
        "UPDATE vacations SET first_day = '{first}', last_day = '{last}', begins_at = '{first} 00:00Z', \
         ends_at = '{} 00:00Z' WHERE cancelled_at IS NULL",
        last.succ_opt().unwrap()
    ))
    .await;
    let after = cancel(&ada, id(&running)).await.expect(200);
    let shortened = &after["vacations"][0];
    let ends: NaiveDate = shortened["last_day"].as_str().unwrap().parse().unwrap();
    // Tomorrow, if the test runs in the last hour of a day, or past midnight.
    assert!(ends >= today && ends <= today + Days::new(1), "{after}");
    assert!(shortened["cancelled_at"].is_string(), "{after}");
    assert_eq!(shortened["ends_at"], json!(format!("{}T00:00:00.000000Z", ends + Days::new(1))));
    assert_eq!(cancel(&ada, id(&running)).await.expect(200)["vacations"], after["vacations"]);

    let over = announce(&ada, &days(10, 2)).await.expect(201);
    app.run(&format!(
        "UPDATE vacations SET first_day = '{first}', last_day = '{first}', begins_at = '{first} 00:00Z', \
         ends_at = '{today} 00:00Z' WHERE id = '{}'",
        id(&over)
    ))
    .await;
    cancel(&ada, id(&over)).await.expect_problem(409, "vacation_over");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_do_not_give_more_days() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let ada = app.player("ada").await;
    let asking = (0..10).map(|number| {
        let player = ada.at(if number % 2 == 0 { app.address } else { second });
        async move { announce(&player, &days(number * 4, 4)).await }
    });
    let answers = futures_util::future::join_all(asking).await;
    let (good, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 201);
    assert_eq!(good.len(), 7);
    for answer in refused {
        answer.expect_problem(409, "vacation_days_used");
    }
    assert_eq!(left(&calendar(&ada).await), &json!(0));
}
