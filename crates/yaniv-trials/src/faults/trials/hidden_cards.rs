//! P5: hidden cards are never sent. Matches that differ only in cards hidden from a player look the same to that
//! player, byte for byte.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use serde_json::{Value, json};
use yaniv_engine::{Action, Seat};

use crate::Error;
use crate::faults::checks::masks::masked;
use crate::faults::checks::twins::{CLIENT_SEEDS, Pair, Secret, Secrets, Twin, VIEWER, find, rules_wanted};
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::op::{End, Op, new_key, version};
use crate::faults::report::Report;
use crate::faults::setup::proxy::{Meddling, Proxy};
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::{Answer, Request, View, Wish};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p5",
    promise: "Hidden cards never leave",
    injects: "pairs of matches that differ in hidden cards only",
    times: 10_000,
    short: 3,
    bug: "a header that depends on the other player's cards",
    run,
    planted,
};

/// Pairs of players that play concurrently.
const LANES: usize = 4;

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let addresses = stage.addresses.clone();
    let mut report = Report::default();
    let lanes = context.long_or_short(LANES, 1);
    let matches = context.long_or_short(256, 30);
    let secrets = Secrets::new(context.long_or_short(1500, 400));
    let mut batch = 0;
    while report.injected < context.times && context.has_time() && !report.is_red() {
        batch += 1;
        let most = (context.times - report.injected).div_ceil(lanes);
        let names = (0..lanes).map(|lane| format!("p5_{lane}_{batch}"));
        let made = names.map(|name| Lane::new(addresses.clone(), name, matches, secrets.clone()));
        let tasks: Vec<_> = made.map(|lane| context.runtime.spawn(lane)).collect();
        let mut lanes = Vec::new();
        for task in tasks {
            lanes.push(context.runtime.block_on(task)??);
        }
        settle(context, &mut stage, &lanes)?;
        let tasks: Vec<_> =
            lanes.into_iter().map(|lane| context.runtime.spawn(lane.play(most, None))).collect();
        for task in tasks {
            report.add(context.runtime.block_on(task)??);
        }
    }
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let hidden = Arc::new(AtomicU64::new(0));
    let leak = |address: &SocketAddr| {
        Proxy::start(&context.runtime, *address, Meddling::Header(Arc::clone(&hidden)))
    };
    let proxies: Vec<Proxy> = stage.addresses.iter().map(leak).collect::<Result<_, _>>()?;
    let addresses = proxies.iter().map(|proxy| proxy.address).collect();
    let lane =
        context.runtime.block_on(Lane::new(addresses, "p5_planted".to_owned(), 24, Secrets::new(400)))?;
    let lanes = [lane];
    settle(context, &mut stage, &lanes)?;
    let [lane] = lanes;
    let task = context.runtime.spawn(lane.play(1, Some(hidden)));
    let report = context.runtime.block_on(task)??;
    context.give_back(stage);
    Ok(report.into())
}

/// Installs the secrets. Instances are restarted, so that none has the original ones cached.
fn settle(context: &Context, stage: &mut Stage, lanes: &[Lane]) -> Result<(), Error> {
    context.runtime.block_on(async {
        let database = stage.database().await?;
        for twin in lanes.iter().flat_map(|lane| &lane.pairs).flat_map(|pair| &pair.twins) {
            database.set_secret(&twin.match_id, &twin.secret, &twin.commitment).await?;
        }
        Ok::<_, Error>(())
    })?;
    for number in 0..stage.len() {
        stage.kill9(number)?;
        stage.start(number)?;
    }
    Ok(())
}

/// Two players and their pairs of matches.
struct Lane {
    players: [Client; 2],
    pairs: Vec<Pair>,
}

/// All answers that one of the two players got in one match.
type Heard = Vec<String>;

