//! An instance of the release and one of this version serve side by side, then the release alone: with its program.

use std::time::{Duration, Instant};

use local_postgres::not_checked;

use crate::client::{Client, action, start_match};
use crate::program::Program;
use crate::release::Release;
use crate::{VARIABLES, all_is_right};

/// Two players who act at changing instances.
struct Pair {
    players: [Client; 2],
    match_id: String,
}

impl Pair {
    async fn start(address: &str, number: usize) -> Self {
        let name = |side: &str| format!("{side}_{number}");
        let players = [
            Client::register(address, &name("one"), "correct horse").await,
            Client::register(address, &name("other"), "correct horse").await,
        ];
        let match_id = start_match(&players).await;
        Self { players, match_id }
    }

    /// Reads at one instance and acts at the next, for this long. Returns the number of actions, and the longest.
    async fn play(&self, addresses: &[&str], time: Duration) -> (usize, Duration) {
        let (mut actions, mut longest, begun) = (0, Duration::ZERO, Instant::now());
        while begun.elapsed() < time {
            let at = |number: usize| addresses[number % addresses.len()];
            let players = self.players.each_ref().map(|player| player.at(at(actions)));
            let Some((number, path, body)) = action(&players, &self.match_id).await else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let sent = Instant::now();
            let (status, answer) = players[number].at(at(actions + 1)).post(&path, &body).await;
            longest = longest.max(sent.elapsed());
            assert_eq!(status, 200, "{answer}");
            actions += 1;
        }
        (actions, longest)
    }
}

/// All pairs play at the same time. Returns the number of actions, and the longest.
async fn all_play(pairs: &[Pair], addresses: &[&str], time: Duration) -> (usize, Duration) {
    let played = futures_util::future::join_all(pairs.iter().map(|pair| pair.play(addresses, time))).await;
    let actions = played.iter().map(|(actions, _)| actions).sum();
    (actions, played.iter().map(|(_, longest)| *longest).max().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn instances_of_the_release_and_of_this_version_serve_the_same_players() {
    for release in Release::all() {
        let Some(old_program) = release.program() else {
            let why = "RELEASED_PROGRAMS names no directory with its program; its statements are checked without it";
            not_checked(&format!("instances of {} beside this version", release.version), why);
            continue;
        };
        let database = release.restore().await;
        let old = Program::start_other(&old_program, database.url(), &VARIABLES);
        let pairs =
            futures_util::future::join_all((0..6).map(|number| Pair::start(old.address(), number))).await;
        // The new instance starts, and migrates, while they play at the old one.
        let url = database.url().to_owned();
        let starting = tokio::task::spawn_blocking(move || Program::start(&url, &VARIABLES));
        let during = all_play(&pairs, &[old.address()], Duration::from_secs(8)).await;
        let new = starting.await.unwrap();
        let both = all_play(&pairs, &[old.address(), new.address()], Duration::from_secs(8)).await;
        drop(new);
        // Back one step: the release alone, on the schema of this version.
        let back = all_play(&pairs, &[old.address()], Duration::from_secs(4)).await;
        drop(old);
        let new = Program::start(database.url(), &VARIABLES);
        let again = all_play(&pairs, &[new.address()], Duration::from_secs(4)).await;
        for (phase, (actions, longest)) in
            [("migrating", during), ("both", both), ("back", back), ("new", again)]
        {
            println!("{}: {phase}: {actions} actions, the longest {longest:?}", release.version);
            assert!(actions > 0 && longest < Duration::from_secs(3), "{phase}: {actions}, {longest:?}");
        }
        all_is_right(database.url()).await;
    }
}
