//! P12: a listener has the complete log of a match, however often its connection is cut.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Error;
use crate::faults::clients::group::Group;
use crate::faults::clients::listener::{Door, Listener};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::proxy::{Cutter, Meddling, Proxy};
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p12",
    promise: "Five seconds after its last cut a listener has the complete log, through each of four feeds",
    injects: "connections of listeners cut at any byte and any moment",
    times: 5000,
    short: 60,
    bug: "entries are missing in the log; entries are stamped an hour ago",
    run,
    planted,
};

/// Time within which a listener has everything, once it is no longer cut.
const BACK: Duration = Duration::from_secs(5);
/// Pairs that play concurrently.
const PAIRS: usize = 4;
/// Pause between two actions, so that listeners are also cut while they wait.
const PACE: Duration = Duration::from_millis(15);
/// Matches of a pair after which a planted bug must have been detected.
const ENOUGH: usize = 2;

fn run(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::with(context, "p12", &[("YANIV_HEARTBEAT", "1")])?;
    let pairs = context.long_or_short(PAIRS, 2);
    Ok(listen(context, &stage, pairs, context.times)?.into())
}

/// Each bug must be detected by itself.
fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::with(context, "p12_planted", &[])?;
    let mut both = Report::default();
    for plant in [Plant::LostEntries, Plant::OldStamps] {
        context.runtime.block_on(async { plant.plant(&stage.database().await?).await })?;
        let report = listen(context, &stage, 1, 1)?;
        context.runtime.block_on(async { plant.uproot(&stage.database().await?).await })?;
        if !report.sees() {
            return Ok(report.into());
        }
        both.add(report);
    }
    Ok(both.into())
}

fn listen(context: &Context, stage: &Stage, pairs: usize, cuts: usize) -> Result<Report, Error> {
    let mut tasks = Vec::new();
    for number in 0..pairs {
        let seed = context.seed.wrapping_add(u64::try_from(number)?);
        let cutter = Arc::new(Cutter::new(seed));
        let meddling = || Meddling::Cuts(Arc::clone(&cutter));
        let proxies =
            stage.addresses.iter().map(|address| Proxy::start(&context.runtime, *address, meddling()));
        let proxies: Vec<Proxy> = proxies.collect::<Result<_, _>>()?;
        let pair = Pair {
            name: format!("pair_{number}"),
            addresses: stage.addresses.clone(),
            proxies,
            cutter,
            seed,
            until: context.until,
        };
        tasks.push(context.runtime.spawn(pair.play(cuts.div_ceil(pairs))));
    }
    let mut report = Report::default();
    for task in tasks {
        report.add(context.runtime.block_on(task)??);
    }
    Ok(report)
}

/// Two players, and their listeners.
struct Pair {
    name: String,
    addresses: Vec<SocketAddr>,
    proxies: Vec<Proxy>,
    cutter: Arc<Cutter>,
    seed: u64,
    until: Option<Instant>,
}

impl Pair {
    /// Plays one match after the other until this many connections were cut.
    async fn play(self, cuts: usize) -> Result<Report, Error> {
        let mut group = Group::new(&self.addresses, &self.name, 2, self.seed).await?;
        group.mischief = 0;
        let cuts = u64::try_from(cuts)?;
        let mut report = Report::default();
        let inboxes =
            [self.listener(Door::Account, &group, ""), self.listener(Door::AccountStream, &group, "")];
        while inboxes.iter().any(|inbox| !inbox.has_begun()) {
            tokio::time::sleep(PACE).await;
        }
        let mut slowest = Duration::ZERO;
        for played in 0.. {
            let cut = self.cutter.cuts.load(Ordering::Relaxed);
            let time = self.until.is_none_or(|until| Instant::now() < until);
            if (cut >= cuts && played > 0) || report.wrong >= ENOUGH || !time {
                break;
            }
            slowest = slowest.max(self.one_match(&mut group, &inboxes, &mut report).await?);
        }
        report.injected += usize::try_from(self.cutter.cuts.load(Ordering::Relaxed))?;
        report.note(format!("{} had the complete log after {} ms at most", self.name, slowest.as_millis()));
        Ok(report)
    }

