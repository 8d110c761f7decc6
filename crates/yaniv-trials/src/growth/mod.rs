//! Cost of many stored matches: the same measurements with few and with many, alternating.
//!
//! [`options`] is the command line. [`fill`] stores matches that [`samples`] played. [`sizes`], [`plans`], [`times`]
//! and [`upkeep`] measure; [`partitions`] and [`archive`] try remedies for what grows too large.

pub mod archive;
pub mod fill;
pub mod markdown;
pub mod options;
pub mod partitions;
pub mod plans;
pub mod samples;
pub mod sizes;
pub mod statements;
pub mod times;
pub mod upkeep;

use std::io::Read as _;
use std::time::Duration;

use local_postgres::TestCluster;

use fill::Wanted;
use markdown::Table;
use options::Options;
use samples::End;
use statements::ALL;
use times::{Place, connect};

use crate::Error;
use crate::instance::{self, Instance};
use crate::load::results::machine;
use crate::load::results::number::{median, pretty, real};

/// With more matches, a dump takes too long here.
const DUMPED: u64 = 1_000_000;

/// Measures and prints.
///
/// # Errors
/// If anything goes wrong, or a plan reads a large table as a whole.
pub fn run(options: &Options) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    tokio::task::LocalSet::new().block_on(&runtime, measure(options))
}

async fn measure(options: &Options) -> Result<(), Error> {
    let cluster = start(options).await?;
    let mut wrong = Vec::new();
    let mut first: Option<Place> = None;
    for matches in options.matches.iter().copied() {
        let end = match matches {
            matches if matches <= options.to_the_end => End::Natural,
            matches if matches <= options.three_rounds => End::Rounds(3),
            _ => End::GivenUp(1),
        };
        let name = format!("growth_{matches}");
        let url = filled(&cluster, &name, Wanted { matches, live: options.live, end }).await?;
        let client = connect(&url).await?;
        upkeep::first_vacuum(&client).await?;
        sizes::print(&client, matches).await?;
        if matches <= DUMPED {
            upkeep::dump(&url)?;
        }
        let mut place = Place::prepare(name.clone(), url.clone(), matches).await?;
        wrong.append(&mut plans::print(&client, &url, "public", &mut place.subjects).await?);
        let Some(first) = first.as_mut() else {
            archive::print(&client).await?;
            upkeep::after_actions(&mut place, options.actions).await?;
            first = Some(place);
            continue;
        };
        first.forget();
        first.begin_play(options).await?;
        place.begin_play(options).await?;
        for _ in 0..options.rounds {
            first.round(options).await?;
            place.round(options).await?;
        }
        compare(first, &place);
        upkeep::after_actions(&mut place, options.actions).await?;
        place.leave().await;
        drop(client);
        if !options.keep {
            remove(&cluster, &name).await?;
        }
    }
    if options.partitioned > 0 {
        let wanted = Wanted { matches: options.partitioned, live: options.live, end: End::GivenUp(1) };
        let url = filled(&cluster, "growth_partitioned", wanted).await?;
        let client = connect(&url).await?;
        wrong.append(&mut partitions::print(&client, &url, options.partitioned, options).await?);
    }
    if options.keep {
        eprintln!("kept until standard input ends: {}", cluster.url("postgres"));
        std::io::stdin().read_to_end(&mut Vec::new())?;
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("; ").into()) }
}

/// A server with default settings plus those of the options; prints its versions and the machine.
async fn start(options: &Options) -> Result<TestCluster, Error> {
    let mut cluster = TestCluster::start()?;
    let client = connect(&cluster.url("postgres")).await?;
    for setting in &options.settings {
        let (name, value) = setting.split_once('=').ok_or("--setting is NAME=VALUE")?;
        client.batch_execute(&format!("ALTER SYSTEM SET {name} = '{value}'")).await?;
    }
    client.batch_execute("CHECKPOINT").await?;
    drop(client);
    cluster.kill9()?;
    cluster.restart()?;
    let client = connect(&cluster.url("postgres")).await?;
    let sql = "SELECT 'PostgreSQL ' || current_setting('server_version') || ', shared_buffers '
        || current_setting('shared_buffers') || ', max_wal_size ' || current_setting('max_wal_size') || ', fsync '
        || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit')";
    let described: String = client.query_one(sql, &[]).await?.try_get(0)?;
    println!("On {}, {described}.", machine::described());
    Ok(cluster)
}

/// A database with the service's schema and this many matches.
async fn filled(cluster: &TestCluster, name: &str, wanted: Wanted) -> Result<String, Error> {
    cluster.ensure_database(name)?;
    let url = cluster.url(name);
    // Starting an instance creates the schema.
    let log = std::env::temp_dir().join(format!("yaniv-growth-{}.log", std::process::id()));
    let start = instance::Options {
        database_url: url.clone(),
        address: None,
        log: log.clone(),
        environment: Vec::new(),
    };
    Instance::start(&start)?.terminate(Duration::from_secs(10))?;
    std::fs::remove_file(log)?;
    let client = connect(&url).await?;
    let said = fill::fill(&client, wanted).await?;
    println!(
        "\n## {} matches\n\n{} of them in play; {said}.",
        pretty(real(wanted.matches)),
        pretty(real(wanted.live))
    );
    Ok(url)
}

async fn remove(cluster: &TestCluster, name: &str) -> Result<(), Error> {
    let client = connect(&cluster.url("postgres")).await?;
    client.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")).await?;
    Ok(())
}

fn compare(first: &Place, place: &Place) {
    let (few, many) = (pretty(real(first.matches)), pretty(real(place.matches)));
    let columns =
        ["", &format!("{few}: median"), "p99", &format!("{many}: median"), "p99", "ratio of medians"];
    let mut table = Table::new(&columns);
    for (number, (asked, _)) in ALL.into_iter().enumerate() {
        let (one, other) = (first.times(number), place.times(number));
        let [a, b, c, d] = [one.0, one.1, other.0, other.1].map(pretty);
        table.row(&[asked.name(), a, b, c, d, format!("{:.2}", other.0 / one.0.max(0.001))]);
    }
    table.print("Statements, µs, in turn");
    let mut table = Table::new(&["actions a second", &few, &many, "many : few", "of each round"]);
    let mut rates = |name: &str, few: Vec<f64>, many: Vec<f64>| {
        let each: Vec<f64> = many.iter().zip(&few).map(|(many, few)| many / few).collect();
        let all: Vec<String> = each.iter().map(|ratio| format!("{ratio:.2}")).collect();
        let ratio = format!("{:.2}", median(each));
        table.row(&[name.to_owned(), pretty(median(few)), pretty(median(many)), ratio, all.join(", ")]);
    };
    rates("stored, 32 in a statement, 2 at a time", first.stored.clone(), place.stored.clone());
    rates("– WAL with page images, bytes", first.wal.clone(), place.wal.clone());
    let played = |place: &Place, at: usize| -> Vec<f64> {
        place.played.iter().filter_map(|figures| figures.get(at).copied()).collect()
    };
    rates("played over HTTP, 64 connections", played(first, 0), played(place, 0));
    rates("– p99, ms", played(first, 1), played(place, 1));
    rates("– WAL without page images, bytes", played(first, 2), played(place, 2));
    rates("– page images, bytes", played(first, 3), played(place, 3));
    table.print("Actions a second, in turn");
    for line in place.complaints() {
        println!("\nThe service logged: {line}");
    }
}
