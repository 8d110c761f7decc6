//! A player's client.

use std::time::Duration;

use serde_json::{Value, json};

/// Sends requests with a token.
#[derive(Clone)]
pub(crate) struct Client {
    address: String,
    token: String,
    http: reqwest::Client,
}

impl Client {
    pub(crate) fn with_token(address: &str, token: &str) -> Self {
        Self { address: address.to_owned(), token: token.to_owned(), http: reqwest::Client::new() }
    }

    pub(crate) async fn log_in(address: &str, name: &str, password: &str) -> Self {
        Self::session(address, "/v1/sessions", name, password).await
    }

    pub(crate) async fn register(address: &str, name: &str, password: &str) -> Self {
        Self::session(address, "/v1/accounts", name, password).await
    }

    async fn session(address: &str, path: &str, name: &str, password: &str) -> Self {
        let credentials = json!({"username": name, "password": password});
        let (status, session) = Self::with_token(address, "").post(path, &credentials).await;
        assert_eq!(status, 201, "{session}");
        Self::with_token(address, session["access_token"].as_str().unwrap())
    }

    /// A new player of a test, with the refresh token.
    pub(crate) async fn new_player(address: &str, name: &str) -> (Self, String) {
        let credentials = json!({"username": name, "password": "correct horse"});
        let (status, session) = Self::with_token(address, "").post("/v1/accounts", &credentials).await;
        assert_eq!(status, 201, "{session}");
        let token = |name: &str| session[name].as_str().unwrap().to_owned();
        (Self::with_token(address, &token("access_token")), token("refresh_token"))
    }

    pub(crate) async fn refresh(address: &str, token: &str) -> (u16, Value) {
        Self::with_token(address, "").post("/v1/sessions/refresh", &json!({"refresh_token": token})).await
    }

    /// The same player at another instance.
    pub(crate) fn at(&self, address: &str) -> Self {
        Self { address: address.to_owned(), ..self.clone() }
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.post_with_key(path, &uuid::Uuid::now_v7().to_string(), body).await
    }

    pub(crate) async fn post_with_key(&self, path: &str, key: &str, body: &Value) -> (u16, Value) {
        let request = self.http.post(format!("http://{}{path}", self.address)).header("idempotency-key", key);
        self.send(request.json(body)).await
    }

    pub(crate) async fn get(&self, path: &str) -> (u16, Value) {
        self.send(self.http.get(format!("http://{}{path}", self.address))).await
    }

    /// The answer and its `ETag`.
    pub(crate) async fn tagged(&self, path: &str) -> (Value, Option<String>) {
        let request = self.http.get(format!("http://{}{path}", self.address)).bearer_auth(&self.token);
        let answer = request.send().await.unwrap();
        let tag = answer.headers().get("etag").map(|tag| tag.to_str().unwrap().to_owned());
        (answer.json().await.unwrap(), tag)
    }

    /// The same, if it is not the one with this tag.
    pub(crate) async fn get_with_tag(&self, path: &str, tag: &str) -> (u16, Value) {
        let request = self.http.get(format!("http://{}{path}", self.address));
        self.send(request.header("if-none-match", tag)).await
    }

    /// The status and the body; a body that is not JSON as a string. 0 if there is no answer.
    async fn send(&self, request: reqwest::RequestBuilder) -> (u16, Value) {
        let request = if self.token.is_empty() { request } else { request.bearer_auth(&self.token) };
        let answer = match request.send().await {
            Ok(answer) => answer,
            Err(error) => return (0, Value::from(error.to_string())),
        };
        let status = answer.status().as_u16();
        let text = answer.text().await.unwrap_or_default();
        (status, serde_json::from_str(&text).unwrap_or(Value::from(text)))
    }

    pub(crate) async fn view(&self, match_id: &str) -> Value {
        let (status, view) = self.get(&format!("/v1/matches/{match_id}")).await;
        assert_eq!(status, 200, "{view}");
        view
    }
}

/// Starts a match of these players; its identifier.
pub(crate) async fn start_match(players: &[Client]) -> String {
    let body = json!({"size": players.len(), "time_control": {"clock": "none"}});
    let (status, created) = players[0].post("/v1/matches", &body).await;
    assert_eq!(status, 201, "{created}");
    let join = format!("/v1/join-codes/{}/seats", created["join_code"].as_str().unwrap());
    for player in &players[1..] {
        assert_eq!(player.post(&join, &json!({})).await.0, 201);
    }
    let match_id = created["match_id"].as_str().unwrap().to_owned();
    assert_eq!(players[0].post(&format!("/v1/matches/{match_id}/start"), &json!({})).await.0, 200);
    match_id
}

/// The action of the player whose turn it is, with the view that it needs: a call where it is allowed, else a play.
pub(crate) async fn action(players: &[Client], match_id: &str) -> Option<(usize, String, Value)> {
    for (number, player) in players.iter().enumerate() {
        let view = player.view(match_id).await;
        if view["your_turn"] != true {
            continue;
        }
        let body = json!({"expected_version": view["version"]});
        if view["legal"]["call"] == true {
            return Some((number, format!("/v1/matches/{match_id}/calls"), body));
        }
        let cards = [view["hand"]["cards"].as_array().unwrap().last().unwrap()];
        let play = json!({"expected_version": view["version"], "cards": cards, "draw_from": "stock"});
        return Some((number, format!("/v1/matches/{match_id}/plays"), play));
    }
    None
}

/// One action; whether there was one.
pub(crate) async fn play_once(players: &[Client], match_id: &str) -> bool {
    let Some((number, path, body)) = action(players, match_id).await else { return false };
    let (status, answer) = players[number].post(&path, &body).await;
    assert_eq!(status, 200, "{answer}");
    true
}

/// Whether a check succeeds within a minute.
pub(crate) async fn until(mut check: impl AsyncFnMut() -> bool) -> bool {
    for _ in 0..60 {
        if check().await {
            return true;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    false
}
