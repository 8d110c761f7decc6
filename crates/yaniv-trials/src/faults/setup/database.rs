//! Direct access to the database. With `plants` and `standing`, the only files of the trials that know tables: the
//! checker does not rely on what the service says about itself.

use serde_json::Value;
use tokio_postgres::{Client, NoTls, Row};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::AccountId;

use crate::Error;

/// Identifies the request behind a log entry: a hash of account and key.
pub type Mark = i64;

/// An entry of the log.
#[derive(Clone, Debug)]
pub struct Entry {
    /// 1, 2, 3 …
    pub version: i32,
    /// `joined`, `left`, `started`, `action`.
    pub kind: String,
    /// Seat of the player, in play.
    pub seat: Option<u8>,
    /// Notation of the action, or the client seed.
    pub detail: String,
    /// Cards drawn from the stock, by their indexes.
    pub drew: Vec<u8>,
    /// Hash of the request's account and key.
    pub mark: Option<Mark>,
    /// Played for a player who missed the deadline.
    pub missed: bool,
    /// Time, in microseconds.
    pub at: i64,
}

/// A match as it is stored.
#[derive(Clone, Debug)]
pub struct Stored {
    /// Its identifier.
    pub id: String,
    /// The rule set.
    pub rules: Value,
    /// The end of the chain of seeds.
    pub secret: Vec<u8>,
    /// `s[0]`, printed.
    pub commitment: String,
    /// Version of the position.
    pub version: i32,
    /// `waiting`, `running`, `finished`, `cancelled`.
    pub status: String,
    /// The position.
    pub state: Option<Vec<u8>>,
    /// The log, oldest first.
    pub log: Vec<Entry>,
}

/// A pairing request, and its result.
#[derive(Clone, Debug)]
pub struct SeatedPairing {
    /// The request.
    pub id: String,
    /// The account that asked.
    pub account: String,
    /// The match.
    pub match_id: String,
    /// Number of players wanted.
    pub size: i64,
    /// Seats of the match that are taken.
    pub seats: i64,
    /// Seats that this account has taken.
    pub own_seats: i64,
    /// Whether the request counts as paired, and the match runs.
    pub is_running: bool,
}

/// The checker's connection.
pub struct Database {
    client: Client,
}

impl Database {
    /// Connects.
    ///
    /// # Errors
    /// If the server cannot be reached.
    pub async fn connect(url: &str) -> Result<Self, Error> {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        tokio::spawn(connection);
        Ok(Self { client })
    }

    /// The mark of a request, computed as the service does.
    #[must_use]
    pub fn mark(account: &str, key: &str) -> Mark {
        let account = serde_json::from_value::<AccountId>(account.into());
        let key = IdempotencyKey { key: key.to_owned(), fingerprint: 0 };
        account.map_or(0, |account| key.hash(account))
    }

    /// A match with its log, in one snapshot.
    ///
    /// # Errors
    /// If there is none, or the database fails.
    pub async fn load(&mut self, id: &str) -> Result<Stored, Error> {
        let snapshot = self
            .client
            .build_transaction()
            .isolation_level(tokio_postgres::IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await?;
        let row = snapshot
            .query_opt(
                "SELECT m.rules::text, m.secret, m.commitment, s.version, s.status, s.state \
                 FROM matches m JOIN match_states s ON s.match_id = m.id WHERE m.id = $1::text::uuid",
                &[&id],
            )
            .await?;
        let row = row.ok_or_else(|| format!("match {id} is not there"))?;
        let log = snapshot
            .query(
                "SELECT a.version, a.kind::text, a.seat::int4, a.detail, a.drew, \
                 coalesce(a.key_hash, (SELECT k.key_hash FROM idempotency_keys k \
                 WHERE k.match_id = a.match_id AND a.version = 1)), \
                 a.flags & 8 <> 0, (extract(epoch FROM a.at) * 1000000)::int8 FROM actions a WHERE a.match_id = $1::text::uuid ORDER BY a.version",
                &[&id],
            )
            .await?;
        snapshot.commit().await?;
        Ok(Stored {
            id: id.to_owned(),
            rules: serde_json::from_str(row.try_get(0)?)?,
            secret: row.try_get(1)?,
            commitment: row.try_get(2)?,
            version: row.try_get(3)?,
            status: row.try_get(4)?,
            state: row.try_get(5)?,
            log: log.iter().map(entry).collect::<Result<_, _>>()?,
        })
    }

    /// All requests to be paired.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn seated_pairings(&self) -> Result<Vec<SeatedPairing>, Error> {
        let rows = self
            .client
            .query(
                "SELECT p.id::text, p.account_id::text, p.match_id::text, w.size::int8, \
                 (SELECT count(*) FROM seats s WHERE s.match_id = p.match_id), \
                 (SELECT count(*) FROM seats s WHERE s.match_id = p.match_id AND s.account_id = p.account_id), \
                 p.paired_at IS NOT NULL AND EXISTS (SELECT 1 FROM match_states m \
                     WHERE m.match_id = p.match_id AND m.status = 'running' AND m.version = w.size + 1) \
                 FROM pairings p JOIN pairing_criteria w ON w.id = p.wish_id",
                &[],
            )
            .await?;
        let read = |row: &Row| {
            Ok(SeatedPairing {
                id: row.try_get(0)?,
                account: row.try_get(1)?,
                match_id: row.try_get(2)?,
                size: row.try_get(3)?,
                seats: row.try_get(4)?,
                own_seats: row.try_get(5)?,
                is_running: row.try_get(6)?,
            })
        };
        rows.iter().map(read).collect()
    }