    fn listener(&self, door: Door, group: &Group, match_id: &str) -> Listener {
        let addresses = self.proxies.iter().map(|proxy| proxy.address).collect();
        let token = group.players.last().map(|player| player.token.clone()).unwrap_or_default();
        Listener::start(door, addresses, token, match_id.to_owned())
    }

    /// Plays one match with a listener on every feed; then stops cutting, and compares each listener with the service.
    async fn one_match(
        &self,
        group: &mut Group,
        inboxes: &[Listener; 2],
        report: &mut Report,
    ) -> Result<Duration, Error> {
        self.cutter.turn(true);
        group.begin_anew();
        group.step().await?;
        let id = group.match_id.clone().ok_or("no match was opened")?;
        let own = [self.listener(Door::Events, group, &id), self.listener(Door::Stream, group, &id)];
        while group.match_id.as_deref() == Some(id.as_str()) {
            group.step().await?;
            tokio::time::sleep(PACE).await;
        }
        report.acknowledged += group.ops.len();
        self.cutter.turn(false);
        let (begun, log) = (Instant::now(), server_log(group, &id).await?);
        let listeners = || own.iter().chain(inboxes);
        loop {
            let known = listeners().all(|one| difference(one, &id, &log).is_none());
            if known || begun.elapsed() > BACK {
                break;
            }
            tokio::time::sleep(PACE).await;
        }
        for listener in listeners() {
            count(listener, &id, &log, report);
        }
        Ok(begun.elapsed())
    }
}

/// The log as the service returns it to the same player.
async fn server_log(group: &mut Group, id: &str) -> Result<Vec<Value>, Error> {
    let player = group.players.last_mut().ok_or("no player")?;
    let mut log: Vec<Value> = Vec::new();
    loop {
        let last = log.last().and_then(|last| last.get("version")?.as_u64()).unwrap_or_default();
        let answer = player.read(&format!("/v1/matches/{id}/log?after={last}")).await?;
        let page: Value = serde_json::from_slice(&answer.body)?;
        let items = page.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
        if items.is_empty() {
            return Ok(log);
        }
        log.extend(items);
    }
}

/// The first difference between a listener's log and the service's, if any.
fn difference(listener: &Listener, id: &str, log: &[Value]) -> Option<String> {
    let heard = listener.heard();
    let told = heard.logs.get(id).map(Vec::as_slice).unwrap_or_default();
    if told.len() != log.len() {
        return Some(format!("{:?}: {} entries of {}", listener.door, told.len(), log.len()));
    }
    let place = told.iter().zip(log).position(|(told, stored)| as_told(told) != as_told(stored))?;
    Some(format!("{:?}: entry {} is another", listener.door, place + 1))
}

/// An entry without fields that may become known later: cards that others drew.
fn as_told(entry: &Value) -> Value {
    let mut entry = entry.clone();
    for (kind, hidden) in [("play", "draw_card"), ("call", "drew")] {
        if let Some(details) = entry.get_mut(kind).and_then(Value::as_object_mut) {
            details.remove(hidden);
        }
    }
    entry
}

fn count(listener: &Listener, id: &str, log: &[Value], report: &mut Report) {
    if let Some(difference) = difference(listener, id, log) {
        report.lost += 1;
        report.find(format!("match {id}: {difference}"));
    }
    let mut heard = listener.heard();
    let (gaps, twice) = (std::mem::take(&mut heard.gaps), std::mem::take(&mut heard.twice));
    let refused = std::mem::take(&mut heard.refused);
    drop(heard);
    report.gaps += gaps;
    report.twice += twice;
    report.require(gaps + twice == 0, || {
        format!("match {id}: {:?}: {gaps} gaps, {twice} entries twice", listener.door)
    });
    refused.into_iter().for_each(|refusal| report.find(refusal));
}
