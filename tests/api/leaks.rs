//! The search for secrets in every answer (`support/secrets.rs`) finds them.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use diesel::sql_types::Binary;
use diesel_async::RunQueryDsl;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use yaniv_db::connect;
use yaniv_engine::SeedChain;

use crate::support::{Player, TestApp, id, secrets};

async fn secret(app: &TestApp, match_id: &str) -> [u8; 32] {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = Binary)]
        secret: Vec<u8>,
    }
    let mut connection = connect(app.database.url()).await.unwrap();
    let query = format!("SELECT secret FROM matches WHERE id = '{match_id}'");
    let row: Row = diesel::sql_query(query).get_result(&mut connection).await.unwrap();
    row.secret.try_into().unwrap()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Bodies and headers that contain 32 bytes.
fn leaks(bytes: [u8; 32]) -> Vec<Vec<u8>> {
    let longer = [b"yaniv".as_slice(), &bytes, b"match"].concat();
    let texts = [
        hex(&bytes),
        hex(&bytes).to_uppercase(),
        format!("{{\"commitment\":\"{}\"}}", hex(&bytes)),
        format!("W/\"{}\"", hex(&longer)),
        format!("f{}", hex(&bytes)),
        STANDARD.encode(bytes),
        URL_SAFE_NO_PAD.encode(bytes),
        format!("{{\"next\":\"/v1/matches/{}/rounds\"}}", URL_SAFE_NO_PAD.encode(bytes)),
        format!("cursor={}", URL_SAFE_NO_PAD.encode(&longer)),
        STANDARD.encode(&longer[1..]),
        json!({"seed": bytes, "round": 1}).to_string(),
        serde_json::to_string_pretty(&json!([300, 7, longer])).unwrap(),
    ];
    let raw = [bytes.to_vec(), longer, [br#"{"seed":""#.as_slice(), &bytes, b"\"}"].concat()];
    texts.into_iter().map(String::into_bytes).chain(raw).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_found_in_whatever_form_it_leaves() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let begun = app.started(&players, json!({"preset": "speedy"})).await;
    let address = app.address.to_string();
    let search = async |part: &[u8]| secrets::search(&address, &[b"text/plain", part]).await;
    let root = secret(&app, id(&begun)).await;
    let chain = SeedChain::new(root);
    for hidden in [root, *chain.round(1).as_bytes(), *chain.round(2).as_bytes()] {
        for leak in leaks(hidden) {
            assert!(search(&leak).await.is_err(), "not found: {}", String::from_utf8_lossy(&leak));
        }
    }
    // Public values are not secrets, nor are values of the same form.
    let mut other = root;
    other[31] ^= 1;
    for harmless in [*chain.commitment().as_bytes(), other] {
        for text in leaks(harmless) {
            search(&text).await.unwrap();
        }
    }
    players[1].resign(id(&begun)).await;
    let fairness = players[0].get(&format!("/v1/matches/{}/fairness", id(&begun))).await;
    assert!(fairness.body.contains(&hex(chain.round(1).as_bytes())), "the round is over");
    search(hex(chain.round(1).as_bytes()).as_bytes()).await.unwrap();
    assert!(search(hex(chain.round(2).as_bytes()).as_bytes()).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_fails_whose_answer_has_a_secret_in_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let begun = app.started(&players, json!({"preset": "speedy"})).await;
    let seed = hex(SeedChain::new(secret(&app, id(&begun)).await).round(1).as_bytes());
    // A fake service, whose answers have an additional header or body.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    secrets::serves(address, app.database.url());
    let planted = [
        format!("etag: \"{seed}\"\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}"),
        format!("content-type: application/json\r\ncontent-length: 66\r\n\r\n\"{seed}\""),
        format!(
            "content-type: text/event-stream\r\ncache-control: no-store\r\nx-accel-buffering: no\r\n\r\n\
             event: entry\ndata: {{\"seed\":\"{seed}\"}}\n\n"
        ),
    ];
    for (number, answer) in planted.into_iter().enumerate() {
        let nobody = Player::anonymous(address);
        let asking = tokio::spawn(async move {
            if number == 2 {
                nobody.follow("/v1/events/stream", None).await.next().await;
            } else {
                nobody.get("/v1/presets").await;
            }
        });
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        assert!(stream.read(&mut request).await.unwrap() > 0);
        stream.write_all(format!("HTTP/1.1 200 OK\r\n{answer}").as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let panic = asking.await.unwrap_err().into_panic();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(message.contains("has a secret of a match in it"), "{message}");
    }
}
