//! Whether the instances' connection pools have recovered: several rounds of as many concurrent readers as there are
//! connections, and each gets an answer.

use std::time::{Duration, Instant};

use crate::Error;
use crate::faults::clients::client::Client;
use crate::faults::clients::group::PASSWORD;
use crate::faults::report::Report;
use crate::faults::setup::stage::{CONNECTIONS, Stage};
use crate::faults::trial::Context;
use crate::player::{Line, Request};

/// How soon after the last fault; in the short form other trials run at the same time.
const WHOLE: Duration = Duration::from_secs(2);
const WHOLE_SHORT: Duration = Duration::from_secs(15);
/// Connections of an instance outside its pool: version checks, match loads, action writer, revocation list,
/// change notifier, change channel.
const BESIDE: usize = 6;

/// Checks the pools; to be called right after the last fault.
///
/// If the check itself fails.
/// If the check itself cannot be made.
pub async fn check(context: &Context, stage: &Stage, report: &mut Report) -> Result<(), Error> {
    let begun = Instant::now();
    let client = Client::register(&stage.addresses, "pool_reader", PASSWORD).await?;
    let mut failures = 0;
    for _ in 0..5 {
        let reads =
            stage.addresses.iter().flat_map(|address| (0..CONNECTIONS * 2).map(move |_| Line::new(*address)));
        let reads: Vec<_> = reads.map(|line| tokio::spawn(read(line, client.token.clone()))).collect();
        for read in reads {
            failures += usize::from(!read.await?);
        }
    }
    let took = begun.elapsed();
    report.require(failures == 0, || {
        format!("{failures} readers got no answer from a pool that must be whole")
    });
    let whole = context.long_or_short(WHOLE, WHOLE_SHORT);
    report.require(took < whole * 2, || format!("the pools needed {took:.1?}"));
    let database = stage.database().await?;
    let (sessions, locks) = (database.sessions().await?, database.waiting_for_locks().await?);
    let most = i64::try_from(stage.len() * (CONNECTIONS + BESIDE))?;
    report.require(sessions <= most, || format!("{sessions} sessions, {most} are the most"));
    report.require(locks == 0, || format!("{locks} sessions wait for locks"));
    report.note(format!("{sessions} sessions afterwards; 160 reads in {} ms", took.as_millis()));
    Ok(())
}

async fn read(mut line: Line, token: String) -> bool {
    let request = Request { path: "/v1/matches", token: &token, ..Request::default() };
    line.send(&request).await.is_ok_and(|answer| answer.status == 200)
}
