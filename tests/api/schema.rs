//! The schema in the code equals that of the migrated database, all of it is commented, and every migration can be
//! reverted.

use diesel::QueryableByName;
use diesel::sql_types::Text;
use diesel_async::RunQueryDsl;
use yaniv_db::connect;
use yaniv_db::kernel::migrations::MIGRATIONS;

use crate::support::new_database;

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text)]
    line: String,
}

pub(crate) async fn lines(url: &str, query: &str) -> Vec<String> {
    let mut connection = connect(url).await.unwrap();
    let rows: Vec<Line> = diesel::sql_query(query).load(&mut connection).await.unwrap();
    rows.into_iter().map(|row| row.line).collect()
}

const TABLES: &str = "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
     WHERE n.nspname = 'public' AND c.relkind = 'r' AND c.relname <> '__diesel_schema_migrations'";

#[tokio::test(flavor = "multi_thread")]
async fn the_code_knows_every_column_as_it_is() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let query = format!(
        "SELECT c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, NULL) || \
         CASE WHEN a.attnotnull THEN '' ELSE ' null' END AS line \
         FROM (SELECT c.oid, c.relname {TABLES}) c JOIN pg_attribute a ON a.attrelid = c.oid \
         WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY line"
    );
    let stored = lines(database.url(), &query).await;
    assert_eq!(stored, in_code());
}

/// The columns of `crates/yaniv-db/src/schema`, printed like those of the database.
fn in_code() -> Vec<String> {
    let files = std::fs::read_dir("crates/yaniv-db/src/schema").unwrap();
    let source: String = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let mut columns = Vec::new();
    let mut table = "";
    for line in source.lines().map(str::trim) {
        let column = line.strip_suffix(',').and_then(|line| line.split_once(" -> "));
        if let Some((name, kind)) = column {
            let nullable = kind.starts_with("Nullable<");
            let kind = kind.trim_start_matches("Nullable<").trim_end_matches('>');
            let kind = match kind {
                "Uuid" => "uuid",
                "Date" => "date",
                "Bool" => "boolean",
                "Text" => "text",
                "Timestamptz" => "timestamp with time zone",
                "Bytea" => "bytea",
                "Jsonb" => "jsonb",
                "SmallInt" => "smallint",
                "Integer" => "integer",
                "BigInt" => "bigint",
                "CChar" => "\"char\"",
                "Json" => "json",
                "Array<Integer" => "integer[]",
                "Array<Timestamptz" => "timestamp with time zone[]",
                other => panic!("a type that this test does not know: {other}"),
            };
            columns.push(format!("{table}.{name} {kind}{}", if nullable { " null" } else { "" }));
        } else if line.ends_with('{') {
            table = line.split(' ').next().unwrap();
        }
    }
    columns.sort();
    columns
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_is_explained() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let query = format!("SELECT c.relname::text AS line {TABLES} AND obj_description(c.oid) IS NULL");
    assert_eq!(lines(database.url(), &query).await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn every_migration_can_be_taken_back_and_made_again() {
    use diesel_migrations::MigrationHarness;

    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let connection = connect(database.url()).await.unwrap();
    let mut harness = diesel_async::AsyncMigrationHarness::new(connection);
    harness.revert_all_migrations(MIGRATIONS).unwrap();
    let left = lines(database.url(), &format!("SELECT c.relname::text AS line {TABLES}")).await;
    assert_eq!(left, Vec::<String>::new());
    harness.run_pending_migrations(MIGRATIONS).unwrap();
}

/// References without an index: to settings, which are not deleted, and of a table that is empty.
const UNINDEXED: [&str; 2] = ["creation_keys_match_id_fkey", "matches_settings_id_fkey"];

/// Without an index, each deletion of the row that is referred to reads the whole table.
#[tokio::test(flavor = "multi_thread")]
async fn every_foreign_key_has_an_index() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let without = "SELECT c.conname::text AS line FROM pg_constraint c \
         JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] \
         WHERE c.contype = 'f' AND NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indisvalid \
             AND (i.indkey::int2[])[0:cardinality(c.conkey) - 1] @> c.conkey AND (i.indpred IS NULL \
                 OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname))) ORDER BY line";
    assert_eq!(lines(database.url(), without).await, UNINDEXED);
}
