//! Before the first card: look, join, leave, start. Each write locks the match, decides on it, and stores state, log
//! entry and key together. Creating is in `creation`.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::valid_client_seed;

use super::creation::is_code;
use super::house_bots::leave_with_the_last;
use super::lobby_change::{answer, apply, check, check_open, store};
use super::people::are_apart;
use super::replay::{self, Answer, IdempotencyKey};
use super::status::Status;
use super::table::Table;
use super::view::MatchView;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{KeyRow, action_find_by_key};
use crate::store::clock::clock_read;
use crate::store::join_codes::match_id_find_by_code;
use crate::store::matches::match_lock;

/// A change before the first card.
#[derive(Clone, Debug)]
pub enum LobbyChange {
    /// Take a seat.
    Join {
        /// The code that entitles to it.
        code: String,
        /// The player's part of every shuffle.
        client_seed: String,
    },
    /// Give the seat up.
    Leave,
    /// Deal.
    Start,
    /// Put another code in the place of the one that lets people in, for so long if not until the start.
    RenewCode(Option<TimeDelta>),
    /// Let nobody in any more.
    RevokeCode,
}

impl Services {
    /// The match of a code, for somebody who may join it.
    ///
    /// # Errors
    /// `InvitationNotFound` unless it waits for players or the caller has a seat.
    pub async fn invitation(&self, account: AccountId, code: &str) -> Result<MatchView, ServiceError> {
        let connection = self.store.connection().await?;
        let id = match_by_code(&connection, code).await?;
        let table = Table::load(&connection, id).await?.ok_or(ServiceError::InvitationNotFound)?;
        let open = table.status == Status::Waiting
            && table.join_code.opens(&normal_code(code), clock_read(&connection).await?);
        let seated = table.seat_of(account).is_some();
        if !seated && (!open || are_apart(&connection, account, &table).await?) {
            return Err(ServiceError::InvitationNotFound);
        }
        Ok(MatchView::new(&table, account, Vec::new()))
    }

    /// Takes a seat in the match of a code.
    ///
    /// # Errors
    /// `InvitationNotFound`, `InvalidField`, `AlreadySeated`, `Full`, `Rated`, `Started`, `KeyReused`.
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

    /// Changes a match that waits for its players.
    ///
    /// # Errors
    /// `MatchNotFound`, `Started`, `NotHost`, `TooFewPlayers` and those of `join`.
    pub async fn change_lobby(
        &self,
        account: AccountId,
        id: MatchId,
        change: LobbyChange,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        let changing = self.durably(key.is_some(), false, move |mut connection, _| {
            let (change, key) = (change.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        try_change(connection, account, id, &change, key.as_ref()).await
                    })
                    .await
            }
        });
        let answer = changing.await?;
        self.watches.tell(id, answer.view.version, &answer.view.players);
        Ok(answer)
    }
}

/// A code as it is stored, however it was typed.
pub fn normal_code(code: &str) -> String {
    code.to_ascii_uppercase()
}

async fn match_by_code(connection: &AsyncPgConnection, code: &str) -> Result<MatchId, ServiceError> {
    let code = normal_code(code);
    if !is_code(&code) {
        return Err(ServiceError::InvitationNotFound);
    }
    match_id_find_by_code(connection, &code).await?.ok_or(ServiceError::InvitationNotFound)
}

async fn try_change(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
) -> Result<Answer, ServiceError> {
    // Without the lock first: those whom the match is closed to, and those who come too late, must neither wait for it
    // nor make others wait.
    let (table, known) = load(connection, account, id, change, key, None).await?;
    if known.is_none() && table.status != Status::Waiting {
        check(&table, account, change)?;
    }
    match_lock(connection, id).await?;
    let at = clock_read(connection).await?;
    let (mut table, known) = load(connection, account, id, change, key, Some(at)).await?;
    if let (Some(row), Some(key)) = (known, key) {
        return replay::answer(connection, account, key, &row).await;
    }
    check(&table, account, change)?;
    let entry = apply(connection, &mut table, account, change, key, at).await?;
    store(connection, &table, &entry).await?;
    let answer = answer(&table, account, &[entry], connection).await?;
    if matches!(change, LobbyChange::Leave) {
        leave_with_the_last(connection, &mut table, at).await?;
    }
    Ok(answer)
}

/// The match and what the key has done, at a time, once the lock is held; for strangers there is neither, unless the key has had this very request.
async fn load(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
    now: Option<DateTime<Utc>>,
) -> Result<(Table, Option<KeyRow>), ServiceError> {
    let table = Table::load(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    let hash = key.map(|key| key.hash(account)).filter(|hash| table.keys.contains(hash));
    let known = match hash {
        Some(hash) => action_find_by_key(connection, id, hash).await?,
        None => None,
    };
    let same = known.as_ref().zip(key).is_some_and(|(row, key)| row.fingerprint == key.fingerprint);
    if !same {
        check_open(&table, account, change, now)?;
        let joins = matches!(change, LobbyChange::Join { .. }) && table.seat_of(account).is_none();
        if joins && are_apart(connection, account, &table).await? {
            return Err(ServiceError::InvitationNotFound);
        }
    }
    Ok((table, known))
}

pub(super) fn check_client_seed(seed: &str) -> Result<(), ServiceError> {
    if valid_client_seed(seed) {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field: "client_seed",
        detail: "has to be at most 64 printable ASCII characters without a comma",
    })
}
