//! Profiles: set, shown, removed; and no display name can imitate another player's name.

use serde_json::{Value, json};

use crate::support::player::PASSWORD;
use crate::support::{Player, TestApp, id};

async fn call_oneself(player: &Player, name: &str) -> u16 {
    player.patch("/v1/account", &json!({"display_name": name})).await.status.as_u16()
}

async fn register(app: &TestApp, name: &str) -> crate::support::Answer {
    let credentials = json!({"username": name, "password": PASSWORD});
    Player::anonymous(app.address).post("/v1/accounts", None, &credentials).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_stays_and_what_is_empty_goes() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let before = ada.get("/v1/account").await.expect(200);
    for field in ["display_name", "time_zone", "guest", "bot"] {
        assert!(before.get(field).is_none(), "{field}");
    }
    let said = json!({"display_name": "Ada Lovelace", "language": "de", "time_zone": "Europe/London"});
    let after = ada.patch("/v1/account", &said).await.expect(200);
    for (field, value) in said.as_object().unwrap() {
        assert_eq!(&after[field], value);
    }
    assert_eq!(ada.get("/v1/account").await.expect(200), after);
    // A repetition, and an empty change, have no effect.
    assert_eq!(ada.patch("/v1/account", &said).await.expect(200), after);
    assert_eq!(ada.patch("/v1/account", &json!({})).await.expect(200), after);
    let without = ada.patch("/v1/account", &json!({"language": "en"})).await.expect(200);
    assert_eq!(without["language"], "en");
    assert_eq!(without["display_name"], "Ada Lovelace");
    let gone = ada.patch("/v1/account", &json!({"display_name": "", "time_zone": ""})).await.expect(200);
    assert_eq!(gone, before);
    for (field, values) in [
        ("display_name", vec!["\u{202e}Ada", "Аda", "Ada\u{200b}", "ﬁne", " Ada", &"a".repeat(31)]),
        ("language", vec!["", "fr", "DE", "en-GB", "english language"]),
        ("time_zone", vec!["London", "Europe/Atlantis", "+01:00"]),
    ] {
        for value in values {
            let refused = ada.patch("/v1/account", &json!({field: value})).await;
            assert_eq!(refused.expect_problem(422, "invalid_body")["fields"][0]["name"], field, "{value}");
        }
    }
    ada.patch("/v1/account", &json!({"language": null})).await.expect_problem(422, "invalid_body");
    ada.patch("/v1/account", &json!({"username": "root"})).await.expect_problem(422, "invalid_body");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_account_has_the_language_that_it_chooses_or_that_its_client_accepts() {
    let app = TestApp::start().await;
    let nobody = Player::anonymous(app.address);
    for (number, (accepted, chosen, language)) in [
        (None, None, "en"),
        (Some("fr, nl-BE;q=0.8, de;q=0.9"), None, "de"),
        (Some("fr"), None, "en"),
        (Some("de"), Some("he"), "he"),
    ]
    .into_iter()
    .enumerate()
    {
        let headers: Vec<(&str, &str)> =
            accepted.map(|value| ("accept-language", value)).into_iter().collect();
        let person = json!({"username": format!("ada_{number}"), "password": PASSWORD});
        for (path, mut body) in [("/v1/accounts", person), ("/v1/guests", json!({}))] {
            if let Some(chosen) = chosen {
                body["language"] = json!(chosen);
            }
            let body = Some(body.to_string().into_bytes());
            let session = nobody.request(reqwest::Method::POST, path, &headers, body).await.expect(201);
            assert_eq!(session["account"]["language"], language, "{path} {accepted:?}");
            let account = Player::of(app.address, &session).get("/v1/account").await.expect(200);
            assert_eq!(account["language"], language);
        }
    }
    // An instance of the release before stores any tag, or none.
    let ada = app.player("ada").await;
    for (stored, language) in [("'nl-BE'", "nl"), ("'fr'", "en"), ("NULL", "en")] {
        app.run(&format!("UPDATE accounts SET language = {stored} WHERE username = 'ada'")).await;
        assert_eq!(ada.get("/v1/account").await.expect(200)["language"], language);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_block_does_not_hide_a_profile() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    ada.patch("/v1/account", &json!({"display_name": "Ada Lovelace", "language": "en"})).await.expect(200);
    let seen = bob.get("/v1/profiles/ada").await;
    let profile = seen.expect(200);
    assert_eq!((&profile["username"], &profile["display_name"]), (&json!("ada"), &json!("Ada Lovelace")));
    assert_eq!(profile.as_object().unwrap().len(), 3, "no more than that and the time: {profile}");
    let tag = [("if-none-match", seen.header("etag").unwrap())];
    bob.request(reqwest::Method::GET, "/v1/profiles/ada", &tag, None).await.expect(304);
    ada.put("/v1/blocks/bob").await.expect(204);
    bob.request(reqwest::Method::GET, "/v1/profiles/ada", &tag, None).await.expect(304);
    ada.patch("/v1/account", &json!({"display_name": "Ada"})).await.expect(200);
    let seen = bob.request(reqwest::Method::GET, "/v1/profiles/ada", &tag, None).await;
    assert_eq!(seen.expect(200)["display_name"], "Ada");
    for name in ["nobody", "ADA", "%00", "a"] {
        bob.get(&format!("/v1/profiles/{name}")).await.expect_problem(404, "account_not_found");
    }

    let several = bob.get("/v1/profiles?usernames=bob,nobody,ada").await.expect(200);
    let names: Vec<&str> =
        several["items"].as_array().unwrap().iter().map(|item| item["username"].as_str().unwrap()).collect();
    assert_eq!(names, ["ada", "bob"]);
    let twenty = vec!["ada"; 20].join(",");
    bob.get(&format!("/v1/profiles?usernames={twenty}")).await.expect(200);
    let wrong = [String::new(), "ada,".to_owned(), "ada,BOB".to_owned(), format!("{twenty},bob")];
    for names in wrong {
        let refused = bob.get(&format!("/v1/profiles?usernames={names}")).await;
        assert_eq!(refused.expect_problem(422, "invalid_parameter")["fields"][0]["name"], "usernames");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_display_name_looks_like_another() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("alice").await, app.player("eve").await);
    // Not similar to another player's username; similar to one's own is allowed.
    for name in ["Alice", "AIice", "\u{391}lice", "ALICE", "al1ce"] {
        assert!([409, 422].contains(&call_oneself(&eve, name).await), "{name}");
    }
    assert_eq!(call_oneself(&ada, "Alice").await, 200);
    // Not similar to another player's display name.
    assert_eq!(call_oneself(&ada, "Moe Illl").await, 200);
    for name in ["Moe Illl", "moe illl", "Rnoe I1ll", "rnOe lllI"] {
        let answer = eve.patch("/v1/account", &json!({"display_name": name})).await;
        answer.expect_problem(409, "display_name_taken");
    }
    // Conversely: no username similar to another player's display name.
    assert_eq!(call_oneself(&ada, "m0i1_x").await, 200);
    register(&app, "moll_x").await.expect_problem(409, "username_taken");
    assert_eq!(call_oneself(&ada, "").await, 200);
    register(&app, "moll_x").await.expect(201);
    // The database knows the skeleton of every letter of a username.
    register(&app, "abcdefghijklmnopqr").await.expect(201);
    register(&app, "stuvwxyz0123456789").await.expect(201);
    for name in ["ABCDEFGHlJKLMNOPQR", "stuvwxyzOl23456789"] {
        eve.patch("/v1/account", &json!({"display_name": name}))
            .await
            .expect_problem(409, "display_name_taken");
    }
    for name in ["Admin", "Y4niv", "Yan1v", "guest_star", "Deleted_x"] {
        let status = call_oneself(&eve, name).await;
        assert_eq!(status, if name == "Y4niv" { 200 } else { 409 }, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_username_looks_like_another() {
    let app = TestApp::start().await;
    register(&app, "alice").await.expect(201);
    for name in ["a1ice", "aiice", "alice"] {
        register(&app, name).await.expect_problem(409, "username_taken");
    }
    register(&app, "alicia").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_take_a_name_at_once_one_has_it() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(8).await;
    let names = ["Grace", "grace", "GRACE"];
    let taking = players.iter().enumerate().map(|(number, player)| {
        let player = player.at(if number % 2 == 0 { app.address } else { second });
        async move { call_oneself(&player, names[number % 3]).await }
    });
    let registering = async { register(&app, "grace").await.status.as_u16() };
    let (mut statuses, registered) = futures_util::join!(futures_util::future::join_all(taking), registering);
    statuses.push(if registered == 201 { 200 } else { registered });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 409].contains(status)), "{statuses:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn reserved_names_cannot_be_registered() {
    let app = TestApp::start().await;
    for name in ["admin", "adm1n", "yaniv", "guest_ada", "deleted_ada", "root", "r00t", "system"] {
        register(&app, name).await.expect_problem(422, "username_reserved");
    }
    register(&app, "guesthouse").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_seats_of_a_match_show_display_names_and_its_record_usernames_alone() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    assert_eq!(call_oneself(&players[0], "Secret Agent").await, 200);
    let view: Value = app.started(&players, json!({"preset": "yaniv"})).await;
    let record = players[1].record(id(&view)).await;
    assert_eq!(view["seats"][0]["display_name"], "Secret Agent");
    assert!(!view["recent"].to_string().contains("Agent") && !record.to_string().contains("Agent"));
}
