//! Connections lost at COMMIT: the outcome is unknown. With a key the write happens once and is answered; without one
//! it is not retried, and the client is informed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream, tcp, unix};
use tokio::task::JoinHandle;
use tokio_postgres::config::Host;

use crate::support::player::new_key;
use crate::support::{Player, new_database, options, serve};

const PASS: u8 = 0;
const CUT_BEFORE: u8 = 1;
const CUT_AFTER: u8 = 2;

/// A proxy between the service and its database; cuts the connection of the next COMMIT, before or after it gets
/// through.
async fn proxy(url: &str) -> (String, Arc<AtomicU8>) {
    let config: tokio_postgres::Config = url.parse().unwrap();
    let Some(Host::Unix(directory)) = config.get_hosts().first() else { panic!("a socket in {url}") };
    let socket = directory.join(format!(".s.PGSQL.{}", config.get_ports()[0]));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mode = Arc::new(AtomicU8::new(PASS));
    let armed = Arc::clone(&mode);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let (answers, to_server) = UnixStream::connect(&socket).await.unwrap().into_split();
            let (requests, to_client) = client.into_split();
            let muted = Arc::new(AtomicBool::new(false));
            let mut back = tokio::spawn(carry_back(answers, to_client, Arc::clone(&muted)));
            let armed = Arc::clone(&armed);
            tokio::spawn(async move {
                forward(requests, to_server, &armed, &muted, &mut back).await;
                back.abort();
            });
        }
    });
    let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
    (format!("postgres://{user}@127.0.0.1:{port}/{name}"), mode)
}

/// Forwards from the server to the client. Once muted, drops everything, and ends when the server reports the commit.
async fn carry_back(
    mut answers: unix::OwnedReadHalf,
    mut to_client: tcp::OwnedWriteHalf,
    muted: Arc<AtomicBool>,
) {
    let (mut buffer, mut swallowed) = (vec![0; 65_536], Vec::new());
    while let Ok(read @ 1..) = answers.read(&mut buffer).await {
        if !AtomicBool::load(&muted, Ordering::SeqCst) {
            if to_client.write_all(&buffer[..read]).await.is_err() {
                return;
            }
            continue;
        }
        swallowed.extend_from_slice(&buffer[..read]);
        if swallowed.windows(7).any(|window| window == b"COMMIT\0") {
            return;
        }
    }
}

/// Forwards from the client to the server, until one of them ends or the connection is to be cut.
async fn forward(
    mut requests: tcp::OwnedReadHalf,
    mut to_server: unix::OwnedWriteHalf,
    armed: &AtomicU8,
    muted: &AtomicBool,
    back: &mut JoinHandle<()>,
) {
    let mut buffer = vec![0; 65_536];
    while let Ok(read @ 1..) = requests.read(&mut buffer).await {
        let bytes = &buffer[..read];
        let cut = match bytes.windows(6).any(|window| window == b"COMMIT") {
            true => AtomicU8::swap(armed, PASS, Ordering::SeqCst),
            false => PASS,
        };
        muted.store(cut == CUT_AFTER, Ordering::SeqCst);
        if cut == CUT_BEFORE || to_server.write_all(bytes).await.is_err() {
            return;
        }
        if cut == CUT_AFTER {
            back.await.unwrap();
            return;
        }
    }
}

async fn count(player: &Player) -> usize {
    player.get("/v1/matches").await.expect(200)["items"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_whose_commit_got_lost_is_done_once_with_a_key_and_not_again_without() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let (url, mode) = proxy(database.url()).await;
    let (address, server) = serve(&options(), &url).await;
    let ada = Player::register(address, "ada").await;
    let body = json!({"size": 2});
    let mut matches = 0;
    for (cut, happened) in [(CUT_BEFORE, 0), (CUT_AFTER, 1)] {
        let mut answer;
        loop {
            mode.store(cut, Ordering::SeqCst);
            answer = ada.create(&body).await;
            // The commit of a background worker may have been the next one.
            if answer.status != 201 || matches > 20 {
                break;
            }
            matches += 1;
        }
        answer.expect_problem(503, "outcome_unknown");
        matches += happened;
        assert_eq!(count(&ada).await, matches, "without a key it is not done again");

        let key = new_key();
        mode.store(cut, Ordering::SeqCst);
        let created = ada.post("/v1/matches", Some(&key), &body).await;
        created.expect(201);
        assert_eq!(AtomicU8::load(&mode, Ordering::SeqCst), PASS, "the connection was cut");
        matches += 1;
        assert_eq!(count(&ada).await, matches, "with a key it is done once");
        assert_eq!(created.body, ada.post("/v1/matches", Some(&key), &body).await.body);
    }
    server.stop(false).await;
}
