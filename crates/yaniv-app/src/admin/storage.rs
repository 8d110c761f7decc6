//! What takes how much space in the database, and what the next month will add.

use yaniv_db::Transactions;
use yaniv_db::admin::storage::{MatchCounts, TableSize, match_counts, table_size_list};

use crate::ServiceError;
use crate::admin::session::Admin;
use crate::kernel::boxed;

/// Days of a month, from which the next one is estimated.
const MONTH: i32 = 30;

const LOG: [&str; 2] = ["actions", "rounds"];
const ARCHIVE: [&str; 1] = ["archived_logs"];
const STATISTICS: [&str; 7] = [
    "activity",
    "match_player_stats",
    "player_stats",
    "rating_changes",
    "rating_counts",
    "ratings",
    "service_totals",
];
const MATCHES: [&str; 4] = ["dedications", "match_states", "matches", "seats"];

/// Space taken by a part of the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoragePart {
    /// Matches that have a share in it.
    pub matches: i64,
    /// Bytes, with indexes.
    pub bytes: i64,
}

/// Space taken by the database.
#[derive(Clone, Copy, Debug, Default)]
pub struct Storage {
    /// Logs and rounds of matches that are not archived.
    pub log: StoragePart,
    /// Archived logs.
    pub archive: StoragePart,
    /// Settings, positions and seats.
    pub matches: StoragePart,
    /// Statistics and ratings.
    pub statistics: StoragePart,
    /// Everything else: accounts, sessions, notifications.
    pub others: i64,
    /// Matches that ended in the last 30 days.
    pub ended: i64,
}

impl StoragePart {
    /// Bytes of a match; 0 without matches.
    pub fn of_a_match(&self) -> i64 {
        self.bytes.checked_div(self.matches).unwrap_or_default()
    }
}

impl Storage {
    fn of(counts: MatchCounts, tables: &[TableSize]) -> Self {
        let of = |names: &[&str], matches: i64| {
            let named = tables.iter().filter(|table| names.contains(&table.name.as_str()));
            StoragePart { matches, bytes: named.map(|table| table.bytes).sum() }
        };
        let parts = [
            of(&LOG, counts.all.saturating_sub(counts.archived)),
            of(&ARCHIVE, counts.archived),
            of(&MATCHES, counts.all),
            of(&STATISTICS, counts.all),
        ];
        let all: i64 = tables.iter().map(|table| table.bytes).sum();
        let others = all - parts.iter().map(|part| part.bytes).sum::<i64>();
        let [log, archive, matches, statistics] = parts;
        Self { log, archive, matches, statistics, others, ended: counts.ended }
    }

    /// Bytes that a month like the last adds, while its matches are not archived.
    pub fn next_month(&self) -> i64 {
        self.ended.saturating_mul(self.log.of_a_match().saturating_add(self.rest_of_a_match()))
    }

    /// Bytes that are left of it once its matches are archived; none while no match is.
    pub fn next_month_archived(&self) -> Option<i64> {
        let each = self.archive.of_a_match().saturating_add(self.rest_of_a_match());
        (self.archive.matches > 0).then(|| self.ended.saturating_mul(each))
    }

    fn rest_of_a_match(&self) -> i64 {
        self.matches.of_a_match().saturating_add(self.statistics.of_a_match())
    }
}

impl Admin {
    /// Space taken by the database.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn storage(&self) -> Result<Storage, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let counts = match_counts(connection, MONTH).await?;
                let tables = table_size_list(connection).await?;
                self.note(connection, "storage", None).await?;
                Ok(Storage::of(counts, &tables))
            })
            .await
    }
}
