//! Records the examples of the OpenAPI document: Ada and Bob play a match, and call the other operations.
//!
//! `story.json` has the answers of the last recording; `contract/renew story` records them again. An operation without a
//! recording has the example of another one with the same schema, or one composed from the schema.

use serde_json::{Value, json};

use crate::ratings::all_rated;
use crate::sign_up::admin;
use crate::statistics::all_counted;
use crate::support::authenticator::Authenticator;
use crate::support::statements::Counts;
use crate::support::story::Story;
use crate::support::strategy::{Random, choose};
use crate::support::{PUBLIC_URL, Player, TestApp, version};

/// Where the story is committed.
const COMMITTED: &str = "crates/yaniv-http/src/openapi/story.json";
/// Environment variable: set to record again.
const RENEW: &str = "YANIV_RENEW_STORY";

/// `documents` proves that the bodies match the schemas: there fails a story whose fields have other names or types, or
/// that lacks a new field. Optional fields are not compared, as they depend on random cards.
#[tokio::test(flavor = "multi_thread")]
async fn the_examples_of_the_document_are_a_story_that_the_service_tells() {
    let app = TestApp::start_with(|options| options.public_url = Some(PUBLIC_URL.to_owned())).await;
    let (told, _) = tell(&app).await;
    if std::env::var_os(RENEW).is_some() {
        std::fs::write(COMMITTED, serde_json::to_string_pretty(&told).unwrap() + "\n").unwrap();
    }
    let committed: Value = serde_json::from_str(&std::fs::read_to_string(COMMITTED).unwrap()).unwrap();
    let (committed, told) = (outline(&committed), outline(&told));
    let differ =
        committed.iter().chain(&told).filter(|line| !(committed.contains(line) && told.contains(line)));
    assert_eq!(
        differ.collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "{COMMITTED} is out of date: contract/renew story"
    );
}

/// Each operation with its status.
fn outline(story: &Value) -> Vec<String> {
    let told = story.as_object().unwrap().iter();
    told.map(|(operation, told)| format!("{operation} {}", told["status"])).collect()
}

/// The identifier of a thing: its first field that is one.
fn own_id(thing: &Value) -> &str {
    let fields = thing.as_object().unwrap().iter();
    let mut ids = fields.filter(|(name, _)| name.ends_with("_id"));
    ids.next().unwrap().1.as_str().unwrap()
}

struct Stage<'a> {
    app: &'a TestApp,
    story: Story,
    nobody: Player,
    ada: Player,
    bob: Player,
}

pub(crate) async fn tell(app: &TestApp) -> (Value, Counts) {
    let mut story = Story::begin(app.statements.clone());
    let nobody = Player::anonymous(app.address);
    for operation in ["getHealth", "getReadiness", "getServer", "listPresets", "listRuleOptions"] {
        story.tell(&nobody, operation, &[]).await;
    }
    let session = story.tell(&nobody, "registerAccount", &[]).await;
    let (ada, bob) = (Player::of(app.address, &session), app.player("bob").await);
    let mut stage = Stage { app, story, nobody, ada, bob };
    stage.sessions().await;
    stage.account().await;
    stage.passkeys().await;
    stage.guest().await;
    stage.people().await;
    stage.moderation().await;
    stage.bots().await;
    stage.channels().await;
    let match_id = stage.lobby().await;
    stage.play(&match_id).await;
    stage.end(&match_id).await;
    stage.history(&match_id).await;
    stage.challenges(&match_id).await;
    stage.waiting().await;
    stage.story.end()
}

