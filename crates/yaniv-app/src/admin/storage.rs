//! What takes how much space in the database, and what the next month will add.

use yaniv_db::Transactions;
use yaniv_db::admin::storage::{MatchCounts, TableSize, match_counts, table_size_list};

use crate::ServiceError;
use crate::admin::session::Admin;
use crate::kernel::boxed;

/// Days of a month, from which the next one is estimated.
const MONTH: i32 = 30;
/// Matches from which bytes a match are an estimate: with fewer, pages and indexes that are nearly empty count most.
const ENOUGH: i64 = 100;

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
const MATCHES: [&str; 5] = ["dedications", "match_states", "matches", "seats", "shared_settings"];

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
    /// Bytes of a match; none with too few matches for an estimate.
    pub fn of_a_match(&self) -> Option<i64> {
        (self.matches >= ENOUGH).then(|| self.bytes.checked_div(self.matches)).flatten()
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

    /// Bytes that a month like the last adds while its matches are not archived; none with too few matches.
    pub fn next_month(&self) -> Option<i64> {
        self.month_with(self.log)
    }

    /// Bytes that are left of it once its matches are archived; none with too few archived matches.
    pub fn next_month_archived(&self) -> Option<i64> {
        self.month_with(self.archive)
    }

    fn month_with(&self, logs: StoragePart) -> Option<i64> {
        let parts = [logs, self.matches, self.statistics];
        let each = parts.iter().map(StoragePart::of_a_match).sum::<Option<i64>>()?;
        Some(self.ended.saturating_mul(each))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_estimated_from_enough_matches() {
        let table = |name: &str, bytes| TableSize { name: name.to_owned(), bytes };
        let tables = [
            table("actions", 8_000_000),
            table("rounds", 1_000_000),
            table("archived_logs", 50_000),
            table("seats", 200_000),
            table("ratings", 100_000),
            table("sessions", 7),
        ];
        let month = |all, archived| {
            let storage = Storage::of(MatchCounts { all, archived, ended: 10 }, &tables);
            assert_eq!(storage.others, 7);
            (storage.next_month(), storage.next_month_archived())
        };
        assert_eq!(month(200, 100), (Some(10 * (90_000 + 1_000 + 500)), Some(10 * (500 + 1_000 + 500))));
        assert_eq!(month(199, 100), (None, Some(10 * (500 + 1_005 + 502))));
        assert_eq!(month(200, 99).1, None);
        assert_eq!(month(0, 0), (None, None));
    }
}
