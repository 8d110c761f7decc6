//! Databases of released versions are upgraded to this one, under load, and taken back: `releases` has a dump of what
//! each release left (`record.py` makes it).

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests say what they expect"
)]

mod back;
mod client;
mod documents;
#[path = "../program/mod.rs"]
mod program;
mod recovery;
mod release;
mod rolling;
mod statements;

use std::process::Command;

use serde_json::{Value, json};

use client::{Client, until};
use program::Program;
use release::Release;

/// What the tests of the API set, as well.
const VARIABLES: [(&str, &str); 3] =
    [("YANIV_RATE_LIMITS", "off"), ("YANIV_SANDBOXES", "on"), ("YANIV_PRIVATE_DESTINATIONS", "on")];

/// Where an answer differs from that of the release, in what both have. New fields are additions.
fn differences(old: &Value, new: &Value, place: &str, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(fields), Value::Object(_)) => {
            for (name, value) in fields.iter().filter(|(name, _)| *name != "server_time") {
                differences(value, &new[name], &format!("{place}.{name}"), found);
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (number, (item, other)) in items.iter().zip(others).enumerate() {
                differences(item, other, &format!("{place}[{number}]"), found);
            }
        }
        _ if old == new => {}
        _ => found.push(format!("{place}: {old} was answered, now {new}")),
    }
}

/// Requests that expire, however old the dump is.
fn ends_with_time(path: &str) -> bool {
    ["/v1/challenges", "/v1/pairings", "/v1/tokens"].contains(&path)
}

/// Runs `yaniv fsck`; what it printed if it found anything.
fn fsck(database_url: &str) -> Result<(), String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    let output =
        command.arg("fsck").env("DATABASE_URL", database_url).env_remove("RUST_LOG").output().unwrap();
    let said = |bytes| String::from_utf8(bytes).unwrap();
    if output.status.success() { Ok(()) } else { Err(said(output.stdout) + &said(output.stderr)) }
}

/// Waits until everything that was played is counted and rated, and checks all matches.
async fn all_is_right(database_url: &str) {
    let mut found = String::new();
    let right = async || {
        let checked = tokio::task::spawn_blocking({
            let url = database_url.to_owned();
            move || fsck(&url)
        });
        checked.await.unwrap().map_err(|said| found = said).is_ok()
    };
    let right = until(right).await;
    assert!(right, "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_of_each_release_is_read_and_played_on() {
    for release in Release::all() {
        let database = release.restore().await;
        let program = Program::start(database.url(), &VARIABLES);
        let mut differing = Vec::new();
        let mut players = Vec::new();
        for (name, paths) in release.facts["answers"].as_object().unwrap() {
            let player = Client::log_in(program.address(), name, release.password()).await;
            for (path, old) in paths.as_object().unwrap().iter().filter(|(path, _)| !ends_with_time(path)) {
                let (status, new) = player.get(path).await;
                assert_eq!(status, 200, "{name}: {path}: {new}");
                differences(old, &new, &format!("{name}: {path}"), &mut differing);
            }
            players.push(player);
        }
        assert_eq!(differing, Vec::<String>::new(), "{}", release.version);

        tokens_are_valid(&release, program.address()).await;
        let match_id = release.facts["running"]["running"].as_str().unwrap();
        let before = players[0].view(match_id).await["version"].as_i64().unwrap();
        let mut played = 0;
        // Each time the player whose turn it is not is asked as well.
        for _ in 0..100 {
            if played < 10 {
                played += i64::from(client::play_once(&players[..2], match_id).await);
            }
        }
        assert_eq!(played, 10);
        assert!(players[0].view(match_id).await["version"].as_i64().unwrap() >= before + 10);
        let version = json!({"expected_version": players[0].view(match_id).await["version"]});
        let resigned = players[0].post(&format!("/v1/matches/{match_id}/resignations"), &version).await;
        assert_eq!(resigned.0, 200, "{}", resigned.1);
        assert_eq!(resigned.1["status"], "finished", "{}", resigned.1);
        all_is_right(database.url()).await;
    }
}

/// Refresh tokens and personal tokens that the release gave are accepted.
async fn tokens_are_valid(release: &Release, address: &str) {
    for (name, token) in release.facts["refresh_tokens"].as_object().unwrap() {
        let (status, session) = Client::refresh(address, token.as_str().unwrap()).await;
        assert_eq!(
            (status, &session["account"]["username"]),
            (200, &Value::from(name.as_str())),
            "{session}"
        );
    }
    let personal = Client::with_token(address, release.facts["personal_token"].as_str().unwrap());
    assert_eq!(personal.get("/v1/matches").await.0, 200);
}