impl Stage<'_> {
    async fn ada(&mut self, operation: &str, path: &[&str]) -> Value {
        self.story.tell(&self.ada, operation, path).await
    }

    async fn bob(&mut self, operation: &str, path: &[&str]) -> Value {
        self.story.tell(&self.bob, operation, path).await
    }

    async fn sessions(&mut self) {
        let again = self.story.tell(&self.nobody, "logIn", &[]).await;
        let token = json!({"refresh_token": again["refresh_token"]});
        let again = self.story.tell_but(&self.nobody, "refreshSession", &[], token).await;
        let again = Player::of(self.app.address, &again);
        let sessions = self.ada("listSessions", &[]).await;
        let other = sessions["items"].as_array().unwrap().iter().find(|session| session["current"] != true);
        self.story.names(&json!(own_id(other.unwrap())), 2);
        self.story.tell(&again, "logOut", &[]).await;
        self.ada("endOtherSessions", &[]).await;
    }

    async fn account(&mut self) {
        self.ada("updateAccount", &[]).await;
        self.ada("getAccount", &[]).await;
        self.ada("setQuietHours", &[]).await;
        let days = json!({"first_day": self.story.day_after(33), "last_day": self.story.day_after(42)});
        let vacation = self.story.tell_but(&self.ada, "announceVacation", &[], days).await;
        self.ada("getCalendar", &[]).await;
        self.ada("cancelVacation", &[own_id(&vacation)]).await;
        self.ada("removeQuietHours", &[]).await;
        self.story.tell_but(&self.ada, "authorizeApp", &[], json!({"approved": false})).await;
        let token = self.ada("createToken", &[]).await;
        self.story.names(&json!(own_id(&token["personal_token"])), 3);
        self.ada("listTokens", &[]).await;
        self.ada("revokeToken", &[own_id(&token["personal_token"])]).await;
    }

    /// Ada adds a passkey and logs in with it.
    async fn passkeys(&mut self) {
        let options = self.ada("createPasskeyOptions", &[]).await;
        let (mut passkey, credential) = Authenticator::create(PUBLIC_URL, &options["public_key"]);
        let made = json!({"credential": credential});
        let made = self.story.tell_but(&self.ada, "createPasskey", &[], made).await;
        let options = self.story.tell(&self.nobody, "createPasskeyLogInOptions", &[]).await;
        let answer = json!({"credential": passkey.assert(&options["public_key"])});
        self.story.tell_but(&self.nobody, "logInWithPasskey", &[], answer).await;
        self.ada("listPasskeys", &[]).await;
        self.ada("deletePasskey", &[own_id(&made)]).await;
        self.ada("createTransferCode", &[]).await;
    }

    /// A guest claims the account, changes its password and deletes it.
    async fn guest(&mut self) {
        let cleo = json!({"display_name": "Cleo", "device": "Cleo's phone"});
        let session = self.story.tell_but(&self.nobody, "createGuest", &[], cleo).await;
        let guest = Player::of(self.app.address, &session);
        self.story.tell_but(&guest, "claimAccount", &[], json!({"username": "cleo"})).await;
        let body = self.story.example("changePassword");
        self.story.tell(&guest, "changePassword", &[]).await;
        let password = json!({"password": body["new_password"]});
        self.story.tell_but(&guest, "deleteAccount", &[], password).await;
    }

    async fn people(&mut self) {
        self.app.player("mallory").await;
        self.ada("addFriend", &["bob"]).await;
        self.ada("listFriends", &[]).await;
        self.ada("getProfile", &["bob"]).await;
        self.ada("listProfiles", &["?usernames=ada,bob"]).await;
        self.ada("blockAccount", &["mallory"]).await;
        self.ada("listBlocks", &[]).await;
        self.ada("unblockAccount", &["mallory"]).await;
    }

    /// Mallory, a moderator, decides what Ada reports of Bob.
    async fn moderation(&mut self) {
        let report = self.ada("reportPlayer", &["bob"]).await;
        let report = own_id(&report);
        self.story.names(&json!(report), 6);
        self.ada("listReports", &[]).await;
        admin(self.app, None).add_moderator("mallory").await.unwrap();
        let mallory = Player::log_in(self.app.address, "mallory").await;
        let wanted = json!({"name": "queue", "scopes": ["moderate"], "expires_in_days": 1});
        let token = mallory.post("/v1/tokens", None, &wanted).await.expect(201)["token"].clone();
        let moderator = Player { token: token.as_str().unwrap().to_owned(), ..mallory };
        self.story.tell(&moderator, "listReportQueue", &[]).await;
        self.story.tell(&moderator, "decideReport", &[report]).await;
        self.story.tell(&moderator, "getReport", &[report]).await;
        self.bob("listSanctions", &[]).await;
        self.story.tell(&moderator, "undoDecision", &[report]).await;
        self.story.tell(&moderator, "listDecisions", &[]).await;
    }

    async fn bots(&mut self) {
        let bot = self.ada("createBot", &[]).await;
        let bot = own_id(&bot);
        self.story.names(&json!(bot), 4);
        let token = self.ada("createBotToken", &[bot]).await;
        self.ada("listBots", &[]).await;
        self.ada("listBotTokens", &[bot]).await;
        self.ada("revokeBotToken", &[bot, own_id(&token["personal_token"])]).await;
        self.ada("deleteBot", &[bot]).await;
    }

    async fn channels(&mut self) {
        self.ada("createPushChannel", &[]).await;
        let webhook = self.ada("createWebhookChannel", &[]).await;
        let channel = own_id(&webhook["channel"]);
        self.story.names(&json!(channel), 5);
        self.ada("listChannels", &[]).await;
        self.ada("getChannel", &[channel]).await;
        self.ada("updateChannel", &[channel]).await;
        self.ada("rotateChannelSecret", &[channel]).await;
        self.ada("testChannel", &[channel]).await;
        self.ada("listDeliveries", &[channel]).await;
        self.ada("setNotificationSettings", &[]).await;
        self.ada("getNotificationSettings", &[]).await;
        self.ada("deleteChannel", &[channel]).await;
    }

    /// Ada creates a match, Bob joins it, and it starts.
    async fn lobby(&mut self) -> String {
        let open = json!({"rated": true, "visibility": "public"});
        let created = self.story.tell_but(&self.ada, "createMatch", &[], open).await;
        let match_id = own_id(&created).to_owned();
        self.story.names(&json!(match_id), 1);
        let code = created["join_code"].as_str().unwrap();
        self.bob("listOpenMatches", &[]).await;
        self.bob("getMatchByCode", &[code]).await;
        self.bob("joinMatch", &[code]).await;
        self.ada("startMatch", &[&match_id]).await;
        match_id
    }

    /// The player to act, and the one who waits, each with their view.
    async fn turn(&self, match_id: &str) -> [(Player, Value); 2] {
        let views =
            [&self.ada, &self.bob].map(|player| async { (player.clone(), player.view(match_id).await) });
        let [ada, bob] = views;
        let (ada, bob) = (ada.await, bob.await);
        if ada.1["your_turn"] == true { [ada, bob] } else { [bob, ada] }
    }

    async fn play(&mut self, match_id: &str) {
        let [(mover, mut view), (waiter, other)] = self.turn(match_id).await;
        self.story.tell(&mover, "getMatch", &[match_id]).await;
        self.story.tell(&mover, "getMatchSettings", &[match_id]).await;
        self.story.tell(&mover, "listTurns", &[]).await;
        let orders = json!({
            "expected_version": version(&other),
            "call_at_most": 5,
            "plays": [{"cards": [other["hand"]["cards"][0]], "draw_from": "stock"}],
        });
        self.story.tell_with(&waiter, "setStandingOrders", &[match_id], orders).await;
        self.story.tell(&waiter, "getStandingOrders", &[match_id]).await;
        self.story.tell(&waiter, "removeStandingOrders", &[match_id]).await;
        let mut random = Random(5);
        view["legal"]["call"] = json!(false);
        let (_, mut body) = choose(&view, &mut random);
        body.as_object_mut().unwrap().remove("slam_down");
        self.story.tell_with(&mover, "playCards", &[match_id], body).await;
        loop {
            let [(mover, view), _] = self.turn(match_id).await;
            let (kind, body) = choose(&view, &mut random);
            if kind == "calls" {
                self.story.tell_with(&mover, "makeCall", &[match_id], body).await;
                return;
            }
            mover.act(match_id, kind, &body).await.expect(200);
        }
    }

    /// The first round is over. Bob gives up in the second.
    async fn end(&mut self, match_id: &str) {
        for operation in ["listRounds", "getRecap", "listLog", "listClockChanges"] {
            self.ada(operation, &[match_id]).await;
        }
        self.ada("getRound", &[match_id, "1"]).await;
        self.ada("getRoundAnalysis", &[match_id, "1"]).await;
        self.ada("listMatchEvents", &[match_id, "?wait=0"]).await;
        self.ada("listEvents", &["?wait=0"]).await;
        self.ada("listMatches", &[]).await;
        let now = version(&self.bob.view(match_id).await);
        let body = json!({"expected_version": now});
        self.story.tell_but(&self.bob, "resignMatch", &[match_id], body).await;
    }

    async fn history(&mut self, match_id: &str) {
        all_counted(self.app).await;
        all_rated(self.app, 1).await;
        self.ada("getFairness", &[match_id]).await;
        self.ada("listHistory", &[]).await;
        self.ada("getServiceStatistics", &[]).await;
        for operation in ["listProfileMatches", "getStatistics", "listStatisticsByMonth", "listRatings"] {
            self.ada(operation, &["ada"]).await;
        }
        self.ada("getHeadToHead", &["ada", "bob"]).await;
        self.ada("listRatingChanges", &["ada", "yaniv"]).await;
        self.ada("listLeaderboard", &["yaniv"]).await;
        self.ada("getLeaderboardNeighbours", &["yaniv", "ada"]).await;
    }

    async fn challenges(&mut self, match_id: &str) {
        self.bob("offerRematch", &[match_id]).await;
        self.bob("getRematch", &[match_id]).await;
        let accepted = self.ada("createChallenge", &[]).await;
        self.ada("getChallenge", &[own_id(&accepted)]).await;
        self.bob("listChallenges", &[]).await;
        self.bob("acceptChallenge", &[own_id(&accepted)]).await;
        let example = self.story.example("createChallenge");
        let declined = self.ada.challenge(None, &example).await.expect(201);
        self.bob("declineChallenge", &[own_id(&declined)]).await;
        let withdrawn = self.ada.challenge(None, &example).await.expect(201);
        self.ada("withdrawChallenge", &[own_id(&withdrawn)]).await;
        self.ada("removeFriend", &["bob"]).await;
    }

    /// A pairing request that is withdrawn, the home screen meanwhile, and a match that its host leaves.
    async fn waiting(&mut self) {
        let pairing = self.ada("requestPairing", &[]).await;
        self.ada("getPairing", &[own_id(&pairing)]).await;
        self.ada("listPairings", &[]).await;
        let created = self.ada.create(&json!({"size": 2})).await.expect(201);
        self.ada("getHome", &[]).await;
        self.ada("withdrawPairing", &[own_id(&pairing)]).await;
        self.ada("leaveMatch", &[own_id(&created)]).await;
    }
}