impl Lane {
    async fn new(
        addresses: Vec<SocketAddr>,
        name: String,
        count: usize,
        secrets: Secrets,
    ) -> Result<Self, Error> {
        let viewer = Client::register(&addresses, &format!("{name}_viewer"), PASSWORD).await?;
        let other = Client::register(&addresses, &format!("{name}_other"), PASSWORD).await?;
        let mut players = [viewer, other];
        let mut match_ids = Vec::new();
        for _ in 0..count {
            match_ids.push(new_match(&mut players).await?);
        }
        let pairs = tokio::task::spawn_blocking(move || find(&match_ids, &secrets)).await??;
        Ok(Self { players, pairs })
    }

    async fn play(mut self, most: usize, hidden: Option<Arc<AtomicU64>>) -> Result<Report, Error> {
        let mut report = Report::default();
        let pairs = std::mem::take(&mut self.pairs);
        let steps: usize = pairs.iter().take(most).map(|pair| pair.script.len()).sum();
        for pair in pairs.iter().take(most) {
            let [first, second] = &pair.twins;
            let first = self.play_one(first, &pair.script, hidden.as_deref()).await?;
            let second = self.play_one(second, &pair.script, hidden.as_deref()).await?;
            report.injected += 1;
            report.acknowledged += 2 * (pair.script.len() + 1);
            compare(&first, &second, &mut report);
        }
        report.require(report.injected > 0, || "no pair of matches was found".to_owned());
        report.note(format!("{} pairs, {steps} actions", report.injected));
        Ok(report)
    }

    /// Plays the script in a match; returns the answers that the viewer and the other player got.
    async fn play_one(
        &mut self,
        twin: &Twin,
        script: &[(Seat, Action)],
        hidden: Option<&AtomicU64>,
    ) -> Result<[Heard; 2], Error> {
        if let (Some(hidden), Some((first, _))) = (hidden, twin.secret.split_first_chunk()) {
            hidden.store(u64::from_be_bytes(*first), Ordering::Relaxed);
        }
        let path = format!("/v1/matches/{}/start", twin.match_id);
        let start = Op::new(&twin.match_id, 0, "", path, &json!({}), ("started", String::new()));
        let [viewer, other] = &mut self.players;
        let secrets = twin.hidden();
        let (started, mut now) = write(viewer, start).await?;
        let mut heard = [vec![masked(&started, &secrets)], Vec::new()];
        let [by_viewer, by_other] = &mut heard;
        for (step, (seat, action)) in script.iter().enumerate() {
            look_around(viewer, (twin, &secrets), now, step, by_viewer).await?;
            look_around(other, (twin, &secrets), now, step, by_other).await?;
            let (player, by) =
                if *seat == VIEWER { (&mut *viewer, Some(&mut *by_viewer)) } else { (&mut *other, None) };
            let op = Op::action(&twin.match_id, seat.index(), "", &wish(action, now));
            let (answer, after) = write(player, op.clone()).await?;
            if let Some(by) = by {
                let (again, _) = write(player, op).await?;
                by.extend([masked(&answer, &secrets), masked(&again, &secrets)]);
            }
            now = after;
        }
        // So that it is no longer a running match.
        let resign = Wish { operation: "resignations", body: json!({"expected_version": now}) };
        write(viewer, Op::action(&twin.match_id, 0, "", &resign)).await?;
        Ok(heard)
    }
}

async fn new_match(players: &mut [Client; 2]) -> Result<String, Error> {
    let [viewer, other] = players;
    let [first, second] = CLIENT_SEEDS;
    let body = json!({"size": 2, "rules": rules_wanted(), "client_seed": first});
    let create = Op::new("", 0, "", "/v1/matches".to_owned(), &body, ("joined", String::new()));
    let (created, _) = write(viewer, create).await?;
    let view = View::read(&created.body)?;
    let path = format!("/v1/join-codes/{}/seats", view.join_code);
    let join =
        Op::new(view.match_id, 1, "", path, &json!({"client_seed": second}), ("joined", String::new()));
    write(other, join).await?;
    Ok(view.match_id.to_owned())
}

