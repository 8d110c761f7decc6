//! P11: notifications are not lost.
//!
//! Pairs of players act only when a webhook notifies them of their turn. Receivers fail, hang, or close after
//! receiving, and sending instances are killed: a lost notification leaves its match stuck.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::op::{End, Op};
use crate::faults::clients::receiver::{Ears, Heard};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::{Random, View, choose};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p11",
    promise: "Notifications are not lost, and duplicates have the same identifier",
    injects: "receivers that fail, hang or die after receiving, senders killed while they send",
    times: 1000,
    short: 30,
    bug: "one notice in seven is not written",
    run,
    planted,
};

/// Pairs of players, each with a receiver.
const PAIRS: usize = 16;
/// One fault in this many kills a sending instance.
const KILL_EVERY: usize = 25;
/// Time until everything left has arrived, once no faults are injected.
const SETTLED: Duration = Duration::from_secs(90);
/// After this long without an arrival, the state is checked.
const STANDSTILL: Duration = Duration::from_secs(25);
/// Skips retry delays: waiting deliveries become due, and claims that no living sender can hold are released.
const HURRY: &str = "UPDATE deliveries SET due_at = now() WHERE done_at IS NULL AND due_at > now() \
     AND (lease IS NULL OR tried_at < now() - interval '17 seconds')";
/// State of a pair.
#[derive(Default)]
struct Progress {
    turns: AtomicUsize,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = stage(context)?;
    Ok(play(context, &mut stage, context.times)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = stage(context)?;
    context.runtime.block_on(async { Plant::LostNotices.plant(&stage.database().await?).await })?;
    Ok(play(context, &mut stage, usize::MAX)?.into())
}

fn stage(context: &Context) -> Result<Stage, Error> {
    Stage::with(context, "p11", &[("YANIV_PRIVATE_DESTINATIONS", "true")])
}

fn play(context: &Context, stage: &mut Stage, times: usize) -> Result<Report, Error> {
    let (mut report, ears) = (Report::default(), Arc::new(Ears::default()));
    let pairs = context.long_or_short(PAIRS, 4);
    let mut progress = Vec::new();
    for number in 0..pairs {
        let done = Arc::new(Progress::default());
        let pair = Pair::new(stage, &ears, number, context.seed, Arc::clone(&done));
        let pair = context.runtime.block_on(pair)?;
        context.runtime.spawn(pair.play());
        progress.push(done);
    }
    let killed = inject(context, stage, &ears, &progress, times)?;
    // No more faults from here. A lost notification leaves its match stuck.
    ears.well.store(true, Ordering::Relaxed);
    let before: Vec<usize> = progress.iter().map(|pair| pair.turns.load(Ordering::Relaxed)).collect();
    let begun = Instant::now();
    let stands = |pair: usize| {
        let turns = progress.get(pair).map_or(0, |pair| pair.turns.load(Ordering::Relaxed));
        turns < before.get(pair).map_or(0, |turns| turns.saturating_add(3))
    };
    let patience = if times == usize::MAX { Duration::from_secs(6) } else { SETTLED };
    while (0..pairs).any(stands) && begun.elapsed() < patience {
        hurry(context, stage)?;
        context.pause(100);
    }
    for pair in (0..pairs).filter(|pair| stands(*pair)) {
        report.lost += 1;
        report.find(format!("pair {pair} gets no more notifications"));
    }
    let failed = ears.failed.load(Ordering::Relaxed);
    report.injected = failed.saturating_add(killed);
    report.acknowledged = progress.iter().map(|pair| pair.turns.load(Ordering::Relaxed)).sum();
    let heard = ears.heard();
    for (event, ids) in heard.iter().filter(|(_, ids)| ids.len() > 1) {
        report.twice += 1;
        report.find(format!("{event} came under {} identifiers", ids.len()));
    }
    let (received, events) = (ears.received.load(Ordering::Relaxed), heard.len());
    report.note(format!("{events} notifications, received {received} times; {killed} instances killed"));
    given_up(context, stage, &mut report)?;
    Ok(report)
}

/// Injects receiver faults and kills sending instances, until done; returns how many instances were killed.
fn inject(
    context: &Context,
    stage: &mut Stage,
    ears: &Ears,
    progress: &[Arc<Progress>],
    times: usize,
) -> Result<usize, Error> {
    let (mut killed, mut turns, mut since) = (0_usize, 0, Instant::now());
    let standstill = if times == usize::MAX { Duration::from_secs(6) } else { STANDSTILL };
    while context.has_time() && since.elapsed() < standstill {
        let failed = ears.failed.load(Ordering::Relaxed);
        if failed.saturating_add(killed) >= times {
            break;
        }
        let now = progress.iter().map(|pair| pair.turns.load(Ordering::Relaxed)).sum();
        if now != turns {
            (turns, since) = (now, Instant::now());
        }
        if times != usize::MAX && failed / KILL_EVERY > killed {
            // Just after a notification was received, before it is marked as sent.
            context.runtime.block_on(async {
                let received = ears.receiving.notified();
                let _ = tokio::time::timeout(Duration::from_secs(5), received).await;
            });
            let number = killed % stage.len();
            stage.kill9(number)?;
            killed += 1;
            context.pause(200);
            stage.start(number)?;
        }
        hurry(context, stage)?;
        context.pause(100);
    }
    Ok(killed)
}

fn hurry(context: &Context, stage: &Stage) -> Result<(), Error> {
    context.runtime.block_on(async { stage.database().await?.run(HURRY).await })
}

/// No notification may have been given up: every receiver recovered in time.
fn given_up(context: &Context, stage: &Stage, report: &mut Report) -> Result<(), Error> {
    let query = "SELECT count(*) FROM deliveries WHERE outcome = 'failed'";
    let failed = context.runtime.block_on(async { stage.database().await?.count(query).await })?;
    report.require(failed == 0, || format!("{failed} notifications were given up"));
    Ok(())
}

/// Two players who act when notified.
struct Pair {
    players: [Client; 2],
    heard: UnboundedReceiver<Heard>,
    random: Random,
    progress: Arc<Progress>,
}

impl Pair {
    async fn new(
        stage: &Stage,
        ears: &Arc<Ears>,
        number: usize,
        seed: u64,
        progress: Arc<Progress>,
    ) -> Result<Self, Error> {
        let (address, heard) = ears.listen(seed.wrapping_add(u64::try_from(number)?)).await?;
        let names = ["ada", "bob"].map(|name| format!("{name}_told_{number}"));
        let [ada, bob] = &names;
        let mut players = [
            Client::register(&stage.addresses, ada, PASSWORD).await?,
            Client::register(&stage.addresses, bob, PASSWORD).await?,
        ];
        let hook = json!({"url": format!("http://{address}/"), "format": "standard", "immediate": true,
            "kinds": ["your_turn", "match_over"]});
        for player in &mut players {
            send(player, "/v1/webhook-channels", &hook).await?;
        }
        let mut pair = Self { players, heard, random: Random(seed), progress };
        pair.begin().await?;
        Ok(pair)
    }

