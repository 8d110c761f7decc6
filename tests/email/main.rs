//! E-mail from the running program, by a real mail server with TLS: verification, reset of a password, messages about the
//! account, notifications, unsubscribing; and what happens without a mail server.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod mail_server;
#[path = "../program/mod.rs"]
mod program;

use std::net::TcpListener;
use std::process::Command;
use std::time::{Duration, Instant};

use diesel::sql_types::Text;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use local_postgres::TestDatabase;
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};

use mail_server::MailServer;
use program::Program;

const PASSWORD: &str = "correct horse";
const FROM: &str = "Yaniv <yaniv@yaniv.example>";

struct Service {
    program: Program,
    client: Client,
    database: TestDatabase,
}

/// An account with its access token.
struct Player {
    username: String,
    token: String,
    device: String,
}

impl Service {
    fn start(variables: &[(&str, &str)]) -> Self {
        let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
        let own = [("YANIV_RATE_LIMITS", "off"), ("YANIV_PUBLIC_URL", "https://yaniv.example")];
        let program = Program::start(database.url(), &[&own, variables].concat());
        Self { program, client: Client::new(), database }
    }

    /// With the mail server at this URL, whose certificate this CA has to have signed.
    fn with(url: &str, authority: &str) -> Self {
        Self::start(&[("YANIV_SMTP_URL", url), ("YANIV_MAIL_FROM", FROM), ("SSL_CERT_FILE", authority)])
    }

    async fn send(&self, method: Method, path: &str, token: &str, body: Option<&Value>) -> Response {
        let url = format!("http://{}{path}", self.program.address());
        let key = format!("{:032x}", next_number());
        let request = self.client.request(method, url).bearer_auth(token).header("idempotency-key", key);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        request.send().await.unwrap()
    }

