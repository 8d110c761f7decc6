//! Migrations while other sessions hold locks: no client waits for long, and an interrupted migration is completed by
//! the next attempt.

use std::path::PathBuf;
use std::time::Duration;

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use diesel_migrations::FileBasedMigrations;
use local_postgres::TestDatabase;
use yaniv_db::connect;
use yaniv_db::kernel::migrations::{LockWaits, migrate};

use crate::schema::lines;
use crate::support::{new_database, until};

/// A folder of migrations, removed on drop.
struct Folder(PathBuf);

impl Folder {
    fn of(migrations: &[(&str, bool, &str)]) -> Self {
        let path = std::env::temp_dir().join(format!("yaniv-migrations-{}", uuid::Uuid::new_v4()));
        for (name, in_transaction, up) in migrations {
            let folder = path.join(name);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("up.sql"), up).unwrap();
            std::fs::write(folder.join("metadata.toml"), format!("run_in_transaction = {in_transaction}"))
                .unwrap();
        }
        Self(path)
    }

    fn migrations(&self) -> FileBasedMigrations {
        FileBasedMigrations::from_path(self.0.as_path()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

const COLUMN: (&str, bool, &str) =
    ("2999-01-01-000000_add_column", true, "ALTER TABLE matches ADD COLUMN trial text;");
const INDEX: (&str, bool, &str) = (
    "2999-01-01-000100_index",
    false,
    "CREATE INDEX CONCURRENTLY IF NOT EXISTS trial_idx ON accounts (kind);",
);

async fn database() -> TestDatabase {
    tokio::task::spawn_blocking(new_database).await.unwrap()
}

/// A session that has read a table, in a transaction that stays open: a dump.
async fn reader(database: &TestDatabase, table: &str) -> AsyncPgConnection {
    let mut connection = connect(database.url()).await.unwrap();
    let begin = "SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ;";
    connection.batch_execute(&format!("{begin} SELECT FROM {table}")).await.unwrap();
    connection
}

fn waits(all: Duration) -> LockWaits {
    LockWaits { all, ..LockWaits::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_do_not_wait_long_behind_a_waiting_migration() {
    let database = database().await;
    let folder = Folder::of(&[COLUMN]);
    let dump = reader(&database, "matches").await;
    let (url, migrations) = (database.url().to_owned(), folder.migrations());
    let migrating = tokio::spawn(async move { migrate(&url, &migrations, LockWaits::default()).await });
    let waiting =
        "SELECT 'it waits' AS line FROM pg_locks WHERE NOT granted AND relation = 'matches'::regclass";
    for _ in 0..3 {
        until("the migration waits", async || !lines(database.url(), waiting).await.is_empty()).await;
        // It lets other statements pass while the dump runs; otherwise this would time out after three seconds.
        connect(database.url()).await.unwrap().batch_execute("SELECT FROM matches").await.unwrap();
    }
    drop(dump);
    migrating.await.unwrap().unwrap();
    connect(database.url()).await.unwrap().batch_execute("SELECT trial FROM matches").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_stands_in_the_way_of_a_migration_is_named() {
    let database = database().await;
    let folder = Folder::of(&[COLUMN]);
    let _dump = reader(&database, "matches").await;
    // Long enough to be observed waiting on a busy machine.
    let waits = LockWaits { one: Duration::from_secs(5), ..waits(Duration::from_secs(2)) };
    let error = migrate(database.url(), &folder.migrations(), waits).await.unwrap_err().to_string();
    let expected =
        "migration 2999-01-01-000000_add_column did not get its locks within 2 s; it waited for session ";
    assert!(error.starts_with(expected) && error.contains("pg_terminate_backend"), "{error}");
    assert!(error.contains("(\"yaniv\", in a transaction for "), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_was_broken_off_is_built_again() {
    let database = database().await;
    let folder = Folder::of(&[INDEX]);
    let indexes = "SELECT indexrelid::regclass::text || ' ' || indisvalid AS line FROM pg_index \
         WHERE indexrelid::regclass::text = 'trial_idx'";
    let dump = reader(&database, "accounts").await;
    migrate(database.url(), &folder.migrations(), waits(Duration::from_secs(1))).await.unwrap_err();
    assert_eq!(lines(database.url(), indexes).await, ["trial_idx false"]);
    drop(dump);
    migrate(database.url(), &folder.migrations(), waits(Duration::from_secs(120))).await.unwrap();
    assert_eq!(lines(database.url(), indexes).await, ["trial_idx true"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_instances_migrate_once() {
    let database = database().await;
    let folder = Folder::of(&[COLUMN, INDEX]);
    let instances = (0..4).map(|_| {
        let (url, migrations) = (database.url().to_owned(), folder.migrations());
        tokio::spawn(async move { migrate(&url, &migrations, waits(Duration::from_secs(120))).await })
    });
    for migrated in futures_util::future::join_all(instances).await {
        migrated.unwrap().unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_goes_on_where_it_was_broken_off() {
    let database = database().await;
    let fill = "DO $$ BEGIN \
         LOOP \
             UPDATE fillings SET value = 1 WHERE id IN (SELECT id FROM fillings WHERE value IS NULL ORDER BY id LIMIT 10); \
             EXIT WHEN NOT FOUND; \
             COMMIT; \
         END LOOP; END $$;";
    let folder = Folder::of(&[("2999-01-01-000200_fill", false, fill)]);
    let mut connection = connect(database.url()).await.unwrap();
    connection
        .batch_execute(
            "CREATE TABLE fillings (id integer PRIMARY KEY, value integer, writes integer NOT NULL DEFAULT 0); \
             INSERT INTO fillings SELECT id FROM generate_series(1, 95) id; \
             CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             IF NEW.id = 55 THEN RAISE EXCEPTION 'planted'; END IF; RETURN NEW; END $$; \
             CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
             NEW.writes := OLD.writes + 1; RETURN NEW; END $$; \
             CREATE TRIGGER a_fail BEFORE UPDATE ON fillings FOR EACH ROW EXECUTE FUNCTION fail(); \
             CREATE TRIGGER b_note BEFORE UPDATE ON fillings FOR EACH ROW EXECUTE FUNCTION note();",
        )
        .await
        .unwrap();
    let error = migrate(database.url(), &folder.migrations(), LockWaits::default()).await.unwrap_err();
    assert!(error.to_string().contains("planted"), "{error}");
    let filled =
        "SELECT count(value) || ' of ' || count(*) || ', written ' || sum(writes) AS line FROM fillings";
    assert_eq!(lines(database.url(), filled).await, ["50 of 95, written 50"]);
    connection.batch_execute("DROP TRIGGER a_fail ON fillings").await.unwrap();
    migrate(database.url(), &folder.migrations(), LockWaits::default()).await.unwrap();
    assert_eq!(lines(database.url(), filled).await, ["95 of 95, written 95"]);
}
