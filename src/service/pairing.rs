//! Quick pairing: somebody wishes for rules and a number of players, and is seated when enough people wish the same.
//!
//! Who is seated with whom is decided in one transaction under the lock of the wish, whichever instance it runs on; the
//! last to ask makes the match, and nobody has to be online.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use super::asked_pairing::{Pairing, PairingAnswer};
use super::creation::NewMatch;
use super::lobby::check_client_seed;
use super::paired_match::{find_place, make_match};
use super::rated_seats::check_ratable;
use super::replay::IdempotencyKey;
use super::{ServiceError, Services};
use crate::ids::{AccountId, PairingId};
use crate::store::StoreError;
use crate::store::accounts::account_keep_in_txn;
use crate::store::blocks::blocker_list;
use crate::store::clock::clock_read;
use crate::store::pairing_keys::{PairingKeyRow, pairing_key_find, pairing_key_insert_in_txn};
use crate::store::pairings::{
    PairingRow, pairing_count_waiting, pairing_find, pairing_insert_in_txn, pairing_list_waiting,
    pairing_queue_in_txn, pairing_reseed_in_txn, pairing_withdraw_in_txn,
};
use crate::store::wishes::{WishRow, wish_lock_if_there, wish_lock_in_txn};

/// Wishes that an account may wait for at a time.
const MOST_WAITING: i64 = 20;
/// How long somebody waits for a turn.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a request waits: whoever has not been seen for longer would not play.
const WAITS: TimeDelta = TimeDelta::days(14);

/// Somebody who asks.
#[derive(Clone)]
struct Asked {
    account: AccountId,
    new: NewMatch,
    wish: WishRow,
    client_seed: String,
    commitment: Option<String>,
    key: Option<IdempotencyKey>,
}

impl Services {
    /// Asks to be paired. As long as one waits for a wish, asking again is the same request, with the newest client seed
    /// that was given. With a commitment, only the request that has it is meant, and none is made.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `TooManyPairings`, `KeyReused`; `AlreadyPaired` if no request with this commitment waits.
    pub async fn request_pairing(
        &self,
        account: AccountId,
        new: NewMatch,
        client_seed: String,
        commitment: Option<String>,
        key: Option<IdempotencyKey>,
    ) -> Result<PairingAnswer, ServiceError> {
        check_client_seed(&client_seed)?;
        new.rules.check_players(u8::try_from(new.size).unwrap_or_default())?;
        check_ratable(&new)?;
        let bots = if new.rated { Some(self.plays_with_bots(account).await?) } else { None };
        let wish = wish_of(&new, bots)?;
        let asked = Asked { account, new, wish, client_seed, commitment, key };
        let turn = self.pairing_turn().await?;
        self.durably(asked.key.is_some(), false, move |mut connection, _| {
            let (asked, turn) = (asked.clone(), Arc::clone(&turn));
            async move {
                let answer = connection.transaction(async |connection| ask(connection, &asked).await).await;
                drop(turn);
                answer
            }
        })
        .await
    }

    /// A turn, which whoever asks keeps until it is known what came of it.
    async fn pairing_turn(&self) -> Result<Arc<OwnedSemaphorePermit>, ServiceError> {
        let turn = Arc::clone(&self.pairing_turns).acquire_owned();
        let turn = tokio::time::timeout(PATIENCE, turn).await.map_err(|_| ServiceError::Busy)?;
        turn.map(Arc::new).map_err(ServiceError::internal)
    }

    /// A request of the caller's.
    ///
    /// # Errors
    /// `PairingNotFound`.
    pub async fn pairing(&self, account: AccountId, id: PairingId) -> Result<Pairing, ServiceError> {
        let connection = self.store.connection().await?;
        let (row, wish) =
            pairing_find(&connection, account, id).await?.ok_or(ServiceError::PairingNotFound)?;
        Pairing::new(&row, &wish, clock_read(&connection).await?)
    }

    /// The caller's requests that wait, newest first; there are not many.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn waiting_pairings(&self, account: AccountId) -> Result<Vec<Pairing>, ServiceError> {
        let connection = self.store.connection().await?;
        let now = clock_read(&connection).await?;
        let rows = pairing_list_waiting(&connection, account, now).await?;
        rows.iter().map(|(row, wish)| Pairing::new(row, wish, now)).collect()
    }

    /// Takes a request back. Taken back again, it stays as it is.
    ///
    /// # Errors
    /// `PairingNotFound`, `AlreadyPaired`.
    pub async fn withdraw_pairing(
        &self,
        account: AccountId,
        id: PairingId,
    ) -> Result<PairingAnswer, ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection.transaction(async |connection| withdraw(connection, account, id).await).await
        })
        .await
    }
}

