//! Bugs planted in the database, from outside: the service has none built in.
//!
//! Each is what a careless change of the service could cause, and some checker must detect it. With `database` and
//! `standing`, the only files that know tables.

use crate::Error;
use crate::faults::setup::database::Database;

/// A bug to plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plant {
    /// One entry of the log in seven is not written.
    LostEntries,
    /// One key in three is stored as a different one, so retries are not recognised.
    ForgottenKeys,
    /// Commits of actions do not wait for the disk.
    LateFlush,
    /// The version of a match does not advance, and its log keeps only the first entry of each version.
    StandingVersion,
    /// The fourth player of a match gets no seat.
    LostSeats,
    /// One seat in seven is not written.
    ScatteredSeats,
    /// A refresh whose answer was lost cannot be repeated: what that needs is not stored.
    ForgottenRefreshes,
    /// Ending a session has no effect.
    EndlessSessions,
    /// One log entry in five is stamped an hour ago.
    OldStamps,
    /// One notification in seven is not written.
    LostNotices,
    /// A moved clock is read when a transaction begins, before it waits for locks.
    EarlyClock,
    /// Every other session uses the machine's clock, not the moved one.
    OwnClocks,
    /// A match that was claimed is not checked again, even if the claim failed.
    KeptClaims,
    /// Every second action is stamped an hour ago.
    OldWaits,
}

impl Plant {
    /// Plants the bug.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn plant(self, database: &Database) -> Result<(), Error> {
        match self {
            Self::LostEntries => {
                database.run(&lost("actions", "NEW.seat IS NOT NULL AND NEW.version % 7 = 0")).await
            }
            Self::ForgottenKeys => {
                let forget = "IF NEW.seat IS NOT NULL AND NEW.version % 3 = 0 \
                              THEN NEW.key_hash := NEW.key_hash # 1; END IF;";
                database.run(&trigger("actions", "INSERT", forget)).await
            }
            Self::LateFlush => {
                let hurry = "PERFORM set_config('synchronous_commit', 'off', true);";
                database.run(&trigger("actions", "INSERT", hurry)).await?;
                // Without this, the WAL writer flushes the commits within a fraction of a second.
                database.run("ALTER SYSTEM SET wal_writer_delay = '10s'").await?;
                database.run("ALTER SYSTEM SET wal_writer_flush_after = '1GB'").await?;
                database.run("SELECT pg_reload_conf()").await
            }
            Self::StandingVersion => {
                let stand = "IF OLD.status = 'running' THEN NEW.version := OLD.version; END IF;";
                database.run(&trigger("match_states", "UPDATE", stand)).await?;
                let first = "IF EXISTS (SELECT 1 FROM actions a WHERE a.match_id = NEW.match_id \
                             AND a.version = NEW.version) THEN RETURN NULL; END IF;";
                database.run(&trigger("actions", "INSERT", first)).await
            }
            Self::LostSeats => database.run(&lost("seats", "NEW.seat = 3")).await,
            Self::ScatteredSeats => database.run(&lost("seats", "uuid_hash(NEW.match_id) % 7 = 0")).await,
            Self::ForgottenRefreshes => {
                let forget = "NEW.previous_hash := NULL; NEW.salt := NULL;";
                database.run(&trigger("sessions", "UPDATE", forget)).await
            }
            Self::OldStamps => {
                let age = "IF NEW.seat IS NOT NULL AND NEW.version % 5 = 0 \
                           THEN NEW.at := NEW.at - interval '1 hour'; END IF;";
                database.run(&trigger("actions", "INSERT", age)).await
            }
            Self::LostNotices => database.run(&lost("deliveries", "NEW.version % 7 = 0")).await,
            Self::EarlyClock => database.run(&clock("pg_catalog.now()", "TRUE")).await,
            Self::OwnClocks => {
                database.run(&clock("pg_catalog.clock_timestamp()", "pg_backend_pid() % 2 = 0")).await
            }
            Self::KeptClaims => {
                let keep = "IF NEW.version = OLD.version THEN NEW.check_at := NULL; END IF;";
                database.run(&trigger("match_states", "UPDATE", keep)).await
            }
            Self::OldWaits => {
                let age = "IF NEW.version > OLD.version AND NEW.version % 2 = 0 \
                           THEN NEW.updated_at := NEW.updated_at - interval '1 hour'; END IF;";
                database.run(&trigger("match_states", "UPDATE", age)).await
            }
            Self::EndlessSessions => {
                database.run(&trigger("sessions", "UPDATE", "NEW.ended_at := NULL;")).await
            }
        }
    }

    /// Removes the bug.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn uproot(self, database: &Database) -> Result<(), Error> {
        if self == Self::LateFlush {
            database.run("ALTER SYSTEM RESET wal_writer_delay").await?;
            database.run("ALTER SYSTEM RESET wal_writer_flush_after").await?;
            database.run("SELECT pg_reload_conf()").await?;
        }
        for table in ["actions", "match_states", "seats", "sessions", "deliveries"] {
            database.run(&format!("DROP TRIGGER IF EXISTS planted ON {table}")).await?;
            database.run(&format!("DROP FUNCTION IF EXISTS planted_{table}()")).await?;
        }
        Ok(())
    }
}

/// A faulty moved clock: it reads this function, and is moved only where this condition holds.
fn clock(reads: &str, moved: &str) -> String {
    format!(
        "CREATE OR REPLACE FUNCTION moved.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$ \
         SELECT {reads} + (SELECT CASE WHEN {moved} THEN last_value ELSE 0 END FROM moved.ahead) \
         * interval '1 microsecond' $$"
    )
}

/// A trigger that silently drops rows that match a condition.
fn lost(table: &str, when: &str) -> String {
    trigger(table, "INSERT", &format!("IF {when} THEN RETURN NULL; END IF;"))
}

/// A trigger that runs this on each row before it is written.
pub(super) fn trigger(table: &str, event: &str, body: &str) -> String {
    format!(
        "CREATE FUNCTION planted_{table}() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN {body} RETURN NEW; END $$; \
         CREATE TRIGGER planted BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION planted_{table}()"
    )
}
