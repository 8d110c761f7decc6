//! P18: password guessing is slow, however it is distributed; and the owner can still log in from a known device.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;

use crate::Error;
use crate::access::asker::{Asker, PASSWORD};
use crate::access::figures::Figures;
use crate::access::trials::Trial;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::Context;

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p18",
    promise: "Guessing passwords is slow, and locks no owner out",
    times: 10_000,
    short: 160,
    bug: "tries are not kept",
    run,
    planted,
};

/// Password attempts for a name that are verified in a quarter of an hour.
const LOOKED_AT: usize = 10;
/// Log-ins per address and minute; each instance counts for itself.
const LOG_INS: usize = 30;
/// Connections that guess concurrently.
const AT_ONCE: usize = 16;
/// All requests come through a proxy on this machine.
const ENVIRONMENT: [(&str, &str); 2] =
    [("YANIV_RATE_LIMITS", "on"), ("YANIV_TRUSTED_PROXIES", "127.0.0.0/8")];

/// The user name of a guess, and its `X-Forwarded-For`.
type Guess = fn(usize) -> (String, String);

fn run(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p18", &ENVIRONMENT)?;
    context.runtime.block_on(guess_in_all_ways(&stage, context.times / 4))
}

fn planted(context: &Context) -> Result<Figures, Error> {
    let stage = Stage::with(context, "p18", &ENVIRONMENT)?;
    context.runtime.block_on(async {
        let forgetful = "CREATE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS $$ \
             BEGIN NEW.tries := '{}'; RETURN NEW; END $$; \
             CREATE TRIGGER forget BEFORE INSERT OR UPDATE ON password_tries \
             FOR EACH ROW EXECUTE FUNCTION forget();";
        stage.database().await?.run(forgetful).await?;
        let mut figures = Figures::default();
        let counts = guess(&stage.addresses, 40, |at| ("owner".to_owned(), address(at))).await?;
        figures.at_most("looked at", counts.looked_at, LOOKED_AT);
        Ok(figures)
    })
}

/// A unique address.
fn address(at: usize) -> String {
    format!("10.{}.{}.{}", at / 65_536 % 256, at / 256 % 256, at % 256)
}

async fn guess_in_all_ways(stage: &Stage, times: usize) -> Result<Figures, Error> {
    let mut figures = Figures::default();
    let first = *stage.addresses.first().ok_or("there is no instance")?;
    let mut owner = Asker::new(first);
    for name in ["owner", "other"] {
        owner.forwarded = format!("192.0.2.{}", name.len());
        owner.register(name).await?;
    }
    let device = owner.log_in("owner", PASSWORD, None).await?.text("device_token");
    let other_device = owner.log_in("other", PASSWORD, None).await?.text("device_token");

    let way = "one account, many addresses";
    let counts = guess(&stage.addresses, times, |at| ("owner".to_owned(), address(at))).await?;
    counts.of_one_account(way, &mut figures);
    owner.forwarded = "192.0.2.99".to_owned();
    let stranger = owner.log_in("owner", PASSWORD, None).await?;
    figures
        .require(format!("{way}: the right password of a stranger is not looked at"), stranger.status == 429);
    let known = owner.log_in("owner", PASSWORD, Some(&device)).await?;
    figures.require(format!("{way}: the owner gets in on a known device"), known.status == 201);

    let begun = Instant::now();
    let way = "many accounts, one address";
    let counts =
        guess(&stage.addresses, times, |at| (format!("nobody_{}", at % 500), address(1 << 20))).await?;
    counts.of_one_address(way, begun.elapsed(), stage.len(), &mut figures);

    let begun = Instant::now();
    let way = "spoofed X-Forwarded-For";
    let spoofed: Guess =
        |at| (format!("spoofed_{}", at % 500), format!("{}, {}", address(at), address((1 << 20) + 1)));
    let counts = guess(&stage.addresses, times, spoofed).await?;
    counts.of_one_address(way, begun.elapsed(), stage.len(), &mut figures);

    let way = "log-ins that fail on purpose";
    let fail = "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ \
         BEGIN RAISE EXCEPTION 'planted'; END $$; \
         CREATE TRIGGER fail BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION fail();";
    let database = stage.database().await?;
    database.run(fail).await?;
    let counts = guess(&stage.addresses, times, |at| ("other".to_owned(), address(at))).await?;
    counts.of_one_account(way, &mut figures);
    database.run("DROP TRIGGER fail ON sessions").await?;
    let known = owner.log_in("other", PASSWORD, Some(&other_device)).await?;
    figures.require(format!("{way}: the owner gets in on a known device"), known.status == 201);
    Ok(figures)
}

/// Outcome of the guesses.
#[derive(Default)]
struct Counts {
    looked_at: usize,
    /// Attempts verified for the most attempted name.
    of_a_name: usize,
    refused: usize,
    answers: BTreeMap<String, usize>,
}

impl Counts {
    fn of_one_account(&self, way: &str, figures: &mut Figures) {
        figures.at_most(format!("{way}: looked at"), self.looked_at, LOOKED_AT);
        figures.at_least(format!("{way}: refused by too_many_attempts"), self.refused, 1);
        self.nothing_else(way, figures);
    }

    fn of_one_address(&self, way: &str, took: Duration, instances: usize, figures: &mut Figures) {
        let minutes = usize::try_from(took.as_secs() / 60 + 2).unwrap_or(usize::MAX);
        figures.at_most(format!("{way}: looked at of a name"), self.of_a_name, LOOKED_AT);
        // The rate limit allows a full burst at once, then as many again in each minute.
        figures.at_most(format!("{way}: looked at in all"), self.looked_at, LOG_INS * instances * minutes);
        self.nothing_else(way, figures);
    }

    /// 503 means overload: nothing was verified.
    fn nothing_else(&self, way: &str, figures: &mut Figures) {
        let known = ["401 invalid_credentials", "429 too_many_attempts", "429 too_many_log_ins", "503 busy"];
        let others: Vec<&String> =
            self.answers.keys().filter(|answer| !known.contains(&answer.as_str())).collect();
        let all: Vec<String> =
            self.answers.iter().map(|(answer, count)| format!("{count} × {answer}")).collect();
        figures.add(format!("{way}: answers"), all.join(", "), "401, 429, 503", others.is_empty());
    }
}

/// Sends this many wrong passwords, over many connections, to all instances.
async fn guess(addresses: &[SocketAddr], times: usize, guess: Guess) -> Result<Counts, Error> {
    let mut guessing = JoinSet::new();
    for number in 0..AT_ONCE {
        let at = addresses.get(number % addresses.len().max(1)).copied().ok_or("there is no instance")?;
        guessing.spawn(async move {
            let mut asker = Asker::new(at);
            let mut answers = Vec::new();
            for at in (number..times).step_by(AT_ONCE) {
                let (name, forwarded) = guess(at);
                asker.forwarded = forwarded;
                let reply = asker.log_in(&name, &format!("wrong password {at}"), None).await?;
                answers.push((name, reply.name()));
            }
            Ok::<_, Error>(answers)
        });
    }
    let mut counts = Counts::default();
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    while let Some(answers) = guessing.join_next().await {
        for (name, answer) in answers?? {
            if answer.starts_with("401") {
                counts.looked_at += 1;
                *names.entry(name).or_default() += 1;
            }
            counts.refused += usize::from(answer == "429 too_many_attempts");
            *counts.answers.entry(answer).or_default() += 1;
        }
    }
    counts.of_a_name = names.into_values().max().unwrap_or_default();
    Ok(counts)
}