/// Sends a write that must be acknowledged; also returns the version it created.
async fn write(player: &mut Client, mut op: Op) -> Result<(Answer, i32), Error> {
    player.settle(&mut op).await?;
    match op.end {
        End::Ok { answer, .. } => {
            let version = version(&answer.body);
            Ok((answer, version))
        }
        end => Err(format!("{} {}: {end:?}", op.path, op.detail).into()),
    }
}

/// Reads all that a player can read, and provokes some refusals, others at each step.
async fn look_around(
    player: &mut Client,
    (twin, secrets): (&Twin, &HashSet<Secret>),
    now: i32,
    step: usize,
    heard: &mut Heard,
) -> Result<(), Error> {
    let base = format!("/v1/matches/{}", twin.match_id);
    for path in ["", "?since=0", "/log", "/log?after=3", "/rounds", "/record", "/fairness"] {
        heard.push(masked(&player.read(&format!("{base}{path}")).await?, secrets));
    }
    heard.push(masked(&player.read("/v1/matches?status=running").await?, secrets));
    let cards = ["AH", "KS", "9H", "4S", "7H", "QS"];
    let card = cards.get(step % cards.len()).copied().unwrap_or_default();
    let refused: [(&str, Value); 5] = [
        ("plays", json!({"expected_version": 1, "cards": [card], "draw_from": "stock"})),
        ("plays", json!({"expected_version": now, "cards": [card, card], "draw_from": "stock"})),
        ("plays", json!({"expected_version": now, "cards": [card], "draw_from": "pile", "draw_card": "XB"})),
        ("plays", json!({"expected_version": now, "cards": [card], "draw_from": "nothing"})),
        ("calls", json!({"expected_version": now, "word": "nothing"})),
    ];
    for (operation, body) in refused {
        heard.push(refuse(player, secrets, &format!("{base}/{operation}"), &body).await?);
    }
    // Whether another player can slam down reveals that the drawn card fits. One's own is known.
    let view = player.read(&base).await?;
    if !String::from_utf8_lossy(&view.body).contains("slam_card") {
        let body = json!({"expected_version": now});
        heard.push(refuse(player, secrets, &format!("{base}/slam-downs"), &body).await?);
    }
    Ok(())
}

async fn refuse(
    player: &mut Client,
    secrets: &HashSet<Secret>,
    path: &str,
    body: &Value,
) -> Result<String, Error> {
    let (key, token) = (new_key(), player.token.clone());
    let body = Some(Bytes::from(body.to_string()));
    let request = Request { method: "POST", path, token: &token, key: Some(&key), tag: None, body };
    let answer = player.send_to(0, &request).await.map_err(|lost| lost.0)?;
    Ok(masked(&answer, secrets))
}

fn wish(action: &Action, now: i32) -> Wish {
    let text = action.to_string();
    let (card, draw) = text.split_once('+').unwrap_or_default();
    let body = match draw {
        "#" => json!({"expected_version": now, "cards": [card], "draw_from": "stock"}),
        pile => json!({"expected_version": now, "cards": [card], "draw_from": "pile", "draw_card": pile}),
    };
    Wish { operation: "plays", body }
}

/// The viewer's answers must be equal; the other player's must differ, which shows that a difference is detectable.
fn compare(first: &[Heard; 2], second: &[Heard; 2], report: &mut Report) {
    let ([first, other_first], [second, other_second]) = (first, second);
    let different = first.iter().zip(second).find(|(first, second)| first != second);
    if let Some((first, second)) = different {
        report.differ += 1;
        report.find(format!("the viewer sees a difference:\n{first}\n{second}"));
    }
    report.require(first.len() == second.len(), || "not as many answers".to_owned());
    report.require(other_first != other_second, || "not even the other player sees a difference".to_owned());
}
