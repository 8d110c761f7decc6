//! Creation of matches: random values and settings fixed before the first player joins. Joining is in
//! `join_leave_start`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use rand::TryRng;
use uuid::Uuid;
use yaniv_bot::Level;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_db::kernel::pipeline::both;
use yaniv_db::matches::log::action_insert_all_in_txn;
use yaniv_db::matches::match_rows::{MatchRow, match_insert_in_txn};
use yaniv_db::matches::seats::seat_insert_all_in_txn;
use yaniv_db::{Connection, Transactions};
use yaniv_engine::{Rules, SeedChain};
use yaniv_match::MatchState;
use yaniv_match::event::LoggedEvent;
use yaniv_match::settings::{PUBLIC, RANDOM};
use yaniv_match::time_control::TimeControl;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::house_bots;
use crate::kernel::bounds::WAITING_MATCHES;
use crate::kernel::boxed;
use crate::kernel::idempotency::{store_key, stored_write};
use crate::kernel::readable_codes;
use crate::lobby::change::{answer, entry_of, join_event, list_or_not};
use crate::lobby::join_leave_start::check_client_seed;
use crate::lobby::open_seats::check_waiting;
use crate::lobby::rated_seats::check_ratable;
use crate::matches::load::{empty_match, state_of};
use crate::matches::log::row_of;
use crate::matches::repeated_write::{Answer, Repeat, Written};
use crate::{ServiceError, Services};

/// Length of a join code: 27^8 are 2.8 · 10^11 codes.
const CODE_LENGTH: usize = 8;

/// A request for a new match.
#[derive(Clone, Debug)]
pub struct NewMatch {
    /// The rule set.
    pub rules: Rules,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// Number of seats, 2 to 10.
    pub size: i16,
    /// Whether the seat order is random.
    pub random_seats: bool,
    /// Whether it is publicly listed while it waits for players.
    pub public: bool,
    /// Validity of its join code, if limited.
    pub code_time: Option<TimeDelta>,
    /// Clock, and handling of absent players.
    pub time_control: TimeControl,
    /// Whether it is a sandbox, whose clock can be moved.
    pub sandbox: bool,
    /// Whether it is rated.
    pub rated: bool,
    /// The seed of all shuffles, if the creator of a sandbox has chosen one.
    pub secret: Option<[u8; 32]>,
}

/// Random values of a match, which determine all its shuffles.
pub(crate) struct Drawn {
    /// The identifier, which is part of every shuffle.
    pub(crate) id: MatchId,
    /// `s[1000]` of the chain of seeds.
    pub(crate) secret: Vec<u8>,
    /// `s[0]`, in hexadecimal.
    pub(crate) commitment: String,
}

impl Services {
    /// Creates a match, with the creator in the first seat and house bots of these levels in the next ones.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `TooManyWaitingMatches`, `TooManyRunningMatches`,
    /// `TooManyMatchesToday`, `KeyReused`.
    #[boxed]
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
            let detail = "must leave a seat for you";
            return Err(ServiceError::InvalidField { field: "bots", detail });
        }
        let creating = self.durably(key.is_some(), false, move |mut connection, _| {
            let (new, bots, seed, key) = (new.clone(), bots.clone(), client_seed.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        create(connection, account, (&new, &bots), seed, key.as_ref()).await
                    })
                    .await
            }
        });
        let (created, written) = creating.await?;
        if let Some(created) = created {
            self.match_cache.keep(&Arc::new(created));
        }
        self.answer_of(written).await
    }
}

impl NewMatch {
    /// The stored form.
    pub(crate) fn seat_order(&self) -> &'static str {
        if self.random_seats { RANDOM } else { "joined" }
    }
}

impl Drawn {
    /// Draws random values.
    ///
    /// # Errors
    /// If the system has no randomness.
    pub(crate) fn draw() -> Result<Self, ServiceError> {
        let mut secret = [0; 32];
        rand::rngs::SysRng.try_fill_bytes(&mut secret).map_err(ServiceError::internal)?;
        Ok(Self::of(secret))
    }

