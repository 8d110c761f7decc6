//! Budgets: what an operation may send to the database, from the request to the answer.
//!
//! `statement_budgets.txt` has a line for each operation that reads, as in the story of the OpenAPI document
//! (`story.rs`), and for those that make and play a match. An operation that needs more fails here.
//! `YANIV_RENEW_STATEMENTS=1` writes the file again, also with smaller budgets.

use std::fmt::Write;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;

use crate::story::tell;
use crate::support::statements::{Count, Counts, Statements, keep_least};
use crate::support::strategy::{Random, choose};
use crate::support::{Answer, Player, TestApp, id};

const COMMITTED: &str = "tests/api/statement_budgets.txt";
/// Environment variable: set to measure the budgets again.
const RENEW: &str = "YANIV_RENEW_STATEMENTS";
/// Background jobs use the same database: all is repeated this often at most, and the least counts are taken.
const RUNS: usize = 16;
const MATCHES: usize = 4;
const PLAYS: usize = 8;

/// Measures once more, on another service, and keeps the least count of each operation.
async fn measure(least: &mut Counts) {
    let app = TestApp::start_counted().await;
    let (_, reads) = tell(&app).await;
    for (operation, count) in reads {
        keep_least(least, &operation, count);
    }
    let players = [app.player("cleo").await, app.player("dan").await];
    let statements = app.statements.as_ref().unwrap();
    for _ in 0..MATCHES {
        play(&players, statements, least).await;
    }
}

/// Makes a match and plays the beginning of it.
async fn play(players: &[Player; 2], statements: &Statements, least: &mut Counts) {
    let mut counted = async |operation: &str, request: BoxFuture<'_, Answer>| {
        let before = statements.count();
        let answer = request.await;
        keep_least(least, operation, statements.count() - before);
        answer
    };
    let [ada, bob] = players;
    let made = counted("createMatch", ada.create(&json!({"size": 2})).boxed()).await.expect(201);
    let code = made["join_code"].as_str().unwrap();
    counted("joinMatch", bob.join(code, "seed").boxed()).await.expect(201);
    let mut view = counted("startMatch", ada.start(id(&made)).boxed()).await.expect(200);
    let mut random = Random(5);
    for _ in 0..PLAYS {
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        view = players[seat].view(id(&made)).await;
        view["legal"]["call"] = json!(false);
        let (kind, body) = choose(&view, &mut random);
        view = counted("playCards", players[seat].act(id(&made), kind, &body).boxed()).await.expect(200);
    }
}

fn read(table: &str) -> Counts {
    let line = |line: &str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        let [statements, round_trips] = [1, 2].map(|field: usize| fields[field].parse().unwrap());
        (fields[0].to_owned(), Count { statements, round_trips })
    };
    table.lines().filter(|line| !line.starts_with('#')).map(line).collect()
}

fn write(counts: &Counts) -> String {
    let mut table = "# operation, SQL statements, round trips to the database\n".to_owned();
    for (operation, count) in counts {
        writeln!(table, "{operation:<32} {:>3} {:>3}", count.statements, count.round_trips).unwrap();
    }
    table
}

/// The operations that have no budget, or need more.
fn dearer(counts: &Counts, budgets: &Counts) -> Vec<String> {
    let within = |operation: &String, count: &Count| {
        budgets.get(operation).is_some_and(|budget| {
            count.statements <= budget.statements && count.round_trips <= budget.round_trips
        })
    };
    let over = counts.iter().filter(|(operation, count)| !within(operation, count));
    over.map(|(operation, count)| format!("{operation}: {count:?}, budget: {:?}", budgets.get(operation)))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_operation_sends_more_to_the_database_than_before() {
    let mut counts = Counts::new();
    if std::env::var_os(RENEW).is_some() {
        // The most of all runs, as an operation may need less by chance: random cards, a cache.
        let mut most = Counts::new();
        for _ in 0..RUNS {
            let mut run = Counts::new();
            measure(&mut run).await;
            for (operation, count) in run {
                let known = most.entry(operation).or_insert(count);
                *known = (*known).max(count);
            }
        }
        std::fs::write(COMMITTED, write(&most)).unwrap();
    }
    let budgets = read(&std::fs::read_to_string(COMMITTED).unwrap());
    for _ in 0..RUNS {
        measure(&mut counts).await;
        if dearer(&counts, &budgets).is_empty() {
            break;
        }
    }
    let gone: Vec<_> = budgets.keys().filter(|operation| !counts.contains_key(*operation)).collect();
    assert_eq!(
        (dearer(&counts, &budgets), gone),
        (Vec::new(), Vec::new()),
        "reduce the cost, or accept it: {RENEW}=1"
    );
    for (operation, count) in counts.iter().filter(|(operation, count)| **count < budgets[*operation]) {
        println!("{operation} needs less than its budget: {count:?}");
    }
}
