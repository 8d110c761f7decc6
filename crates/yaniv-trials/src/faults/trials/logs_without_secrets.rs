//! P27: the logs of the instances contain no secrets, at level debug and under faults.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::{CLIENT_SEED, PASSWORD};
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;
use crate::player::{Random, Request};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p27",
    promise: "The logs hold no secrets",
    injects: "lost connections, kills and malformed requests, with canaries in everything",
    times: 200,
    short: 5,
    bug: "a password in the log",
    run,
    planted,
};

/// Text that must not appear in a log, besides the secrets of each match: passwords, seeds, keys, tokens, and markers
/// of bodies and cards.
const CANARIES: [&str; 9] =
    [PASSWORD, CLIENT_SEED, "trialkey-", "eyJ", "Bearer ", "\"cards\"", "\"hand\"", "draw_from", "$argon2"];

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = Stage::with(context, "p27", &[("RUST_LOG", "debug")])?;
    let plan = Plan { groups: context.long_or_short(4, 2), ..Plan::full(context, 50) };
    let database = context.runtime.block_on(stage.database())?;
    let mut random = Random(context.seed);
    let mut report =
        drive(context, &mut stage, &plan, &mut |stage: &mut Stage, clock: &Clock, report: &mut Report| {
            report.injected += 1;
            context.pause(20);
            context.runtime.block_on(annoy(stage, &mut random))?;
            context.runtime.block_on(database.terminate_one())?;
            if report.injected.is_multiple_of(5) {
                let victim = random.below(stage.len());
                stage.kill9(victim)?;
                stage.start(victim)?;
            }
            if clock.wait_ok(Instant::now(), Duration::from_secs(10)).is_none() {
                report.find("nothing was acknowledged for ten seconds");
            }
            Ok(())
        })?;
    let lines = search(context, &stage, &stage.logs(), &mut report)?;
    report.require(lines > 100, || format!("the logs have {lines} lines only: nothing was tried"));
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = context.stage()?;
    let log = context.directory.join("p27_planted.log");
    let line = format!("DEBUG request: body {{\"password\": \"{PASSWORD}\"}}\n");
    std::fs::write(&log, line)?;
    let mut report = Report::default();
    search(context, &stage, &[log], &mut report)?;
    context.give_back(stage);
    Ok(report.into())
}

/// Sends malformed requests of every kind that a careless service would log.
async fn annoy(stage: &Stage, random: &mut Random) -> Result<(), Error> {
    let mut client = Client::register(&stage.addresses, "player_g0_0", PASSWORD).await?;
    let token = client.token.clone();
    let paths = [
        "/v1/sessions",
        "/v1/accounts",
        "/v1/matches",
        "/v1/matches/canary-seed-77d0",
        "/v1/canary-password-5b1e",
    ];
    let bodies = [
        format!("{{\"username\": \"x\", \"password\": \"{PASSWORD}\"}}"),
        format!("{{\"username\": \"player_g0_0\", \"password\": \"{PASSWORD}"),
        format!("{{\"size\": 2, \"client_seed\": \"{CLIENT_SEED},{CLIENT_SEED}\"}}"),
        format!("{{\"{PASSWORD}\": \"{CLIENT_SEED}\"}}"),
    ];
    for _ in 0..4 {
        let (path, body) = (random.pick(&paths).copied(), random.pick(&bodies).cloned());
        let tokens = [token.clone(), format!("{token}x"), PASSWORD.to_owned()];
        let request = Request {
            method: "POST",
            path: path.unwrap_or_default(),
            token: random.pick(&tokens).map_or("", String::as_str),
            key: Some("trialkey-malformed!"),
            tag: None,
            body: body.map(Bytes::from),
        };
        let instance = client.next_instance();
        // The result does not matter.
        let _ = client.send_to(instance, &request).await;
    }
    Ok(())
}

/// Searches logs for secrets; returns their number of lines.
fn search(context: &Context, stage: &Stage, logs: &[PathBuf], report: &mut Report) -> Result<usize, Error> {
    let secrets = context.runtime.block_on(async { stage.database().await?.secrets().await })?;
    let mut forbidden: Vec<String> = CANARIES.iter().map(|canary| (*canary).to_owned()).collect();
    forbidden.extend(secrets.iter().flat_map(|secret| forms(secret)));
    let mut lines = 0;
    for log in logs {
        let text = std::fs::read_to_string(log)?;
        lines += text.lines().count();
        for secret in forbidden.iter().filter(|secret| text.contains(secret.as_str())) {
            report.differ += 1;
            let line = text.lines().find(|line| line.contains(secret.as_str())).unwrap_or_default();
            report.find(format!("a log shows {secret}: {line}"));
        }
    }
    report.note(format!("{} secrets looked for in {lines} lines of logs", forbidden.len()));
    Ok(lines)
}

/// Forms in which bytes could be printed: hexadecimal, and a list of numbers.
fn forms(secret: &str) -> Vec<String> {
    if secret.starts_with('$') {
        return vec![secret.to_owned()];
    }
    let start: String = secret.chars().take(24).collect();
    let byte = |place: usize| start.get(place..place + 2).and_then(|hex| u8::from_str_radix(hex, 16).ok());
    let numbers: Vec<String> =
        (0..12).filter_map(|number| byte(number * 2)).map(|byte| byte.to_string()).collect();
    vec![numbers.join(", "), start]
}
