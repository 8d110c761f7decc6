//! Pagination of a history.
//!
//! All pages, from newest to oldest, while matches are created through both instances. Each match acknowledged before
//! the first page is listed exactly once, and no match twice.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::clients::op::{End, Op};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "pages",
    promise: "All pages of a history list every match once, while matches are added",
    injects: "matches created while their creator walks through them",
    times: 1000,
    short: 60,
    bug: "one seat in seven is not written",
    run,
    planted,
};

/// Clients that create concurrently.
const WRITERS: usize = 4;
/// Page sizes, one for each reader.
const LIMITS: [usize; 3] = [7, 23, 100];

/// Acknowledged matches, and whether more will follow.
#[derive(Default)]
struct Created {
    ids: Mutex<Vec<String>>,
    writing: AtomicUsize,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "pages")?;
    Ok(walk_all(context, &stage, context.times)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = Stage::new(context, "pages_planted")?;
    context.runtime.block_on(async { Plant::ScatteredSeats.plant(&stage.database().await?).await })?;
    Ok(walk_all(context, &stage, 40)?.into())
}

fn walk_all(context: &Context, stage: &Stage, times: usize) -> Result<Report, Error> {
    let mut report = Report::default();
    context.runtime.block_on(unbound(stage))?;
    let client = context.runtime.block_on(Client::register(&stage.addresses, "walker", PASSWORD))?;
    let created = Arc::new(Created::default());
    created.writing.store(WRITERS, Ordering::SeqCst);
    let each = times / WRITERS;
    let writers = (0..WRITERS)
        .map(|_| context.runtime.spawn(create(client.twin(), Arc::clone(&created), each)))
        .collect::<Vec<_>>();
    let walkers = LIMITS.map(|limit| context.runtime.spawn(walk(client.twin(), Arc::clone(&created), limit)));
    for task in writers.into_iter().chain(walkers) {
        report.add(context.runtime.block_on(task)??);
    }
    Ok(report)
}

/// Lifts the bounds of what an account can make: seats that are closed are not counted, nor is anything of the day.
async fn unbound(stage: &Stage) -> Result<(), Error> {
    let database = stage.database().await?;
    database.run("ALTER TABLE seats ALTER COLUMN closed_at SET DEFAULT now()").await?;
    database
        .run(
            "CREATE FUNCTION uncounted() RETURNS trigger LANGUAGE plpgsql AS \
             $$ BEGIN NEW.made := 1; RETURN NEW; END $$; \
             CREATE TRIGGER uncounted BEFORE INSERT OR UPDATE ON daily_counts \
             FOR EACH ROW EXECUTE FUNCTION uncounted()",
        )
        .await
}

async fn create(mut client: Client, created: Arc<Created>, times: usize) -> Result<Report, Error> {
    let mut report = Report { injected: times, ..Report::default() };
    for _ in 0..times {
        let body = json!({"size": 2});
        let path = "/v1/matches".to_owned();
        let mut op = Op::new("", 0, &client.account, path, &body, ("joined", String::new()));
        client.settle(&mut op).await?;
        report.unknown += op.unknown;
        let End::Ok { answer, .. } = &op.end else {
            report.find(format!("a match is not acknowledged: {:?}", op.end));
            continue;
        };
        report.acknowledged += 1;
        report.slowest = report.slowest.max(op.ended.map_or(Duration::ZERO, |ended| ended - op.begun));
        let answer: Value = serde_json::from_slice(&answer.body)?;
        let id = answer.get("match_id").and_then(Value::as_str).unwrap_or_default().to_owned();
        created.ids.lock().unwrap_or_else(PoisonError::into_inner).push(id);
    }
    created.writing.fetch_sub(1, Ordering::SeqCst);
    Ok(report)
}

/// Reads all pages repeatedly while matches are created, and once more after that.
async fn walk(mut client: Client, created: Arc<Created>, limit: usize) -> Result<Report, Error> {
    let (mut report, mut walks, begun) = (Report::default(), 0, Instant::now());
    loop {
        let last = created.writing.load(Ordering::SeqCst) == 0;
        let before = created.ids.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let seen = pages(&mut client, limit).await?;
        judge(&before, &seen, last, &mut report);
        walks += 1;
        if last || report.wrong > 0 {
            let seconds = begun.elapsed().as_secs_f64();
            report.note(format!("{walks} walks by pages of {limit} in {seconds:.1} s"));
            return Ok(report);
        }
    }
}

async fn pages(client: &mut Client, limit: usize) -> Result<Vec<String>, Error> {
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = client.read(&format!("/v1/history?limit={limit}{cursor}")).await?;
        let page: Value = serde_json::from_slice(&answer.body)?;
        let items = page.get("items").and_then(Value::as_array).ok_or("a page without items")?;
        let ids = items.iter().filter_map(|item| item.get("match_id")?.as_str());
        seen.extend(ids.map(str::to_owned));
        match page.get("next_cursor").and_then(Value::as_str) {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(seen),
        }
    }
}

fn judge(before: &[String], seen: &[String], last: bool, report: &mut Report) {
    let once: HashSet<&String> = seen.iter().collect();
    if once.len() < seen.len() {
        report.twice += seen.len() - once.len();
        report.find(format!("{} of {} matches are seen twice", seen.len() - once.len(), seen.len()));
    }
    let left_out = before.iter().filter(|id| !once.contains(id)).count();
    if left_out > 0 {
        report.gaps += left_out;
        report.find(format!("{left_out} of {} matches are left out", before.len()));
    }
    report.require(seen.is_sorted_by(|one, other| one > other), || "the order is wrong".to_owned());
    report.require(!last || seen.len() == before.len(), || {
        format!("{} matches are seen, {} were created", seen.len(), before.len())
    });
}
