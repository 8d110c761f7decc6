//! ARCHIVE: a match is archived once and whole, or not at all, though instances and the database are killed.

use std::collections::HashMap;
use std::time::Duration;

use chrono::TimeDelta;
use uuid::Uuid;
use yaniv_app::admin::archive::archive_all;
use yaniv_app::admin::integrity::check::Fsck;
use yaniv_db::Store;
use yaniv_db::admin::match_audit::match_id_list;
use yaniv_db::matches::load::match_load;
use yaniv_db::matches::log::action_list;
use yaniv_db::matches::packed_log::WholeLog;
use yaniv_model::ids::MatchId;

use crate::Error;
use crate::faults::report::Report;
use crate::faults::setup::database::Database;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::history::count::count;
use crate::history::generate::generate;
use crate::player::Random;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "archive",
    promise: "A match is archived once and whole, or stays as it is, whatever is killed",
    injects: "SIGKILL of one of two archiving instances, every fourth time of the postmaster",
    times: 200,
    short: 3,
    bug: "an entry of the log is missing",
    run,
    planted,
};

/// Matches for each fault: more than are archived between two.
const MATCHES: usize = 30;
/// Age of matches that are archived, in days: all that are over.
const AFTER: u16 = 15;

fn run(context: &Context) -> Result<Outcome, Error> {
    Ok(archive(context, "archive", context.times, false)?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    Ok(archive(context, "archive_planted", 1, true)?.into())
}

fn archive(context: &Context, name: &str, times: usize, plant: bool) -> Result<Report, Error> {
    let url = new_database(context, name)?;
    let store = Store::new(&url, 4, context.runtime.handle())?;
    let (database, before) =
        context.runtime.block_on(fill(&url, &store, u64::try_from(times * MATCHES)?, plant))?;
    let days = AFTER.to_string();
    let mut stage = Stage::on(context, name, url, &[("YANIV_ARCHIVE_AFTER", &days)])?;
    let mut report = Report::default();
    let mut random = Random(context.seed);
    for time in 0..times {
        context.pause(u64::try_from(200 + random.below(400))?);
        if time % 4 == 3 {
            let mut shared = context.cluster()?;
            shared.get()?.kill9()?;
            shared.get()?.restart()?;
        } else {
            stage.kill9(time % 2)?;
            stage.start(time % 2)?;
        }
        report.injected += 1;
    }
    (0..stage.len()).try_for_each(|number| stage.kill9(number))?;
    drop(database);
    context.runtime.block_on(check(&store, &stage, before, &mut report))?;
    Ok(report)
}

fn new_database(context: &Context, name: &str) -> Result<String, Error> {
    let mut shared = context.cluster()?;
    let cluster = shared.get()?;
    cluster.ensure_database(name)?;
    Ok(cluster.url(name))
}

/// Fills the database with matches that ended long ago, and returns their logs.
async fn fill(
    url: &str,
    store: &Store,
    matches: u64,
    plant: bool,
) -> Result<(Database, HashMap<Uuid, WholeLog>), Error> {
    generate(url, matches, false).await?;
    count(url).await?;
    let database = Database::connect(url).await?;
    database
        .run("UPDATE actions SET key_hash = hashtextextended(match_id::text, version), fingerprint = hashint4(version) \
             WHERE seat IS NOT NULL")
        .await?;
    let logs = logs(store).await?;
    if plant {
        database.run("DELETE FROM actions WHERE version = 6 AND uuid_hash(match_id) % 3 = 0").await?;
    }
    Ok((database, logs))
}

/// The logs of all matches as readers see them, with short keys.
async fn logs(store: &Store) -> Result<HashMap<Uuid, WholeLog>, Error> {
    let connection = store.connection().await?;
    let mut logs = HashMap::new();
    for id in match_id_list(&connection, Uuid::nil(), i64::MAX).await? {
        let Some(rows) = match_load(&connection, MatchId(id)).await? else { continue };
        let entries = action_list(&connection, MatchId(id), 0, i32::MAX, i64::MAX).await?;
        logs.insert(id, WholeLog { entries, rounds: rows.rounds }.with_short_keys());
    }
    Ok(logs)
}

/// What the killed instances have left is archived without faults; then all is there, once.
async fn check(
    store: &Store,
    stage: &Stage,
    before: HashMap<Uuid, WholeLog>,
    report: &mut Report,
) -> Result<(), Error> {
    let database = stage.database().await?;
    let archived = database.count("SELECT count(*) FROM archived_logs").await?;
    report.note(format!("{archived} of {} matches were archived under faults", before.len()));
    report.require(archived > 0, || "nothing was archived under faults: nothing was tested".to_owned());
    let rest = archive_all(store, TimeDelta::days(AFTER.into()), 1);
    let refused = tokio::time::timeout(Duration::from_secs(600), rest).await??.refused;
    report.gaps += refused;
    report
        .require(refused == 0, || format!("{refused} matches contradict their logs, and were not archived"));
    let both = "SELECT count(*) FROM matches m WHERE (archived_at IS NULL) = \
        EXISTS (SELECT 1 FROM archived_logs l WHERE l.match_id = m.id) OR archived_at IS NOT NULL AND \
        (EXISTS (SELECT 1 FROM actions a WHERE a.match_id = m.id) OR EXISTS (SELECT 1 FROM rounds r WHERE r.match_id = m.id))";
    let both = database.count(both).await?;
    report.require(both == 0, || format!("{both} matches are archived in part"));
    let after = logs(store).await?;
    let fsck = Fsck::new(store.clone());
    for (id, log) in &before {
        if after.get(id) == Some(log) {
            report.acknowledged += 1;
        } else {
            report.lost += 1;
            report.find(format!("{id} has another log than before"));
        }
        for difference in fsck.check(MatchId(*id)).await? {
            report.differ += 1;
            report.find(format!("{id}: {}", difference.what));
        }
    }
    Ok(())
}
