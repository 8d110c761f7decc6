//! Before the first card: create, look, join, leave, start. Each write locks the match, decides on it, and stores
//! state, log entry and key together.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use rand::TryRng;
use rand::seq::IndexedRandom;
use yaniv_engine::{Match, Rules, valid_client_seed};

use super::replay::{self, Answer, IdempotencyKey};
use super::table::{Player, Status, Table};
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::accounts::account_find;
use crate::store::actions::{ActionRow, action_insert_in_txn};
use crate::store::clock::clock_read;
use crate::store::idempotency::{NewKey, key_insert_in_txn};
use crate::store::ids::{AccountId, MatchId};
use crate::store::matches::{
    MatchRow, StateRow, match_id_find_by_code, match_insert_in_txn, match_lock, match_times_update_in_txn,
    state_update_in_txn,
};
use crate::store::seats::{seat_delete_in_txn, seat_insert_in_txn, seat_move_in_txn};

/// Characters of a code: no vowels, so no words, and nothing that looks like something else.
const CODE_ALPHABET: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXZ";
/// Characters in a code: 27^8 are 2.8 · 10^11.
const CODE_LENGTH: usize = 8;

/// What is wanted of a new match.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The rule set.
    pub rules: Rules,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats, 2 to 10.
    pub size: i16,
    /// Whether seats are drawn at the start.
    pub random_seats: bool,
}

/// A change before the first card.
#[derive(Clone, Debug)]
pub enum LobbyChange {
    /// Take a seat, with this client seed.
    Join(String),
    /// Give the seat up.
    Leave,
    /// Deal.
    Start,
}

impl Services {
    /// Creates a match, with the creator in its first seat.
    ///
    /// # Errors
    /// `BadRules`, `InvalidField`, `KeyReused`.
    pub async fn create_match(
        &self,
        account: AccountId,
        new: NewMatch,
        client_seed: String,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        check_client_seed(&client_seed)?;
        new.rules.check_players(u8::try_from(new.size).unwrap_or_default())?;
        if let Some(option) = new.rules.needs_phases().first() {
            let detail = "is not offered over HTTP yet in this setting".to_owned();
            return Err(ServiceError::BadRules { option: (*option).to_owned(), detail });
        }
        self.durably(move |mut connection, _| {
            let (new, seed, key) = (new.clone(), client_seed.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        create(connection, account, &new, &seed, key.as_ref()).await
                    })
                    .await
            }
        })
        .await
    }

    /// The match of a code, for somebody who may join it.
    ///
    /// # Errors
    /// `InvitationNotFound` unless it waits for players or the caller has a seat.
    pub async fn invitation(&self, account: AccountId, code: &str) -> Result<MatchView, ServiceError> {
        let connection = self.store.connection().await?;
        let id = match_by_code(&connection, code).await?;
        let (table, _) = Table::load(&connection, id, None).await?.ok_or(ServiceError::InvitationNotFound)?;
        if table.status != Status::Waiting && table.seat_of(account).is_none() {
            return Err(ServiceError::InvitationNotFound);
        }
        MatchView::new(&table, account, Vec::new())
    }

    /// Takes a seat in the match of a code.
    ///
    /// # Errors
    /// `InvitationNotFound`, `InvalidField`, `AlreadySeated`, `Full`, `Started`, `KeyReused`.
    pub async fn join(
        &self,
        account: AccountId,
        code: &str,
        client_seed: String,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        check_client_seed(&client_seed)?;
        let id = match_by_code(&*self.store.connection().await?, code).await?;
        self.change_lobby(account, id, LobbyChange::Join(client_seed), key).await
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
        self.durably(move |mut connection, _| {
            let (change, key) = (change.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        try_change(connection, account, id, &change, key.as_ref()).await
                    })
                    .await
            }
        })
        .await
    }
}

async fn match_by_code(connection: &AsyncPgConnection, code: &str) -> Result<MatchId, ServiceError> {
    let code = code.to_ascii_uppercase();
    match_id_find_by_code(connection, &code).await?.ok_or(ServiceError::InvitationNotFound)
}

async fn create(
    connection: &AsyncPgConnection,
    account: AccountId,
    new: &NewMatch,
    client_seed: &str,
    key: Option<&IdempotencyKey>,
) -> Result<Answer, ServiceError> {
    if let Some(key) = key
        && let Some(answer) = replay::find(connection, account, key).await?
    {
        return Ok(answer);
    }
    let at = clock_read(connection).await?;
    let row = new_row(new, at)?;
    let mut table = Table::empty(row.clone())?;
    let state = state_of(&table);
    match_insert_in_txn(connection, &(row, state)).await?;
    let entry =
        apply(connection, &mut table, account, &LobbyChange::Join(client_seed.to_owned()), at).await?;
    store(connection, &table, &entry, key).await?;
    answer(&table, account, entry, connection).await
}

fn new_row(new: &NewMatch, at: DateTime<Utc>) -> Result<MatchRow, ServiceError> {
    let mut secret = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(ServiceError::internal)?;
    let letters = (0..CODE_LENGTH).filter_map(|_| CODE_ALPHABET.choose(&mut rand::rng()));
    Ok(MatchRow {
        id: MatchId::generate().0,
        code: letters.map(|&letter| char::from(letter)).collect(),
        rules: serde_json::to_value(new.rules.options()).map_err(ServiceError::internal)?,
        preset: new.preset.clone(),
        size: new.size,
        seat_order: if new.random_seats { "random" } else { "joined" }.to_owned(),
        secret: secret.to_vec(),
        created_at: at,
        started_at: None,
        finished_at: None,
    })
}

