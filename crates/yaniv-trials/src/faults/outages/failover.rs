//! P4: an acknowledged action survives a failover to a synchronous standby. With an asynchronous one that is cut off
//! shortly before, it does not, and the checker must detect that. The old primary is started again beside the new one, as
//! by a machine that reboots: nothing is written to it.

use std::time::{Duration, Instant};

use local_postgres::{TestCluster, not_installed};

use crate::Error;
use crate::faults::checks::checker::Depth;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::database::Database;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p4",
    promise: "An acknowledged action survives a failover to a synchronous standby",
    injects: "SIGKILL of the primary, promotion of the standby, start of the old primary",
    times: 20,
    short: 1,
    bug: "the standby is asynchronous, and cut off shortly before",
    run,
    planted,
};

/// Name under which standbys connect.
const NAME: &str = "standby";
/// How soon writes must be acknowledged again.
const BACK: Duration = Duration::from_secs(15);

/// A primary, its standby, and instances that know both addresses.
struct Servers {
    stage: Stage,
    primary: TestCluster,
    standby: TestCluster,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let Some(mut servers) = context.kept::<Servers>() else { return Err("there are no servers".into()) };
    wait_for_standby(context, &servers.primary, NAME)?;
    wait_following(context, &servers.primary, "sync")?;
    Ok(fail_over(context, &mut servers, &Plan::full(context, 10), true)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let primary = context.new_cluster()?;
    if !primary.can_be_copied() {
        not_installed(&format!("P4: {}", TRIAL.promise), "pg_basebackup")?;
        return Ok(Outcome::Skipped("there is no pg_basebackup".to_owned()));
    }
    primary.ensure_database("app")?;
    let standby = primary.standby(NAME)?;
    context.say("there is a standby");
    wait_following(context, &primary, "async")?;
    let stage = Stage::on(context, "p4", primary.url_of_either(&standby, "app"), &[])?;
    let mut servers = Servers { primary, standby, stage };
    let depth = Depth { patience: Duration::from_secs(5), ..Depth::quick() };
    let plan = Plan { times: 1, depth, ..Plan::full(context, 1) };
    let report = fail_over(context, &mut servers, &plan, false)?;
    context.keep(servers);
    Ok(report.into())
}

fn fail_over(
    context: &Context,
    servers: &mut Servers,
    plan: &Plan,
    synchronous: bool,
) -> Result<Report, Error> {
    let Servers { primary, standby, stage } = servers;
    drive(context, stage, plan, &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
        if !synchronous {
            let cut = ["ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()"];
            sql(context, standby, &cut)?;
            clock.wait_more(60, Duration::from_secs(2));
        }
        primary.kill9()?;
        report.injected += 1;
        let since = Instant::now();
        standby.promote()?;
        context.say("promoted");
        std::mem::swap(primary, standby);
        // Until it has a standby again, it would acknowledge nothing.
        wait_for_standby(context, primary, "")?;
        match clock.wait_ok(since, BACK * 2) {
            Some(after) => {
                report.recovered(after);
                report.require(after <= BACK, || format!("the first write took {after:.1?}"));
            }
            None => report.find(format!("nothing was acknowledged for {:?} after the failover", BACK * 2)),
        }
        start_old_primary(context, standby, clock, report)?;
        wait_for_standby(context, primary, if synchronous { NAME } else { "" })?;
        standby.follow(primary, NAME)?;
        context.say("there is a standby again");
        wait_following(context, primary, if synchronous { "sync" } else { "async" })?;
        clock.wait_more(40, Duration::from_secs(5));
        Ok(())
    })
}

/// Starts the old primary, while the new one is played on, and counts what is written there.
fn start_old_primary(
    context: &Context,
    old: &mut TestCluster,
    clock: &Clock,
    report: &mut Report,
) -> Result<(), Error> {
    old.restart()?;
    // Otherwise a write would wait there, and not be counted.
    wait_for_standby(context, old, "")?;
    let count = || {
        context.runtime.block_on(async {
            let rows = "SELECT (SELECT count(*) FROM actions) + (SELECT count(*) FROM accounts) \
                        + (SELECT count(*) FROM sessions)";
            Database::connect(&old.url("app")).await?.count(rows).await
        })
    };
    let before = count()?;
    context.say("the old primary runs again");
    clock.wait_more(100, BACK);
    let written = count()? - before;
    report.require(written == 0, || format!("{written} rows were written to the old primary"));
    old.kill9()?;
    Ok(())
}

/// Sets the standby for which a server waits before it acknowledges; an empty name is none.
fn wait_for_standby(context: &Context, server: &TestCluster, name: &str) -> Result<(), Error> {
    let setting = format!("ALTER SYSTEM SET synchronous_standby_names = '{name}'");
    sql(context, server, &[&setting, "SELECT pg_reload_conf()"])
}

fn sql(context: &Context, server: &TestCluster, statements: &[&str]) -> Result<(), Error> {
    context.runtime.block_on(async {
        let database = Database::connect(&server.url("postgres")).await?;
        for statement in statements {
            database.run(statement).await?;
        }
        Ok(())
    })
}

/// Waits until the standby has caught up, in this synchronisation state.
fn wait_following(context: &Context, primary: &TestCluster, state: &str) -> Result<(), Error> {
    let statement = format!(
        "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = '{state}'"
    );
    let begun = Instant::now();
    while begun.elapsed() < BACK {
        let following = context
            .runtime
            .block_on(async { Database::connect(&primary.url("postgres")).await?.count(&statement).await })?;
        if following > 0 {
            return Ok(());
        }
        context.pause(20);
    }
    Err("the standby does not follow".into())
}