async fn ask(connection: &AsyncPgConnection, asked: &Asked) -> Result<PairingAnswer, ServiceError> {
    let Asked { account, wish, key, .. } = asked;
    if let Some(key) = key
        && let Some(known) = pairing_key_find(connection, *account, key.hash(*account)).await?
    {
        return again(connection, *account, key, known).await;
    }
    wish_lock_in_txn(connection, wish).await?;
    let at = clock_read(connection).await?;
    let queue = pairing_queue_in_txn(connection, &wish.id, at).await?;
    let own = queue.iter().find(|row| row.account_id == account.0);
    if asked.commitment.is_some() && asked.commitment.as_ref() != own.map(|row| &row.commitment) {
        return Err(ServiceError::AlreadyPaired);
    }
    let row = match own {
        Some(row) => {
            if !asked.client_seed.is_empty() && asked.client_seed != row.client_seed {
                pairing_reseed_in_txn(connection, row.id, &asked.client_seed).await?;
            }
            row.clone()
        }
        None => enter(connection, asked, queue, at).await?,
    };
    if let Some(key) = key {
        let key_hash = key.hash(*account);
        let (account_id, fingerprint, pairing_id) = (account.0, key.fingerprint, row.id);
        let new = PairingKeyRow { account_id, key_hash, fingerprint, pairing_id, at };
        pairing_key_insert_in_txn(connection, &new).await.map_err(|error| match error {
            StoreError::Taken(_) => ServiceError::Raced,
            other => other.into(),
        })?;
    }
    PairingAnswer::at(row, wish, at, false)
}

/// The answer that belongs to a key.
async fn again(
    connection: &AsyncPgConnection,
    account: AccountId,
    key: &IdempotencyKey,
    known: PairingKeyRow,
) -> Result<PairingAnswer, ServiceError> {
    if known.fingerprint != key.fingerprint {
        return Err(ServiceError::KeyReused);
    }
    let found = pairing_find(connection, account, PairingId(known.pairing_id)).await?;
    let (row, wish) = found.ok_or(ServiceError::PairingNotFound)?;
    PairingAnswer::at(row, &wish, known.at, true)
}

/// Stores a new request in a group that has a place, and makes the match if that was the last.
async fn enter(
    connection: &AsyncPgConnection,
    asked: &Asked,
    queue: Vec<PairingRow>,
    at: DateTime<Utc>,
) -> Result<PairingRow, ServiceError> {
    if account_keep_in_txn(connection, &[asked.account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    if pairing_count_waiting(connection, asked.account, at).await? >= MOST_WAITING {
        return Err(ServiceError::TooManyPairings);
    }
    let group = find_place(connection, asked.account, &asked.wish, &queue, at).await?;
    let mut row = PairingRow {
        id: PairingId::generate().0,
        wish_id: asked.wish.id.clone(),
        account_id: asked.account.0,
        match_id: group.match_id,
        client_seed: asked.client_seed.clone(),
        commitment: group.commitment.clone(),
        created_at: at,
        expires_at: at + WAITS,
        paired_at: None,
        withdrawn_at: None,
    };
    pairing_insert_in_txn(connection, &row).await?;
    let waiting = queue.into_iter().filter(|other| other.match_id == group.match_id).collect();
    let mut members = without_blockers(connection, waiting, at).await?;
    members.push(row.clone());
    if i16::try_from(members.len()).is_ok_and(|count| count >= asked.wish.size) {
        make_match(connection, &asked.new, group, &members, at).await?;
        row.paired_at = Some(at);
    }
    Ok(row)
}

/// Takes the requests of those back who have blocked another of the group while they waited in it.
async fn without_blockers(
    connection: &AsyncPgConnection,
    mut waiting: Vec<PairingRow>,
    at: DateTime<Utc>,
) -> Result<Vec<PairingRow>, ServiceError> {
    let accounts: Vec<_> = waiting.iter().map(|row| row.account_id).collect();
    let blockers = blocker_list(connection, &accounts).await?;
    for row in waiting.iter().filter(|row| blockers.contains(&row.account_id)) {
        pairing_withdraw_in_txn(connection, PairingId(row.id), at).await?;
    }
    waiting.retain(|row| !blockers.contains(&row.account_id));
    Ok(waiting)
}

/// Takes a request of an account back.
///
/// # Errors
/// `PairingNotFound`, `AlreadyPaired`.
pub(super) async fn withdraw(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: PairingId,
) -> Result<PairingAnswer, ServiceError> {
    let find = async || pairing_find(connection, account, id).await?.ok_or(ServiceError::PairingNotFound);
    let (_, wish) = find().await?;
    wish_lock_if_there(connection, &wish.id).await?;
    let at = clock_read(connection).await?;
    pairing_withdraw_in_txn(connection, id, at).await?;
    let (row, wish) = find().await?;
    let Some(at) = row.withdrawn_at else { return Err(ServiceError::AlreadyPaired) };
    PairingAnswer::at(row, &wish, at, false)
}

/// A wish; one for a rated match is for bots or for people.
fn wish_of(new: &NewMatch, bots: Option<bool>) -> Result<WishRow, ServiceError> {
    let rules = serde_json::to_value(new.rules.options()).map_err(ServiceError::internal)?;
    let pace = new.pace.to_stored()?;
    let rated = bots.map_or("", |bots| if bots { "rated, bots" } else { "rated" });
    let hash = Sha256::new()
        .chain_update(new.size.to_be_bytes())
        .chain_update(rules.to_string())
        .chain_update(pace.to_string())
        .chain_update(rated);
    let id = hash.finalize().iter().take(16).copied().collect();
    let preset = new.preset.clone();
    Ok(WishRow { id, size: new.size, preset, rules, pace: Some(pace), rated: new.rated })
}