    /// Replaces the secret that was drawn, and makes the cached match outdated. Before the start nothing depends on the
    /// secret yet.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn set_secret(&self, id: &str, secret: &[u8], commitment: &str) -> Result<(), Error> {
        let statement = "WITH outdated AS (UPDATE match_states SET updated_at = updated_at + interval '1 microsecond' \
                         WHERE match_id = $1::text::uuid) \
                         UPDATE matches SET secret = $2, commitment = $3 WHERE id = $1::text::uuid";
        self.client.execute(statement, &[&id, &secret, &commitment]).await?;
        Ok(())
    }

    /// Sessions of the service that have been idle in a transaction for a second.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn idle_in_transaction(&self) -> Result<i64, Error> {
        self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - interval '1 s'",
        )
        .await
    }

    /// Sessions of the service that have been waiting for a lock for a second.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn waiting_for_locks(&self) -> Result<i64, Error> {
        self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND wait_event_type = 'Lock' AND query_start < clock_timestamp() - interval '1 s'",
        )
        .await
    }

    /// Sessions of the service.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn sessions(&self) -> Result<i64, Error> {
        self.count(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
             AND application_name = 'yaniv'",
        )
        .await
    }

    /// Terminates one session of the service; returns whether there was one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn terminate_one(&self) -> Result<bool, Error> {
        let terminated = self
            .count(
                "SELECT count(pg_terminate_backend(pid)) FROM (SELECT pid FROM pg_stat_activity \
                 WHERE datname = current_database() AND application_name = 'yaniv' \
                 ORDER BY random() LIMIT 1) AS one",
            )
            .await?;
        Ok(terminated > 0)
    }

    /// Secrets and hands that must not appear in the logs of instances: those of all matches, in each form in which
    /// they could be printed.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn secrets(&self) -> Result<Vec<String>, Error> {
        let rows = self
            .client
            .query(
                "SELECT encode(secret, 'hex') FROM matches UNION SELECT encode(secret, 'hex') FROM pairing_groups \
                 UNION SELECT password_hash FROM accounts UNION SELECT encode(secret, 'hex') FROM server_secrets \
                 UNION SELECT encode(state, 'hex') FROM match_states WHERE state IS NOT NULL",
                &[],
            )
            .await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    /// Runs these statements.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn run(&self, statements: &str) -> Result<(), Error> {
        Ok(self.client.batch_execute(statements).await?)
    }

    /// The number in the only row of the result.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn count(&self, statement: &str) -> Result<i64, Error> {
        Ok(self.client.query_one(statement, &[]).await?.try_get(0)?)
    }
}

fn entry(row: &Row) -> Result<Entry, Error> {
    let seat: Option<i32> = row.try_get(2)?;
    Ok(Entry {
        version: row.try_get(0)?,
        kind: kind(row.try_get(1)?).to_owned(),
        seat: seat.and_then(|seat| u8::try_from(seat).ok()),
        detail: row.try_get(3)?,
        drew: row.try_get::<_, Option<Vec<u8>>>(4)?.unwrap_or_default(),
        mark: row.try_get(5)?,
        missed: row.try_get(6)?,
        at: row.try_get(7)?,
    })
}

fn kind(stored: &str) -> &str {
    match stored {
        "a" => "action",
        "j" => "joined",
        "l" => "left",
        "k" => "removed",
        "s" => "started",
        other => other,
    }
}
