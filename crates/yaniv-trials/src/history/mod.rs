//! Many matches that were really played, and the cost of requests about them.
//!
//! [`options`] is the command line. [`play`] plays a match by its number, between the accounts of [`people`];
//! [`generate`](mod@generate) stores them with [`copy`], as the service would have (`fsck` confirms that), and
//! [`count`](mod@count) computes what is derived from them. [`recounted`] recounts some from their records alone.
//! [`pack`](mod@pack) prints the sizes of their packed logs; [`archive`](mod@archive) compares answers before and after matches are
//! archived. [`measure`] sends the requests of [`asked`] as a [`client`]; [`walk`] reads pages while matches are inserted.

pub mod archive;
pub mod asked;
pub mod client;
pub mod copy;
pub mod count;
pub mod generate;
pub mod measure;
pub mod options;
pub mod pack;
pub mod people;
pub mod play;
mod recount;
pub mod recounted;
pub mod walk;

use generate::{connect, generate};
use local_postgres::TestCluster;
use options::{Command, Measured, Options};
use play::Plan;
use tokio::runtime::{Builder, Handle};
use yaniv_app::admin::integrity::check::Fsck;
use yaniv_db::Store;
use yaniv_model::ids::MatchId;

use crate::Error;
use crate::load::results::machine;
use crate::load::results::number::{pretty, real};

/// Runs the command.
///
/// # Errors
/// If anything goes wrong, or a stored match contradicts its log.
pub fn main(options: &Options) -> Result<(), Error> {
    let runtime = Builder::new_multi_thread().worker_threads(machine::cores() + 1).enable_all().build()?;
    runtime.block_on(async {
        match &options.command {
            Command::Generate { matches, played_out, database_url } => {
                println!("{}.", generate(database_url, *matches, *played_out).await?.said());
                count::count(database_url).await
            }
            Command::Measure { database_url, measured } => measure_all(database_url, measured).await,
            Command::Archive { database_url, compared } => {
                archive::archive(database_url, &plan(database_url).await?, *compared).await
            }
            Command::Pack { matches, dictionary } => pack::print(*matches, dictionary.as_deref()),
            Command::Run { matches, played_out, compared, measured } => {
                let cluster = TestCluster::start()?;
                cluster.ensure_database("history")?;
                let url = cluster.url("history");
                println!(
                    "On {}.\n\n{}.",
                    machine::described(),
                    generate(&url, *matches, *played_out).await?.said()
                );
                count::count(&url).await?;
                measure_all(&url, measured).await?;
                if *compared == 0 {
                    return Ok(());
                }
                archive::archive(&url, &plan(&url).await?, *compared).await
            }
        }
    })
}

async fn measure_all(url: &str, measured: &Measured) -> Result<(), Error> {
    let plan = plan(url).await?;
    check(url, measured.checked).await?;
    measure::measure(url, plan, measured).await
}

async fn plan(url: &str) -> Result<Plan, Error> {
    Ok(generate::plan(&connect(url).await?).await?.ok_or("nothing was generated here")?)
}

/// Replays this many random matches from their logs, or all if there are fewer.
///
/// # Errors
/// If a stored match contradicts its log.
pub async fn check(url: &str, matches: u64) -> Result<(), Error> {
    let client = connect(url).await?;
    let sql = "SELECT id::text FROM matches ORDER BY md5(id::text) LIMIT $1";
    let fsck = Fsck::new(Store::new(url, 2, &Handle::current())?);
    let (mut looked_at, mut differing) = (0_u64, Vec::new());
    for row in client.query(sql, &[&i64::try_from(matches)?]).await? {
        let id: String = row.try_get(0)?;
        let found = fsck.check(MatchId(id.parse()?)).await?;
        looked_at += 1;
        differing.extend(found.into_iter().map(|difference| format!("{id} {}", difference.what)));
    }
    println!("\n{} matches, by chance, are as their logs have them.", pretty(real(looked_at)));
    if differing.is_empty() { Ok(()) } else { Err(differing.join("; ").into()) }
}
