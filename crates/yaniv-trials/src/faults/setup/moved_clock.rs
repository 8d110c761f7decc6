//! A movable database clock: days pass in moments, forward and back.
//!
//! The service reads the time with `clock_timestamp()` and `now()`. In a database with a moved clock, a schema that
//! precedes `pg_catalog` in the search path defines these functions as the machine's time plus an offset. The code
//! under test is unchanged. The clocks of its processes are not moved.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::Error;
use crate::faults::setup::database::Database;

/// A second, in microseconds.
pub const SECOND: i64 = 1_000_000;

/// The offset is a sequence: a new value is visible to all sessions at once, even within transactions.
const INSTALL: &str = "\
CREATE SCHEMA moved;
CREATE SEQUENCE moved.ahead MINVALUE -4000000000000000 START 0;
CREATE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
    SELECT pg_catalog.clock_timestamp() + (SELECT last_value FROM moved.ahead) * interval '1 microsecond' $$;
CREATE FUNCTION moved.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT pg_catalog.now() + (SELECT last_value FROM moved.ahead) * interval '1 microsecond' $$;
DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET search_path = public, moved, pg_catalog', current_database());
END $$;";

/// The clock. Cheap to clone.
#[derive(Clone)]
pub struct MovedClock {
    database: Arc<Database>,
    ahead: Arc<AtomicI64>,
}

impl MovedClock {
    /// Installs it in a database, before any other connection is opened.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn install(url: &str) -> Result<Self, Error> {
        let database = Database::connect(url).await?;
        database.run(INSTALL).await?;
        Ok(Self { database: Arc::new(database), ahead: Arc::default() })
    }

    /// The moved time, in microseconds: the machine's, which is PostgreSQL's, plus the offset.
    #[must_use]
    pub fn now(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_micros()).unwrap_or(i64::MAX).saturating_add(self.ahead.load(Ordering::SeqCst))
    }

    /// Moves it by some microseconds, forward or back. No session may read the time concurrently.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn jump(&self, by: i64) -> Result<(), Error> {
        let ahead = self.ahead.load(Ordering::SeqCst).saturating_add(by);
        self.database.run(&format!("SELECT setval('moved.ahead', {ahead})")).await?;
        self.ahead.store(ahead, Ordering::SeqCst);
        Ok(())
    }

    /// Moves it to a time, unless that has passed.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn jump_to(&self, time: i64) -> Result<(), Error> {
        match time.saturating_sub(self.now()) {
            by if by > 0 => self.jump(by).await,
            _ => Ok(()),
        }
    }

    /// Sleeps until it reaches a time.
    pub async fn sleep_until(&self, time: i64) {
        let left = u64::try_from(time.saturating_sub(self.now())).unwrap_or_default();
        tokio::time::sleep(Duration::from_micros(left)).await;
    }
}
