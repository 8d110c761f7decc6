//! Repeated answers of writes: past versions of a match are rebuilt from its log, so that a retry gets the
//! same answer, byte for byte, without stored responses.

use yaniv_db::Connection;
use yaniv_db::kernel::idempotency_keys::KeyRow;
use yaniv_db::matches::archived_logs::archived_key_find;
use yaniv_db::matches::log::action_find_by_key;
use yaniv_db::matches::match_rows::match_find;
use yaniv_match::MatchState;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::idempotency::{IdempotencyKey, StoredKey};
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::fold_log::PART;
use crate::matches::load::empty_match;
use crate::matches::log::log_load;
use crate::{ServiceError, Services};

/// The answer of a write.
#[derive(Debug)]
pub struct Answer {
    /// The match after the write.
    pub view: MatchView,
    /// Whether the write was done before, with the same idempotency key.
    pub replayed: bool,
}

/// Result of a write with an idempotency key.
#[derive(Debug)]
pub enum Written {
    /// The write was done now.
    New(Box<Answer>),
    /// The write was done before.
    Repeated(Repeat),
}

/// A write that was done before, with the same idempotency key.
///
/// `Services::answer_again` rebuilds its answer, after connection and locks are released.
#[derive(Debug)]
pub struct Repeat {
    account: AccountId,
    row: StoredKey,
}

impl Written {
    /// A write that was done.
    pub(crate) fn new(answer: Answer) -> Self {
        Self::New(Box::new(answer))
    }

    /// A write whose idempotency key is stored.
    ///
    /// # Errors
    /// `KeyReused` if the key belongs to another request.
    pub(crate) fn before(
        account: AccountId,
        key: &IdempotencyKey,
        row: StoredKey,
    ) -> Result<Self, ServiceError> {
        Repeat::of(account, key, row).map(Self::Repeated)
    }
}

impl Repeat {
    /// A write whose idempotency key is stored.
    ///
    /// # Errors
    /// `KeyReused` if the key belongs to another request.
    pub(crate) fn of(account: AccountId, key: &IdempotencyKey, row: StoredKey) -> Result<Self, ServiceError> {
        if row.fingerprint != key.fingerprint {
            return Err(ServiceError::KeyReused);
        }
        Ok(Self { account, row })
    }

    /// The creation of a match, whose entries are the first of its log.
    pub(crate) fn of_creation(account: AccountId, known: KeyRow) -> Self {
        let row = StoredKey {
            fingerprint: known.fingerprint,
            match_id: MatchId(known.target),
            version: i32::from(known.entries),
            entries: usize::try_from(known.entries).unwrap_or(1),
        };
        Self { account, row }
    }
}

impl Services {
    /// The answer of a write; rebuilt if the write was done before.
    ///
    /// # Errors
    /// Those of `answer_again`.
    pub(crate) async fn answer_of(&self, written: Written) -> Result<Answer, ServiceError> {
        match written {
            Written::New(answer) => Ok(*answer),
            Written::Repeated(repeat) => self.answer_again(repeat).await,
        }
    }

    /// Rebuilds the original answer of a write.
    ///
    /// # Errors
    /// `Busy`; those of the database, and damaged data.
    #[boxed]
    pub async fn answer_again(&self, repeat: Repeat) -> Result<Answer, ServiceError> {
        self.metrics.replays.inc();
        let Repeat { account, row: StoredKey { match_id, version, entries, .. } } = repeat;
        let now = self.match_state(match_id).await?.ok_or(ServiceError::MatchNotFound)?;
        // Most retries concern the newest version.
        let mut state = if now.version() == version {
            MatchState::clone(&now)
        } else {
            let place = self.replay_pool.place_to_repeat(account)?;
            self.at_version(&place, &now, version).await?
        };
        // A dedication made at this version came after the original answer.
        state.take_dedications_before(version, &now);
        let entries = i32::try_from(entries).map_err(ServiceError::internal)?;
        let connection = self.store.connection().await?;
        let after = version.saturating_sub(entries);
        let (log, names) = log_load(&connection, match_id, (after, version), entries.into()).await?;
        let entries = LogEntry::all_for_viewer(&log, &names, &state, account);
        Ok(Answer { view: MatchView::new(&state, account, entries), replayed: true })
    }
}

/// The write of a match with this idempotency key, hash and fingerprint, if there is one.
///
/// # Errors
/// Those of the database.
pub(crate) async fn write_find(
    connection: &Connection,
    state: &MatchState,
    key: (i64, i32),
) -> Result<Option<StoredKey>, ServiceError> {
    let known = state.keys().contains(&key.0);
    if known && let Some(found) = action_find_by_key(connection, state.id(), key.0).await? {
        return Ok(Some(found));
    }
    // The match may have been archived since the state was loaded, or before: then the state has no keys.
    if state.finished_at().is_some() && (known || state.keys().is_empty()) {
        return Ok(archived_key_find(connection, state.id(), key).await?);
    }
    Ok(None)
}

/// Folds the whole log of a match, using nothing else but its settings.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn from_log(connection: &Connection, id: MatchId) -> Result<MatchState, ServiceError> {
    let (settled, _) = match_find(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    let mut state = empty_match(&settled)?;
    let mut after = 0;
    loop {
        let (entries, names) = log_load(connection, id, (after, i32::MAX), PART).await?;
        let Some(last) = entries.last() else { return Ok(state) };
        after = last.version;
        for entry in &entries {
            state.fold(entry, &names)?;
        }
        if i64::try_from(entries.len()).is_ok_and(|read| read < PART) {
            return Ok(state);
        }
    }
}
