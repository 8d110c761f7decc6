//! Budgets: what an action writes, what it and a view compute, and the memory of the service. All are counts, which do
//! not depend on the machine's speed.
//!
//! `budgets.txt` has the figures. One that is more than 5 % greater fails the test, which names the operation.
//! `YANIV_RENEW_COSTS=1` writes the file again. SQL statements have budgets in `tests/api/statement_budgets.rs`.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod callgrind;
mod players;
mod program;
mod wal;

use std::collections::BTreeMap;
use std::fmt::Write;

use local_postgres::{TestDatabase, not_checked};

use callgrind::{Callgrind, Spent};
use players::{Play, Table};
use program::Program;

const COMMITTED: &str = "tests/costs/budgets.txt";
/// Environment variable: set to measure the budgets again.
const RENEW: &str = "YANIV_RENEW_COSTS";
/// How often each operation is repeated.
const REPEATS: u32 = 64;
/// How often before it is measured: caches are warm then, and statements prepared.
const WARM_UP: u32 = 16;
/// How often reads are measured.
const PASSES: u32 = 3;
/// What may be added to a budget, as a factor.
const MARGIN: f64 = 1.05;
/// The same for memory: the allocator returns it when time has passed, and background jobs run at any time.
const MEMORY_MARGIN: f64 = 1.25;

/// Figures by operation and unit.
type Figures = BTreeMap<String, f64>;

/// Plays this many actions.
async fn plays(play: &mut Play<'_>, count: u32) {
    for _ in 0..count {
        play.play_cards().await;
    }
}

/// Reads the match this many times.
async fn looks(play: &Play<'_>, count: u32) {
    for _ in 0..count {
        play.look().await;
    }
}

/// Memory, and what is written to the database.
async fn measure(database_url: &str, figures: &mut Figures) -> Table {
    // The first one creates the tables.
    let table = Table::set(&Program::start(database_url).address).await;
    let program = Program::start(database_url);
    let mut play = table.at(&program.address).await;
    match program.memory() {
        Some(memory) => drop(figures.insert("start memory".to_owned(), memory)),
        None => not_checked("memory after the start", "the system has no /proc"),
    }
    plays(&mut play, WARM_UP).await;
    let log = wal::Log::open(database_url).await;
    let since = match &log {
        Ok(log) => Some(log.end().await),
        Err(why) => {
            not_checked("rows and index entries of an action", why);
            None
        }
    };
    plays(&mut play, REPEATS).await;
    if let (Ok(log), Some(since)) = (log, since) {
        let written = log.written(since, REPEATS).await;
        figures.insert("playCards rows".to_owned(), written.rows);
        figures.insert("playCards index_entries".to_owned(), written.index_entries);
        figures.insert("playCards wal_bytes".to_owned(), written.bytes);
    }
    table
}

/// Instructions and allocations of an action and of a view.
async fn compute(database_url: &str, table: &Table, figures: &mut Figures) {
    let mut callgrind = match Callgrind::start(database_url) {
        Ok(callgrind) => callgrind,
        Err(why) => return not_checked("instructions and allocations of an action and a view", &why),
    };
    let address = callgrind.program.address.clone();
    let mut play = table.at(&address).await;
    plays(&mut play, WARM_UP).await;
    play.play_to_a_plain_hand().await;
    callgrind.begin().await;
    // First, as background jobs follow actions. The least of several passes: some jobs run every few seconds only.
    looks(&play, WARM_UP).await;
    let mut looked = Vec::new();
    for _ in 0..PASSES {
        looked.push(callgrind.cost(looks(&play, REPEATS)).await);
    }
    plays(&mut play, WARM_UP).await;
    let played = callgrind.cost(plays(&mut play, REPEATS)).await;
    let mut each = |operation: &str, Spent { instructions, allocations }: Spent| {
        figures.insert(format!("{operation} instructions"), instructions / f64::from(REPEATS));
        figures.insert(format!("{operation} allocations"), allocations / f64::from(REPEATS));
    };
    each("playCards", played);
    let least = |figure: fn(&Spent) -> f64| looked.iter().map(figure).fold(f64::INFINITY, f64::min);
    let (instructions, allocations) = (least(|spent| spent.instructions), least(|spent| spent.allocations));
    each("getMatch", Spent { instructions, allocations });
}

fn read(table: &str) -> Figures {
    let line = |line: &str| {
        let (figure, value) = line.rsplit_once(' ').unwrap();
        (figure.trim_end().to_owned(), value.parse().unwrap())
    };
    table.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn write(figures: &Figures) -> String {
    let mut table = "# operation, unit, figure\n".to_owned();
    for (figure, value) in figures {
        let decimals = if *value < 100.0 { 2 } else { 0 };
        writeln!(table, "{figure:<28} {value:>10.decimals$}").unwrap();
    }
    table
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_and_the_memory_cost_no_more_than_before() {
    let database = std::thread::spawn(|| TestDatabase::create("empty", |_| Ok(())).unwrap()).join().unwrap();
    let mut figures = Figures::new();
    let table = measure(database.url(), &mut figures).await;
    compute(database.url(), &table, &mut figures).await;
    print!("{}", write(&figures));
    let mut budgets = read(&std::fs::read_to_string(COMMITTED).unwrap_or_default());
    if std::env::var_os(RENEW).is_some() {
        budgets.extend(figures.clone());
        std::fs::write(COMMITTED, write(&budgets)).unwrap();
    }
    let margin = |figure: &str| if figure == "start memory" { MEMORY_MARGIN } else { MARGIN };
    let dearer = |(figure, value): &(&String, &f64)| {
        budgets.get(*figure).is_none_or(|budget| **value > budget * margin(figure))
    };
    let dearer: Vec<_> =
        figures.iter().filter(dearer).map(|(figure, value)| (figure, value, budgets.get(figure))).collect();
    assert!(dearer.is_empty(), "reduce the cost, or accept it ({RENEW}=1): figure, now, budget: {dearer:?}");
}
