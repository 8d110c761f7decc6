//! P4: an acknowledged action survives a failover to a synchronous standby. With an asynchronous one that is cut off
//! shortly before, it does not, and the checker must detect that.

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
    injects: "SIGKILL of the primary, promotion of the standby",
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
    // The copy gets this setting as well: a new primary acknowledges nothing until it has a standby.
    let name = format!("ALTER SYSTEM SET synchronous_standby_names = '{NAME}'");
    for server in [&servers.primary, &servers.standby] {
        sql(context, server, &[&name, "SELECT pg_reload_conf()"])?;
    }
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
        standby.follow(primary, NAME)?;
        context.say("there is a standby again");
        match clock.wait_ok(since, BACK * 2) {
            Some(after) => {
                report.recovered(after);
                report.require(after <= BACK, || format!("the first write took {after:.1?}"));
            }
            None => report.find(format!("nothing was acknowledged for {:?} after the failover", BACK * 2)),
        }
        wait_following(context, primary, if synchronous { "sync" } else { "async" })?;
        clock.wait_more(40, Duration::from_secs(5));
        Ok(())
    })
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
