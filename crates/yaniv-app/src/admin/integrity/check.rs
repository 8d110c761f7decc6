//! Integrity check: replays each stored match from its log, the source of truth, and compares its other rows
//! with the result.
//!
//! It only reads, each match in one snapshot, so it can run next to live instances. The replay is in
//! `admin::integrity::log`, the comparison in `admin::integrity::state`. A reported difference never contains
//! a card, a seed or a text: the match may be in play.

use std::fmt::Display;

use uuid::Uuid;
use yaniv_db::admin::derived_audit::{DerivedAudit, derived_audit, wrong_sums_in_txn};
use yaniv_db::admin::match_audit::{MatchAudit, match_audit, match_count, match_id_list};
use yaniv_db::matches::load::{MatchRows, match_load};
use yaniv_db::matches::log::{ActionRow, action_list};
use yaniv_db::{Connection, Store, StoreError, Transactions};
use yaniv_match::event::Names;
use yaniv_model::ids::MatchId;

use crate::ServiceError;
use crate::admin::integrity::derived::compare_derived;
use crate::admin::integrity::log::{Replayed, replay};
use crate::admin::integrity::state::compare;
use crate::kernel::boxed;
use crate::matches::load::empty_match;
use crate::matches::log::names_find;
use crate::ratings::math::Strength;

/// The integrity check of a database.
#[derive(Clone)]
pub struct Fsck {
    store: Store,
}

/// A difference between stored data and the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Location: table and column, or a description.
    pub what: String,
    /// The stored and the replayed value, unless they are secret.
    pub values: Option<(String, String)>,
}

/// The differences found in a match.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Difference>);

/// All rows of a match, from one snapshot.
pub(crate) struct Stored {
    pub(crate) rows: MatchRows,
    pub(crate) log: Vec<ActionRow>,
    pub(crate) names: Names,
    pub(crate) audit: MatchAudit,
    pub(crate) derived: DerivedAudit,
}

impl Fsck {
    /// Creates a check of this database.
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Number of matches after the given one.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn count(&self, after: Option<MatchId>) -> Result<u64, ServiceError> {
        let count = match_count(&*self.store.connection().await?, first(after)).await?;
        u64::try_from(count).map_err(ServiceError::internal)
    }

    /// The next matches after the given one by identifier, at most `limit`.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn after(&self, after: Option<MatchId>, limit: i64) -> Result<Vec<MatchId>, ServiceError> {
        let ids = match_id_list(&*self.store.connection().await?, first(after), limit).await?;
        Ok(ids.into_iter().map(MatchId).collect())
    }

    /// The differences of a match.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn check(&self, id: MatchId) -> Result<Vec<Difference>, ServiceError> {
        let mut connection = self.store.connection().await?;
        let stored = connection.snapshot(async |connection| read(connection, id).await).await;
        drop(connection);
        let mut findings = Findings::default();
        match stored {
            Ok(Some(stored)) => look_into(&stored, &mut findings),
            // The list of matches contains it, or did.
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

    /// Compares the sums over all matches with the matches' rows. Returns tables and their number of wrong
    /// rows.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn check_sums(&self) -> Result<Vec<(String, i64)>, ServiceError> {
        let mut connection = self.store.connection().await?;
        let wrong = connection.snapshot(async |connection| wrong_sums_in_txn(connection).await).await?;
        Ok(wrong.into_iter().map(|sums| (sums.what, sums.rows)).collect())
    }
}

fn first(after: Option<MatchId>) -> Uuid {
    after.map_or(Uuid::nil(), |after| after.0)
}

/// All rows of a match, if it exists.
///
/// # Errors
/// Those of the database; `Damaged`.
pub(crate) async fn read(connection: &Connection, id: MatchId) -> Result<Option<Stored>, ServiceError> {
    let Some(rows) = match_load(connection, id).await? else { return Ok(None) };
    let log = action_list(connection, id, 0, i32::MAX, i64::MAX).await?;
    let ids: Vec<Uuid> = log.iter().filter_map(|row| row.account_id).collect();
    let names = names_find(connection, &ids).await?;
    let audit = match_audit(connection, id).await?;
    let Strength { mu, sigma } = Strength::default();
    let derived = derived_audit(connection, id, (mu, sigma)).await?;
    Ok(Some(Stored { rows, log, names, audit, derived }))
}

/// Differences between the log of a match and the other rows of its play; derived data is not compared.
pub(crate) fn differences_from_log(stored: &Stored) -> Vec<Difference> {
    let mut findings = Findings::default();
    compare_with_log(stored, &mut findings);
    findings.0
}

fn look_into(stored: &Stored, findings: &mut Findings) {
    if let Some(replayed) = compare_with_log(stored, findings) {
        compare_derived(stored, &replayed.state, findings);
    }
}

fn compare_with_log(stored: &Stored, findings: &mut Findings) -> Option<Replayed> {
    let row = &stored.rows.row;
    let Ok(empty) = empty_match(row) else {
        findings.differs("matches: rules, time control or secret cannot be read");
        return None;
    };
    let commitment = empty.seed_chain().commitment().to_hex();
    findings.compare("matches.commitment", &row.commitment, &commitment);
    let replayed = replay(empty, stored, findings)?;
    compare(stored, &replayed, findings);
    Some(replayed)
}

impl Findings {
    /// Adds a difference without values.
    pub(crate) fn differs(&mut self, what: impl Into<String>) {
        self.0.push(Difference { what: what.into(), values: None });
    }

    /// Compares public values.
    pub(crate) fn compare<T: PartialEq + Display>(&mut self, what: &str, stored: T, replayed: T) {
        if stored != replayed {
            let values = Some((stored.to_string(), replayed.to_string()));
            self.0.push(Difference { what: what.to_owned(), values });
        }
    }

    /// Compares secret values.
    pub(crate) fn compare_hidden<T: PartialEq>(&mut self, what: &str, stored: &T, replayed: &T) {
        if stored != replayed {
            self.differs(what);
        }
    }
}
