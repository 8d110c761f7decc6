//! A player's client: one method for each operation.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::contract::{Answer, send};
use super::{held_up, id, settings, settings_of, version};

/// A player.
#[derive(Clone)]
pub(crate) struct Player {
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
}

/// The password of every account.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// Paths that verify a password; the attempt is counted first, in a separate transaction.
const COUNTED: [&str; 4] =
    ["/v1/sessions", "/v1/account/change-password", "/v1/account/delete", "/v1/account/passkey-options"];

/// Whether an answer says that the service was too busy or had no database, and has changed nothing.
///
/// A write is one transaction, which was not begun or was rolled back. An unknown outcome has another code.
fn changed_nothing(method: &Method, path: &str, answer: &Answer) -> bool {
    let codes = ["\"code\":\"busy\"", "\"code\":\"database_unavailable\""];
    answer.status == 503
        && codes.iter().any(|code| answer.body.contains(code))
        && (method == Method::GET || !COUNTED.contains(&path))
}

/// A new, unique key.
pub(crate) fn new_key() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("key-{:08x}-{:08}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

impl Player {
    /// Registers a new account.
    pub(crate) async fn register(address: SocketAddr, name: &str) -> Self {
        let mut player = Self::anonymous(address);
        player.name = name.to_owned();
        let credentials = json!({"username": name, "password": PASSWORD});
        let session = player.post("/v1/accounts", None, &credentials).await.expect(201);
        player.token = session["access_token"].as_str().unwrap().to_owned();
        player
    }

    /// Logs in to an existing account once more.
    pub(crate) async fn log_in(address: SocketAddr, name: &str) -> Self {
        let nobody = Self::anonymous(address);
        let credentials = json!({"username": name, "password": PASSWORD});
        let session = nobody.post("/v1/sessions", None, &credentials).await.expect(201);
        let token = session["access_token"].as_str().unwrap().to_owned();
        Self { name: name.to_owned(), token, ..nobody }
    }

    /// Creates a guest account.
    pub(crate) async fn guest(address: SocketAddr) -> Self {
        let session = Self::anonymous(address).post("/v1/guests", None, &json!({})).await.expect(201);
        Self::of(address, &session)
    }

    /// The player of a session.
    pub(crate) fn of(address: SocketAddr, session: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (name, token) = (text(&session["account"]["username"]), text(&session["access_token"]));
        Self { name, token, ..Self::anonymous(address) }
    }

    /// Creates a bot of this player, with a token.
    pub(crate) async fn bot(&self, name: &str) -> Self {
        let made = self.post("/v1/bots", None, &json!({"username": name})).await.expect(201);
        let wanted = json!({"name": "its server", "scopes": ["read", "play"], "expires_in_days": 30});
        let path = format!("/v1/bots/{}/tokens", made["bot_id"].as_str().unwrap());
        let token = self.post(&path, None, &wanted).await.expect(201)["token"].as_str().unwrap().to_owned();
        Self { name: name.to_owned(), token, ..Self::anonymous(self.address) }
    }

    /// A client without a token.
    pub(crate) fn anonymous(address: SocketAddr) -> Self {
        // The service closes a connection after five idle seconds.
        let client = reqwest::Client::builder().pool_idle_timeout(Duration::from_secs(2)).build().unwrap();
        Self { name: String::new(), token: String::new(), address, client }
    }

    /// The same player at another instance.
    pub(crate) fn at(&self, address: SocketAddr) -> Self {
        Self { address, ..self.clone() }
    }

    /// Sends a request; retries if the service failed because the process was stalled.
    pub(crate) async fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Answer {
        for _ in 0..5 {
            let answer = self.request_once(&method, path, headers, body.clone()).await;
            let again = changed_nothing(&method, path, &answer) && held_up::lately().await;
            if !again {
                return answer;
            }
        }
        self.request_once(&method, path, headers, body).await
    }

    async fn request_once(
        &self,
        method: &Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Answer {
        let mut request = self.client.request(method.clone(), format!("http://{}{path}", self.address));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body);
        }
        send(&self.client, request).await.unwrap()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.request(Method::GET, path, &[], None).await
    }

    /// Whether the token is refused.
    pub(crate) async fn is_refused(&self) -> bool {
        let answer = self.get("/v1/account").await;
        if answer.status == 200 {
            return false;
        }
        answer.expect_problem(401, "invalid_token");
        true
    }

    pub(crate) async fn post(&self, path: &str, key: Option<&str>, body: &Value) -> Answer {
        let headers: Vec<(&str, &str)> = key.map(|key| ("idempotency-key", key)).into_iter().collect();
        let body = (!body.is_null()).then(|| serde_json::to_vec(body).unwrap());
        self.request(Method::POST, path, &headers, body).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::PATCH, path, &[], Some(serde_json::to_vec(body).unwrap())).await
    }

    pub(crate) async fn put(&self, path: &str) -> Answer {
        self.request(Method::PUT, path, &[], None).await
    }

    pub(crate) async fn put_json(&self, path: &str, body: &Value) -> Answer {
        self.request(Method::PUT, path, &[], Some(serde_json::to_vec(body).unwrap())).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.request(Method::DELETE, path, &[], None).await
    }

    pub(crate) async fn create(&self, body: &Value) -> Answer {
        let answer = self.post("/v1/matches", None, body).await;
        if answer.status == 201 {
            let view = answer.expect(201);
            if settings_of(&view).is_null() {
                settings::keep(&view, self.settings(id(&view)).await);
            }
        }
        answer
    }

    pub(crate) async fn join(&self, code: &str, client_seed: &str) -> Answer {
        self.post(&format!("/v1/join-codes/{code}/seats"), None, &json!({"client_seed": client_seed})).await
    }

    pub(crate) async fn leave(&self, id: &str) -> Answer {
        self.post(&format!("/v1/matches/{id}/leave"), None, &Value::Null).await
    }

    pub(crate) async fn start(&self, id: &str) -> Answer {
        self.post(&format!("/v1/matches/{id}/start"), None, &Value::Null).await
    }

    pub(crate) async fn renew_code(&self, id: &str, key: Option<&str>, body: &Value) -> Answer {
        self.post(&format!("/v1/matches/{id}/renew-code"), key, body).await
    }

    pub(crate) async fn revoke_code(&self, id: &str) -> Answer {
        self.post(&format!("/v1/matches/{id}/revoke-code"), None, &Value::Null).await
    }

    pub(crate) async fn request_pairing(&self, key: Option<&str>, body: &Value) -> Answer {
        self.post("/v1/pairings", key, body).await
    }

    pub(crate) async fn withdraw_pairing(&self, id: &str) -> Answer {
        self.post(&format!("/v1/pairings/{id}/withdraw"), None, &Value::Null).await
    }

    pub(crate) async fn challenge(&self, key: Option<&str>, body: &Value) -> Answer {
        self.post("/v1/challenges", key, body).await
    }

    pub(crate) async fn accept_challenge(&self, id: &str, client_seed: &str) -> Answer {
        let body = json!({"client_seed": client_seed});
        self.post(&format!("/v1/challenges/{id}/accept"), None, &body).await
    }

    pub(crate) async fn decline_challenge(&self, id: &str, body: &Value) -> Answer {
        self.post(&format!("/v1/challenges/{id}/decline"), None, body).await
    }

    pub(crate) async fn withdraw_challenge(&self, id: &str) -> Answer {
        self.post(&format!("/v1/challenges/{id}/withdraw"), None, &Value::Null).await
    }

    pub(crate) async fn offer_rematch(&self, id: &str, key: Option<&str>, client_seed: &str) -> Answer {
        self.post(&format!("/v1/matches/{id}/offer-rematch"), key, &json!({"client_seed": client_seed})).await
    }

    pub(crate) async fn view(&self, id: &str) -> Value {
        self.get(&format!("/v1/matches/{id}")).await.expect(200)
    }

    /// The settings of a match.
    pub(crate) async fn settings(&self, id: &str) -> Value {
        self.get(&format!("/v1/matches/{id}/settings")).await.expect(200)
    }

    /// An action with a new key. `kind` is plays, calls or resignations.
    pub(crate) async fn act(&self, id: &str, kind: &str, body: &Value) -> Answer {
        self.act_with(id, kind, &new_key(), body).await
    }

    pub(crate) async fn act_with(&self, id: &str, kind: &str, key: &str, body: &Value) -> Answer {
        self.post(&format!("/v1/matches/{id}/{kind}"), Some(key), body).await
    }

    /// Resigns, retrying on version conflicts.
    pub(crate) async fn resign(&self, id: &str) -> Value {
        loop {
            let now = version(&self.view(id).await);
            let answer = self.act(id, "resignations", &json!({"expected_version": now})).await;
            if !answer.body.contains("version_conflict") {
                return answer.expect(200);
            }
        }
    }

    pub(crate) async fn record(&self, id: &str) -> Value {
        self.get(&format!("/v1/matches/{id}/record")).await.expect(200)
    }
}
