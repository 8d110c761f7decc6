//! Log-in by an OpenID Connect provider: what a proven identity is good for, and what does not prove one.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

#[path = "../program/mod.rs"]
mod program;
mod provider;

use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use local_postgres::TestDatabase;
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use program::Program;
use provider::{CLIENT_ID, CLIENT_SECRET, Lies, Provider};

const PASSWORD: &str = "correct horse";
const PUBLIC: &str = "https://yaniv.example";

struct Service {
    program: Program,
    client: Client,
    database: TestDatabase,
}

/// A browser: its cookies.
#[derive(Clone, Default)]
struct Browser(Vec<(String, String)>);

impl Browser {
    fn keep(&mut self, response: &Response) {
        for cookie in response.headers().get_all("set-cookie") {
            let cookie = cookie.to_str().unwrap();
            let (name, value) = cookie.split(';').next().unwrap().split_once('=').unwrap();
            self.0.retain(|(kept, _)| kept != name);
            if !value.is_empty() {
                self.0.push((name.to_owned(), value.to_owned()));
            }
        }
    }

    fn header(&self) -> String {
        self.0.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join("; ")
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(kept, _)| kept == name)
    }
}

impl Service {
    fn start(provider: &Provider) -> Self {
        Self::start_with(provider, "off")
    }

    fn start_with(provider: &Provider, rate_limits: &str) -> Self {
        let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
        let variables = [
            ("YANIV_RATE_LIMITS", rate_limits),
            ("YANIV_PUBLIC_URL", PUBLIC),
            ("YANIV_OIDC_ISSUER", &provider.issuer),
            ("YANIV_OIDC_CLIENT_ID", CLIENT_ID),
            ("YANIV_OIDC_CLIENT_SECRET", CLIENT_SECRET),
            ("YANIV_OIDC_NAME", "Example Club"),
        ];
        let program = Program::start(database.url(), &variables);
        let client = Client::builder().redirect(Policy::none()).build().unwrap();
        Self { program, client, database }
    }

    /// Opens an address of the service in a browser; where it is sent.
    async fn open(&self, browser: &mut Browser, path: &str) -> String {
        let request = self.client.get(format!("http://{}{path}", self.program.address()));
        let response = request.header("cookie", browser.header()).send().await.unwrap();
        assert_eq!(response.status(), 303, "{path}");
        assert_eq!(response.headers()["cache-control"], "no-store");
        browser.keep(&response);
        response.headers()["location"].to_str().unwrap().to_owned()
    }

    /// Comes back from the provider with a code; where the browser is sent.
    async fn come_back(&self, browser: &mut Browser, start: &str, code: &str) -> String {
        let (_, query) = start.split_once('?').unwrap();
        let query: Vec<(String, String)> = serde_urlencoded::from_str(query).unwrap();
        let (_, state) = query.iter().find(|(name, _)| name == "state").unwrap();
        let query = serde_urlencoded::to_string([("code", code), ("state", state)]).unwrap();
        self.open(browser, &format!("/oidc/callback?{query}")).await
    }

    /// The whole way of a user; where the browser is sent in the end.
    async fn prove(&self, provider: &Provider, browser: &mut Browser, subject: &str, again: bool) -> String {
        let prompt = if again { "&prompt=login" } else { "" };
        let start = self.open(browser, &format!("/oidc/login?return_to=/there{prompt}")).await;
        let code = provider.log_in(&start, subject);
        self.come_back(browser, &start, &code).await
    }

    async fn send(
        &self,
        browser: &mut Browser,
        method: Method,
        path: &str,
        token: &str,
        body: Option<Value>,
    ) -> (u16, Value) {
        let request = self.client.request(method, format!("http://{}{path}", self.program.address()));
        let request = request.header("cookie", browser.header());
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        let request = match body {
            Some(body) => request.json(&body),
            None => request,
        };
        let response = request.send().await.unwrap();
        browser.keep(&response);
        let status = response.status().as_u16();
        (status, response.json().await.unwrap_or_default())
    }

    async fn post(&self, browser: &mut Browser, path: &str, token: &str, body: Value) -> (u16, Value) {
        self.send(browser, Method::POST, path, token, Some(body)).await
    }

