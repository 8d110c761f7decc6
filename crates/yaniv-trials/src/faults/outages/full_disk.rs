//! P25: a full disk. Writes are refused with a reason, nothing acknowledged is lost, and the service recovers by itself
//! when there is space again.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use local_postgres::not_checked;

use crate::Error;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::database::Database;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p25",
    promise: "A full disk is survived",
    injects: "the database's disk filled and freed",
    times: 20,
    short: 2,
    bug: "one entry of the log in seven is not written",
    run,
    planted,
};

/// Size of the disk: the files of an empty cluster, some WAL, and little more.
const SIZE: &str = "size=200m,mode=0755";
/// How soon writes have to be acknowledged again.
const BACK: Duration = Duration::from_secs(15);

/// A small disk, unmounted on drop.
struct Disk(PathBuf);

impl Disk {
    fn mount(directory: PathBuf) -> Result<Self, String> {
        std::fs::create_dir_all(&directory).map_err(|error| error.to_string())?;
        let output =
            Command::new("mount").args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(&directory).output();
        let output = output.map_err(|error| format!("there is no mount: {error}"))?;
        if output.status.success() {
            return Ok(Self(directory));
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(format!("a small disk cannot be mounted: {said}"))
    }

    fn ballast(&self) -> PathBuf {
        self.0.join("ballast")
    }

    fn fill(&self) -> Result<(), Error> {
        let mut file = File::options().create(true).append(true).open(self.ballast())?;
        for size in [1 << 20, 4096] {
            let block = vec![0; size];
            while file.write_all(&block).is_ok() {}
        }
        Ok(())
    }

    fn free(&self) -> Result<(), Error> {
        Ok(std::fs::remove_file(self.ballast())?)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The last server processes may keep it busy for a moment.
        for _ in 0..50 {
            if Command::new("umount").arg(&self.0).status().is_ok_and(|status| status.success()) {
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = std::fs::remove_dir(&self.0);
    }
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let disk = match Disk::mount(std::env::temp_dir().join(format!("yaniv-disk-{}", std::process::id()))) {
        Ok(disk) => disk,
        Err(why) => {
            not_checked(&format!("P25: {}", TRIAL.promise), &why);
            return Ok(Outcome::Skipped(why));
        }
    };
    let mut report = fill(context, &disk, &Plan::full(context, 10))?;
    let refused: usize = count(&report, "503");
    let failures = count(&report, "500");
    report.require(refused > 0, || "nothing was refused with 503: the disk was never full".to_owned());
    report.require(failures == 0, || format!("{failures} answers were 500"));
    Ok(report.into())
}

/// On the shared cluster: this tests the checker, not the disk.
fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let plan = Plan::planted(Plant::LostEntries, 1);
    let play = &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
        clock.wait_more(100, Duration::from_secs(60));
        report.injected += 1;
        Ok(())
    };
    let report = drive(context, &mut stage, &plan, play)?;
    context.give_back(stage);
    Ok(report.into())
}

fn count(report: &Report, status: &str) -> usize {
    report.answers.iter().filter(|(answer, _)| answer.starts_with(status)).map(|(_, count)| count).sum()
}

fn fill(context: &Context, disk: &Disk, plan: &Plan) -> Result<Report, Error> {
    let mut cluster = context.new_cluster_in(&disk.0)?;
    cluster.ensure_database("app")?;
    let mut stage = Stage::on(context, "p25", cluster.url("app"), &[])?;
    let mut round = 0;
    let mut stopped = 0;
    let mut report =
        drive(context, &mut stage, plan, &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
            round += 1;
            disk.fill()?;
            report.injected += 1;
            if round % 2 == 0 {
                // WAL needs a new file, too: PostgreSQL then panics and recovers.
                let _ = context.runtime.block_on(switch_wal(&cluster.url("app")));
            }
            wait_refused(clock);
            disk.free()?;
            let since = Instant::now();
            // Restarts the server if it has stopped, as a supervisor would.
            stopped += usize::from(!is_running(&cluster.url("app"), context));
            cluster.restart()?;
            match clock.wait_ok(since, BACK * 2) {
                Some(after) => {
                    report.recovered(after);
                    report.require(after <= BACK, || format!("the first write took {after:.1?}"));
                }
                None => {
                    report.find(format!("nothing was acknowledged for {:?} with room on the disk", BACK * 2))
                }
            }
            clock.wait_more(40, Duration::from_secs(5));
            Ok(())
        })?;
    report.note(format!("the server did not answer {stopped} of {round} times when there was room again"));
    Ok(report)
}

async fn switch_wal(url: &str) -> Result<(), Error> {
    let database = Database::connect(url).await?;
    database.run("SELECT pg_switch_wal()").await
}

fn is_running(url: &str, context: &Context) -> bool {
    context.runtime.block_on(Database::connect(url)).is_ok()
}

/// Waits until no write is acknowledged for a moment: the space left in existing files is used up.
fn wait_refused(clock: &Clock) {
    let begun = Instant::now();
    let mut before = usize::MAX;
    while begun.elapsed() < Duration::from_secs(20) && clock.acknowledged() != before {
        before = clock.acknowledged();
        std::thread::sleep(Duration::from_millis(700));
    }
}