    /// Starts another match.
    async fn begin(&mut self) -> Result<(), Error> {
        let [ada, bob] = &mut self.players;
        let body = json!({"size": 2, "rules": {"preset": "yaniv", "max_rounds": 20}});
        let created = send(ada, "/v1/matches", &body).await?;
        let text = |name: &str| created.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        send(bob, &format!("/v1/join-codes/{}/seats", text("join_code")), &json!({})).await?;
        send(ada, &format!("/v1/matches/{}/start", text("match_id")), &json!({})).await?;
        Ok(())
    }

    /// Plays until nothing more arrives.
    async fn play(mut self) {
        while let Some(told) = self.heard.recv().await {
            match self.act(&told).await {
                Ok(true) => self.progress.turns.fetch_add(1, Ordering::Relaxed),
                Ok(false) => continue,
                // A player who cannot act stops, which the standstill check detects.
                Err(_) => return,
            };
        }
    }

    /// Acts if it is the notified player's turn; returns whether it was. After the end of a match, starts another.
    async fn act(&mut self, told: &Heard) -> Result<bool, Error> {
        let path = format!("/v1/matches/{}", told.match_id);
        let Some(player) = self.players.iter_mut().find(|player| player.username == told.username) else {
            return Ok(false);
        };
        let answer = player.read(&path).await?;
        let view = View::read(&answer.body)?;
        if view.status == "finished" {
            self.begin().await?;
            return Ok(true);
        }
        let Some(wish) = choose(&view, &mut self.random) else { return Ok(false) };
        let mut op = Op::action(view.match_id, 0, &player.account, &wish);
        player.settle(&mut op).await?;
        Ok(matches!(op.end, End::Ok { .. }))
    }
}

/// Retries a write until it is answered, and reads the answer.
async fn send(player: &mut Client, path: &str, body: &Value) -> Result<Value, Error> {
    let account = player.account.clone();
    let mut op = Op::new("", 0, &account, path.to_owned(), body, ("", String::new()));
    player.settle(&mut op).await?;
    match op.end {
        End::Ok { answer, .. } => Ok(serde_json::from_slice(&answer.body).unwrap_or_default()),
        end => Err(format!("POST {path}: {end:?}").into()),
    }
}