    /// Registers with a password; the access token.
    async fn register(&self, username: &str) -> String {
        let body = json!({"username": username, "password": PASSWORD});
        let (status, session) = self.post(&mut Browser::default(), "/v1/accounts", "", body).await;
        assert_eq!(status, 201, "{session}");
        token(&session)
    }

    async fn log_in(&self, browser: &mut Browser) -> (u16, Value) {
        self.post(browser, "/v1/identity-sessions", "", json!({})).await
    }

    /// Runs a statement past the service: the first column of its only row, a number, if it returns one.
    async fn sql(&self, statement: &str) -> Option<i64> {
        let (client, connection) =
            tokio_postgres::connect(self.database.url(), tokio_postgres::NoTls).await.unwrap();
        tokio::spawn(connection);
        client.query(statement, &[]).await.unwrap().first().map(|row| row.get(0))
    }

    /// The messages to verified addresses that an identity was linked.
    async fn told(&self) -> Option<i64> {
        self.sql("SELECT count(*) FROM deliveries WHERE kind = 'identity_linked'").await
    }

    async fn account(&self, token: &str) -> Value {
        self.send(&mut Browser::default(), Method::GET, "/v1/account", token, None).await.1
    }
}

fn token(session: &Value) -> String {
    session["access_token"].as_str().unwrap().to_owned()
}

fn refused((status, problem): (u16, Value), code: &str) {
    assert_eq!((&problem["status"], &problem["code"]), (&json!(status), &json!(code)), "{problem}");
}

#[tokio::test]
async fn a_newcomer_registers_without_a_password_and_comes_back() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let mut phone = Browser::default();
    let (_, server) = service.send(&mut phone, Method::GET, "/v1/server", "", None).await;
    assert_eq!(server["oidc_provider"], "Example Club");
    refused(service.log_in(&mut phone).await, "identity_required");
    assert_eq!(service.prove(&provider, &mut phone, "1", false).await, format!("{PUBLIC}/there"));
    assert!(phone.has("__Host-yaniv_identity") && !phone.has("__Host-yaniv_oidc_log_in"));
    refused(service.log_in(&mut phone).await, "identity_unknown");
    let register = |username: &str| json!({"username": username});
    let path = "/v1/identity-accounts";
    service.register("bob").await;
    refused(service.post(&mut phone, path, "", register("bob")).await, "username_taken");
    refused(service.post(&mut phone, path, "", register("guest_ada")).await, "username_reserved");
    // The answer was lost: the same browser asks again.
    let mut lost = phone.clone();
    let (status, session) = service.post(&mut phone, path, "", register("ada")).await;
    assert_eq!(status, 201, "{session}");
    assert_eq!(
        (&session["account"]["passwordless"], &session["account"]["identity_linked"]),
        (&json!(true), &json!(true))
    );
    refused(service.post(&mut lost, path, "", register("ada")).await, "identity_taken");
    refused(service.post(&mut lost, path, "", register("ada2")).await, "identity_taken");
    // A log-in uses the identity up in the browser.
    assert!(!phone.has("__Host-yaniv_identity"));
    refused(service.log_in(&mut phone).await, "identity_required");

    let mut laptop = Browser::default();
    service.prove(&provider, &mut laptop, "1", false).await;
    let (status, again) = service.log_in(&mut laptop).await;
    assert_eq!((status, &again["account"]["username"]), (201, &json!("ada")), "{again}");
    // No password logs in, not even none.
    for password in ["", "correct horse"] {
        let body = json!({"username": "ada", "password": password});
        refused(service.post(&mut laptop, "/v1/sessions", "", body).await, "invalid_credentials");
    }
    service.prove(&provider, &mut laptop, "2", false).await;
    refused(service.log_in(&mut laptop).await, "identity_unknown");
}

