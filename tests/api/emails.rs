//! E-mail addresses of accounts: how many codes are sent, whatever becomes of the channels; who may remove an address, and
//! how it is taken back. With a mail server: `tests/email`.

use serde_json::json;

use crate::notices::webhook;
use crate::support::player::PASSWORD;
use crate::support::receiver::Receiver;
use crate::support::{Answer, Player, TestApp, id, within_a_second};

/// A service whose mail server does not answer: what is enqueued counts.
async fn app(codes: u16) -> TestApp {
    TestApp::start_with(|options| {
        options.smtp_url = Some("smtp://127.0.0.1:9".into());
        options.mail_from = Some("Yaniv <yaniv@yaniv.example>".to_owned());
        options.public_url = Some("https://yaniv.example".to_owned());
        options.email_codes = codes;
    })
    .await
}

async fn name(player: &Player, email: &str) -> Answer {
    let body = json!({"email": email, "current_password": PASSWORD});
    player.post("/v1/email-channels", None, &body).await
}

fn refused(answer: Answer, code: &str, most: u64) {
    let limit = answer.header("ratelimit").unwrap();
    let wait: u64 = limit.split_once(";t=").unwrap().1.parse().unwrap();
    assert!((most - 60..=most).contains(&wait), "{code}: {wait}");
    // An hour at most, as documented.
    assert_eq!(answer.header("retry-after"), Some(wait.min(3600).to_string().as_str()));
    answer.expect_problem(429, code);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_are_counted_by_address_and_account_whatever_becomes_of_the_channel() {
    let app = app(200).await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    for email in ["eve@example.org", "one@example.org", "EVE@example.org", "two@example.org"] {
        name(&ada, email).await.expect(201);
    }
    let last = name(&ada, "eve@example.org").await.expect(201);
    // Another address each time, though the channels before are gone.
    refused(name(&ada, "three@example.org").await, "too_many_addresses", 86_400);
    ada.delete(&format!("/v1/channels/{}", id(&last))).await.expect(204);
    refused(name(&ada, "eve@example.org").await, "too_many_addresses", 86_400);
    // Another account for the same address.
    refused(name(&bob, "Eve@example.org").await, "too_many_emails", 3600);
    // What was refused does not count.
    name(&bob, "bob@example.org").await.expect(201);
    assert_eq!(
        app.count("SELECT cardinality(tries)::int8 AS count FROM email_counts ORDER BY 1 DESC").await,
        6
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_bounds_the_codes_to_new_addresses() {
    let app = app(2).await;
    for (player, email) in [("ada", "ada@example.org"), ("bob", "bob@example.org")] {
        name(&app.player(player).await, email).await.expect(201);
    }
    refused(name(&app.player("eve").await, "eve@example.org").await, "emails_full", 3600);
}

/// Sends the code of an e-mail, which is drawn here in place of the mail.
async fn redeem(app: &TestApp, address: &str, purpose: &str, code: &str) -> Answer {
    let insert = format!(
        "INSERT INTO email_codes (hash, channel_id, purpose, expires_at) \
         SELECT sha256('{code}'), id, '{purpose}', now() + interval '1 day' FROM channels WHERE url = '{address}' \
         ON CONFLICT DO NOTHING"
    );
    app.run(&insert).await;
    // As a mail program breaks it.
    let code = format!(" \t{}\r\n", code.to_lowercase());
    Player::anonymous(app.address).post("/v1/email-verifications", None, &json!({"code": code})).await
}

async fn verified(app: &TestApp, player: &Player, address: &str, code: &str) -> String {
    let channel = name(player, address).await.expect(201);
    redeem(app, address, "verify_email", code).await.expect(204);
    id(&channel).to_owned()
}

/// The verified addresses that the account's owner sees.
async fn addresses(player: &Player) -> Vec<String> {
    let channels = player.get("/v1/channels").await.expect(200);
    let items = channels["items"].as_array().unwrap().iter();
    let verified = items.filter(|channel| channel["status"] != "unverified");
    verified.map(|channel| channel["email"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_was_replaced_or_removed_is_told_and_can_be_taken_back() {
    const CODES: [&str; 5] = [
        "22222-22222-22222",
        "33333-33333-33333",
        "44444-44444-44444",
        "55555-55555-55555",
        "66666-66666-66666",
    ];
    let app = app(200).await;
    let ada = app.player("ada").await;
    let told = async |address: &str| {
        let query = format!(
            "SELECT count(*) FROM deliveries d JOIN channels c ON c.id = d.channel_id \
             WHERE d.kind = 'email_removed' AND c.url = '{address}'"
        );
        app.count(&query).await
    };
    verified(&app, &ada, "old@example.org", CODES[0]).await;
    assert_eq!(told("old@example.org").await, 0);
    // Replaced, twice: by a thief of the password.
    let new = verified(&app, &ada, "new@example.org", CODES[1]).await;
    assert_eq!(told("old@example.org").await, 1);
    assert_eq!(addresses(&ada).await, ["new@example.org"]);
    verified(&app, &ada, "newer@example.org", CODES[2]).await;
    assert_eq!(told("new@example.org").await, 1);
    ada.get(&format!("/v1/channels/{new}")).await.expect_problem(404, "channel_not_found");
    // The first address wins: those after it cannot be taken back any more.
    for _ in 0..2 {
        redeem(&app, "old@example.org", "email_removed", CODES[3]).await.expect(204);
    }
    assert_eq!(addresses(&ada).await, ["old@example.org"]);
    assert_eq!(app.count("SELECT count(*) FROM channels").await, 1);
    // Removed, and taken back.
    let path = async || {
        let channels = ada.get("/v1/channels").await.expect(200);
        format!("/v1/channels/{}", id(&channels["items"][0]))
    };
    ada.delete(&path().await).await.expect(204);
    assert_eq!(addresses(&ada).await, Vec::<String>::new());
    assert_eq!(told("old@example.org").await, 2);
    redeem(&app, "old@example.org", "email_removed", CODES[4]).await.expect(204);
    assert_eq!(addresses(&ada).await, ["old@example.org"]);
    // Not with a code for something else.
    ada.delete(&path().await).await.expect(204);
    let code = "77777-77777-77777";
    redeem(&app, "old@example.org", "verify_email", code).await.expect_problem(403, "email_code_invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_that_a_token_made_ends_with_the_token() {
    let app = app(200).await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let body = json!({"name": "app", "scopes": ["read", "account"], "expires_in_days": 1});
    let made = ada.post("/v1/tokens", None, &body).await.expect(201);
    let token = Player { token: made["token"].as_str().unwrap().to_owned(), ..ada.clone() };
    let receiver = Receiver::start().await;
    let own = webhook(&ada, &receiver, "/own", json!({})).await;
    let theirs = webhook(&token, &receiver, "/theirs", json!({})).await;
    let path = format!("/v1/channels/{}", id(&theirs["channel"]));
    ada.get(&path).await.expect(200);
    ada.delete(&format!("/v1/tokens/{}", id(&made["personal_token"]))).await.expect(204);
    within_a_second("the token is refused", async || token.is_refused().await).await;
    ada.get(&path).await.expect_problem(404, "channel_not_found");
    let left = ada.get("/v1/channels").await.expect(200);
    assert_eq!(left["items"], json!([own["channel"]]));
    bob.challenge(None, &json!({"opponents": ["ada"]})).await.expect(201);
    crate::support::until("the other is notified", async || receiver.at("/own").len() == 1).await;
    assert_eq!(receiver.at("/theirs").len(), 0);
}
