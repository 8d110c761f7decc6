//! Creating matches: what is drawn and settled before anybody takes a seat.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use rand::TryRng;
use rand::seq::IndexedRandom;
use yaniv_bot::Level;
use yaniv_engine::{Rules, SeedChain};

use super::house_bots;
use super::lobby::{LobbyChange, check_client_seed};
use super::lobby_change::{answer, apply, state_of, store};
use super::pace::Pace;
use super::rated_seats::check_ratable;
use super::replay::{self, Answer, IdempotencyKey};
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::clock::clock_read;
use crate::store::creation_keys::{NewCreationKey, creation_key_find, creation_key_insert_in_txn};
use crate::store::matches::{MatchRow, match_insert_in_txn};

/// Characters of a code: no vowels, so no words, and nothing that looks like something else.
pub(super) const CODE_ALPHABET: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXZ";
/// Characters in a code: 27^8 are 2.8 · 10^11.
const CODE_LENGTH: usize = 8;

/// `visibility` of a match that everybody may find.
pub(super) const PUBLIC: &str = "public";

/// `seat_order` of a match whose seats are drawn.
pub(super) const RANDOM: &str = "random";

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
    /// Whether everybody may find it while it waits for players.
    pub public: bool,
    /// How long its code lets people in, if not until the start.
    pub code_time: Option<TimeDelta>,
    /// Its clock, and what is done for absent players.
    pub pace: Pace,
    /// Whether it is a test match, whose clock can be moved.
    pub sandbox: bool,
    /// Whether it counts for the ratings of its players.
    pub rated: bool,
    /// What all shuffles come from, in a test match whose creator has chosen it.
    pub secret: Option<[u8; 32]>,
}

/// What is drawn for a match, all its shuffles with it.
pub(super) struct Drawn {
    /// Its identifier, which is part of every shuffle.
    pub(super) id: MatchId,
    /// `s[1000]` of the chain of seeds.
    pub(super) secret: Vec<u8>,
    /// `s[0]`, in hexadecimal.
    pub(super) commitment: String,
}

impl Services {
    /// Creates a match, with the creator in its first seat, and bots of the house of these levels in the next ones.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `KeyReused`.
    pub async fn create_match(
        &self,
        account: AccountId,
        (new, bots): (NewMatch, Vec<Level>),
        client_seed: String,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        check_client_seed(&client_seed)?;
        if new.sandbox && !self.sandboxes {
            return Err(ServiceError::SandboxesOff);
        }
        check_ratable(&new)?;
        new.rules.check_players(u8::try_from(new.size).unwrap_or_default())?;
        if usize::try_from(new.size).is_ok_and(|size| bots.len() >= size) {
            let detail = "has to leave a seat for you";
            return Err(ServiceError::InvalidField { field: "bots", detail });
        }
        self.durably(key.is_some(), false, move |mut connection, _| {
            let (new, bots, seed, key) = (new.clone(), bots.clone(), client_seed.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        create(connection, account, (&new, &bots), seed, key.as_ref()).await
                    })
                    .await
            }
        })
        .await
    }
}

impl NewMatch {
    /// As it is stored.
    pub(super) fn seat_order(&self) -> &'static str {
        if self.random_seats { RANDOM } else { "joined" }
    }
}

impl Drawn {
    /// Draws.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub(super) fn draw() -> Result<Self, ServiceError> {
        let mut secret = [0; 32];
        rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(ServiceError::internal)?;
        Ok(Self::of(secret))
    }

    fn of(secret: [u8; 32]) -> Self {
        let commitment = SeedChain::new(secret).commitment().to_hex();
        Self { id: MatchId::generate(), secret: secret.to_vec(), commitment }
    }
}

/// Whether a text could be a code.
pub fn is_code(code: &str) -> bool {
    code.len() == CODE_LENGTH && code.bytes().all(|letter| CODE_ALPHABET.contains(&letter))
}

/// A code that nobody has yet, as good as certainly.
pub(super) fn new_code() -> String {
    let letters = (0..CODE_LENGTH).filter_map(|_| CODE_ALPHABET.choose(&mut rand::rng()));
    letters.map(|&letter| char::from(letter)).collect()
}

/// What is settled of a match when it is stored.
///
/// # Errors
/// Only if the rules cannot be printed.
pub(super) fn new_row(new: &NewMatch, drawn: Drawn, at: DateTime<Utc>) -> Result<MatchRow, ServiceError> {
    Ok(MatchRow {
        id: drawn.id.0,
        code: new_code(),
        rules: serde_json::to_value(new.rules.options()).map_err(ServiceError::internal)?,
        preset: new.preset.clone(),
        size: new.size,
        seat_order: new.seat_order().to_owned(),
        secret: drawn.secret,
        commitment: drawn.commitment,
        created_at: at,
        started_at: None,
        finished_at: None,
        code_expires_at: new.code_time.and_then(|time| at.checked_add_signed(time)),
        pace: Some(new.pace.to_stored()?),
        sandbox: new.sandbox,
        rated: new.rated,
        visibility: if new.public { PUBLIC } else { "private" }.to_owned(),
    })
}

async fn create(
    connection: &AsyncPgConnection,
    account: AccountId,
    (new, bots): (&NewMatch, &[Level]),
    client_seed: String,
    key: Option<&IdempotencyKey>,
) -> Result<Answer, ServiceError> {
    if let Some(key) = key
        && let Some(row) = creation_key_find(connection, account, key.hash(account)).await?
    {
        return replay::answer(connection, account, key, &row).await;
    }
    let bots = house_bots::take(connection, bots).await?;
    let at = clock_read(connection).await?;
    let row = new_row(new, new.secret.map_or_else(Drawn::draw, |secret| Ok(Drawn::of(secret)))?, at)?;
    let mut table = Table::empty(&row)?;
    let state = state_of(&table)?;
    match_insert_in_txn(connection, &(row, state)).await?;
    if let Some(key) = key {
        let new = NewCreationKey {
            account_id: account.0,
            key_hash: key.hash(account),
            fingerprint: key.fingerprint,
            match_id: table.id().0,
            entries: i16::try_from(bots.len()).unwrap_or_default().saturating_add(1),
        };
        creation_key_insert_in_txn(connection, &new).await.map_err(|error| match error {
            StoreError::Taken(_) => ServiceError::Raced,
            other => other.into(),
        })?;
    }
    let mut entries = Vec::new();
    let bots = bots.iter().map(|bot| (AccountId(bot.id), String::new()));
    for (who, client_seed) in std::iter::once((account, client_seed)).chain(bots) {
        let join = LobbyChange::Join { code: String::new(), client_seed };
        let entry = apply(connection, &mut table, who, &join, None, at).await?;
        store(connection, &table, &entry).await?;
        entries.push(entry);
    }
    answer(&table, account, &entries, connection).await
}