#[tokio::test]
async fn the_owner_of_an_account_without_a_password_confirms_at_the_provider() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let mut browser = Browser::default();
    service.prove(&provider, &mut browser, "1", false).await;
    let (_, session) =
        service.post(&mut browser, "/v1/identity-accounts", "", json!({"username": "ada"})).await;
    let ada = token(&session);
    let unlink = ("/v1/account/identity", Method::DELETE);
    refused(service.send(&mut browser, unlink.1.clone(), unlink.0, &ada, None).await, "password_missing");
    let (change, delete) = ("/v1/account/change-password", "/v1/account/delete");
    let new = json!({"new_password": "battery staple"});
    // Without a proof, by one that may be old, and by that of another user.
    refused(service.post(&mut browser, change, &ada, new.clone()).await, "identity_required");
    refused(service.post(&mut browser, delete, &ada, json!({})).await, "identity_required");
    refused(service.post(&mut browser, delete, &ada, json!({"password": PASSWORD})).await, "wrong_password");
    service.prove(&provider, &mut browser, "1", false).await;
    refused(service.post(&mut browser, change, &ada, new.clone()).await, "identity_required");
    service.prove(&provider, &mut browser, "2", true).await;
    refused(service.post(&mut browser, delete, &ada, json!({})).await, "identity_required");
    service.prove(&provider, &mut browser, "1", true).await;
    assert_eq!(service.post(&mut browser, change, &ada, new.clone()).await.0, 204);
    let account = service.account(&ada).await;
    assert_eq!((account.get("passwordless"), &account["identity_linked"]), (None, &json!(true)));
    // From now on the password is needed.
    refused(service.post(&mut browser, change, &ada, new.clone()).await, "invalid_body");
    refused(service.post(&mut browser, delete, &ada, json!({})).await, "invalid_body");
    let (status, _) = service.send(&mut browser, unlink.1.clone(), unlink.0, &ada, None).await;
    assert_eq!(status, 204);
    assert_eq!(service.account(&ada).await.get("identity_linked"), None);
    service.prove(&provider, &mut browser, "1", false).await;
    refused(service.log_in(&mut browser).await, "identity_unknown");

    // The identity is free, and free again after a deletion.
    for name in ["carl", "dora"] {
        service.prove(&provider, &mut browser, "1", false).await;
        let mut kept = browser.clone();
        let (status, session) =
            service.post(&mut browser, "/v1/identity-accounts", "", json!({"username": name})).await;
        assert_eq!(status, 201, "{session}");
        service.prove(&provider, &mut browser, "1", true).await;
        // What confirms does not log in.
        refused(service.log_in(&mut browser).await, "identity_required");
        assert_eq!(service.post(&mut browser, delete, &token(&session), json!({})).await.0, 202);
        refused(service.log_in(&mut kept).await, "identity_unknown");
    }
}

#[tokio::test]
async fn a_log_out_leaves_no_identity_in_the_browser() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let mut browser = Browser::default();
    service.prove(&provider, &mut browser, "1", false).await;
    let (_, session) =
        service.post(&mut browser, "/v1/identity-accounts", "", json!({"username": "ada"})).await;
    for again in [false, true] {
        service.prove(&provider, &mut browser, "1", again).await;
    }
    assert!(browser.has("__Host-yaniv_identity"));
    let out = (Method::DELETE, "/v1/sessions/current");
    assert_eq!(service.send(&mut browser, out.0, out.1, &token(&session), None).await.0, 204);
    assert!(!browser.has("__Host-yaniv_identity"));
}

#[tokio::test]
async fn an_identity_is_linked_with_the_password_and_to_one_account() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let (ada, bob) = (service.register("ada").await, service.register("bob").await);
    let channels = "INSERT INTO channels \
         (id, account_id, created_at, format, url, host, name, kinds, immediate, secret, verified_at) \
         SELECT gen_random_uuid(), id, now(), 'email', 'a@example.org', 'example.org', 'mail', 0, true, '', now() \
         FROM accounts WHERE kind = 'person'";
    service.sql(channels).await;
    let mut browser = Browser::default();
    let link = |password: &str| Some(json!({"current_password": password}));
    let path = "/v1/account/identity";
    let put = Method::PUT;
    refused(service.send(&mut browser, put.clone(), path, &ada, link(PASSWORD)).await, "identity_required");
    service.prove(&provider, &mut browser, "1", false).await;
    refused(service.send(&mut browser, put.clone(), path, &ada, link("wrong horse")).await, "wrong_password");
    let mut kept = browser.clone();
    assert_eq!(service.send(&mut browser, put.clone(), path, &ada, link(PASSWORD)).await.0, 204);
    assert!(!browser.has("__Host-yaniv_identity"));
    assert_eq!(service.account(&ada).await["identity_linked"], true);
    refused(service.send(&mut kept, put.clone(), path, &bob, link(PASSWORD)).await, "identity_taken");
    assert_eq!(service.told().await, Some(1));
    // Once more, after a lost answer; then another identity in its place.
    assert_eq!(service.send(&mut kept, put.clone(), path, &ada, link(PASSWORD)).await.0, 204);
    assert_eq!(service.told().await, Some(1));
    service.prove(&provider, &mut browser, "2", false).await;
    assert_eq!(service.send(&mut browser, put, path, &ada, link(PASSWORD)).await.0, 204);
    assert_eq!(service.told().await, Some(2));
    for (subject, status) in [("1", 404), ("2", 201)] {
        service.prove(&provider, &mut browser, subject, false).await;
        assert_eq!(service.log_in(&mut browser).await.0, status, "{subject}");
    }
}

