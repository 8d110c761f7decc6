//! The log is the truth: each stored match is played again from its log, and what is stored besides is held against what comes of it.
//!
//! Reads only, each match in one snapshot, so it works beside instances that run. How a log is played again is in `fsck_log`, what is
//! compared in `fsck_state`. What is said of a difference never has a card, a seed or a text: the match may not be over.

use std::fmt::Display;

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::ServiceError;
use super::fsck_derived::compare_derived;
use super::fsck_log::replay;
use super::fsck_state::compare;
use super::rating_math::Strength;
use super::replay::{Names, names_of};
use super::table::Table;
use crate::ids::MatchId;
use crate::store::actions::{ActionRow, action_list};
use crate::store::derived_audit::{DerivedAudit, derived_audit, wrong_sums_in_txn};
use crate::store::match_audit::{MatchAudit, match_audit, match_count, match_id_list};
use crate::store::table_load::{TableRows, table_load};
use crate::store::{Store, StoreError};

/// Looks through stored matches.
#[derive(Clone)]
pub struct Fsck {
    store: Store,
}

/// Something that is not stored as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where: table and column, or what it is.
    pub what: String,
    /// What is stored, and what the log comes to, where that may be said.
    pub values: Option<(String, String)>,
}

/// What is found in a match.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Difference>);

/// Everything that is stored of a match, of one moment.
pub(super) struct Stored {
    pub(super) rows: TableRows,
    pub(super) log: Vec<ActionRow>,
    pub(super) names: Names,
    pub(super) audit: MatchAudit,
    pub(super) derived: DerivedAudit,
}

impl Fsck {
    /// Looks through the matches of this database.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// How many matches come after one.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn count(&self, after: Option<MatchId>) -> Result<u64, ServiceError> {
        let count = match_count(&*self.store.connection().await?, first(after)).await?;
        u64::try_from(count).map_err(ServiceError::internal)
    }

    /// The next matches after one, by identifier, so many at most.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn after(&self, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>, ServiceError> {
        let ids = match_id_list(&*self.store.connection().await?, first(after), limit).await?;
        Ok(ids.into_iter().map(MatchId).collect())
    }

    /// What of a match is not stored as its log has it.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn check(&self, id: MatchId) -> Result<Vec<Difference>, ServiceError> {
        let mut connection = self.store.connection().await?;
        let mut snapshot = connection.build_transaction().repeatable_read().read_only();
        let stored = snapshot.run(async |connection| read(connection, id).await).await;
        drop(connection);
        let mut findings = Findings::default();
        match stored {
            Ok(Some(stored)) => look_into(&stored, &mut findings),
            // It is in the list of matches, or was.
            Ok(None) => findings.differs("match_states: is missing"),
            Err(ServiceError::Internal(error))
                if matches!(error.downcast_ref(), Some(StoreError::Damaged(_))) =>
            {
                findings.differs("a row cannot be read");
            }
            Err(error) => return Err(error),
        }
        Ok(findings.0)
    }

    /// What of the sums over all matches is not the sum of what is stored of each: tables, and how many of their rows.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn check_sums(&self) -> Result<Vec<(String, i64)>, ServiceError> {
        let mut connection = self.store.connection().await?;
        let mut snapshot = connection.build_transaction().repeatable_read().read_only();
        let wrong = snapshot.run(async |connection| wrong_sums_in_txn(connection).await).await?;
        Ok(wrong.into_iter().map(|sums| (sums.what, sums.rows)).collect())
    }
}

fn first(after: Option<MatchId>) -> Uuid {
    after.map_or(Uuid::nil(), |after| after.0)
}

async fn read(connection: &AsyncPgConnection, id: MatchId) -> Result<Option<Stored>, ServiceError> {
    let Some(rows) = table_load(connection, id).await? else { return Ok(None) };
    let log = action_list(connection, id, 0, i32::MAX, i64::MAX).await?;
    let names = names_of(connection, &log).await?;
    let audit = match_audit(connection, id).await?;
    let Strength { mu, sigma } = Strength::default();
    let derived = derived_audit(connection, id, (mu, sigma)).await?;
    Ok(Some(Stored { rows, log, names, audit, derived }))
}

fn look_into(stored: &Stored, findings: &mut Findings) {
    let row = &stored.rows.row;
    let Ok(empty) = Table::empty(row) else {
        return findings.differs("matches: rules, pace or secret cannot be read");
    };
    let commitment = empty.seed_chain().commitment().to_hex();
    findings.compare("matches.commitment", &row.commitment, &commitment);
    if let Some(replayed) = replay(empty, stored, findings) {
        compare(stored, &replayed, findings);
        compare_derived(stored, &replayed.table, findings);
    }
}

impl Findings {
    /// Notes a difference of which no more may be said.
    pub(super) fn differs(&mut self, what: impl Into<String>) {
        self.0.push(Difference { what: what.into(), values: None });
    }

    /// Compares what everybody may know.
    pub(super) fn compare<T: PartialEq + Display>(&mut self, what: &str, stored: T, replayed: T) {
        if stored != replayed {
            let values = Some((stored.to_string(), replayed.to_string()));
            self.0.push(Difference { what: what.to_owned(), values });
        }
    }

    /// Compares what may be hidden.
    pub(super) fn compare_hidden<T: PartialEq>(&mut self, what: &str, stored: &T, replayed: &T) {
        if stored != replayed {
            self.differs(what);
        }
    }
}
