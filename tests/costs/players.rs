//! Two players and their match: the requests that are measured.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::RequestBuilder;
use serde_json::{Value, json};

/// What both players know of their match. The same in each program that serves it.
pub(crate) struct Table {
    tokens: [String; 2],
    match_id: String,
}

/// A match at a service, with the newest view of each player.
pub(crate) struct Play<'a> {
    table: &'a Table,
    client: reqwest::Client,
    address: String,
    hands: [Value; 2],
    to_act: usize,
    turns: usize,
    version: Value,
}

async fn send(request: RequestBuilder) -> Value {
    let answer = request.send().await.unwrap();
    let (status, body) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{status}: {body}");
    serde_json::from_str(&body).unwrap()
}

/// A new idempotency key.
fn key() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("costs-{:08x}-{:08}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

impl Table {
    /// Registers the players and starts their match.
    pub(crate) async fn set(address: &str) -> Self {
        let client = reqwest::Client::new();
        let post = async |path: &str, token: &str, body: Value| {
            let request = client.post(format!("{address}{path}")).bearer_auth(token).json(&body);
            send(request.header("idempotency-key", key())).await
        };
        let mut tokens = ["ada", "bob"].map(ToOwned::to_owned);
        for token in &mut tokens {
            let session =
                post("/v1/accounts", "", json!({"username": token, "password": "correct horse"})).await;
            *token = session["access_token"].as_str().unwrap().to_owned();
        }
        let made = post("/v1/matches", &tokens[0], json!({"size": 2, "rules": {"preset": "yaniv"}})).await;
        let text = |name: &str| made[name].as_str().unwrap().to_owned();
        post(&format!("/v1/join-codes/{}/seats", text("join_code")), &tokens[1], json!({})).await;
        post(&format!("/v1/matches/{}/start", text("match_id")), &tokens[0], json!({})).await;
        Self { tokens, match_id: text("match_id") }
    }

    /// Looks at the match at a service, with both players.
    pub(crate) async fn at(&self, address: &str) -> Play<'_> {
        let mut play = Play {
            table: self,
            // Under callgrind requests are far apart: the service closes a connection after five idle seconds.
            client: reqwest::Client::builder().pool_idle_timeout(Duration::from_secs(2)).build().unwrap(),
            address: address.to_owned(),
            hands: [Value::Null, Value::Null],
            to_act: 0,
            turns: 0,
            version: Value::Null,
        };
        for seat in 0..2 {
            let view = play.get_match(seat).await;
            let to_act = view["table"]["to_act"][0].as_u64().unwrap();
            play.to_act = usize::try_from(to_act).unwrap();
            play.version = view["version"].clone();
            play.hands[seat] = view["hand"]["cards"].clone();
        }
        play
    }
}

impl Play<'_> {
    fn url(&self) -> String {
        format!("{}/v1/matches/{}", self.address, self.table.match_id)
    }

    /// Reads the match for the player who is to act: only that view lists the legal actions.
    pub(crate) async fn look(&self) {
        self.get_match(self.to_act).await;
    }

    async fn get_match(&self, seat: usize) -> Value {
        send(self.client.get(self.url()).bearer_auth(&self.table.tokens[seat])).await
    }

    /// Plays until the player to act can discard single cards only: what a view costs depends on the number of legal discards.
    pub(crate) async fn play_to_a_plain_hand(&mut self) {
        loop {
            let view = self.get_match(self.to_act).await;
            self.hands[self.to_act] = view["hand"]["cards"].clone();
            let lengths = [&view["legal"]["discards"], &view["hand"]["cards"]]
                .map(|list| list.as_array().unwrap().len());
            if lengths[0] == lengths[1] {
                return;
            }
            self.play_cards().await;
        }
    }

    /// Plays a card for the player who is to act, and draws from the stock. No player ever calls, so that the round goes
    /// on and each play costs the same; and not always the highest card, as low hands have many melds.
    pub(crate) async fn play_cards(&mut self) {
        let seat = self.to_act;
        let hand = self.hands[seat].as_array().unwrap();
        let card = &hand[self.turns / 2 % hand.len()];
        let body = json!({"expected_version": self.version, "cards": [card], "draw_from": "stock"});
        let request = self.client.post(format!("{}/plays", self.url())).bearer_auth(&self.table.tokens[seat]);
        let view = send(request.header("idempotency-key", key()).json(&body)).await;
        self.hands[seat] = view["hand"]["cards"].clone();
        self.version = view["version"].clone();
        self.to_act = 1 - seat;
        self.turns += 1;
    }
}
