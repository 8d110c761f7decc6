//! E-mail addresses of accounts: how many codes are sent, whatever becomes of the channels. With a mail server:
//! `tests/email`.

use serde_json::json;

use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, id};

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
    let wait: u64 = answer.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((most - 60..=most).contains(&wait), "{code}: {wait}");
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
    assert_eq!(app.count("SELECT cardinality(tries)::int8 AS count FROM email_counts ORDER BY 1 DESC").await, 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_bounds_the_codes_to_new_addresses() {
    let app = app(2).await;
    for (player, email) in [("ada", "ada@example.org"), ("bob", "bob@example.org")] {
        name(&app.player(player).await, email).await.expect(201);
    }
    refused(name(&app.player("eve").await, "eve@example.org").await, "emails_full", 3600);
}
