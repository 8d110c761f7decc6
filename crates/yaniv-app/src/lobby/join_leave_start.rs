//! Before the first deal: join, leave, remove a player, start. Each write locks the match, decides, and stores state,
//! log entry and idempotency key together. Creation is in `create`.

use std::sync::Arc;

use chrono::TimeDelta;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::pipeline::both;
use yaniv_db::lobby::join_codes::match_id_find_by_code;
use yaniv_db::lobby::removals::removal_is_there;
use yaniv_db::matches::versions::match_version_lock;
use yaniv_db::{Connection, Transactions};
use yaniv_engine::valid_client_seed;
use yaniv_match::MatchState;
use yaniv_match::status::Status;
use yaniv_model::idempotency::{IdempotencyKey, StoredKey};
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::relations::are_apart;
use crate::kernel::boxed;
use crate::lobby::change::{answer, apply, check, check_open, host_of_full, leave_with_the_last, store};
use crate::lobby::create::is_code;
use crate::lobby::open_seats::check_waiting;
use crate::matches::load::load_match;
use crate::matches::repeated_write::{Answer, Written, write_find};
use crate::notifications::table_full_in_txn;
use crate::{ServiceError, Services};

/// A change before the first deal.
#[derive(Clone, Debug)]
pub enum LobbyChange {
    /// Take a seat.
    Join {
        /// The join code.
        code: String,
        /// The player's seed for the shuffles.
        client_seed: String,
    },
    /// Give up the seat.
    Leave,
    /// Remove the player of this name.
    Remove(String),
    /// Start the match.
    Start,
    /// Replace the join code; the new one is valid for this time, or until the start.
    RenewCode(Option<TimeDelta>),
    /// Revoke the join code.
    RevokeCode,
}

impl Services {
    /// Takes a seat in the match of a join code.
    ///
    /// # Errors
    /// `JoinCodeNotFound`, `RemovedByHost`, `InvalidField`, `AlreadySeated`, `Full`, `Rated`, `Started`,
    /// `TooManyWaitingMatches`, `TooManyRunningMatches`, `KeyReused`.
    #[boxed]
    pub async fn join(
        &self,
        account: AccountId,
        code: &str,
        client_seed: String,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        check_client_seed(&client_seed)?;
        let id = match_by_code(&*self.store.connection().await?, code).await?;
        let join = LobbyChange::Join { code: normal_code(code), client_seed };
        self.change_lobby(account, id, join, key).await
    }

    /// Changes a waiting match.
    ///
    /// # Errors
    /// `MatchNotFound`, `Started`, `HostOnly`, `TooFewPlayers`, `PlayerNotFound`, `OwnAccount` and those
    /// of `join`.
    #[boxed]
    pub async fn change_lobby(
        &self,
        account: AccountId,
        id: MatchId,
        change: LobbyChange,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        let seen = self.match_state(id).await?.ok_or(ServiceError::MatchNotFound)?;
        let changing = self.durably(key.is_some(), false, move |mut connection, _| {
            let (seen, change, key) = (Arc::clone(&seen), change.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        try_change(connection, account, &seen, &change, key.as_ref()).await
                    })
                    .await
            }
        });
        let (changed, written) = changing.await?;
        if let Some(changed) = changed {
            self.match_cache.keep(&Arc::new(changed));
        }
        let answer = self.answer_of(written).await?;
        self.change_notifier.tell(id, answer.view.version, &answer.view.players);
        Ok(answer)
    }
}

/// The stored form of a join code, in any case of letters.
pub fn normal_code(code: &str) -> String {
    code.to_ascii_uppercase()
}

/// The match that has or once had a code.
///
/// # Errors
/// `JoinCodeNotFound`.
pub(crate) async fn match_by_code(connection: &Connection, code: &str) -> Result<MatchId, ServiceError> {
    let code = normal_code(code);
    if !is_code(&code) {
        return Err(ServiceError::JoinCodeNotFound);
    }
    match_id_find_by_code(connection, &code).await?.ok_or(ServiceError::JoinCodeNotFound)
}

/// Locks the match, decides and stores; returns the match after the change, unless that was made before.
///
/// `seen` is the match before the lock. It is loaded again only if it has changed since.
async fn try_change(
    connection: &Connection,
    account: AccountId,
    seen: &MatchState,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
) -> Result<(Option<MatchState>, Written), ServiceError> {
    // First without the lock: callers without access or too late must neither wait for the lock nor hold it.
    let mut known = check_access(connection, account, seen, change, key).await?;
    if known.is_none() && seen.status() != Status::Waiting {
        check(seen, account, change)?;
    }
    let id = seen.id();
    let kept = async {
        let joins = matches!(change, LobbyChange::Join { .. });
        if joins { account_keep_in_txn(connection, &[account.0]).await } else { Ok(Vec::new()) }
    };
    let locked = both(match_version_lock(connection, id), both(clock_read(connection), kept));
    let (version, (at, kept)) = locked.await?;
    let mut state = seen.clone();
    if version != Some(seen.stands_at()) {
        state = load_match(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
        known = check_access(connection, account, &state, change, key).await?;
    }
    if let (Some(row), Some(key)) = (known, key) {
        return Ok((None, Written::before(account, key, row)?));
    }
    check_open(&state, account, change, Some(at))?;
    check(&state, account, change)?;
    if matches!(change, LobbyChange::Join { .. }) {
        check_waiting(connection, account).await?;
    }
    let entry = apply(connection, &mut state, account, change, (at, &kept)).await?;
    let columns = key.map(|key| (key.hash(account), key.fingerprint));
    store(connection, &state, &entry, columns).await?;
    state.note(columns.map(|(hash, _)| hash), &[]);
    let answer = answer(&state, account, &[entry], connection).await?;
    if matches!(change, LobbyChange::Leave) {
        leave_with_the_last(connection, &mut state, at).await?;
    }
    if let LobbyChange::Join { .. } = change
        && let Some(host) = host_of_full(&state)
    {
        table_full_in_txn(connection, id, state.version(), host, at).await?;
    }
    Ok((Some(state), Written::new(answer)))
}

/// The earlier write with this key, if there is one.
///
/// Callers without access get an error, unless the key belongs to the very same request.
async fn check_access(
    connection: &Connection,
    account: AccountId,
    state: &MatchState,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
) -> Result<Option<StoredKey>, ServiceError> {
    let id = state.id();
    let known = match key {
        Some(key) => write_find(connection, state, (key.hash(account), key.fingerprint)).await?,
        None => None,
    };
    let same = known.as_ref().zip(key).is_some_and(|(row, key)| row.fingerprint == key.fingerprint);
    if !same {
        check_open(state, account, change, None)?;
        let joins = matches!(change, LobbyChange::Join { .. }) && state.seat_of(account).is_none();
        if joins {
            let removed = removal_is_there(connection, id, account, &state.join_code().code);
            match both(are_apart(connection, account, state), removed).await? {
                (true, _) => return Err(ServiceError::JoinCodeNotFound),
                (_, true) => return Err(ServiceError::RemovedByHost),
                _ => {}
            }
        }
    }
    Ok(known)
}

pub(crate) fn check_client_seed(seed: &str) -> Result<(), ServiceError> {
    if valid_client_seed(seed) {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field: "client_seed",
        detail: "must be at most 64 printable ASCII characters without a comma",
    })
}
