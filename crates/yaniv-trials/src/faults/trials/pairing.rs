//! Matchmaking: each request gets one seat, in a match of the requested size, although all accounts ask concurrently
//! and through both instances.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::op::{End, Op};
use crate::faults::clients::resend::same_twin;
use crate::faults::report::Report;
use crate::faults::setup::database::SeatedPairing;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "pairing",
    promise: "A pairing request is seated once, in a match of the requested size",
    injects: "requests to be paired, by all accounts at once, one in three sent twice",
    times: 2000,
    short: 48,
    bug: "the fourth player of a match gets no seat",
    run,
    planted,
};

/// Requests of each account, in sequence.
const ROUNDS: usize = 4;
/// Time within which a request is seated when enough accounts have asked.
const SEATED_WITHIN: Duration = Duration::from_secs(60);

/// An acknowledged request, and its account.
struct Told {
    account: String,
    pairing: String,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "pairing")?;
    Ok(pair(context, &stage, context.times)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "pairing_planted")?;
    context.runtime.block_on(async { Plant::LostSeats.plant(&stage.database().await?).await })?;
    Ok(pair(context, &stage, 4 * ROUNDS)?.into())
}

/// Groups of four accounts make the same request, so that no account is left over.
fn pair(context: &Context, stage: &Stage, times: usize) -> Result<Report, Error> {
    let mut report = Report::default();
    let accounts = (times / ROUNDS / 4).max(1) * 4;
    let mut clients = Vec::new();
    for number in 0..accounts {
        let name = format!("paired_{number}");
        clients.push(context.runtime.block_on(Client::register(&stage.addresses, &name, PASSWORD))?);
    }
    let mut told = Vec::new();
    let begun = Instant::now();
    for round in 0..ROUNDS {
        context.say(&format!("round {round}: {accounts} requests"));
        let tasks: Vec<_> = (0..)
            .zip(clients.drain(..))
            .map(|(number, client)| context.runtime.spawn(ask(client, number, round)))
            .collect();
        for task in tasks {
            let (client, said, found) = context.runtime.block_on(task)??;
            clients.push(client);
            told.extend(said);
            report.add(found);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    report.note(format!("{} requests of {accounts} accounts in {seconds:.1} s", report.injected));
    let stored = context.runtime.block_on(async { stage.database().await?.seated_pairings().await })?;
    judge(&told, &stored, &mut report);
    Ok(report)
}

/// Sends a request, and waits until it is seated.
async fn ask(
    mut client: Client,
    number: usize,
    round: usize,
) -> Result<(Client, Option<Told>, Report), Error> {
    let mut report = Report { injected: 1, ..Report::default() };
    let size = if (number / 4).is_multiple_of(2) { 4 } else { 2 };
    let body =
        json!({"size": size, "rules": {"preset": "yaniv"}, "client_seed": format!("{number}.{round}")});
    let path = "/v1/pairings".to_owned();
    let mut op = Op::new("", 0, &client.account, path, &body, ("asked", String::new()));
    let twice = (number + round).is_multiple_of(3);
    if twice {
        let twins = client.twins(&op).await;
        report.unknown += twins.iter().filter(|twin| twin.is_err()).count();
    }
    client.settle(&mut op).await?;
    report.unknown += op.unknown;
    let End::Ok { answer, .. } = &op.end else {
        report.find(format!("a request is not acknowledged: {:?}", op.end));
        return Ok((client, None, report));
    };
    report.acknowledged += 1;
    report.slowest = op.ended.map_or(Duration::ZERO, |ended| ended - op.begun);
    let pairing: Value = serde_json::from_slice(&answer.body)?;
    let pairing = pairing.get("pairing_id").and_then(Value::as_str).unwrap_or_default().to_owned();
    let seated = wait(&mut client, &pairing).await?;
    report.require(seated, || format!("{pairing} is not paired though enough have asked"));
    if twice {
        for twin in &client.twins(&op).await {
            if let Err(difference) = same_twin(&op, twin) {
                report.differ += 1;
                report.find(difference);
            }
        }
    }
    let account = client.account.clone();
    Ok((client, Some(Told { account, pairing }), report))
}

async fn wait(client: &mut Client, pairing: &str) -> Result<bool, Error> {
    let (path, begun) = (format!("/v1/pairings/{pairing}"), Instant::now());
    while begun.elapsed() < SEATED_WITHIN {
        let pairing: Value = serde_json::from_slice(&client.read(&path).await?.body)?;
        if pairing.get("match_id").is_some() {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(false)
}

/// Checks that each acknowledged request is stored once, its account seated once, and the match full.
fn judge(told: &[Told], stored: &[SeatedPairing], report: &mut Report) {
    for told in told {
        let found = stored.iter().find(|stored| stored.id == told.pairing && stored.account == told.account);
        let Some(found) = found else {
            report.lost += 1;
            report.find(format!("{} is not there", told.pairing));
            continue;
        };
        if found.own_seats != 1 || !found.is_running {
            report.lost += 1;
            report.find(format!("{} has led to no seat in a running match", told.pairing));
        }
        if found.seats > found.size {
            report.twice += 1;
            report.find(format!("{} is over-full: {} of {}", found.match_id, found.seats, found.size));
        }
        if found.seats < found.size {
            report.gaps += 1;
            report.find(format!("{} is not whole: {} of {}", found.match_id, found.seats, found.size));
        }
    }
    if stored.len() > told.len() {
        report.twice += stored.len() - told.len();
        report.find(format!("{} requests are stored, {} were made", stored.len(), told.len()));
    }
    let mut seats: Vec<_> = stored.iter().map(|stored| (&stored.account, &stored.match_id)).collect();
    seats.sort_unstable();
    let all = seats.len();
    seats.dedup();
    report.require(seats.len() == all, || "two requests of an account have led to one match".to_owned());
    let mut matches: Vec<_> = stored.iter().map(|stored| (&stored.match_id, stored.size)).collect();
    matches.sort_unstable();
    matches.dedup();
    report.note(format!("{} matches, all players of which have asked", matches.len()));
}
