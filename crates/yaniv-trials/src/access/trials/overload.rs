//! P21: overload, slow clients and deeply nested bodies are rejected; the service stays up during and after.

use std::net::SocketAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use tokio::task::JoinSet;

use crate::Error;
use crate::access::asker::{Asker, PASSWORD, Reply};
use crate::access::figures::Figures;
use crate::access::pulse::Pulse;
use crate::access::slow::{BODY, CHUNKS, HEADERS, Slow, open_many};
use crate::access::trials::Trial;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::Context;
use crate::load::results::machine::memory;

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p21",
    promise: "Too much at once is turned away, and does no harm",
    times: 10_000,
    short: 200,
    bug: "the service stands still for half a second",
    run,
    planted,
};

/// Bound of a health check; in the short form, an unoptimised build on a busy machine may take longer.
const ALIVE: Duration = Duration::from_millis(100);
const ALIVE_OF_FEW: Duration = Duration::from_millis(1000);
/// Bound until a slow connection is closed.
const CLOSED: Duration = Duration::from_secs(15);
/// Bound of any answer.
const ANSWERED: Duration = Duration::from_secs(10);
/// Bound of an ordinary request after the overload.
const NORMAL: Duration = Duration::from_secs(10);
/// Bound of an instance's memory, in megabytes.
const MOST_MEMORY: usize = 600;

fn run(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p21", &[])?;
    let alive = context.long_or_short(ALIVE, ALIVE_OF_FEW);
    context.runtime.block_on(overload(context, &stage, alive))
}

fn planted(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p21", &[])?;
    let pid = stage.pid(0).ok_or("there is no instance")?.to_string();
    let address = *stage.addresses.first().ok_or("there is no instance")?;
    let signal = |name: &str| Command::new("kill").args([name, &pid]).status();
    context.runtime.block_on(async {
        let mut figures = Figures::default();
        let pulse = Pulse::start(address);
        tokio::time::sleep(Duration::from_millis(100)).await;
        signal("-STOP")?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        signal("-CONT")?;
        tokio::time::sleep(Duration::from_millis(100)).await;
        pulse.stop("planted", ALIVE, &mut figures).await?;
        Ok(figures)
    })
}

async fn overload(context: &Context, stage: &Stage, alive: Duration) -> Result<Figures, Error> {
    let mut figures = Figures::default();
    let at = *stage.addresses.first().ok_or("there is no instance")?;
    let pid = stage.pid(0).ok_or("there is no instance")?;
    let token = Asker::new(at).register("somebody").await?.text("access_token");
    let ways = [("slow headers", HEADERS), ("slow bodies", BODY), ("slow chunks, not read", CHUNKS)];
    for (during, slow) in ways {
        context.say(during);
        let pulse = Pulse::start(at);
        slowly(at, during, slow, context.times, &mut figures).await?;
        pulse.stop(during, alive, &mut figures).await?;
        normal_again(at, during, &token, &mut figures).await?;
    }
    context.say("large and deep");
    large_and_deep(at, context.times.div_ceil(50), &mut figures).await?;
    normal_again(at, "large and deep bodies", &token, &mut figures).await?;

    let during = "log-ins at once";
    context.say(during);
    let pulse = Pulse::start(at);
    let count = context.times.div_ceil(5);
    let replies = at_once(count, move |number| async move {
        Asker::new(at).log_in(&format!("nobody_{number}"), PASSWORD, None).await
    });
    turned_away(during, count, &replies.await?, "401", &mut figures);
    pulse.stop(during, alive, &mut figures).await?;
    normal_again(at, during, &token, &mut figures).await?;

    let during = "the database stands still";
    context.say(during);
    let pulse = Pulse::start(at);
    let database = stage.database().await?;
    database.run("BEGIN; LOCK TABLE accounts IN ACCESS EXCLUSIVE MODE").await?;
    let count = context.times.div_ceil(50);
    let asked = at_once(count, {
        let token = token.clone();
        move |_| {
            let token = token.clone();
            async move { Asker::new(at).ask(Method::GET, "/v1/account", &token, Bytes::new()).await }
        }
    });
    turned_away(during, count, &asked.await?, "503", &mut figures);
    database.run("ROLLBACK").await?;
    pulse.stop(during, alive, &mut figures).await?;
    normal_again(at, during, &token, &mut figures).await?;
    if let Some(memory) = memory(pid) {
        let megabytes = usize::try_from(memory.peak >> 20).unwrap_or(usize::MAX);
        figures.at_most("memory at its peak, MB", megabytes, MOST_MEMORY);
    }
    Ok(figures)
}