    fn of(secret: [u8; 32]) -> Self {
        let commitment = SeedChain::new(secret).commitment().to_hex();
        Self { id: MatchId::generate(), secret: secret.to_vec(), commitment }
    }
}

/// Whether a text has the form of a join code.
pub fn is_code(code: &str) -> bool {
    readable_codes::is_drawn(code, CODE_LENGTH)
}

/// A random join code; collisions are improbable.
pub(crate) fn new_code() -> String {
    readable_codes::draw(CODE_LENGTH)
}

/// The row of a new match.
///
/// # Errors
/// If serialization fails.
pub(crate) fn new_row(new: &NewMatch, drawn: Drawn, at: DateTime<Utc>) -> Result<MatchRow, ServiceError> {
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
        pace: Some(new.time_control.to_stored()?),
        sandbox: new.sandbox,
        rated: new.rated,
        visibility: if new.public { PUBLIC } else { "private" }.to_owned(),
    })
}

/// Creates a match; returns it, unless that was done before.
async fn create(
    connection: &Connection,
    account: AccountId,
    (new, bots): (&NewMatch, &[Level]),
    client_seed: String,
    key: Option<&IdempotencyKey>,
) -> Result<(Option<MatchState>, Written), ServiceError> {
    if let Some(known) = stored_write(connection, account, KeyKind::Match, key).await? {
        return Ok((None, Written::Repeated(Repeat::of_creation(account, known))));
    }
    check_waiting(connection, account).await?;
    WAITING_MATCHES.count_in_txn(connection, account, ServiceError::TooManyMatchesToday).await?;
    let bots = house_bots::take(connection, bots).await?;
    let joining: Vec<_> = std::iter::once((account, client_seed))
        .chain(bots.iter().map(|bot| (AccountId(bot.id), String::new())))
        .collect();
    let accounts: Vec<Uuid> = joining.iter().map(|(account, _)| account.0).collect();
    let (at, kept) = both(clock_read(connection), account_keep_in_txn(connection, &accounts)).await?;
    let row = new_row(new, new.secret.map_or_else(Drawn::draw, |secret| Ok(Drawn::of(secret)))?, at)?;
    let mut state = empty_match(&row)?;
    let mut entries = Vec::new();
    for (who, client_seed) in joining {
        let (event, names) = join_event(&state, who, &kept, client_seed)?;
        state.apply(&event, at, &names)?;
        entries.push(entry_of(&state, event));
    }
    insert_match(connection, row, &state, &entries).await?;
    let count = i16::try_from(entries.len()).unwrap_or_default();
    store_key(connection, account, KeyKind::Match, key, (state.id().0, count, at)).await?;
    if state.settings().visibility == PUBLIC {
        list_or_not(connection, &state).await?;
    }
    let answer = answer(&state, account, &entries, connection).await?;
    Ok((Some(state), Written::new(answer)))
}

/// Stores a new match with its players and the first entries of its log.
///
/// # Errors
/// Those of the database.
pub(crate) async fn insert_match(
    connection: &Connection,
    row: MatchRow,
    state: &MatchState,
    entries: &[LoggedEvent],
) -> Result<(), ServiceError> {
    let rows = (row, state_of(state)?);
    let seats: Vec<_> = state
        .players()
        .iter()
        .map(|player| (player.account, player.stored_seat, player.client_seed.as_str()))
        .collect();
    let entries: Vec<_> =
        entries.iter().map(|entry| row_of(state.id(), entry, None)).collect::<Result<_, _>>()?;
    let (seated, logged) = (
        seat_insert_all_in_txn(connection, state.id(), &seats),
        action_insert_all_in_txn(connection, &entries),
    );
    both(match_insert_in_txn(connection, &rows), both(seated, logged)).await?;
    Ok(())
}