async fn try_change(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
) -> Result<Answer, ServiceError> {
    if !match_lock(connection, id).await? {
        return Err(ServiceError::MatchNotFound);
    }
    let at = clock_read(connection).await?;
    let asked = key.map(|key| (account, key.key.as_str()));
    let (mut table, known) = Table::load(connection, id, asked).await?.ok_or(ServiceError::MatchNotFound)?;
    if let (Some(row), Some(key)) = (known, key) {
        return replay::answer(connection, account, key, &row).await;
    }
    check(&table, account, change)?;
    let entry = apply(connection, &mut table, account, change, at).await?;
    store(connection, &table, &entry, key).await?;
    answer(&table, account, entry, connection).await
}

/// Who may do what before the start. Strangers hear nothing but that there is no such match.
fn check(table: &Table, account: AccountId, change: &LobbyChange) -> Result<(), ServiceError> {
    let seated = table.seat_of(account);
    let waiting = table.status == Status::Waiting;
    match (change, seated) {
        (LobbyChange::Join(_), Some(_)) => Err(ServiceError::AlreadySeated),
        (LobbyChange::Join(_), None) if !waiting => Err(ServiceError::InvitationNotFound),
        (LobbyChange::Join(_), None) if is_full(table) => Err(ServiceError::Full),
        (LobbyChange::Join(_), None) => Ok(()),
        (_, None) => Err(ServiceError::MatchNotFound),
        (_, Some(_)) if !waiting => Err(ServiceError::Started),
        (LobbyChange::Start, Some(_)) if table.players.len() < 2 => Err(ServiceError::TooFewPlayers),
        (LobbyChange::Start, Some(seat)) if seat.number() > 0 && !is_full(table) => {
            Err(ServiceError::NotHost)
        }
        (LobbyChange::Leave | LobbyChange::Start, Some(_)) => Ok(()),
    }
}

fn is_full(table: &Table) -> bool {
    i16::try_from(table.players.len()).is_ok_and(|count| count >= table.row.size)
}

/// Makes a change that has been checked, and answers its entry for the log.
async fn apply(
    connection: &AsyncPgConnection,
    table: &mut Table,
    account: AccountId,
    change: &LobbyChange,
    at: DateTime<Utc>,
) -> Result<ActionRow, ServiceError> {
    let id = table.id();
    let (kind, detail) = match change {
        LobbyChange::Join(seed) => {
            let stored_seat = table.players.last().map_or(0, |last| last.stored_seat + 1);
            let username =
                account_find(connection, account).await?.ok_or(ServiceError::InvalidToken)?.username;
            seat_insert_in_txn(connection, id, account, stored_seat, seed).await?;
            table.join(Player { account, username, client_seed: seed.clone(), stored_seat }, at);
            ("joined", seed.clone())
        }
        LobbyChange::Leave => {
            seat_delete_in_txn(connection, id, account).await?;
            table.leave(account, at);
            ("left", String::new())
        }
        LobbyChange::Start => {
            table.start(at)?;
            for player in &table.players {
                seat_move_in_txn(connection, id, player.account, player.stored_seat).await?;
            }
            ("started", String::new())
        }
    };
    Ok(ActionRow {
        match_id: id.0,
        version: table.version,
        account_id: account.0,
        kind: kind.to_owned(),
        round: 0,
        seat: None,
        detail,
        drew: None,
        flags: 0,
        at,
    })
}

async fn store(
    connection: &AsyncPgConnection,
    table: &Table,
    entry: &ActionRow,
    key: Option<&IdempotencyKey>,
) -> Result<(), ServiceError> {
    state_update_in_txn(connection, &state_of(table)).await?;
    match_times_update_in_txn(connection, &table.row).await?;
    action_insert_in_txn(connection, entry).await?;
    if let Some(key) = key {
        let new = NewKey {
            account_id: entry.account_id,
            key: &key.key,
            fingerprint: &key.fingerprint,
            match_id: entry.match_id,
            version: entry.version,
            created_at: entry.at,
        };
        key_insert_in_txn(connection, &new).await.map_err(|error| match error {
            StoreError::Taken(_) => ServiceError::Raced,
            other => other.into(),
        })?;
    }
    Ok(())
}

fn state_of(table: &Table) -> StateRow {
    StateRow {
        match_id: table.row.id,
        version: table.version,
        status: table.status.as_str().to_owned(),
        waiting_on: table.waiting_on(),
        state: table.game.as_ref().map(Match::to_bytes),
        updated_at: table.at,
    }
}

async fn answer(
    table: &Table,
    account: AccountId,
    entry: ActionRow,
    connection: &AsyncPgConnection,
) -> Result<Answer, ServiceError> {
    let names = replay::names_of(connection, std::slice::from_ref(&entry)).await?;
    let username = names.get(&account.0).cloned().unwrap_or_default();
    let entry = LogEntry::for_viewer(&entry, username, table, account)?;
    Ok(Answer { view: MatchView::new(table, account, vec![entry])?, replayed: false })
}

fn check_client_seed(seed: &str) -> Result<(), ServiceError> {
    if valid_client_seed(seed) {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field: "client_seed",
        detail: "has to be at most 64 printable ASCII characters without a comma",
    })
}
