//! An OpenID provider of the tests' own, which can be made to lie. The browser tests log in at a real one
//! (`web/tests/oidc`).

use std::net::TcpListener;
use std::sync::Mutex;

use actix_web::dev::ServerHandle;
use actix_web::web::{self, Data};
use actix_web::{App, HttpRequest, HttpResponse, HttpServer};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use rcgen::KeyPair;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

pub(crate) const CLIENT_ID: &str = "yaniv client";
pub(crate) const CLIENT_SECRET: &str = "s3cret:%+ü";

/// The running provider; stopped on drop.
pub(crate) struct Provider {
    pub(crate) issuer: String,
    state: Data<State>,
    server: ServerHandle,
}

/// What the provider does with the next codes.
#[derive(Clone, Default)]
pub(crate) struct Lies {
    /// Claims in place of the true ones; null leaves a claim out.
    pub(crate) claims: Value,
    /// Parts of the metadata in place of the true ones.
    pub(crate) metadata: Value,
    /// An ID token in place of the signed one, made from it.
    pub(crate) token: Option<fn(String, &Jwk) -> String>,
    /// Whether tokens are signed with a key that is not among the published ones.
    pub(crate) other_key: bool,
}

struct State {
    issuer: String,
    key: EncodingKey,
    other_key: EncodingKey,
    jwk: Jwk,
    lies: Mutex<Lies>,
    codes: Mutex<Vec<Code>>,
}

/// An authorization code that waits for its exchange.
struct Code {
    code: String,
    challenge: String,
    redirect_uri: String,
    claims: Value,
}

impl Provider {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let key = || EncodingKey::from_ec_der(&KeyPair::generate().unwrap().serialize_der());
        let (key, other_key) = (key(), key());
        let mut jwk = Jwk::from_encoding_key(&key, Algorithm::ES256).unwrap();
        jwk.common.key_id = Some("first".to_owned());
        let (lies, codes) = (Mutex::default(), Mutex::default());
        let state = Data::new(State { issuer: issuer.clone(), key, other_key, jwk, lies, codes });
        let shared = state.clone();
        let server = HttpServer::new(move || {
            App::new()
                .app_data(shared.clone())
                .route("/.well-known/openid-configuration", web::get().to(metadata))
                .route("/keys", web::get().to(keys))
                .route("/token", web::post().to(token))
        });
        let server = server.workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = server.handle();
        std::thread::spawn(move || actix_web::rt::System::new().block_on(server));
        Self { issuer, state, server: handle }
    }

    /// From now on it lies like this.
    pub(crate) fn lie(&self, lies: Lies) {
        *self.state.lies.lock().unwrap() = lies;
    }

    /// The log-in of a user at the address to which the browser was sent; returns the code.
    pub(crate) fn log_in(&self, url: &str, subject: &str) -> String {
        let (address, query) = url.split_once('?').unwrap();
        assert_eq!(address, format!("{}/authorize", self.issuer));
        let query: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap();
        let of = |name: &str| {
            let mut found = query.iter().filter(|(parameter, _)| parameter == name).map(|(_, value)| value);
            let value = found.next().cloned();
            assert_eq!(found.next(), None, "{name} twice");
            value
        };
        assert_eq!(of("response_type").as_deref(), Some("code"));
        assert_eq!(of("client_id").as_deref(), Some(CLIENT_ID));
        assert_eq!(of("scope").as_deref(), Some("openid"));
        assert_eq!(of("code_challenge_method").as_deref(), Some("S256"));
        assert_eq!(of("prompt").is_some(), of("max_age").as_deref() == Some("0"));
        let now = chrono::Utc::now().timestamp();
        let mut claims = json!({
            "iss": self.issuer,
            "sub": subject,
            "aud": CLIENT_ID,
            "nonce": of("nonce").unwrap(),
            "iat": now,
            "exp": now + 300,
        });
        if of("max_age").is_some() {
            claims["auth_time"] = json!(now);
        }
        let code = format!("code of {subject} in {}", of("state").unwrap());
        self.state.codes.lock().unwrap().push(Code {
            code: code.clone(),
            challenge: of("code_challenge").unwrap(),
            redirect_uri: of("redirect_uri").unwrap(),
            claims,
        });
        code
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        drop(self.server.stop(false));
    }
}

async fn metadata(state: Data<State>) -> HttpResponse {
    let issuer = &state.issuer;
    let mut metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
    });
    replace(&mut metadata, &state.lies.lock().unwrap().metadata);
    HttpResponse::Ok().json(metadata)
}

async fn keys(state: Data<State>) -> HttpResponse {
    HttpResponse::Ok().json(JwkSet { keys: vec![state.jwk.clone()] })
}

async fn token(state: Data<State>, request: HttpRequest, body: web::Bytes) -> HttpResponse {
    let form: Vec<(String, String)> = serde_urlencoded::from_bytes(&body).unwrap();
    let of = |name: &str| {
        form.iter().find(|(field, _)| field == name).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let encoded = |text| serde_urlencoded::to_string([("", text)]).unwrap().split_off(1).replace('+', "%20");
    let credentials = STANDARD.encode(format!("{}:{}", encoded(CLIENT_ID), encoded(CLIENT_SECRET)));
    let given = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    if given != Some(format!("Basic {credentials}").as_str()) {
        return HttpResponse::Unauthorized().json(json!({"error": "invalid_client"}));
    }
    let mut codes = state.codes.lock().unwrap();
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(of("code_verifier")));
    let found = codes.iter().position(|code| {
        code.code == of("code") && code.challenge == challenge && code.redirect_uri == of("redirect_uri")
    });
    let Some(found) = found else {
        return HttpResponse::BadRequest().json(json!({"error": "invalid_grant"}));
    };
    let mut claims = codes.remove(found).claims;
    let lies = state.lies.lock().unwrap().clone();
    replace(&mut claims, &lies.claims);
    let header = Header { kid: Some("first".to_owned()), ..Header::new(Algorithm::ES256) };
    let key = if lies.other_key { &state.other_key } else { &state.key };
    let signed = jsonwebtoken::encode(&header, &claims, key).unwrap();
    let id_token = match lies.token {
        Some(lie) => lie(signed, &state.jwk),
        None => signed,
    };
    HttpResponse::Ok().json(json!({"access_token": "unused", "token_type": "Bearer", "id_token": id_token}))
}

/// Replaces parts of an object; null removes one.
fn replace(object: &mut Value, parts: &Value) {
    let object = object.as_object_mut().unwrap();
    for (name, value) in parts.as_object().into_iter().flatten() {
        if value.is_null() {
            object.remove(name);
        } else {
            object.insert(name.clone(), value.clone());
        }
    }
}
