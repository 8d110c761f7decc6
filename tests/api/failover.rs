//! A primary that was replaced by a standby, and still accepts writes: nobody uses it.

use std::time::{Duration, Instant};

use diesel_async::RunQueryDsl;
use local_postgres::{TestCluster, not_installed};
use tokio::runtime::Handle;
use yaniv_db::kernel::migrations;
use yaniv_db::{Store, StoreError};

/// Timeout, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(diesel::QueryableByName)]
struct Timeline {
    #[diesel(sql_type = diesel::sql_types::Text)]
    timeline: String,
}

/// The timeline of the server that the store uses.
async fn timeline(store: &Store) -> Result<String, StoreError> {
    let asked = diesel::sql_query("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline");
    let found: Timeline = asked.get_result(&mut **store.connection().await?).await.unwrap();
    Ok(found.timeline)
}

async fn eventually(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !check().await {
        assert!(begun.elapsed() < PATIENCE, "not: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_primary_that_runs_is_used_by_nobody() {
    let clusters = tokio::task::spawn_blocking(|| {
        let primary = TestCluster::start_in_memory().unwrap();
        if !primary.can_be_copied() {
            not_installed("an old primary", "pg_basebackup").unwrap();
            return None;
        }
        primary.ensure_database("app").unwrap();
        let standby = primary.standby("standby").unwrap();
        Some((primary, standby))
    });
    let Some((primary, standby)) = clusters.await.unwrap() else { return };
    let either = primary.url_of_either(&standby, "app");
    migrations::prepare(&either).await.unwrap();
    let open = |url: &str| Store::new(url, 1, &Handle::current()).unwrap();
    let (both, old) = (open(&either), open(&primary.url("app")));
    for store in [&both, &old] {
        assert_eq!(timeline(store).await.unwrap(), "00000001");
        assert!(!store.refuses_old_primary());
    }
    let standby = tokio::task::spawn_blocking(|| {
        standby.promote().unwrap();
        standby
    });
    let standby = standby.await.unwrap();

    // One that starts sees both, though the old one is the first of the URL.
    let mut connection = yaniv_db::connect(&either).await.unwrap();
    let asked = diesel::sql_query("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline");
    assert_eq!(asked.get_result::<Timeline>(&mut connection).await.unwrap().timeline, "00000002");
    let new = open(&either);
    assert_eq!(timeline(&new).await.unwrap(), "00000002");
    assert!(new.refuses_old_primary());
    // It has told the others, also those that see the old one alone, or have just started.
    eventually("the old one is refused", async || timeline(&old).await.is_err()).await;
    let refused = timeline(&open(&primary.url("app"))).await.unwrap_err();
    let StoreError::Unavailable(reason) = refused else { panic!("{refused}") };
    assert!(format!("{reason:?}").contains("timeline 1, but timeline 2"), "{reason:?}");
    eventually("the new one is used", async || timeline(&both).await.is_ok_and(|on| on == "00000002")).await;
    drop(standby);
}

#[tokio::test]
async fn a_server_is_used_whatever_is_written_down_of_another_cluster() {
    let database = tokio::task::spawn_blocking(crate::support::new_database).await.unwrap();
    let mut connection = yaniv_db::connect(database.url()).await.unwrap();
    let newer = "INSERT INTO newer_timelines (system_identifier, timeline) VALUES (1, 99)";
    diesel::sql_query(newer).execute(&mut connection).await.unwrap();
    let store = Store::new(database.url(), 1, &Handle::current()).unwrap();
    assert_eq!(timeline(&store).await.unwrap(), "00000001");
    let dropped = diesel::sql_query("DROP TABLE newer_timelines").execute(&mut connection);
    dropped.await.unwrap();
    let before = Store::new(database.url(), 1, &Handle::current()).unwrap();
    assert_eq!(timeline(&before).await.unwrap(), "00000001", "the table is not there yet");
}
