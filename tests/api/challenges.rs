//! Challenges: the named players are asked, and when the last has accepted, the match starts, even if no player is
//! online.

use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::{Player, TestApp, id};

pub(crate) fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap_or_else(|| panic!("{field} of {body}"))
}

async fn challenge(player: &Player, opponents: &[&str]) -> Value {
    player.challenge(None, &json!({"opponents": opponents})).await.expect(201)
}

pub(crate) async fn get(player: &Player, id: &str) -> Value {
    player.get(&format!("/v1/challenges/{id}")).await.expect(200)
}

/// Identifiers of the challenges that a player lists with this query.
pub(crate) async fn listed(player: &Player, query: &str) -> Vec<String> {
    let page = player.get(&format!("/v1/challenges?limit=100{query}")).await.expect(200);
    page["items"].as_array().unwrap().iter().map(|item| id(item).to_owned()).collect()
}

/// The answers of the members.
fn answers(challenge: &Value) -> Vec<(&str, &str)> {
    let members = challenge["members"].as_array().unwrap().iter();
    members.map(|member| (text(member, "username"), text(member, "answer"))).collect()
}

/// For an outsider it does not exist, byte for byte.
async fn sees_nothing(player: &Player, challenge: &str) {
    let none = "0193aa00-0000-7000-8000-00000000000f";
    for suffix in ["", "/accept", "/decline", "/withdraw"] {
        let ask = async |id: &str| {
            let path = format!("/v1/challenges/{id}{suffix}");
            match suffix {
                "" => player.get(&path).await,
                "/withdraw" => player.post(&path, None, &Value::Null).await,
                _ => player.post(&path, None, &json!({})).await,
            }
        };
        let (there, absent, nonsense) = (ask(challenge).await, ask(none).await, ask("nonsense").await);
        there.expect_problem(404, "challenge_not_found");
        assert_eq!((&there.body, &there.body), (&absent.body, &nonsense.body), "{suffix}");
    }
    assert!(!listed(player, "").await.contains(&challenge.to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_last_has_accepted_there_is_a_match() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (eve, zoe) = (app.player("eve").await, app.player("zoe").await);
    let body = json!({"opponents": ["bob", "eve"], "rules": {"preset": "kluft"}, "client_seed": "red"});
    let made = ada.challenge(None, &body).await;
    let challenge = made.expect(201);
    assert_eq!(made.header("location").unwrap(), format!("/v1/challenges/{}", id(&challenge)));
    assert_eq!((text(&challenge, "status"), text(&challenge, "direction")), ("open", "outgoing"));
    assert_eq!(answers(&challenge), [("ada", "accepted"), ("bob", "none"), ("eve", "none")]);
    assert_eq!((text(&challenge, "preset"), &challenge["size"]), ("kluft", &json!(3)));
    assert!(challenge.get("match_id").is_none() && challenge["waits_for_you"] == false);

    // The others see it before they choose their seeds.
    let asked = get(&bob, id(&challenge)).await;
    assert_eq!((text(&asked, "direction"), &asked["waits_for_you"]), ("incoming", &json!(true)));
    assert_eq!(asked["commitment"], challenge["commitment"]);
    sees_nothing(&zoe, id(&challenge)).await;

    let first = bob.accept_challenge(id(&challenge), "blue").await;
    let accepted = first.expect(200);
    assert_eq!((text(&accepted, "status"), &accepted["waits_for_you"]), ("open", &json!(false)));
    assert_eq!(bob.get("/v1/matches").await.expect(200)["items"], json!([]), "eve has not answered");
    let last = eve.accept_challenge(id(&challenge), "green").await;
    let match_id = text(&last.expect(200), "match_id").to_owned();
    for player in [&ada, &bob, &eve] {
        let seen = get(player, id(&challenge)).await;
        assert_eq!((text(&seen, "status"), text(&seen, "match_id")), ("accepted", match_id.as_str()));
        let view = player.view(&match_id).await;
        assert_eq!(text(&view, "status"), "running");
        let fairness = player.get(&format!("/v1/matches/{match_id}/fairness")).await.expect(200);
        assert_eq!(fairness["commitment"], challenge["commitment"]);
        assert_eq!(fairness["client_seeds"], json!(["red", "blue", "green"]));
        let seats = view["seats"].as_array().unwrap();
        let names: Vec<&str> = seats.iter().map(|seat| text(seat, "username")).collect();
        assert_eq!(names, ["ada", "bob", "eve"], "as they were named");
        assert_eq!(text(&player.settings(&match_id).await, "preset"), "kluft");
    }
    // Repetitions, with any seed, get the same answer, although the challenge has changed since.
    for (player, seed, answer) in [(&bob, "other", &first), (&eve, "green", &last)] {
        let again = player.accept_challenge(id(&challenge), seed).await;
        assert_eq!((again.status, &again.body), (answer.status, &answer.body));
    }
    bob.decline_challenge(id(&challenge), &json!({})).await.expect_problem(409, "challenge_over");
    ada.withdraw_challenge(id(&challenge)).await.expect_problem(409, "challenge_over");
    ada.view(&match_id).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_declines_ends_it_for_all_and_says_why() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    for (reason, printed) in [
        (json!({"reason": "other_rules"}), "other_rules"),
        (json!({"reason": "too_many_matches"}), "too_many_matches"),
        (json!({}), "no_reason"),
    ] {
        let challenge = challenge(&ada, &["bob", "eve"]).await;
        let accepted = eve.accept_challenge(id(&challenge), "").await;
        let declined = bob.decline_challenge(id(&challenge), &reason).await;
        declined.expect(200);
        for player in [&ada, &bob, &eve] {
            let seen = get(player, id(&challenge)).await;
            assert_eq!(text(&seen, "status"), "declined");
            assert_eq!(answers(&seen), [("ada", "accepted"), ("bob", "declined"), ("eve", "accepted")]);
            assert_eq!(text(&seen["members"][1], "decline_reason"), printed);
            assert_eq!(seen["ended_at"], seen["members"][1]["answered_at"]);
        }
        let again = bob.decline_challenge(id(&challenge), &json!({"reason": "not_now"})).await;
        assert_eq!(again.body, declined.body, "what was said first counts");
        assert_eq!(eve.accept_challenge(id(&challenge), "").await.body, accepted.body);
        bob.accept_challenge(id(&challenge), "").await.expect_problem(409, "challenge_over");
        eve.decline_challenge(id(&challenge), &json!({})).await.expect_problem(409, "challenge_over");
    }
    // Also by a player who has accepted, while others have not.
    let challenge = challenge(&ada, &["bob", "eve"]).await;
    bob.accept_challenge(id(&challenge), "").await.expect(200);
    bob.decline_challenge(id(&challenge), &json!({"reason": "not_now"})).await.expect(200);
    bob.accept_challenge(id(&challenge), "").await.expect_problem(409, "challenge_over");
    eve.accept_challenge(id(&challenge), "").await.expect_problem(409, "challenge_over");
    let odd = bob.decline_challenge(id(&challenge), &json!({"reason": "your_face"})).await;
    assert_eq!(odd.expect_problem(422, "invalid_body")["fields"][0]["name"], "reason");
    assert_eq!(eve.get("/v1/matches").await.expect(200)["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_challenger_can_withdraw_a_challenge() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let challenge = challenge(&ada, &["bob"]).await;
    bob.withdraw_challenge(id(&challenge)).await.expect_problem(403, "challenger_only");
    ada.accept_challenge(id(&challenge), "").await.expect_problem(409, "own_challenge");
    ada.decline_challenge(id(&challenge), &json!({})).await.expect_problem(409, "own_challenge");
    let withdrawn = ada.withdraw_challenge(id(&challenge)).await;
    assert_eq!(text(&withdrawn.expect(200), "status"), "withdrawn");
    assert_eq!(ada.withdraw_challenge(id(&challenge)).await.body, withdrawn.body);
    bob.accept_challenge(id(&challenge), "").await.expect_problem(409, "challenge_over");
    assert_eq!(text(&get(&bob, id(&challenge)).await, "status"), "withdrawn");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_answered_in_time_expires() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let body = json!({"opponents": ["bob"], "expires_in_hours": 3});
    let made = ada.challenge(None, &body).await.expect(201);
    let time = |field: &str| chrono::DateTime::parse_from_rfc3339(text(&made, field)).unwrap();
    assert_eq!((time("expires_at") - time("created_at")).num_minutes(), 180);
    let usual = challenge(&ada, &["bob"]).await;
    let time = |field: &str| chrono::DateTime::parse_from_rfc3339(text(&usual, field)).unwrap();
    assert_eq!((time("expires_at") - time("created_at")).num_days(), 14);
    let expire =
        format!("UPDATE challenges SET expires_at = now() - interval '1 s' WHERE id = '{}'", id(&made));
    app.run(&expire).await;
    let seen = get(&bob, id(&made)).await;
    assert_eq!((text(&seen, "status"), &seen["waits_for_you"]), ("expired", &json!(false)));
    bob.accept_challenge(id(&made), "").await.expect_problem(409, "challenge_over");
    bob.decline_challenge(id(&made), &json!({})).await.expect_problem(409, "challenge_over");
    ada.withdraw_challenge(id(&made)).await.expect_problem(409, "challenge_over");
    assert_eq!(listed(&ada, "&status=expired").await, [id(&made)]);
    assert_eq!(listed(&ada, "&status=open").await, [id(&usual)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_are_listed_by_direction_and_status_page_by_page() {
    let app = TestApp::start().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let mut made = Vec::new();
    for opponents in [&["bob"][..], &["bob", "eve"], &["eve"], &["bob"]] {
        made.push(id(&challenge(&ada, opponents).await).to_owned());
    }
    let mine = id(&challenge(&bob, &["ada"]).await).to_owned();
    bob.accept_challenge(&made[0], "").await.expect(200);
    bob.decline_challenge(&made[1], &json!({})).await.expect(200);
    ada.withdraw_challenge(&made[3]).await.expect(200);
    let ids = |places: &[usize]| places.iter().map(|place| made[*place].clone()).collect::<Vec<_>>();
    assert_eq!(listed(&ada, "&direction=outgoing").await, ids(&[3, 2, 1, 0]));
    assert_eq!(listed(&ada, "&direction=incoming").await, std::slice::from_ref(&mine));
    assert_eq!(listed(&bob, "&direction=incoming").await, ids(&[3, 1, 0]));
    assert_eq!(listed(&bob, "&direction=outgoing&status=open").await, std::slice::from_ref(&mine));
    for (status, places) in [("accepted", &[0][..]), ("declined", &[1]), ("withdrawn", &[3]), ("open", &[2])]
    {
        assert_eq!(listed(&ada, &format!("&direction=outgoing&status={status}")).await, ids(places));
    }
    assert_eq!(listed(&eve, "").await, ids(&[2, 1]));
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = ada.get(&format!("/v1/challenges?limit=2{cursor}")).await;
        let tag = page.header("etag").unwrap().to_owned();
        let path = format!("/v1/challenges?limit=2{cursor}");
        let again = ada.request(reqwest::Method::GET, &path, &[("if-none-match", &tag)], None).await;
        assert_eq!(again.status, 304);
        let page = page.expect(200);
        paged.extend(page["items"].as_array().unwrap().iter().map(|item| id(item).to_owned()));
        let Some(next) = page["next_cursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert_eq!(paged, [vec![mine.clone()], ids(&[3, 2, 1, 0])].concat());
    for (query, name) in [("status=odd", "status"), ("direction=odd", "direction"), ("cursor=odd", "cursor")]
    {
        let problem = ada.get(&format!("/v1/challenges?{query}")).await;
        assert_eq!(problem.expect_problem(422, "invalid_parameter")["fields"][0]["name"], name);
    }
    // A finished challenge is listed for a month, and can be read by its id as long as it is stored.
    app.run("UPDATE challenges SET ended_at = now() - interval '31 days' WHERE outcome = 'declined'").await;
    assert_eq!(listed(&eve, "").await, ids(&[2]));
    get(&eve, &made[1]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_makes_one_challenge_and_gets_the_same_answer() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (key, body) = (new_key(), json!({"opponents": ["bob"], "client_seed": "a"}));
    let there = ada.at(second);
    let (one, two) = tokio::join!(ada.challenge(Some(&key), &body), there.challenge(Some(&key), &body));
    assert_eq!(one.expect(201), two.expect(201));
    let challenge = one.expect(201);
    bob.decline_challenge(id(&challenge), &json!({})).await.expect(200);
    for player in [&ada, &there] {
        let again = player.challenge(Some(&key), &body).await;
        assert_eq!((again.status, &again.body), (one.status, &one.body));
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
    }
    let other = json!({"opponents": ["bob"], "client_seed": "b"});
    ada.challenge(Some(&key), &other).await.expect_problem(422, "idempotency_key_reused");
    assert_eq!(listed(&ada, "").await, [id(&challenge)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_are_held_against_the_rules_and_there_are_not_too_many() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    app.players(9).await;
    let many: Vec<String> = (0..9).map(|number| format!("player_{number}")).collect();
    let more = [many.clone(), vec!["bob".to_owned()]].concat();
    for (body, code, field) in [
        (json!({"opponents": []}), "invalid_body", "opponents"),
        (json!({"opponents": more}), "invalid_body", "opponents"),
        (json!({"opponents": ["ada"]}), "invalid_body", "opponents"),
        (json!({"opponents": ["bob", "bob"]}), "invalid_body", "opponents"),
        (json!({"opponents": "bob"}), "invalid_body", "opponents"),
        (json!({"opponents": ["bob"], "expires_in_hours": 0}), "invalid_body", "expires_in_hours"),
        (json!({"opponents": ["bob"], "expires_in_hours": 721}), "invalid_body", "expires_in_hours"),
        (json!({"opponents": ["bob"], "seat_order": "odd"}), "invalid_body", "seat_order"),
        (json!({"opponents": ["bob"], "client_seed": "a,b"}), "invalid_body", "client_seed"),
        (json!({"opponents": ["bob"], "rules": {"hand_size": 8}}), "bad_rules", "rules.hand_size"),
        (json!({"opponents": many[..4], "rules": {"preset": "speedy"}}), "bad_rules", "opponents"),
    ] {
        let problem = ada.challenge(None, &body).await.expect_problem(422, code);
        assert_eq!(problem["fields"][0]["name"], field, "{problem}");
    }
    for name in ["nobody", "Bob", "\u{0}", ""] {
        let body = json!({"opponents": ["bob", name]});
        let problem = ada.challenge(None, &body).await.expect_problem(404, "account_not_found");
        assert_eq!(problem["fields"][0]["name"], "opponents[1]");
    }
    let all = json!({"opponents": many, "seat_order": "random", "rules": {"decks": 2}});
    let all = ada.challenge(None, &all).await.expect(201);
    assert_eq!((&all["size"], text(&all, "seat_order")), (&json!(10), "random"));
    // Concurrent requests are counted under the lock: never too many.
    let body = json!({"opponents": ["bob"]});
    let asking = (0..24).map(|_| ada.challenge(None, &body));
    let answers = futures_util::future::join_all(asking).await;
    let made = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(made, 19, "twenty are open");
    ada.challenge(None, &body).await.expect_problem(409, "too_many_challenges");
    bob.challenge(None, &json!({"opponents": ["ada"]})).await.expect(201);
    bob.decline_challenge(&listed(&bob, "&direction=incoming").await[0], &json!({})).await.expect(200);
    ada.challenge(None, &body).await.expect(201);
}
