//! A clock of the database that trials move: days pass in moments, and back again.
//!
//! The service asks the database for the time by `clock_timestamp()` and `now()`. In a database whose clock is moved these
//! names are found in a schema before PostgreSQL's own: functions that answer the machine's time and so much more. What the
//! service does with the answer is what it always does. The clocks of its processes stay as they are.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::database::Database;
use crate::Error;

/// A second, in microseconds.
pub const SECOND: i64 = 1_000_000;

/// A sequence says how far the clock is ahead, as its value is seen at once by all, inside of transactions, too.
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
    /// Puts it in the place of a database's own clock, before anybody else connects.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn install(url: &str) -> Result<Self, Error> {
        let database = Database::connect(url).await?;
        database.run(INSTALL).await?;
        Ok(Self { database: Arc::new(database), ahead: Arc::default() })
    }

    /// The time by it, in microseconds. It is the machine's, which is that of PostgreSQL, and so much more.
    #[must_use]
    pub fn now(&self) -> i64 {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(now.as_micros()).unwrap_or(i64::MAX).saturating_add(self.ahead.load(Ordering::SeqCst))
    }

    /// Moves it by so many microseconds, forward or back. Nobody may ask for the time meanwhile.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn jump(&self, by: i64) -> Result<(), Error> {
        let ahead = self.ahead.load(Ordering::SeqCst).saturating_add(by);
        self.database.run(&format!("SELECT setval('moved.ahead', {ahead})")).await?;
        self.ahead.store(ahead, Ordering::SeqCst);
        Ok(())
    }

    /// Moves it to a time, unless it is past that.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn jump_to(&self, time: i64) -> Result<(), Error> {
        match time.saturating_sub(self.now()) {
            by if by > 0 => self.jump(by).await,
            _ => Ok(()),
        }
    }

    /// Sleeps until a time by it.
    pub async fn sleep_until(&self, time: i64) {
        let left = u64::try_from(time.saturating_sub(self.now())).unwrap_or_default();
        tokio::time::sleep(Duration::from_micros(left)).await;
    }
}
