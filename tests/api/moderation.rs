//! Reports and decisions: who may report what, what moderators see and do, and how it is undone.

use futures_util::future::join_all;
use serde_json::{Value, json};
use yaniv_app::moderation::decision::DecisionKind;

use crate::sign_up::admin;
use crate::support::player::PASSWORD;
use crate::support::{Player, TestApp, id, within_a_second};

/// An identifier that does not exist.
const RANDOM: &str = "0193aa00-0000-7000-8000-0000000000ff";

/// A token of a player, with these scopes.
async fn with_token(player: &Player, scopes: &[&str]) -> Player {
    let wanted = json!({"name": "mine", "scopes": scopes, "expires_in_days": 1});
    let token = player.post("/v1/tokens", None, &wanted).await.expect(201)["token"].clone();
    Player { token: token.as_str().unwrap().to_owned(), ..player.clone() }
}

/// A new moderator, with the token of one.
pub(crate) async fn moderator(app: &TestApp, name: &str) -> Player {
    let player = app.player(name).await;
    admin(app, None).add_moderator(name).await.unwrap();
    with_token(&player, &["moderate"]).await
}

async fn report(reporter: &Player, name: &str, reason: &str) -> Value {
    let path = format!("/v1/profiles/{name}/reports");
    reporter.post(&path, None, &json!({"reason": reason, "comment": "look at this"})).await.expect(201)
}

pub(crate) fn decision(report: &Value) -> String {
    format!("/v1/moderation/reports/{}/decision", id(report))
}

async fn decide(moderator: &Player, report: &Value, kind: &str) -> Value {
    let mut body = json!({"kind": kind, "reason": "be kind"});
    if kind == "mute" {
        body["until"] = json!("2999-01-01T00:00:00Z");
    }
    moderator.put_json(&decision(report), &body).await.expect(200)
}

async fn undo(moderator: &Player, report: &Value) {
    moderator.delete(&decision(report)).await.expect(204);
}

/// The list behind a path.
pub(crate) async fn items(player: &Player, path: &str) -> Vec<Value> {
    player.get(path).await.expect(200)["items"].as_array().unwrap().clone()
}

