//! P15: bad networks do not log clients out, and a stolen refresh token is useless once its owner has used the next
//! one.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use serde_json::{Value, from_slice};
use tokio::task::JoinHandle;

use crate::Error;
use crate::faults::clients::sessions::{Session, is_accepted, refresh};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::proxy::{Meddling, Proxy};
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::{Answer, Line, Lost};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p15",
    promise: "Lost answers log no client out; a stolen refresh token ends the session and is useless",
    injects: "lost answers of refreshes, as many thefts, and half as often 16 refreshes at once",
    times: 1000,
    short: 8,
    bug: "nothing is kept by which a lost answer could be given again",
    run,
    planted,
};

/// Clients that run concurrently.
const CLIENTS: usize = 8;
/// Concurrent refreshes.
const AT_ONCE: usize = 16;
/// How soon after use of its access token a refresh can no longer be repeated.
const CONFIRMED: Duration = Duration::from_secs(2);
/// How soon the other instance refuses access tokens of an ended session.
const WITHIN: Duration = Duration::from_secs(1);
/// Minimum number of checks in the short form, where a stalled machine (it runs other tests, too) must not count as a
/// fault of the service. The long form uses the time alone.
const LOOKS: usize = 45;

fn run(context: &Context) -> Result<Outcome, Error> {
    let (stage, looks) = (Stage::new(context, "p15")?, context.long_or_short(0, LOOKS));
    let mut report = lose_answers(context, &stage, context.times)?;
    report.add(in_parallel(context, context.times, |number, times| {
        context.runtime.spawn(steal(stage.addresses.clone(), number, times, looks))
    })?);
    report.add(in_parallel(context, context.times.div_ceil(2), |number, times| {
        context.runtime.spawn(refresh_at_once(stage.addresses.clone(), number, times))
    })?);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "p15_planted")?;
    context.runtime.block_on(async { Plant::ForgottenRefreshes.plant(&stage.database().await?).await })?;
    Ok(lose_answers(context, &stage, CLIENTS)?.into())
}

/// Splits the work among all clients, and adds up their findings.
fn in_parallel(
    context: &Context,
    times: usize,
    client: impl Fn(usize, usize) -> JoinHandle<Result<Report, Error>>,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let tasks: Vec<_> = (0..CLIENTS).map(|number| client(number, times.div_ceil(CLIENTS))).collect();
    for task in tasks {
        report.add(context.runtime.block_on(task)??);
    }
    Ok(report)
}

/// Clients refresh through proxies that drop every other answer, and retry with the same token.
fn lose_answers(context: &Context, stage: &Stage, times: usize) -> Result<Report, Error> {
    let lost = Arc::new(AtomicU64::new(0));
    let proxies: Vec<Proxy> = stage
        .addresses
        .iter()
        .map(|address| Proxy::start(&context.runtime, *address, Meddling::Swallows(lost.clone())))
        .collect::<Result<_, _>>()?;
    let through: Vec<SocketAddr> = proxies.iter().map(|proxy| proxy.address).collect();
    let direct = stage.addresses.clone();
    let report = in_parallel(context, times, |number, times| {
        context.runtime.spawn(refresh_through(direct.clone(), through.clone(), number, times))
    })?;
    drop(proxies);
    Ok(report)
}

async fn refresh_through(
    direct: Vec<SocketAddr>,
    through: Vec<SocketAddr>,
    number: usize,
    times: usize,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let first = *direct.first().ok_or("there is no instance")?;
    let mut session = Session::begin(first, &format!("unlucky_{number}")).await?;
    let (mut turn, mut heard) = (number, true);
    while report.injected < times || !heard {
        turn += 1;
        let address = through.get(turn % through.len()).ok_or("there is no proxy")?;
        match refresh(&mut Line::new(*address), &session.refresh).await {
            Err(Lost(_)) => {
                (report.injected, report.unknown, heard) = (report.injected + 1, report.unknown + 1, false);
                continue;
            }
            Ok(answer) => match Session::of(&answer) {
                Some(next) => (session, report.acknowledged) = (next, report.acknowledged + 1),
                None => {
                    report.lost += 1;
                    report.find(format!("logged out by a lost answer: {}", code(&answer)));
                    session = Session::begin(first, &format!("unlucky_{number}")).await?;
                }
            },
        }
        heard = true;
    }
    Ok(report)
}