    /// Posts a body; the status, and the body of the answer, if there is one.
    async fn post(&self, path: &str, token: &str, body: Value) -> (u16, Value) {
        let answer = self.send(Method::POST, path, token, Some(&body)).await;
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    async fn get(&self, path: &str, token: &str) -> Value {
        self.send(Method::GET, path, token, None).await.json().await.unwrap()
    }

    async fn register(&self, username: &str) -> Player {
        let body = json!({"username": username, "password": PASSWORD});
        let (status, session) = self.post("/v1/accounts", "", body).await;
        assert_eq!(status, 201, "{session}");
        let text = |name: &str| session[name].as_str().unwrap().to_owned();
        Player { username: username.to_owned(), token: text("access_token"), device: text("device_token") }
    }

    /// Creates an e-mail channel of these kinds.
    async fn create_channel(&self, player: &Player, email: &str, more: Value) -> (u16, Value) {
        let mut body = json!({"email": email, "current_password": PASSWORD});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.post("/v1/email-channels", &player.token, body).await
    }

    /// The same, verified by the code of the e-mail; returns the identifier.
    async fn verified(&self, server: &MailServer, player: &Player, email: &str, more: Value) -> String {
        let (status, channel) = self.create_channel(player, email, more).await;
        assert_eq!(status, 201, "{channel}");
        let code = code_of(&accepts(server, email, 1).await);
        let (status, answer) = self.post("/v1/email-verifications", "", json!({"code": code})).await;
        assert_eq!(status, 204, "{answer}");
        channel["channel_id"].as_str().unwrap().to_owned()
    }

    /// Waits until the newest delivery of a channel fulfils a condition.
    async fn newest_delivery(&self, player: &Player, id: &str, right: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let log = self.get(&format!("/v1/channels/{id}/deliveries"), &player.token).await;
            let newest = log["items"][0].clone();
            if right(&newest) {
                return newest;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{log:#}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Allows a third-party app, which gets its token (the code verifier and its hash are those of RFC 7636, appendix B).
    async fn allow_app(&self, player: &Player) {
        let request = json!({
            "approved": true,
            "response_type": "code",
            "client_id": "Table Watch",
            "redirect_uri": "https://app.example/",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
        });
        let (status, allowed) = self.post("/v1/account/authorize-app", &player.token, request).await;
        assert_eq!(status, 200, "{allowed}");
        let code = allowed["redirect_to"].as_str().unwrap().split(['=', '&']).nth(1).unwrap();
        let form = format!(
            "grant_type=authorization_code&client_id=Table+Watch&code={code}\
             &code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        );
        let request = self.client.post(format!("http://{}/oauth/token", self.program.address()));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(form);
        assert_eq!(request.send().await.unwrap().status(), 200);
    }

    async fn sql(&self, text: &str, value: &str) {
        let mut connection = AsyncPgConnection::establish(self.database.url()).await.unwrap();
        diesel::sql_query(text).bind::<Text, _>(value).execute(&mut connection).await.unwrap();
    }
}

/// Counts the requests: their keys must differ.
fn next_number() -> u128 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    u128::from(NEXT.fetch_add(1, Ordering::Relaxed))
}

/// The code in an e-mail: in the link, and again to be typed.
fn code_of(mail: &Value) -> String {
    let text = mail["text"].as_str().unwrap();
    let code = text.split('#').nth(1).unwrap().lines().next().unwrap().trim().to_owned();
    assert!(text.contains(&format!("Code: {code}")), "{text}");
    code
}

/// What the server has accepted for an address.
fn accepted_for(server: &MailServer, address: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(&server.messages).unwrap();
    // The last line may not be written whole yet.
    let messages = text.lines().skip(1).filter_map(|line| serde_json::from_str::<Value>(line).ok());
    messages.filter(|mail| mail["to"][0] == address).collect()
}

/// Waits until the server has accepted this many for an address; returns the last of them.
async fn accepts(server: &MailServer, address: &str, count: usize) -> Value {
    let begun = Instant::now();
    loop {
        let accepted = accepted_for(server, address);
        assert!(accepted.len() <= count, "more than {count}: {accepted:#?}");
        if let Some(last) = accepted.get(count - 1) {
            return last.clone();
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{} of {count} e-mails to {address}",
            accepted.len()
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn an_address_gets_a_code_and_nothing_else_until_it_is_verified() {
    let Some(server) = MailServer::start("127.0.0.1") else { return };
    let service = Service::with(&server.url(), &server.authority);
    assert_eq!(service.get("/v1/server", "").await["sends_email"], true);
    let ada = service.register("ada").await;
    let address = "ada@example.org";

    // The code goes to the address, and nothing else before it is verified.
    let wrong = json!({"email": address, "current_password": "not the password"});
    let (status, problem) = service.post("/v1/email-channels", &ada.token, wrong).await;
    assert_eq!((status, &problem["code"]), (403, &json!("wrong_password")));
    let (status, problem) = service.create_channel(&ada, "ada@localhost", json!({})).await;
    assert_eq!((status, &problem["fields"][0]["name"]), (422, &json!("email")));
    let (status, channel) = service.create_channel(&ada, address, json!({})).await;
    assert_eq!(status, 201, "{channel}");
    assert_eq!(
        (&channel["status"], &channel["email"], &channel["format"]),
        (&json!("unverified"), &json!(address), &json!("email"))
    );
    assert_eq!(channel["kinds"], json!(["deadline_near", "table_full", "invited", "digest"]));
    let path = format!("/v1/channels/{}", channel["channel_id"].as_str().unwrap());
    let mail = accepts(&server, address, 1).await;
    assert_eq!((&mail["headers"]["from"], &mail["tls"]), (&json!(FROM), &json!(true)));
    assert_eq!(mail["headers"]["subject"], "Confirm your e-mail address");
    assert_eq!(mail["headers"]["auto-submitted"], "auto-generated");
    assert!(mail["headers"].get("list-unsubscribe").is_none());
    assert!(mail["text"].as_str().unwrap().contains("https://yaniv.example/verify-email#"));
    let (status, problem) = service.post(&format!("{path}/test"), &ada.token, json!({})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("email_not_verified")));
    let reset = || service.post("/v1/password-resets", "", json!({"email": "ADA@example.org"}));
    assert_eq!(reset().await.0, 204);

    for (code, expected) in [("22222-22222-22222", 403), ("2", 403)] {
        let (status, problem) = service.post("/v1/email-verifications", "", json!({"code": code})).await;
        assert_eq!((status, &problem["code"]), (expected, &json!("email_code_invalid")));
    }
    let code = code_of(&mail);
    // Typed as people do; a link that is opened twice does no harm.
    for code in [code.clone(), code.to_lowercase().replace('-', " ")] {
        assert_eq!(service.post("/v1/email-verifications", "", json!({"code": code})).await.0, 204);
    }
    assert_eq!(service.get(&path, &ada.token).await["status"], "active");
    // A code is for one purpose only.
    let body = json!({"code": code, "new_password": "another long secret"});
    assert_eq!(service.post("/v1/accounts/reset-password", "", body).await.0, 403);
    assert_eq!(
        accepted_for(&server, address).len(),
        1,
        "the address was not verified when a reset was requested"
    );
}

/// A service with a mail server, and an account with a verified address.
async fn with_address() -> Option<(MailServer, Service, Player)> {
    let server = MailServer::start("127.0.0.1")?;
    let service = Service::with(&server.url(), &server.authority);
    let ada = service.register("ada").await;
    service.verified(&server, &ada, "ada@example.org", json!({})).await;
    Some((server, service, ada))
}

#[tokio::test]
async fn a_forgotten_password_is_reset_by_a_code() {
    let Some((server, service, ada)) = with_address().await else { return };
    let address = "ada@example.org";
    let reset = |email: &str| service.post("/v1/password-resets", "", json!({"email": email}));
    let redeem = |code: &str, password: &str| {
        service.post("/v1/accounts/reset-password", "", json!({"code": code, "new_password": password}))
    };
    // The answer does not reveal whether an address is known.
    assert_eq!(reset("eve@example.org").await, reset("ADA@example.org").await);
    let code = code_of(&accepts(&server, address, 2).await);
    let passkey = "INSERT INTO passkeys (id, account_id, credential_id, credential, name, created_at) \
         SELECT gen_random_uuid(), id, '\\x01', '{}', 'phone', now() FROM accounts WHERE username = $1";
    service.sql(passkey, "ada").await;
    let passkeys = async || service.get("/v1/account/passkeys", &ada.token).await["items"].clone();
    assert_eq!(passkeys().await.as_array().unwrap().len(), 1);
    let (status, problem) = redeem(&code, "password").await;
    assert_eq!((status, &problem["code"]), (422, &json!("password_common")));
    let (status, session) = redeem(&code, "another long secret").await;
    assert_eq!((status, &session["account"]["username"]), (201, &json!("ada")), "{session}");
    assert_eq!(redeem(&code, "a third long secret").await.0, 403);
    assert_eq!(service.send(Method::GET, "/v1/account", &ada.token, None).await.status(), 401);
    let token = session["access_token"].as_str().unwrap();
    assert_eq!(service.get("/v1/account", token).await["username"], "ada");
    assert_eq!(service.get("/v1/account/passkeys", token).await["items"], json!([]));
    assert_eq!(accepts(&server, address, 3).await["headers"]["subject"], "Your password was changed");
    let log_in = json!({"username": "ada", "password": PASSWORD});
    assert_eq!(service.post("/v1/sessions", "", log_in).await.0, 401);
    assert!(accepted_for(&server, "eve@example.org").is_empty());

    // A code that is left from before is void once the password was changed.
    reset(address).await;
    let code = code_of(&accepts(&server, address, 4).await);
    let change = json!({"current_password": "another long secret", "new_password": PASSWORD});
    assert_eq!(service.post("/v1/account/change-password", token, change).await.0, 204);
    assert_eq!(redeem(&code, "a third long secret").await.0, 403);
}

#[tokio::test]
async fn a_new_device_and_a_changed_password_are_told() {
    let Some((server, service, ada)) = with_address().await else { return };
    let address = "ada@example.org";
    let log_in = |password: &str, device: Option<&str>| {
        service.post(
            "/v1/sessions",
            "",
            json!({"username": "ada", "password": password, "device_token": device.unwrap_or("none")}),
        )
    };
    // A device that is known is not told of.
    assert_eq!(log_in(PASSWORD, Some(&ada.device)).await.0, 201);
    assert_eq!(log_in("not the password", None).await.0, 401);
    let (status, session) = log_in(PASSWORD, None).await;
    assert_eq!(status, 201, "{session}");
    assert_eq!(accepts(&server, address, 2).await["headers"]["subject"], "Log-in on a new device");
    // Only the first token of a third-party app sends a message.
    for _ in 0..2 {
        service.allow_app(&ada).await;
    }
    assert_eq!(accepts(&server, address, 3).await["headers"]["subject"], "A new app may use your account");
    let change = json!({"current_password": PASSWORD, "new_password": "another long secret"});
    let (status, _) = service.post("/v1/account/change-password", &ada.token, change).await;
    assert_eq!(status, 204);
    assert_eq!(accepts(&server, address, 4).await["headers"]["subject"], "Your password was changed");
    // A device token from before the new password is none.
    assert_eq!(log_in("another long secret", Some(&ada.device)).await.0, 201);
    assert_eq!(accepts(&server, address, 5).await["headers"]["subject"], "Log-in on a new device");
}

#[tokio::test]
async fn a_new_address_takes_the_place_of_the_first_once_it_is_verified() {
    let Some(server) = MailServer::start("127.0.0.1") else { return };
    let service = Service::with(&server.url(), &server.authority);
    let ada = service.register("ada").await;
    service.verified(&server, &ada, "first@example.org", json!({"kinds": []})).await;
    let emails = async || {
        let list = service.get("/v1/channels", &ada.token).await;
        let emails =
            list["items"].as_array().unwrap().iter().map(|one| one["email"].as_str().unwrap().to_owned());
        emails.collect::<Vec<_>>()
    };
    for address in ["wrong@example.org", "second@example.org"] {
        assert_eq!(service.create_channel(&ada, address, json!({})).await.0, 201);
    }
    assert_eq!(emails().await, ["second@example.org", "first@example.org"]);
    service.post("/v1/password-resets", "", json!({"email": "second@example.org"})).await;
    let code = code_of(&accepts(&server, "second@example.org", 1).await);
    assert_eq!(service.post("/v1/email-verifications", "", json!({"code": code})).await.0, 204);
    assert_eq!(emails().await, ["second@example.org"]);
    // The code of an address that was given up does nothing.
    let code = code_of(&accepts(&server, "wrong@example.org", 1).await);
    assert_eq!(service.post("/v1/email-verifications", "", json!({"code": code})).await.0, 403);
    assert_eq!(accepted_for(&server, "second@example.org").len(), 1, "the address was not verified then");
}

#[tokio::test]
async fn notifications_come_by_email_until_one_tap_ends_them() {
    let Some(server) = MailServer::start("127.0.0.1") else { return };
    let service = Service::with(&server.url(), &server.authority);
    let players = [service.register("ada").await, service.register("bob").await];
    for player in &players {
        let address = format!("{}@example.org", player.username);
        let more = json!({"kinds": ["your_turn", "digest"], "link": "https://yaniv.example/match/{id}"});
        service.verified(&server, player, &address, more).await;
    }
    let (_, made) = service.post("/v1/matches", &players[0].token, json!({"size": 2})).await;
    let code = made["join_code"].as_str().unwrap();
    service.post(&format!("/v1/join-codes/{code}/seats"), &players[1].token, json!({})).await;
    let id = made["match_id"].as_str().unwrap();
    let (_, view) = service.post(&format!("/v1/matches/{id}/start"), &players[0].token, json!({})).await;
    let turn = usize::from(view["your_turn"] != true);
    let player = &players[turn];
    let address = format!("{}@example.org", player.username);

    let mail = accepts(&server, &address, 2).await;
    let headers = &mail["headers"];
    assert_eq!(headers["subject"], "Your turn");
    let text = mail["text"].as_str().unwrap();
    assert!(text.contains(&format!("https://yaniv.example/match/{id}")), "{text}");
    let link = headers["list-unsubscribe"].as_str().unwrap().trim_matches(['<', '>']);
    assert!(text.contains(link), "{text}");
    assert_eq!(headers["list-unsubscribe-post"], "List-Unsubscribe=One-Click");

    // Both digests are due; that of the player without a waiting match is dropped.
    let due = "UPDATE channels SET digest_at = now() - interval '1 second' WHERE format = $1";
    service.sql(due, "email").await;
    let digest = accepts(&server, &address, 3).await;
    assert_eq!(digest["headers"]["subject"], "A match waits for you");
    let other = &players[1 - turn];
    let list = service.get("/v1/channels", &other.token).await;
    let id = list["items"][0]["channel_id"].as_str().unwrap();
    let dropped =
        service.newest_delivery(other, id, |one| one["kind"] == "digest" && one["status"] != "waiting").await;
    assert_eq!((&dropped["status"], &dropped["reason"]), (&json!("dropped"), &json!("outdated")));

    let path = link.strip_prefix("https://yaniv.example").unwrap();
    let kinds = async || service.get("/v1/channels", &player.token).await["items"][0]["kinds"].clone();
    // Scanners follow links: that must not end anything.
    let page = service.send(Method::GET, path, "", None).await;
    assert!(page.headers()["content-security-policy"].to_str().unwrap().contains("form-action 'self'"));
    assert!(page.text().await.unwrap().contains("<form method=\"post\">"));
    assert_eq!(kinds().await, json!(["your_turn", "digest"]));
    let one_tap = async |path: &str| {
        let url = format!("http://{}{path}", service.program.address());
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let request =
            service.client.post(url).header(form[0].0, form[0].1).body("List-Unsubscribe=One-Click");
        request.send().await.unwrap().status()
    };
    for _ in 0..2 {
        assert_eq!(one_tap(path).await, 200);
    }
    assert_eq!(kinds().await, json!([]));
    assert_eq!(one_tap("/unsubscribe/AAAA?lang=he").await, 404);
}

#[tokio::test]
async fn what_a_mail_server_refuses_is_told_and_retried_only_if_it_helps() {
    let Some(server) = MailServer::start("127.0.0.1") else { return };
    let service = Service::with(&server.url(), &server.authority);
    let ada = service.register("ada").await;
    let (_, channel) = service.create_channel(&ada, "unknown@example.org", json!({})).await;
    let id = channel["channel_id"].as_str().unwrap();
    let refused = service.newest_delivery(&ada, id, |one| one["status"] != "waiting").await;
    assert_eq!(
        (&refused["status"], &refused["answered_status"]),
        (&json!("failed"), &json!(550)),
        "{refused}"
    );
    let (_, channel) = service.create_channel(&ada, "later@example.org", json!({})).await;
    let id = channel["channel_id"].as_str().unwrap();
    let later = service.newest_delivery(&ada, id, |one| one["attempts"] != 0).await;
    assert_eq!((&later["status"], &later["answered_status"]), (&json!("waiting"), &json!(451)), "{later}");

    // Three codes in an hour.
    for expected in [201, 201, 201, 429] {
        let body = json!({"email": "ada@example.org", "current_password": PASSWORD});
        let answer = service.send(Method::POST, "/v1/email-channels", &ada.token, Some(&body)).await;
        assert_eq!(answer.status(), expected);
        if expected == 429 {
            let wait: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
            assert!((3500..=3600).contains(&wait), "{wait}");
            let problem: Value = answer.json().await.unwrap();
            assert_eq!(problem["code"], "too_many_emails");
        }
    }
    accepts(&server, "ada@example.org", 3).await;
}

#[tokio::test]
async fn what_only_the_operator_can_mend_is_retried() {
    let Some(server) = MailServer::start("127.0.0.1") else { return };
    let Some(other) = MailServer::start("mail.example.org") else { return };
    // Connections wait in its queue: it accepts none.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("smtp://{}", listener.local_addr().unwrap());
    let wrong_password = server.url().replace("s3cret", "secret");
    for (url, authority, reason) in [
        // The certificate is signed by another CA; it is for another host; the password is wrong; no answer comes.
        (&server.url(), &other.authority, "unreachable"),
        (&other.url(), &other.authority, "unreachable"),
        (&wrong_password, &server.authority, "unreachable"),
        (&silent, &server.authority, "timeout"),
    ] {
        let service = Service::with(url, authority);
        let ada = service.register("ada").await;
        let (_, channel) = service.create_channel(&ada, "ada@example.org", json!({})).await;
        let id = channel["channel_id"].as_str().unwrap();
        let failed = service.newest_delivery(&ada, id, |one| one["attempts"] != 0).await;
        assert_eq!((&failed["status"], &failed["reason"]), (&json!("waiting"), &json!(reason)), "{url}");
    }
    for server in [&server, &other] {
        assert!(accepted_for(server, "ada@example.org").is_empty());
    }
}

#[tokio::test]
async fn without_a_mail_server_everything_else_is_as_before() {
    let service = Service::start(&[]);
    assert_eq!(service.get("/v1/server", "").await["sends_email"], false);
    let ada = service.register("ada").await;
    let (status, problem) = service.create_channel(&ada, "ada@example.org", json!({})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("email_off")));
    let (status, problem) =
        service.post("/v1/password-resets", "", json!({"email": "ada@example.org"})).await;
    assert_eq!((status, &problem["code"]), (409, &json!("email_off")));
    let (status, _) =
        service.post("/v1/sessions", "", json!({"username": "ada", "password": PASSWORD})).await;
    assert_eq!(status, 201);
}

#[test]
fn a_wrong_configuration_of_the_mail_server_says_what_to_set() {
    let right = [
        ("YANIV_SMTP_URL", "smtps://yaniv:hunter2@mail.example"),
        ("YANIV_MAIL_FROM", FROM),
        ("YANIV_PUBLIC_URL", "https://yaniv.example"),
    ];
    for (variable, value, said) in [
        ("YANIV_MAIL_FROM", FROM, ""),
        ("YANIV_MAIL_FROM", "", "YANIV_MAIL_FROM"),
        ("YANIV_MAIL_FROM", "Yaniv", "the sender must be an address"),
        ("YANIV_PUBLIC_URL", "", "YANIV_PUBLIC_URL"),
        ("YANIV_SMTP_URL", "smtp://yaniv:hunter2@mail.example", "?tls=required"),
        ("YANIV_SMTP_URL", "https://yaniv:hunter2@mail.example", "smtps://"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.args(["config", "check"]).env("DATABASE_URL", "postgres://localhost/yaniv").envs(right);
        let output = command.env(variable, value).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.success(), said.is_empty(), "{variable}={value}: {text}");
        assert!(text.contains(said) && !text.contains("hunter2"), "{variable}={value}: {text}");
    }
}