/// A match with a dedication; returns it, and the dealer's place.
async fn dedicated(app: &TestApp, players: &[Player], text: &str) -> (Value, usize) {
    let view = app.started(players, json!({})).await;
    let dealer = usize::try_from(view["table"]["dealer"].as_u64().unwrap()).unwrap();
    let path = format!("/v1/matches/{}/dedications", id(&view));
    players[dealer].post(&path, None, &json!({"text": text})).await.expect(204);
    (view, dealer)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_goes_through_the_queue_to_a_decision_that_both_sides_see() {
    let app = TestApp::start().await;
    let (ada, bob, mod_1) =
        (app.player("ada").await, app.player("bob").await, moderator(&app, "mod_1").await);
    let guest = Player::guest(app.address).await;
    let made = report(&ada, "bob", "harassment").await;
    assert_eq!(
        (&made["about"], &made["state"], &made["username"]),
        (&json!("player"), &json!("open"), &json!("bob"))
    );
    let theirs = report(&guest, "bob", "harassment").await;
    let other = report(&ada, "bob", "undeclared_bot").await;
    assert_eq!(items(&ada, "/v1/reports").await, [other.clone(), made.clone()]);
    let queue = items(&mod_1, "/v1/moderation/reports").await;
    assert_eq!(queue.iter().map(id).collect::<Vec<_>>(), [id(&made), id(&theirs), id(&other)]);
    assert_eq!((&queue[0]["reporter"], &queue[1]["reporter"]), (&json!("ada"), &json!(guest.name)));
    assert_eq!((&queue[0]["comment"], &queue[0]["seen_text"]), (&json!("look at this"), &json!("bob")));

    // The decision closes both reports about the same, and not the one with another reason.
    let decided = decide(&mod_1, &made, "warning").await;
    assert_eq!((&decided["moderator"], &decided["username"]), (&json!("mod_1"), &json!("bob")));
    assert_eq!(
        items(&mod_1, "/v1/moderation/reports").await.iter().map(id).collect::<Vec<_>>(),
        [id(&other)]
    );
    let closed = items(&mod_1, "/v1/moderation/reports?closed=true").await;
    assert_eq!(closed.iter().map(id).collect::<Vec<_>>(), [id(&theirs), id(&made)]);
    assert!(closed.iter().all(|report| report["decision"] == decided));
    assert_eq!(items(&guest, "/v1/reports").await[0]["state"], "acted_on");
    let sanctions = items(&bob, "/v1/account/sanctions").await;
    assert_eq!(
        (sanctions.len(), &sanctions[0]["kind"], &sanctions[0]["reason"]),
        (1, &json!("warning"), &json!("be kind"))
    );
    assert!(sanctions[0].get("moderator").is_none() && !sanctions[0].to_string().contains("mod_1"));
    assert!(items(&ada, "/v1/account/sanctions").await.is_empty());

    // A dismissal is no sanction.
    let dismissed = mod_1.put_json(&decision(&other), &json!({"kind": "dismissal"})).await.expect(200);
    assert!(dismissed.get("reason").is_none());
    assert_eq!(items(&bob, "/v1/account/sanctions").await.len(), 1);
    assert_eq!(items(&ada, "/v1/reports").await[0]["state"], "dismissed");

    // Undone, it is still there, and the report can be decided again.
    undo(&mod_1, &made).await;
    assert!(items(&bob, "/v1/account/sanctions").await[0]["undone_at"].is_string());
    assert_eq!(items(&guest, "/v1/reports").await[0]["state"], "dismissed");
    decide(&mod_1, &made, "warning").await;
    assert_eq!(items(&bob, "/v1/account/sanctions").await.len(), 2);
    let decisions = items(&mod_1, "/v1/moderation/decisions?username=bob").await;
    let kinds: Vec<&str> = decisions.iter().map(|decision| decision["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["warning", "dismissal", "warning"]);
    assert!(items(&mod_1, "/v1/moderation/decisions?username=ada").await.is_empty());
    mod_1.get("/v1/moderation/decisions?username=nobody").await.expect_problem(404, "account_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_report_twice_is_one_and_a_new_one_after_the_decision() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    app.player("bob").await;
    let path = "/v1/profiles/bob/reports";
    let at_once = join_all((0..8).map(|number| {
        let body = json!({"reason": "cheating", "comment": format!("number {number}")});
        let ada = ada.clone();
        async move { ada.post(path, None, &body).await.expect(201) }
    }));
    let reports = at_once.await;
    assert!(reports.iter().all(|report| *report == reports[0]), "{reports:?}");
    assert_eq!(items(&mod_1, "/v1/moderation/reports").await.len(), 1);
    decide(&mod_1, &reports[0], "warning").await;
    let again = report(&ada, "bob", "cheating").await;
    assert_ne!(id(&again), id(&reports[0]));
    ada.post(path, None, &json!({"reason": "cheating", "seen_text": "mine"}))
        .await
        .expect_problem(422, "invalid_body");
    let long = json!({"reason": "cheating", "comment": "x".repeat(501)});
    ada.post(path, None, &long).await.expect_problem(422, "invalid_body");
    ada.post(path, None, &json!({"reason": "ugly"})).await.expect_problem(422, "invalid_body");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_see_a_thing_cannot_report_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let outsider = app.player("outsider").await;
    let (view, dealer) = dedicated(&app, &players, "with love").await;
    let other = &players[1 - dealer];
    let body = json!({"reason": "other"});
    let report = async |player: &Player, path: String| player.post(&path, None, &body).await;
    let of_match = |match_id: &str, name: &str| format!("/v1/matches/{match_id}/players/{name}/reports");
    let of_words =
        |match_id: &str, round: u8| format!("/v1/matches/{match_id}/rounds/{round}/dedication/reports");
    // A match of others is as none.
    for path in [of_match(id(&view), "player_0"), of_words(id(&view), 1)] {
        let hidden = report(&outsider, path.clone()).await;
        hidden.expect_problem(404, "match_not_found");
        assert_eq!(hidden.body, report(&outsider, path.replace(id(&view), RANDOM)).await.body);
    }
    report(other, of_match(id(&view), "outsider")).await.expect_problem(404, "player_not_found");
    report(other, of_match(id(&view), &other.name)).await.expect_problem(409, "own_account");
    report(other, of_words(id(&view), 2)).await.expect_problem(404, "round_not_found");
    report(other, "/v1/profiles/nobody/reports".to_owned()).await.expect_problem(404, "account_not_found");
    report(other, format!("/v1/profiles/{}/reports", other.name)).await.expect_problem(409, "own_account");
    report(&players[dealer], of_words(id(&view), 1)).await.expect_problem(409, "own_account");
    let made = report(other, of_match(id(&view), &players[dealer].name)).await.expect(201);
    assert_eq!((&made["about"], &made["match_id"]), (&json!("match"), &view["match_id"]));
    // Who has blocked the dealer does not see the dedication.
    let block = format!("/v1/blocks/{}", players[dealer].name);
    other.put(&block).await.expect(204);
    report(other, of_words(id(&view), 1)).await.expect_problem(404, "dedication_not_found");
    other.delete(&block).await.expect(204);
    let made = report(other, of_words(id(&view), 1)).await.expect(201);
    assert_eq!((&made["about"], &made["round"]), (&json!("dedication"), &json!(1)));
    assert_eq!(made["username"], players[dealer].name);
    // A public match that is over is seen by all, its dedications only by its players.
    let public = json!({"size": 2, "visibility": "public"});
    let public = app.started_by(&players, &public).await;
    let dealer = usize::try_from(public["table"]["dealer"].as_u64().unwrap()).unwrap();
    let words = json!({"text": "hello"});
    players[dealer].post(&format!("/v1/matches/{}/dedications", id(&public)), None, &words).await.expect(204);
    players[0].resign(id(&public)).await;
    report(&outsider, of_match(id(&public), "player_0")).await.expect(201);
    report(&outsider, of_words(id(&public), 1)).await.expect_problem(404, "dedication_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_evidence_is_what_was_shown_then() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let bob = app.player("bob").await;
    bob.patch("/v1/account", &json!({"display_name": "Bad Name"})).await.expect(200);
    let made = report(&ada, "bob", "offensive_name").await;
    assert_eq!(made["about"], "name");
    bob.patch("/v1/account", &json!({"display_name": "Good Name"})).await.expect(200);
    let shown = mod_1.get(&format!("/v1/moderation/reports/{}", id(&made))).await.expect(200);
    assert_eq!(shown["seen_text"], "Bad Name");
    mod_1.get(&format!("/v1/moderation/reports/{RANDOM}")).await.expect_problem(404, "report_not_found");
    mod_1.get("/v1/moderation/reports/x").await.expect_problem(404, "report_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_muted_player_plays_on_without_words() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let bob = app.player("bob").await;
    let robot = bob.bot("robot").await;
    bob.patch("/v1/account", &json!({"display_name": "Bob"})).await.expect(200);
    let made = report(&ada, "bob", "harassment").await;
    let without_end = json!({"kind": "mute", "reason": "be kind"});
    mod_1.put_json(&decision(&made), &without_end).await.expect_problem(422, "invalid_body");
    let past = json!({"kind": "mute", "reason": "be kind", "until": "2020-01-01T00:00:00Z"});
    mod_1.put_json(&decision(&made), &past).await.expect_problem(422, "invalid_body");
    decide(&mod_1, &made, "mute").await;

    // Dealer of one of two matches, whoever deals; also as a bot of the muted.
    let words = json!({"text": "hello"});
    let mut views = Vec::new();
    for player in [&bob, &robot] {
        let players = [player.clone(), ada.clone()];
        loop {
            let view = app.started(&players, json!({})).await;
            let path = format!("/v1/matches/{}/dedications", id(&view));
            if view["table"]["dealer"] == 0 {
                let refused = player.post(&path, None, &words).await.expect_problem(403, "muted");
                let until = "2999-01-01T00:00:00.000000Z";
                assert_eq!(refused["parameters"], json!([{"name": "muted_until", "value": until}]));
                assert_eq!(refused["detail"], format!("the account is muted until {until}"));
                views.push((player, view, path));
                break;
            }
            player.resign(id(&view)).await;
        }
    }
    let name = |name: &str| json!({"display_name": name});
    bob.patch("/v1/account", &name("Other")).await.expect_problem(403, "muted");
    bob.post("/v1/bots", None, &json!({"username": "robot_2"})).await.expect_problem(403, "muted");
    // The name that it has, the removal of it, and everything else.
    bob.patch("/v1/account", &name("Bob")).await.expect(200);
    bob.patch("/v1/account", &json!({"language": "de"})).await.expect(200);
    bob.patch("/v1/account", &name("")).await.expect(200);
    bob.resign(id(&app.started(&[bob.clone(), ada.clone()], json!({})).await)).await;
    undo(&mod_1, &made).await;
    for (player, _, path) in views {
        player.post(&path, None, &words).await.expect(204);
    }
    bob.patch("/v1/account", &name("Other")).await.expect(200);

    // It ends by itself.
    decide(&mod_1, &made, "mute").await;
    bob.patch("/v1/account", &name("Third")).await.expect_problem(403, "muted");
    app.run("UPDATE moderation_decisions SET until = clock_timestamp()").await;
    bob.patch("/v1/account", &name("Third")).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_muted_guest_keeps_the_generated_name() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let guest = Player::guest(app.address).await;
    let made = report(&ada, &guest.name, "harassment").await;
    decide(&mod_1, &made, "mute").await;
    let claim = json!({"username": "a_name", "password": PASSWORD});
    guest.post("/v1/account/claim", None, &claim).await.expect_problem(403, "muted");
    undo(&mod_1, &made).await;
    guest.post("/v1/account/claim", None, &claim).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspension_ends_what_is_open_and_is_undone_unless_another_came_later() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let bob = app.player("bob").await;
    bob.request_pairing(None, &json!({"size": 2})).await.expect(201);
    let made = report(&ada, "bob", "cheating").await;
    decide(&mod_1, &made, "suspension").await;
    assert!(bob.is_refused().await, "at once at the instance that did it");
    within_a_second("suspended everywhere", async || bob.at(second).is_refused().await).await;
    assert_eq!(ada.request_pairing(None, &json!({"size": 2})).await.expect(201)["status"], "waiting");
    let credentials = json!({"username": "bob", "password": PASSWORD});
    let log_in = async || Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await;
    let refused = log_in().await.expect_problem(403, "account_suspended");
    assert_eq!(refused["detail"], "the account is suspended: be kind");
    undo(&mod_1, &made).await;
    log_in().await.expect(201);
    // Undoing does not end what the administrator has done since, and there is one suspension at a time.
    decide(&mod_1, &made, "suspension").await;
    admin(&app, Some("for good")).suspend("bob", None).await.unwrap();
    undo(&mod_1, &made).await;
    log_in().await.expect_problem(403, "account_suspended");
    let short = json!({"kind": "suspension", "reason": "a break", "until": "2999-01-01T00:00:00Z"});
    mod_1.put_json(&decision(&made), &short).await.expect_problem(422, "invalid_body");
    let refused = log_in().await.expect_problem(403, "account_suspended");
    assert_eq!(refused["detail"], "the account is suspended: for good");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_removed_is_hidden_and_given_back() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let mod_1 = moderator(&app, "mod_1").await;
    let players = app.players(2).await;
    let (view, dealer) = dedicated(&app, &players, "bad words").await;
    let (dealer, other) = (&players[dealer], &players[1 - dealer]);
    dealer.patch("/v1/account", &json!({"display_name": "Bad Name"})).await.expect(200);
    let path = format!("/v1/matches/{}/rounds/1/dedication/reports", id(&view));
    let words = other.post(&path, None, &json!({"reason": "offensive_text"})).await.expect(201);
    let name = report(other, &dealer.name, "offensive_name").await;
    let of_words = json!({"kind": "dedication_removal", "reason": "be kind"});
    mod_1.put_json(&decision(&name), &of_words).await.expect_problem(422, "invalid_body");

    let shown = async |address| {
        let view = other.at(address).view(id(&view)).await;
        let seats = view["seats"].as_array().unwrap().clone();
        let seat = seats.into_iter().find(|seat| seat["username"] == dealer.name).unwrap();
        (view["table"]["dedication"]["text"].clone(), seat["display_name"].clone())
    };
    let both = (json!("bad words"), json!("Bad Name"));
    let neither = (Value::Null, Value::Null);
    for address in [app.address, second] {
        within_a_second("the name is shown", async || shown(address).await == both).await;
    }
    let removed = decide(&mod_1, &words, "dedication_removal").await;
    assert_eq!(removed["removed_text"], "bad words");
    assert_eq!(decide(&mod_1, &name, "name_removal").await["removed_text"], "Bad Name");
    assert_eq!(shown(app.address).await, neither);
    within_a_second("removed everywhere", async || shown(second).await == neither).await;
    let sanctions = items(dealer, "/v1/account/sanctions").await;
    assert_eq!((&sanctions[1]["match_id"], &sanctions[1]["round"]), (&view["match_id"], &json!(1)));
    undo(&mod_1, &words).await;
    undo(&mod_1, &name).await;
    assert_eq!(shown(app.address).await, both);
    within_a_second("given back everywhere", async || shown(second).await == both).await;

    // A name that another player has taken is not given back, nor one in place of a new one.
    decide(&mod_1, &name, "name_removal").await;
    other.patch("/v1/account", &json!({"display_name": "Bad Name"})).await.expect(200);
    undo(&mod_1, &name).await;
    assert!(dealer.get("/v1/account").await.expect(200).get("display_name").is_none());
    // What is removed is the reported name.
    dealer.patch("/v1/account", &json!({"display_name": "Old"})).await.expect(200);
    let of_name = json!({"kind": "name_removal", "reason": "be kind"});
    mod_1.put_json(&decision(&name), &of_name).await.expect_problem(422, "invalid_body");
    let name = report(other, &dealer.name, "offensive_name").await;
    decide(&mod_1, &name, "name_removal").await;
    dealer.patch("/v1/account", &json!({"display_name": "New"})).await.expect(200);
    undo(&mod_1, &name).await;
    assert_eq!(dealer.get("/v1/account").await.expect(200)["display_name"], "New");
    dealer.patch("/v1/account", &json!({"display_name": ""})).await.expect(200);
    mod_1.put_json(&decision(&name), &of_name).await.expect_problem(422, "invalid_body");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_moderators_one_decides_and_a_retry_gets_the_same_answer() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let ada = app.player("ada").await;
    let mods = [moderator(&app, "mod_1").await, moderator(&app, "mod_2").await.at(second)];
    for round in 0..6 {
        let name = format!("player_{round}");
        app.player(&name).await;
        let made = report(&ada, &name, "cheating").await;
        let path = decision(&made);
        let bodies = ["warning", "suspension"].map(|kind| json!({"kind": kind, "reason": "be kind"}));
        let answers =
            [mods[0].put_json(&path, &bodies[0]), mods[1].put_json(&path, &bodies[1])].map(Box::pin);
        let answers = join_all(answers).await;
        let first = answers.iter().position(|answer| answer.status == 200).unwrap();
        let decided = answers[first].expect(200);
        answers[1 - first].expect_problem(409, "report_closed");
        assert_eq!(mods[first].put_json(&path, &bodies[first]).await.expect(200), decided);
        mods[first].put_json(&path, &bodies[1 - first]).await.expect_problem(409, "report_closed");
        mods[1 - first].put_json(&path, &bodies[first]).await.expect_problem(409, "report_closed");
        assert_eq!(app.count("SELECT count(*) FROM moderation_decisions").await, round + 1);
    }
    let count =
        "SELECT count(*) FROM audit_entries WHERE action IN ('reports.warning', 'reports.suspension')";
    assert_eq!(app.count(count).await, 6);
    // Undoing is idempotent; nothing to undo is refused.
    app.player("bob").await;
    let made = report(&ada, "bob", "cheating").await;
    mods[1].delete(&decision(&made)).await.expect_problem(409, "report_open");
    decide(&mods[1], &made, "warning").await;
    for _ in 0..2 {
        undo(&mods[1], &made).await;
    }
    assert_eq!(app.count("SELECT count(*) FROM audit_entries WHERE action = 'reports.undo'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_of_a_moderator_opens_the_queue() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let wanted = |scopes: &[&str]| json!({"name": "x", "scopes": scopes, "expires_in_days": 1});
    let made = report(&ada, "bob", "cheating").await;
    let paths = of_queue(&made);
    // Not for who is none: by no kind of token.
    ada.post("/v1/tokens", None, &wanted(&["moderate"])).await.expect_problem(403, "moderator_only");
    ada.post("/v1/tokens", None, &wanted(&["read", "moderate"])).await.expect_problem(403, "moderator_only");
    admin(&app, None).add_moderator("ada").await.unwrap();
    let bot = ada.post("/v1/bots", None, &json!({"username": "robot"})).await.expect(201);
    let of_bot = format!("/v1/bots/{}/tokens", id(&bot));
    ada.post(&of_bot, None, &wanted(&["moderate"])).await.expect_problem(422, "invalid_body");
    let app_scopes = json!({
        "response_type": "code", "client_id": "app", "redirect_uri": "https://app.example/", "state": "s",
        "scope": "read moderate", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256", "approved": false,
    });
    ada.post("/v1/account/authorize-app", None, &app_scopes).await.expect_problem(422, "invalid_body");
    // Nor by a session, or another scope.
    let all = with_token(&ada, &["read", "play", "account"]).await;
    for path in &paths {
        for player in [&ada, &all, &bob] {
            let refused = player.get(path).await.expect_problem(403, "insufficient_scope");
            assert_eq!(refused["scope"], "moderate");
        }
        Player::anonymous(app.address).get(path).await.expect_problem(401, "invalid_token");
    }
    ada.put_json(&decision(&made), &json!({"kind": "dismissal"}))
        .await
        .expect_problem(403, "insufficient_scope");
    ada.delete(&decision(&made)).await.expect_problem(403, "insufficient_scope");
}

/// The paths of the queue, with one report.
fn of_queue(report: &Value) -> [String; 3] {
    [
        "/v1/moderation/reports".to_owned(),
        format!("/v1/moderation/reports/{}", id(report)),
        "/v1/moderation/decisions".to_owned(),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_a_moderator_opens_the_queue_and_nothing_else_until_the_role_is_gone() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let made = report(&ada, "bob", "cheating").await;
    let paths = of_queue(&made);
    admin(&app, None).add_moderator("ada").await.unwrap();
    let all = with_token(&ada, &["read", "play", "account"]).await;
    let token = with_token(&ada, &["moderate"]).await;
    for path in &paths {
        token.get(path).await.expect(200);
        token.at(second).get(path).await.expect(200);
    }
    for path in ["/v1/account", "/v1/reports", "/v1/account/sanctions", "/v1/tokens"] {
        token.get(path).await.expect_problem(403, "insufficient_scope");
    }
    // Of reports about the own account and its bots a moderator sees nothing.
    ada.post("/v1/bots", None, &json!({"username": "helper"})).await.expect(201);
    let own = report(&bob, "ada", "harassment").await;
    let of_bot = report(&bob, "helper", "cheating").await;
    let dismissal = json!({"kind": "dismissal"});
    for own in [&own, &of_bot] {
        token.put_json(&decision(own), &dismissal).await.expect_problem(404, "report_not_found");
        token.delete(&decision(own)).await.expect_problem(404, "report_not_found");
        let path = format!("/v1/moderation/reports/{}", id(own));
        token.get(&path).await.expect_problem(404, "report_not_found");
    }
    let ids = async |path: &str| {
        items(&token, path).await.iter().map(|item| id(item).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(ids("/v1/moderation/reports").await, [id(&made)]);
    let warning = yaniv_app::moderation::decision::DecisionKind::Warning;
    admin(&app, Some("x")).decide_report(id(&own).parse().unwrap(), warning, None).await.unwrap();
    for path in [
        "/v1/moderation/reports?closed=true",
        "/v1/moderation/decisions",
        "/v1/moderation/decisions?username=ada",
    ] {
        assert_eq!(ids(path).await, Vec::<String>::new(), "{path}");
    }

    // Without the role the token ends at once, and the others stay.
    assert_eq!(admin(&app, None).remove_moderator("ada").await.unwrap(), 1);
    for address in [app.address, second] {
        let ended = async || token.at(address).get(&paths[0]).await.status == 401;
        within_a_second("revoked", ended).await;
    }
    all.get("/v1/account").await.expect(200);
    let wanted = json!({"name": "x", "scopes": ["moderate"], "expires_in_days": 1});
    ada.post("/v1/tokens", None, &wanted).await.expect_problem(403, "moderator_only");
    app.player("cleo").await.bot("robot").await;
    let guest = Player::guest(app.address).await;
    for name in ["robot", guest.name.as_str(), "nobody"] {
        assert!(admin(&app, None).add_moderator(name).await.is_err(), "{name}");
    }
}

/// The role is checked in the transaction, too: a token that is still in the memory of an instance is not enough.
#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_the_role_is_refused_by_the_database() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    app.player("bob").await;
    let made = report(&ada, "bob", "cheating").await;
    mod_1.get("/v1/moderation/reports").await.expect(200);
    app.run("DELETE FROM moderators").await;
    mod_1.get("/v1/moderation/reports").await.expect_problem(403, "moderator_only");
    mod_1.get("/v1/moderation/decisions").await.expect_problem(403, "moderator_only");
    mod_1.get(&format!("/v1/moderation/reports/{}", id(&made))).await.expect_problem(403, "moderator_only");
    let body = json!({"kind": "dismissal"});
    mod_1.put_json(&decision(&made), &body).await.expect_problem(403, "moderator_only");
    mod_1.delete(&decision(&made)).await.expect_problem(403, "moderator_only");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_about_the_same_are_decided_together_also_after_an_undoing() {
    let app = TestApp::start().await;
    let (ada, eve, mod_1) =
        (app.player("ada").await, app.player("eve").await, moderator(&app, "mod_1").await);
    app.player("bob").await;
    let (first, second) = (report(&ada, "bob", "cheating").await, report(&eve, "bob", "cheating").await);
    let state = async || items(&eve, "/v1/reports").await[0]["state"].clone();
    decide(&mod_1, &first, "warning").await;
    assert_eq!(state().await, "acted_on");
    undo(&mod_1, &first).await;
    assert_eq!(state().await, "dismissed");
    decide(&mod_1, &first, "warning").await;
    assert_eq!(state().await, "acted_on");
    let other = json!({"kind": "suspension", "reason": "be kind"});
    mod_1.put_json(&decision(&second), &other).await.expect_problem(409, "report_closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_that_moderators_do_and_read_is_in_the_audit_log() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    app.player("bob").await;
    let made = report(&ada, "bob", "cheating").await;
    mod_1.get("/v1/moderation/reports").await.expect(200);
    mod_1.get(&format!("/v1/moderation/reports/{}", id(&made))).await.expect(200);
    decide(&mod_1, &made, "warning").await;
    undo(&mod_1, &made).await;
    mod_1.get("/v1/moderation/decisions?username=bob").await.expect(200);
    let entries = admin(&app, None).audit(Some("bob"), 100).await.unwrap();
    let done: Vec<&str> = entries.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(done, ["decisions.list", "reports.undo", "reports.warning", "reports.show"]);
    assert!(entries.iter().all(|entry| entry.by.starts_with("moderator ") && !entry.by.contains("mod_1")));
    // It goes with the account, and the audit log stays.
    assert_eq!(entries[2].reason, None);
    assert_eq!(app.count("SELECT count(*) FROM audit_entries WHERE action = 'reports.list'").await, 1);
    assert_eq!(app.count("SELECT count(*) FROM audit_entries WHERE action = 'moderators.add'").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_administrator_decides_in_the_same_queue() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let bob = app.player("bob").await;
    let made = report(&ada, "bob", "cheating").await;
    let report_id = id(&made).parse().unwrap();
    let by_hand = admin(&app, Some("be kind"));
    let warning = yaniv_app::moderation::decision::DecisionKind::Warning;
    assert!(admin(&app, None).decide_report(report_id, warning, None).await.is_err(), "a reason is needed");
    assert!(by_hand.undo_decision(report_id).await.is_err(), "nothing is decided");
    by_hand.decide_report(report_id, warning, None).await.unwrap();
    assert_eq!(items(&bob, "/v1/account/sanctions").await[0]["reason"], "be kind");
    let shown = mod_1.get(&format!("/v1/moderation/reports/{}", id(&made))).await.expect(200);
    assert!(shown["decision"].get("moderator").is_none());
    let body = json!({"kind": "warning", "reason": "be kind"});
    mod_1.put_json(&decision(&made), &body).await.expect_problem(409, "report_closed");
    // Each may undo what the other has decided.
    undo(&mod_1, &made).await;
    by_hand.decide_report(report_id, warning, None).await.unwrap();
    assert!(by_hand.undo_decision(report_id).await.unwrap().undone_at.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_pages_that_follow_each_other() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let mut made = Vec::new();
    for number in 0..5 {
        let name = format!("player_{number}");
        app.player(&name).await;
        made.push(report(&ada, &name, "cheating").await);
    }
    let walk = async |player: &Player, path: &str| {
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = player.get(&format!("{path}limit=2{cursor}")).await.expect(200);
            found.extend(page["items"].as_array().unwrap().iter().map(|item| id(item).to_owned()));
            let Some(next) = page["next_cursor"].as_str() else { return found };
            cursor = format!("&cursor={next}");
        }
    };
    let ids: Vec<String> = made.iter().map(|report| id(report).to_owned()).collect();
    let newest: Vec<String> = ids.iter().rev().cloned().collect();
    assert_eq!(walk(&mod_1, "/v1/moderation/reports?").await, ids);
    assert_eq!(walk(&ada, "/v1/reports?").await, newest);
    for report in &made {
        decide(&mod_1, report, "warning").await;
    }
    assert_eq!(walk(&mod_1, "/v1/moderation/reports?closed=true&").await, newest);
    assert_eq!(walk(&mod_1, "/v1/moderation/decisions?").await.len(), 5);
    mod_1.get("/v1/moderation/reports?cursor=x").await.expect_problem(422, "invalid_parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_limited_by_a_bucket_of_their_own() {
    let app = TestApp::start_with(|options| options.rate_limits = true).await;
    let ada = app.player("ada").await;
    app.player("bob").await;
    for _ in 0..20 {
        report(&ada, "bob", "cheating").await;
    }
    let body = json!({"reason": "cheating"});
    let refused = ada.post("/v1/profiles/bob/reports", None, &body).await;
    refused.expect_problem(429, "too_many_reports");
    assert!(refused.header("ratelimit-policy").unwrap().contains("reports"));
    ada.get("/v1/reports").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_export_has_both_sides_and_a_deletion_leaves_no_words() {
    let app = TestApp::start().await;
    let (ada, mod_1) = (app.player("ada").await, moderator(&app, "mod_1").await);
    let (bob, cleo) = (app.player("bob").await, app.player("cleo").await);
    bob.patch("/v1/account", &json!({"display_name": "Bad Name"})).await.expect(200);
    let of_bob = report(&ada, "bob", "offensive_name").await;
    let open = report(&cleo, "bob", "cheating").await;
    let of_ada = report(&bob, "ada", "harassment").await;
    decide(&mod_1, &of_bob, "name_removal").await;
    decide(&mod_1, &of_ada, "warning").await;
    let file = bob.get("/v1/account/export").await.expect(200);
    assert_eq!(file["reports"], json!(items(&bob, "/v1/reports").await));
    assert_eq!(file["sanctions"], json!(items(&bob, "/v1/account/sanctions").await));
    assert_eq!(
        (file["reports"].as_array().unwrap().len(), file["sanctions"].as_array().unwrap().len()),
        (1, 1)
    );
    assert!(!file.to_string().contains("ada's") && !file["sanctions"].to_string().contains("mod_1"));

    bob.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    let gone = "SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL";
    crate::support::until("deleted", async || app.count(gone).await == 1).await;
    let words = "SELECT count(*) FROM reports r, moderation_decisions d WHERE \
                 (r::text || d::text) ~ 'Bad Name' OR (r.subject_id = d.account_id AND d.kind = 'name_removal' \
                 AND (r.comment || r.seen_text || d.reason || coalesce(d.removed_text, '')) <> '')";
    assert_eq!(app.count(words).await, 0);
    // What bob reported stays, without bob and the words.
    let shown = mod_1.get(&format!("/v1/moderation/reports/{}", id(&of_ada))).await.expect(200);
    assert!(shown.get("reporter").is_none() && shown.get("comment").is_none());
    assert_eq!(items(&ada, "/v1/account/sanctions").await[0]["reason"], "be kind");
    // The open report about bob is closed, and nothing can be done to bob; undoing still works.
    assert!(items(&mod_1, "/v1/moderation/reports").await.is_empty());
    assert_eq!(items(&cleo, "/v1/reports").await[0]["state"], "dismissed");
    let body = json!({"kind": "warning", "reason": "be kind"});
    mod_1.put_json(&decision(&open), &body).await.expect_problem(409, "report_closed");
    undo(&mod_1, &of_bob).await;
    mod_1.put_json(&decision(&of_bob), &body).await.expect_problem(404, "account_not_found");
    // A moderator whose account is deleted is none any more.
    let with_session = Player::log_in(app.address, "mod_1").await;
    with_session.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    assert!(mod_1.get("/v1/moderation/reports").await.status == 401);
    assert_eq!(app.count("SELECT count(*) FROM moderators").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_decides_about_themselves() {
    let app = TestApp::start().await;
    app.player("bob").await;
    let (mod_1, mod_2) = (moderator(&app, "mod_1").await, moderator(&app, "mod_2").await);
    let filer = Player::log_in(app.address, "mod_1").await;
    let warning = json!({"kind": "warning", "reason": "because"});
    // Filed by oneself: another moderator decides it, and undoes it.
    let own = report(&filer, "bob", "other").await;
    mod_1.get(&format!("/v1/moderation/reports/{}", id(&own))).await.expect(200);
    mod_1.put_json(&decision(&own), &warning).await.expect_problem(403, "moderator_involved");
    mod_2.put_json(&decision(&own), &warning).await.expect(200);
    mod_1.delete(&decision(&own)).await.expect_problem(403, "moderator_involved");
    // About another moderator: an administrator decides it.
    let about = report(&Player::log_in(app.address, "bob").await, "mod_2", "other").await;
    mod_1.put_json(&decision(&about), &warning).await.expect_problem(403, "moderator_involved");
    mod_2.put_json(&decision(&about), &warning).await.expect_problem(404, "report_not_found");
    let by = admin(&app, Some("because"));
    by.decide_report(id(&about).parse().unwrap(), DecisionKind::Warning, None).await.unwrap();
}