/// A thief copies a refresh token.
///
/// Either the owner refreshes twice, and the thief then uses the old token at either instance; or the owner refreshes
/// once and uses the new token, and the thief follows at once.
async fn steal(
    addresses: Vec<SocketAddr>,
    number: usize,
    times: usize,
    looks: usize,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let &[first, second] = addresses.first_chunk().ok_or("there are two instances")?;
    for time in 0..times {
        let (home, away) = if time.is_multiple_of(2) { (first, second) } else { (second, first) };
        let (mut owner, mut thief) = (Line::new(home), Line::new(away));
        let session = Session::begin(home, &format!("robbed_{number}")).await?;
        let mut current = session.clone();
        let follows = (time + number).is_multiple_of(4);
        for _ in 0..if follows { 1 } else { 2 } {
            current = next(&mut owner, &current).await?.ok_or("the owner is refused")?;
        }
        if follows {
            report.require(is_accepted(&mut owner, &current.access).await?, || {
                "the owner's new token is refused".to_owned()
            });
            tokio::time::sleep(CONFIRMED).await;
        }
        report.injected += 1;
        let robbed = refresh(&mut thief, &session.refresh).await.map_err(|Lost(error)| error)?;
        report
            .require(code(&robbed) == "refresh_token_reused", || format!("the thief got {}", code(&robbed)));
        if Session::of(&robbed).is_some() || !is_over(&mut owner, &mut thief, &current, looks).await? {
            report.twice += 1;
            report.find("a session continues although its token was stolen");
        }
        report.refused += 1;
    }
    Ok(report)
}

/// Whether both tokens of a session are refused by both instances.
async fn is_over(home: &mut Line, away: &mut Line, session: &Session, least: usize) -> Result<bool, Error> {
    if next(home, session).await?.is_some() || next(away, session).await?.is_some() {
        return Ok(false);
    }
    let begun = Instant::now();
    let mut looks = 0;
    while looks < least || begun.elapsed() <= WITHIN {
        looks += 1;
        if !is_accepted(home, &session.access).await? && !is_accepted(away, &session.access).await? {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    Ok(false)
}

/// Sixteen concurrent refreshes with one token, through both instances, must yield one valid next token.
async fn refresh_at_once(addresses: Vec<SocketAddr>, number: usize, times: usize) -> Result<Report, Error> {
    let mut report = Report::default();
    let first = *addresses.first().ok_or("there is no instance")?;
    let mut session = Session::begin(first, &format!("hasty_{number}")).await?;
    for _ in 0..times {
        report.injected += 1;
        let twins: Vec<_> = addresses
            .iter()
            .cycle()
            .take(AT_ONCE)
            .map(|address| {
                let (mut line, token) = (Line::new(*address), session.refresh.clone());
                tokio::spawn(async move { refresh(&mut line, &token).await })
            })
            .collect();
        let mut nexts = Vec::new();
        for twin in twins {
            let answer = twin.await?.map_err(|Lost(error)| error)?;
            match Session::of(&answer) {
                Some(next) => nexts.push(next),
                None if answer.status >= 500 => report.unknown += 1,
                None => {
                    report.lost += 1;
                    report.find(format!("one of {AT_ONCE} refreshes got {}", code(&answer)));
                }
            }
        }
        nexts.sort_unstable_by(|one, other| one.refresh.cmp(&other.refresh));
        nexts.dedup_by(|one, other| one.refresh == other.refresh);
        report.twice += nexts.len().saturating_sub(1);
        report.require(nexts.len() == 1, || format!("one token led to {} chains", nexts.len()));
        session = match nexts.pop() {
            Some(next) => next,
            None => Session::begin(first, &format!("hasty_{number}")).await?,
        };
        report.acknowledged += 1;
    }
    Ok(report)
}

/// Refreshes; none if refused.
async fn next(line: &mut Line, session: &Session) -> Result<Option<Session>, Error> {
    let answer = refresh(line, &session.refresh).await.map_err(|Lost(error)| error)?;
    match answer.status {
        status @ 500.. => Err(format!("a refresh is answered {status}").into()),
        _ => Ok(Session::of(&answer)),
    }
}

fn code(answer: &Answer) -> String {
    let problem: Value = from_slice(&answer.body).unwrap_or_default();
    problem.get("code").and_then(Value::as_str).map_or_else(|| answer.status.to_string(), str::to_owned)
}
