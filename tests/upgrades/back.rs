//! Back one step: the migrations since a release are reverted on a database with data, and made again.

use std::process::Command;

use local_postgres::not_installed;

use crate::client::{Client, play_once};
use crate::documents::block;
use crate::program::Program;
use crate::release::{Release, connect};
use crate::{VARIABLES, all_is_right};

const PAGE: &str = "docs/operations/upgrades.md";

/// An archived match, with shared settings.
const ARCHIVED: &str = "INSERT INTO archived_logs SELECT id, 1, 0, '\\x00' FROM matches ORDER BY id LIMIT 1; \
     INSERT INTO shared_settings SELECT m.id, m.rules, m.pace FROM matches m JOIN archived_logs a ON a.match_id = m.id; \
     UPDATE matches SET settings_id = id, rules = NULL, pace = NULL FROM archived_logs a WHERE a.match_id = id";

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

/// Reverts the migrations after this one, as `docs/operations/upgrades.md` says: whether it did, and what it said.
fn take_back(database_url: &str, last: &str) -> (bool, String) {
    let names = std::fs::read_dir("migrations").unwrap().map(|entry| entry.unwrap().file_name());
    let mut names = names.map(|name| name.into_string().unwrap());
    let name = names.find(|name| name.split('_').next().unwrap().replace('-', "") == last);
    // Mistyped, if there is none.
    let name = name.unwrap_or_else(|| last.to_owned());
    let mut command = Command::new("sh");
    command.args(["-c", &block(PAGE, "schema-back")]).env("DATABASE_URL", database_url);
    let output = command.env("LAST_MIGRATION", name).output().unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
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

        assert!(!take_back(database.url(), "2026-11-23-120200_mistyped").0);
        assert_eq!(applied(database.url()).await, applied_now, "nothing is taken back");
        let client = connect(database.url()).await;
        client.batch_execute(ARCHIVED).await.unwrap();
        let (done, said) = take_back(database.url(), applied_then.last().unwrap());
        assert!(!done && said.contains("there are archived matches"), "{said}");
        assert!(applied(database.url()).await.contains(&"20261127120000".to_owned()), "the table is there");
        let lost = "SELECT count(*) FROM matches WHERE rules IS NULL";
        assert_eq!(client.query_one(lost, &[]).await.unwrap().get::<_, i64>(0), 0);
        client.batch_execute("DELETE FROM archived_logs").await.unwrap();
        let (done, said) = take_back(database.url(), applied_then.last().unwrap());
        assert!(done, "{said}");
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
