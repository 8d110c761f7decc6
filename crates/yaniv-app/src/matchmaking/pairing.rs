//! Matchmaking by criteria: an account requests rules and a number of players, and is seated when enough
//! requests have the same criteria. Challenges by name are in `challenges`.
//!
//! Each request is decided in one transaction under the lock of its criteria, at any instance. The last
//! request of a group creates the match; no member has to be online.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::accounts::blocks::blocker_list;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_db::matchmaking::pairing_criteria::{PairingCriteriaRow, wish_lock_if_there, wish_lock_in_txn};
use yaniv_db::matchmaking::pairings::{
    PairingRow, pairing_count_waiting, pairing_find, pairing_insert_in_txn, pairing_list_waiting,
    pairing_queue_in_txn, pairing_reseed_in_txn, pairing_withdraw_in_txn,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, PairingId};

use crate::kernel::bounds::PAIRINGS;
use crate::kernel::boxed;
use crate::kernel::idempotency::{store_key, stored_write};
use crate::lobby::create::NewMatch;
use crate::lobby::join_leave_start::check_client_seed;
use crate::lobby::open_seats::check_running;
use crate::lobby::rated_seats::check_ratable;
use crate::matchmaking::pairing_groups::{find_place, make_match};
use crate::matchmaking::pairing_view::{Pairing, PairingAnswer};
use crate::{ServiceError, Services};

/// Timeout for the semaphore of pairing writes.
const PATIENCE: Duration = Duration::from_secs(5);

/// A pairing request to be processed.
#[derive(Clone)]
struct Asked {
    account: AccountId,
    new: NewMatch,
    wish: PairingCriteriaRow,
    client_seed: String,
    commitment: Option<String>,
    key: Option<IdempotencyKey>,
}

impl Services {
    /// Requests to be paired.
    ///
    /// While a request with the same criteria waits, this is the same request; a client seed given now
    /// replaces the earlier one. With a commitment, only the waiting request with that commitment is meant,
    /// and none is created.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `TooManyPairings`, `TooManyPairingsToday`, `TooManyRunningMatches`,
    /// `KeyReused`; `AlreadyPaired` if no request with this commitment waits.
    #[boxed]
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

    /// A permit for a pairing write, kept until its outcome is known.
    async fn pairing_turn(&self) -> Result<Arc<OwnedSemaphorePermit>, ServiceError> {
        let turn = Arc::clone(&self.pairing_turns).acquire_owned();
        let turn = tokio::time::timeout(PATIENCE, turn).await.map_err(|_| ServiceError::Busy)?;
        turn.map(Arc::new).map_err(ServiceError::internal)
    }

    /// A pairing request of the caller.
    ///
    /// # Errors
    /// `PairingNotFound`.
    #[boxed]
    pub async fn pairing(&self, account: AccountId, id: PairingId) -> Result<Pairing, ServiceError> {
        let connection = self.store.connection().await?;
        let (row, wish) =
            pairing_find(&connection, account, id).await?.ok_or(ServiceError::PairingNotFound)?;
        Pairing::new(&row, &wish, clock_read(&connection).await?)
    }

    /// The caller's waiting requests, newest first; at most as many as `PAIRINGS` has.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn waiting_pairings(&self, account: AccountId) -> Result<Vec<Pairing>, ServiceError> {
        let connection = self.store.connection().await?;
        let now = clock_read(&connection).await?;
        let rows = pairing_list_waiting(&connection, account, now).await?;
        rows.iter().map(|(row, wish)| Pairing::new(row, wish, now)).collect()
    }

    /// Withdraws a request. Withdrawing again changes nothing.
    ///
    /// # Errors
    /// `PairingNotFound`, `AlreadyPaired`.
    #[boxed]
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

async fn ask(connection: &Connection, asked: &Asked) -> Result<PairingAnswer, ServiceError> {
    let Asked { account, wish, key, .. } = asked;
    if let Some(known) = stored_write(connection, *account, KeyKind::Pairing, key.as_ref()).await? {
        let found = pairing_find(connection, *account, PairingId(known.target)).await?;
        let (row, wish) = found.ok_or(ServiceError::PairingNotFound)?;
        return PairingAnswer::at(row, &wish, known.at, true);
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
    store_key(connection, *account, KeyKind::Pairing, key.as_ref(), (row.id, 0, at)).await?;
    PairingAnswer::at(row, wish, at, false)
}

/// Stores a new request in a group with a free place, and creates the match if the group is then full.
async fn enter(
    connection: &Connection,
    asked: &Asked,
    queue: Vec<PairingRow>,
    at: DateTime<Utc>,
) -> Result<PairingRow, ServiceError> {
    if account_keep_in_txn(connection, &[asked.account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    if PAIRINGS.reached(pairing_count_waiting(connection, asked.account, at).await?) {
        return Err(ServiceError::TooManyPairings);
    }
    check_running(connection, asked.account).await?;
    PAIRINGS.count_in_txn(connection, asked.account, ServiceError::TooManyPairingsToday).await?;
    let group = find_place(connection, asked.account, &asked.wish, &queue, at).await?;
    let mut row = PairingRow {
        id: PairingId::generate().0,
        wish_id: asked.wish.id.clone(),
        account_id: asked.account.0,
        match_id: group.match_id,
        client_seed: asked.client_seed.clone(),
        commitment: group.commitment.clone(),
        created_at: at,
        expires_at: at + PAIRINGS.life(),
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

/// Withdraws waiting requests of members who have blocked another member of the group meanwhile.
async fn without_blockers(
    connection: &Connection,
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

/// Withdraws a request of an account.
///
/// # Errors
/// `PairingNotFound`, `AlreadyPaired`.
pub(crate) async fn withdraw(
    connection: &Connection,
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

/// The criteria of a match; for a rated one they are either for bots or for humans.
fn wish_of(new: &NewMatch, bots: Option<bool>) -> Result<PairingCriteriaRow, ServiceError> {
    let rules = serde_json::to_value(new.rules.options()).map_err(ServiceError::internal)?;
    let time_control = new.time_control.to_stored()?;
    let rated = bots.map_or("", |bots| if bots { "rated, bots" } else { "rated" });
    let hash = Sha256::new()
        .chain_update(new.size.to_be_bytes())
        .chain_update(rules.to_string())
        .chain_update(time_control.to_string())
        .chain_update(rated);
    let id = hash.finalize().iter().take(16).copied().collect();
    let preset = new.preset.clone();
    Ok(PairingCriteriaRow { id, size: new.size, preset, rules, pace: Some(time_control), rated: new.rated })
}