async fn slowly(
    at: SocketAddr,
    during: &str,
    slow: Slow,
    count: usize,
    figures: &mut Figures,
) -> Result<(), Error> {
    let ended = open_many(at, count, slow).await?;
    figures.at_least(format!("{during}: connections that the service closed"), ended.closed, count);
    figures.within(format!("{during}: the longest was open"), ended.longest, CLOSED);
    Ok(())
}

/// Bodies of 1 MB, nested 64 deep, and nested a million deep.
async fn large_and_deep(at: SocketAddr, count: usize, figures: &mut Figures) -> Result<(), Error> {
    let nested = |depth: usize| format!("{{\"username\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let large = format!("{{\"username\":\"{}\"}}", "x".repeat(1 << 20));
    for (what, body, wanted) in [
        ("1 MB", Bytes::from(large), "413"),
        ("64 deep", Bytes::from(nested(64)), "422"),
        ("a million deep", Bytes::from(nested(1_000_000)), "413"),
    ] {
        let replies = at_once(count, move |_| {
            let body = body.clone();
            async move { Asker::new(at).ask(Method::POST, "/v1/sessions", "", body).await }
        });
        let replies = replies.await?;
        // Closing the connection while the body is still being sent counts as refused, too.
        let refused = replies.iter().filter(|reply| match reply {
            Ok(reply) => reply.status.to_string() == wanted,
            Err(_) => wanted == "413",
        });
        figures.at_least(format!("{what}: refused ({wanted})"), refused.count(), count);
    }
    Ok(())
}

/// Every request was answered as expected, or rejected with `Retry-After`.
fn turned_away(
    during: &str,
    count: usize,
    replies: &[Result<Reply, Error>],
    wanted: &str,
    figures: &mut Figures,
) {
    let answered = replies.iter().filter_map(|reply| reply.as_ref().ok());
    let as_wanted = answered.clone().filter(|reply| reply.status.to_string() == wanted).count();
    let away =
        answered.clone().filter(|reply| reply.status == 503 && reply.headers.contains_key("retry-after"));
    let away = away.count();
    figures.at_least(format!("{during}: {wanted}"), as_wanted, 1);
    let all = if wanted == "503" { away } else { as_wanted + away };
    figures.at_least(format!("{during}: {wanted}, or 503 with Retry-After"), all, count);
    let longest = answered.map(|reply| reply.took).max().unwrap_or_default();
    figures.within(format!("{during}: the longest answer"), longest, ANSWERED);
}

async fn at_once<F, A>(count: usize, ask: F) -> Result<Vec<Result<Reply, Error>>, Error>
where
    F: Fn(usize) -> A,
    A: Future<Output = Result<Reply, Error>> + Send + 'static,
{
    let mut asking = JoinSet::new();
    for number in 0..count {
        asking.spawn(ask(number));
    }
    let mut replies = Vec::new();
    while let Some(reply) = asking.join_next().await {
        replies.push(reply?);
    }
    Ok(replies)
}

/// How long until a player's request and a log-in succeed.
async fn normal_again(at: SocketAddr, after: &str, token: &str, figures: &mut Figures) -> Result<(), Error> {
    let begun = Instant::now();
    loop {
        let mut asker = Asker::new(at);
        let read = asker.ask(Method::GET, "/v1/account", token, Bytes::new()).await;
        let entered = asker.log_in("somebody", PASSWORD, None).await;
        if read.is_ok_and(|reply| reply.status == 200) && entered.is_ok_and(|reply| reply.status == 201) {
            break;
        }
        if begun.elapsed() > NORMAL {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    figures.within(format!("{after}: back to normal after"), begun.elapsed(), NORMAL);
    Ok(())
}