#[tokio::test]
async fn only_the_browser_that_began_comes_back_and_to_this_service() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let mut browser = Browser::default();
    // Login CSRF: a link with the attacker's code does not log the player in as the attacker.
    let mut attacker = Browser::default();
    let start = service.open(&mut attacker, "/oidc/login").await;
    let code = provider.log_in(&start, "attacker");
    let lost = format!("{PUBLIC}/login#oidc_error=expired");
    assert_eq!(service.come_back(&mut browser, &start, &code).await, lost);
    service.open(&mut browser, "/oidc/login").await;
    assert_eq!(service.come_back(&mut browser, &start, &code).await, lost);
    assert!(!browser.has("__Host-yaniv_identity"));
    for query in ["", "?code=1", "?error=access_denied", "?state="] {
        assert_eq!(service.open(&mut browser, &format!("/oidc/callback{query}")).await, lost, "{query}");
    }
    // The sealed cookies do not stand for each other.
    let pending = attacker.0[0].1.clone();
    let mut forged = Browser(vec![("__Host-yaniv_identity".to_owned(), pending)]);
    refused(service.log_in(&mut forged).await, "identity_required");

    for (return_to, path) in [
        ("/join/ABC?x=1", "/join/ABC?x=1"),
        ("//evil.example", "/"),
        ("https://evil.example/", "/"),
        ("/\\evil.example", "/"),
        ("/a\r\nb", "/"),
    ] {
        let query = serde_urlencoded::to_string([("return_to", return_to)]).unwrap();
        let start = service.open(&mut browser, &format!("/oidc/login?{query}")).await;
        let code = provider.log_in(&start, "1");
        assert_eq!(service.come_back(&mut browser, &start, &code).await, format!("{PUBLIC}{path}"));
        // A code is exchanged once; the browser has forgotten the log-in.
        assert_eq!(service.come_back(&mut browser, &start, &code).await, lost);
    }
    // The player cancels.
    let start = service.open(&mut browser, "/oidc/login?return_to=/there").await;
    let state = start.split("state=").nth(1).unwrap().split('&').next().unwrap();
    let denied =
        service.open(&mut browser, &format!("/oidc/callback?error=access_denied&state={state}")).await;
    assert_eq!(denied, format!("{PUBLIC}/there#oidc_error=denied"));
}

#[tokio::test]
async fn a_log_in_comes_back_once_and_its_way_back_is_limited() {
    let provider = Provider::start();
    let service = Service::start_with(&provider, "on");
    let mut browser = Browser::default();
    let start = service.open(&mut browser, "/oidc/login?return_to=/there").await;
    // Another user of the same log-in, with a valid code and the cookie of before.
    let codes = [provider.log_in(&start, "1"), provider.log_in(&start, "1")];
    let mut kept = browser.clone();
    assert_eq!(service.come_back(&mut browser, &start, &codes[0]).await, format!("{PUBLIC}/there"));
    let used = format!("{PUBLIC}/there#oidc_error=expired");
    assert_eq!(service.come_back(&mut kept, &start, &codes[1]).await, used);
    assert!(!kept.has("__Host-yaniv_identity"));
    // Thirty in a minute, of which the log-in was the first; one more after two seconds.
    let mut answer = (303, json!({}));
    for _ in 0..60 {
        if answer.0 == 303 {
            answer = service.send(&mut kept, Method::GET, "/oidc/callback", "", None).await;
        }
    }
    refused(answer, "too_many_log_ins");
}

