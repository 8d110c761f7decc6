//! Pipelined statements run in their order, and tell the error that came first.

use std::error::Error;

use chrono::{DateTime, Utc};
use diesel::sql_types::Timestamptz;
use diesel_async::RunQueryDsl;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::pipeline::both;
use yaniv_db::{Connection, StoreError};

use crate::support::TestApp;

#[derive(diesel::QueryableByName)]
struct Row {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

/// Sent by a statement that is prepared each time.
async fn read(mut connection: &Connection, query: &str) -> Result<DateTime<Utc>, StoreError> {
    Ok(diesel::sql_query(query).get_result::<Row>(&mut connection).await?.at)
}

const SLOWLY: &str = "SELECT date_trunc('milliseconds', clock_timestamp()) AS at FROM pg_sleep(0.05)";
const REFUSED: &str = "SELECT clock_timestamp() AS at WHERE 1 / 0 = 1";

#[tokio::test(flavor = "multi_thread")]
async fn a_prepared_statement_does_not_overtake_one_that_is_not() {
    let app = TestApp::start().await;
    let connection = yaniv_db::connect(app.database.url()).await.unwrap();
    clock_read(&connection).await.unwrap();
    for _ in 0..3 {
        let (first, second) = both(read(&connection, SLOWLY), clock_read(&connection)).await.unwrap();
        assert!(first <= second, "{first} {second}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_errors_the_cause_is_told() {
    let app = TestApp::start().await;
    let connection = yaniv_db::connect(app.database.url()).await.unwrap();
    for refused_first in [true, false] {
        let mut control = &connection;
        diesel::sql_query("BEGIN").execute(&mut control).await.unwrap();
        let twice = async {
            clock_read(&connection).await?;
            clock_read(&connection).await
        };
        let refused = read(&connection, REFUSED);
        let error = if refused_first {
            both(refused, twice).await.unwrap_err()
        } else {
            both(twice, refused).await.unwrap_err()
        };
        assert!(error.source().unwrap().to_string().contains("division by zero"), "{error:?}");
        diesel::sql_query("ROLLBACK").execute(&mut control).await.unwrap();
    }
}
