//! Back one step: the migrations since a release are reverted on a database with data, and made again.

use std::process::Command;

use local_postgres::not_installed;

use crate::client::{Client, play_once};
use crate::documents::block;
use crate::program::Program;
use crate::release::{Release, connect};
use crate::{VARIABLES, all_is_right};

const PAGE: &str = "docs/operations/upgrades.md";

/// Everything that the schema consists of, as sorted lines.
async fn schema(url: &str) -> Vec<String> {
    const OF_TABLES: &str = "c.relnamespace = 'public'::regnamespace AND c.relname NOT LIKE '\\_\\_diesel%'";
    let queries = [
        format!(
            "SELECT 'column ' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' \
             || a.attnotnull::text || ' ' || coalesce(pg_get_expr(d.adbin, d.adrelid), '') || ' ' \
             || coalesce(col_description(c.oid, a.attnum), '') \
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
             LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'v') AND {OF_TABLES}"
        ),
        format!(
            "SELECT 'table ' || c.relname || ' ' || c.relkind::text || ' ' || coalesce(obj_description(c.oid), '') || ' ' \
             || coalesce(c.reloptions::text, '') FROM pg_class c WHERE c.relkind IN ('r', 'v', 'S') AND {OF_TABLES}"
        ),
        format!(
            "SELECT 'index ' || pg_get_indexdef(i.indexrelid) || ' ' || i.indisvalid::text FROM pg_index i \
             JOIN pg_class c ON c.oid = i.indrelid WHERE {OF_TABLES}"
        ),
        format!(
            "SELECT 'constraint ' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid) \
             FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid WHERE {OF_TABLES}"
        ),
        format!(
            "SELECT 'trigger ' || pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
             WHERE NOT t.tgisinternal AND {OF_TABLES}"
        ),
        "SELECT 'function ' || pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace"
            .to_owned(),
    ];
    let client = connect(url).await;
    let mut lines = Vec::new();
    for query in &queries {
        let rows = client.query(query, &[]).await.unwrap();
        // A constraint that is made again holds for new rows; those that are there were checked before.
        lines.extend(rows.iter().map(|row| row.get::<_, String>(0).replace(" NOT VALID", "")));
    }
    lines.sort();
    lines
}

/// The versions of the migrations that have run.
async fn applied(url: &str) -> Vec<String> {
    let query = "SELECT version FROM __diesel_schema_migrations ORDER BY version";
    connect(url).await.query(query, &[]).await.unwrap().iter().map(|row| row.get(0)).collect()
}

/// Plays, so that rows of this version exist.
async fn play(release: &Release, database_url: &str) {
    let program = Program::start(database_url, &VARIABLES);
    let ada = Client::log_in(program.address(), "ada", release.password()).await;
    let bob = Client::log_in(program.address(), "bob", release.password()).await;
    let match_id = release.facts["running"]["running"].as_str().unwrap();
    let players = [ada, bob];
    for _ in 0..3 {
        play_once(&players, match_id).await;
    }
}

/// Reverts the migrations after this one: as `docs/operations/upgrades.md` says.
fn take_back(database_url: &str, last: &str) {
    let names = std::fs::read_dir("migrations").unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.map(|name| name.into_string().unwrap());
    let name = names.find(|name| name.split('_').next().unwrap().replace('-', "") == last).unwrap();
    let mut command = Command::new("sh");
    command.args(["-euc", &block(PAGE, "schema-back")]).env("DATABASE_URL", database_url);
    let output = command.env("LAST_MIGRATION", name).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_migrations_since_each_release_can_be_taken_back_and_made_again() {
    if Command::new("psql").arg("--version").output().is_err() {
        not_installed(PAGE, "psql").unwrap();
        return;
    }
    for release in Release::all() {
        let database = release.restore().await;
        let (schema_then, applied_then) = (schema(database.url()).await, applied(database.url()).await);
        play(&release, database.url()).await;
        let (schema_now, applied_now) = (schema(database.url()).await, applied(database.url()).await);
        assert_ne!(schema_then, schema_now);

        take_back(database.url(), applied_then.last().unwrap());
        assert_eq!(applied(database.url()).await, applied_then);
        assert_same(&schema(database.url()).await, &schema_then);

        play(&release, database.url()).await;
        assert_eq!(applied(database.url()).await, applied_now);
        assert_same(&schema(database.url()).await, &schema_now);
        all_is_right(database.url()).await;
    }
}

fn assert_same(now: &[String], then: &[String]) {
    let missing: Vec<_> = then.iter().filter(|line| !now.contains(line)).collect();
    let more: Vec<_> = now.iter().filter(|line| !then.contains(line)).collect();
    assert!(missing.is_empty() && more.is_empty(), "missing: {missing:#?}, more: {more:#?}");
}