#[tokio::test]
async fn cookies_are_out_of_reach_of_scripts_and_other_sites() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let get = |path: &str, cookies: String| {
        let request = service.client.get(format!("http://{}{path}", service.program.address()));
        request.header("cookie", cookies).send()
    };
    let response = get("/oidc/login", String::new()).await.unwrap();
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.ends_with("; HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=900"), "{cookie}");
    let start = response.headers()["location"].to_str().unwrap().to_owned();
    let mut browser = Browser::default();
    browser.keep(&response);
    let code = provider.log_in(&start, "1");
    let state = start.split("state=").nth(1).unwrap().split('&').next().unwrap();
    let query = serde_urlencoded::to_string([("code", code.as_str()), ("state", state)]).unwrap();
    let response = get(&format!("/oidc/callback?{query}"), browser.header()).await.unwrap();
    let cookies = response.headers().get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
    let identity = cookies.into_iter().find(|cookie| cookie.starts_with("__Host-yaniv_identity=")).unwrap();
    assert!(identity.ends_with("; HttpOnly; SameSite=Strict; Secure; Path=/; Max-Age=600"), "{identity}");
}

/// An ID token without a signature.
fn unsigned(signed: String, _: &Jwk) -> String {
    let claims = signed.split('.').nth(1).unwrap();
    format!("{}.{claims}.", URL_SAFE_NO_PAD.encode(r#"{"alg":"none","kid":"first"}"#))
}

/// An ID token signed with the public key as if it were a secret.
fn with_public_key_as_secret(signed: String, key: &Jwk) -> String {
    let AlgorithmParameters::EllipticCurve(key) = &key.algorithm else { return signed };
    let x = URL_SAFE_NO_PAD.decode(&key.x).unwrap();
    let claims = URL_SAFE_NO_PAD.decode(signed.split('.').nth(1).unwrap()).unwrap();
    let claims: Value = serde_json::from_slice(&claims).unwrap();
    let header = Header { kid: Some("first".to_owned()), ..Header::new(Algorithm::HS256) };
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(&x)).unwrap()
}

/// A valid ID token with a changed subject.
fn altered(signed: String, _: &Jwk) -> String {
    let parts: Vec<&str> = signed.split('.').collect();
    let claims = String::from_utf8(URL_SAFE_NO_PAD.decode(parts[1]).unwrap()).unwrap();
    let claims = URL_SAFE_NO_PAD.encode(claims.replace(r#""sub":"1""#, r#""sub":"2""#));
    format!("{}.{claims}.{}", parts[0], parts[2])
}

#[tokio::test]
async fn an_id_token_that_does_not_prove_the_user_is_refused() {
    let provider = Provider::start();
    let service = Service::start(&provider);
    let now = chrono::Utc::now().timestamp();
    let claims = |claims: Value| Lies { claims, ..Lies::default() };
    let token = |lie: fn(String, &Jwk) -> String| Lies { token: Some(lie), ..Lies::default() };
    let lies = [
        ("issuer", claims(json!({"iss": "http://127.0.0.1:1"})), false),
        ("audience", claims(json!({"aud": "another"})), false),
        ("several audiences without azp", claims(json!({"aud": [CLIENT_ID, "another"]})), false),
        ("issued to another", claims(json!({"azp": "another"})), false),
        ("nonce", claims(json!({"nonce": "another"})), false),
        ("no nonce", claims(json!({"nonce": null})), false),
        ("expired", claims(json!({"exp": now - 120})), false),
        ("no expiry", claims(json!({"exp": null})), false),
        ("not yet valid", claims(json!({"nbf": now + 600})), false),
        ("no subject", claims(json!({"sub": null})), false),
        ("empty subject", claims(json!({"sub": ""})), false),
        ("long subject", claims(json!({"sub": "1".repeat(256)})), false),
        ("subject that the database cannot keep", claims(json!({"sub": "1\u{0}"})), false),
        ("another key", Lies { other_key: true, ..Lies::default() }, false),
        ("no signature", token(unsigned), false),
        ("public key as secret", token(with_public_key_as_secret), false),
        ("altered", token(altered), false),
        ("no token", token(|_, _| String::new()), false),
        ("not asked for the password", claims(json!({"auth_time": null})), true),
        ("asked long ago", claims(json!({"auth_time": now - 3600})), true),
        ("honest, several audiences", claims(json!({"aud": [CLIENT_ID, "b"], "azp": CLIENT_ID})), false),
        ("honest", Lies::default(), true),
    ];
    for (lie, lies, again) in lies {
        let mut browser = Browser::default();
        provider.lie(lies);
        let end = service.prove(&provider, &mut browser, "1", again).await;
        let honest = lie.starts_with("honest");
        let error = if honest { "" } else { "#oidc_error=failed" };
        assert_eq!(end, format!("{PUBLIC}/there{error}"), "{lie}");
        assert_eq!(browser.has("__Host-yaniv_identity"), honest, "{lie}");
    }
}

#[tokio::test]
async fn a_provider_that_cannot_be_trusted_is_not_used() {
    let returned = format!("{PUBLIC}/there#oidc_error=failed");
    for metadata in [
        json!({"issuer": "https://id.example"}),
        json!({"token_endpoint": null}),
        json!({"jwks_uri": "http://id.example/keys"}),
        json!({"authorization_endpoint": "http://id.example/authorize"}),
    ] {
        let provider = Provider::start();
        provider.lie(Lies { metadata: metadata.clone(), ..Lies::default() });
        let service = Service::start(&provider);
        let mut browser = Browser::default();
        let end = service.open(&mut browser, "/oidc/login?return_to=/there").await;
        assert_eq!(end, returned, "{metadata}");
        // Once it answers as it should, log-ins work, without a restart.
        provider.lie(Lies::default());
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        assert_eq!(service.prove(&provider, &mut browser, "1", false).await, format!("{PUBLIC}/there"));
    }
    // A provider that names itself in its responses always does (RFC 9207).
    let provider = Provider::start();
    let metadata = json!({"authorization_response_iss_parameter_supported": true});
    provider.lie(Lies { metadata, ..Lies::default() });
    let service = Service::start(&provider);
    let mut browser = Browser::default();
    let unnamed = service.prove(&provider, &mut browser, "1", false).await;
    assert_eq!(unnamed, returned);
    for (issuer, right) in [("https://id.example", false), (provider.issuer.as_str(), true)] {
        let start = service.open(&mut browser, "/oidc/login").await;
        let code = provider.log_in(&start, "1");
        let state = start.split("state=").nth(1).unwrap().split('&').next().unwrap();
        let query = [("code", code.as_str()), ("state", state), ("iss", issuer)];
        let query = serde_urlencoded::to_string(query).unwrap();
        let end = service.open(&mut browser, &format!("/oidc/callback?{query}")).await;
        assert_eq!(end == format!("{PUBLIC}/"), right, "{issuer}: {end}");
    }
    // A provider that does not answer.
    drop(provider);
    let gone = Provider::start();
    let service = Service::start(&gone);
    drop(gone);
    assert_eq!(service.open(&mut browser, "/oidc/login?return_to=/there").await, returned);
}

#[tokio::test]
async fn without_a_provider_nothing_else_changes() {
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let program = Program::start(database.url(), &[("YANIV_RATE_LIMITS", "off")]);
    let client = Client::new();
    let get = |path: &str| client.get(format!("http://{}{path}", program.address())).send();
    let server: Value = get("/v1/server").await.unwrap().json().await.unwrap();
    assert_eq!(server.get("oidc_provider"), None);
    assert_eq!(get("/oidc/login").await.unwrap().status(), 404);
    let url = format!("http://{}/v1/identity-sessions", program.address());
    let answer = client.post(url).json(&json!({})).send().await.unwrap();
    assert_eq!(answer.json::<Value>().await.unwrap()["code"], "identity_required");
}

#[test]
fn the_start_says_what_is_missing() {
    let start = |variables: &[(&str, &str)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.arg("serve").env("YANIV_OIDC_ISSUER", "https://id.example").envs(variables.iter().copied());
        let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
        let output = command.env("DATABASE_URL", database.url()).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let (public, id) = (("YANIV_PUBLIC_URL", PUBLIC), ("YANIV_OIDC_CLIENT_ID", CLIENT_ID));
    for (variables, word) in [
        (&[id][..], "YANIV_PUBLIC_URL"),
        (&[public], "YANIV_OIDC_CLIENT_ID"),
        (&[id, ("YANIV_PUBLIC_URL", "https://yaniv.example/a")], "without a path"),
        (&[public, id, ("YANIV_OIDC_ISSUER", "http://id.example")], "not an https address"),
        (&[public, id, ("YANIV_OIDC_NAME", &"a".repeat(41))], "YANIV_OIDC_NAME"),
    ] {
        let said = start(variables);
        assert!(said.contains(word), "{word}: {said}");
    }
}
