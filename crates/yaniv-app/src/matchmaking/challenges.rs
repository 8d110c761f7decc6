//! Challenges: an account asks others by name to play. Creation, reading and listing; answers are in
//! `challenge_answers`.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_rows::{account_keep_in_txn, account_list_by_username, account_lock};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_db::matchmaking::challenge_members::{
    ChallengeMemberRow, NewChallengeMember, challenge_member_insert_all_in_txn, challenge_member_list,
};
use yaniv_db::matchmaking::challenges::{
    ChallengeFilter, ChallengeRow, challenge_count_open, challenge_find, challenge_insert_in_txn,
    challenge_list, challenge_list_open,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId, first_id_of};

use crate::accounts::house_bots;
use crate::accounts::register::check_username;
use crate::kernel::bounds::CHALLENGES;
use crate::kernel::boxed;
use crate::kernel::idempotency::{store_key, stored_write};
use crate::kernel::page::PageQuery;
use crate::lobby::create::{Drawn, NewMatch};
use crate::lobby::join_leave_start::check_client_seed;
use crate::lobby::open_seats::check_running;
use crate::lobby::rated_seats::{check_all, check_ratable};
use crate::matchmaking::challenge_answers::house_bots_accept;
use crate::matchmaking::challenge_view::{Challenge, ChallengeAnswer, ChallengeStatus, Loaded};
use crate::notifications::invite_in_txn;
use crate::{Page, ServiceError, Services};

/// Maximum lifetime, with a day for the difference between clocks.
const MOST_WAITS: TimeDelta = TimeDelta::days(31);
/// How long ended challenges stay in the list.
const LISTED: TimeDelta = TimeDelta::days(30);

/// A request for a new challenge.
#[derive(Clone, Debug)]
pub struct NewChallenge {
    /// The match.
    pub new: NewMatch,
    /// Names of the opponents, in the order of joining.
    pub opponents: Vec<String>,
    /// How long it can be answered.
    pub time: Option<TimeDelta>,
    /// The challenger's seed for the shuffles.
    pub client_seed: String,
}

/// A challenge to be stored, with its opponents resolved.
pub(crate) struct Wanted<'a> {
    pub(crate) new: &'a NewMatch,
    pub(crate) opponents: Vec<AccountId>,
    pub(crate) rematch_of: Option<MatchId>,
    pub(crate) time: TimeDelta,
    pub(crate) client_seed: &'a str,
}

/// Filter and page of the list.
#[derive(Clone, Debug, Default)]
pub struct ChallengeQuery {
    /// Only those made by the caller, or only those received.
    pub outgoing: Option<bool>,
    /// Only those with this status.
    pub status: Option<ChallengeStatus>,
    /// Cursor of the page.
    pub cursor: Option<String>,
    /// Page size.
    pub limit: i64,
}

impl Services {
    /// Creates a challenge. If one of the accounts has blocked another, the caller sees no difference.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `OpponentNotFound`, `TooManyChallenges`,
    /// `TooManyChallengesToday`, `TooManyRunningMatches`, `KeyReused`.
    #[boxed]
    pub async fn create_challenge(
        &self,
        account: AccountId,
        wanted: NewChallenge,
        key: Option<IdempotencyKey>,
    ) -> Result<ChallengeAnswer, ServiceError> {
        check_client_seed(&wanted.client_seed)?;
        check_names(&wanted.opponents)?;
        check_ratable(&wanted.new)?;
        let players = u8::try_from(wanted.new.size).unwrap_or_default();
        wanted.new.rules.check_players(players).map_err(|error| match error.option.as_str() {
            "players" => ServiceError::BadRules { option: "opponents".to_owned(), detail: error.detail },
            _ => error.into(),
        })?;
        self.durably(key.is_some(), false, move |mut connection, _| {
            let (wanted, key) = (wanted.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| create(connection, account, &wanted, key.as_ref()).await)
                    .await
            }
        })
        .await
    }

    /// A challenge that the caller is a member of.
    ///
    /// # Errors
    /// `ChallengeNotFound`.
    #[boxed]
    pub async fn challenge(&self, account: AccountId, id: ChallengeId) -> Result<Challenge, ServiceError> {
        let connection = self.store.connection().await?;
        let row = challenge_find(&connection, account, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
        Loaded::of(&connection, row).await?.seen(account, Utc::now())
    }

    /// The caller's challenges, newest first.
    ///
    /// # Errors
    /// `InvalidParameter` if the cursor is not valid.
    #[boxed]
    pub async fn list_challenges(
        &self,
        account: AccountId,
        query: ChallengeQuery,
    ) -> Result<Page<Challenge>, ServiceError> {
        let asked = PageQuery::new(query.cursor.as_deref(), query.limit)?;
        let standing = query.status.map(ChallengeStatus::standing);
        let filter = ChallengeFilter { outgoing: query.outgoing, standing, before: asked.after };
        let (connection, now) = (self.store.connection().await?, Utc::now());
        let rows = challenge_list(&connection, account, filter, (now, now - LISTED), asked.rows()).await?;
        let Page { items, next_cursor } = asked.page(rows, |row| row.id);
        Ok(Page { items: seen_by(&connection, account, items, now).await?, next_cursor })
    }
}

/// The open challenges that an account can see, those that wait for its answer first, at most `limit`; and their total
/// number.
///
/// # Errors
/// Those of the database.
pub(crate) async fn open_challenges(
    connection: &Connection,
    account: AccountId,
    now: DateTime<Utc>,
    limit: i64,
) -> Result<(Vec<ChallengeRow>, i64), ServiceError> {
    let first = now.checked_sub_signed(MOST_WAITS).and_then(first_id_of).unwrap_or_default();
    Ok(challenge_list_open(connection, account, (now, first), limit).await?)
}

/// These challenges with their members, as an account sees them.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn seen_by(
    connection: &Connection,
    account: AccountId,
    rows: Vec<ChallengeRow>,
    now: DateTime<Utc>,
) -> Result<Vec<Challenge>, ServiceError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut members: HashMap<Uuid, Vec<ChallengeMemberRow>> = HashMap::new();
    for member in challenge_member_list(connection, &ids).await? {
        members.entry(member.challenge_id).or_default().push(member);
    }
    let seen = rows.into_iter().map(|row| {
        let members = members.remove(&row.id).unwrap_or_default();
        Loaded { row, members }.seen(account, now)
    });
    seen.collect()
}

/// Stores a challenge, accepted by its maker. Locks the account, as its open challenges are counted.
pub(crate) async fn enter(
    connection: &Connection,
    account: AccountId,
    wanted: &Wanted<'_>,
) -> Result<(Loaded, DateTime<Utc>), ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    check_all(connection, wanted.new, &row, &wanted.opponents).await?;
    let at = clock_read(connection).await?;
    if CHALLENGES.reached(challenge_count_open(connection, account, at).await?) {
        return Err(ServiceError::TooManyChallenges);
    }
    check_running(connection, account).await?;
    CHALLENGES.count_in_txn(connection, account, ServiceError::TooManyChallengesToday).await?;
    let new = wanted.new;
    let Drawn { id, secret, commitment } = Drawn::draw()?;
    let row = ChallengeRow {
        id: ChallengeId::generate().0,
        challenger_id: account.0,
        match_id: id.0,
        rematch_of: wanted.rematch_of.map(|id| id.0),
        rules: serde_json::to_value(new.rules.options()).map_err(ServiceError::internal)?,
        preset: new.preset.clone(),
        size: new.size,
        seat_order: new.seat_order().to_owned(),
        secret: Some(secret),
        commitment,
        created_at: at,
        expires_at: at + wanted.time,
        outcome: None,
        ended_at: None,
        pace: Some(new.time_control.to_stored()?),
        rated: new.rated,
    };
    challenge_insert_in_txn(connection, &row).await?;
    let members = std::iter::once(&account).chain(&wanted.opponents);
    let members: Vec<_> = (0_i16..)
        .zip(members)
        .map(|(place, member)| NewChallengeMember {
            challenge_id: row.id,
            account_id: member.0,
            place,
            client_seed: if place == 0 { wanted.client_seed } else { "" },
            accepted_at: (place == 0).then_some(at),
        })
        .collect();
    challenge_member_insert_all_in_txn(connection, &members).await?;
    invite_in_txn(connection, row.id, at).await?;
    let loaded = Loaded::of(connection, row).await?;
    Ok((house_bots_accept(connection, account, loaded, at).await?, at))
}

/// The repeated answer of an idempotency key, if the key was used before.
pub(crate) async fn again(
    connection: &Connection,
    account: AccountId,
    key: Option<&IdempotencyKey>,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    let Some(known) = stored_write(connection, account, KeyKind::Challenge, key).await? else {
        return Ok(None);
    };
    let found = challenge_find(connection, account, ChallengeId(known.target)).await?;
    let loaded = Loaded::of(connection, found.ok_or(ServiceError::ChallengeNotFound)?).await?;
    loaded.answer(account, known.at, true).map(Some)
}

/// Stores the idempotency key of a write.
pub(crate) async fn note(
    connection: &Connection,
    account: AccountId,
    key: Option<&IdempotencyKey>,
    (id, at): (ChallengeId, DateTime<Utc>),
) -> Result<(), ServiceError> {
    store_key(connection, account, KeyKind::Challenge, key, (id.0, 0, at)).await
}

async fn create(
    connection: &Connection,
    account: AccountId,
    wanted: &NewChallenge,
    key: Option<&IdempotencyKey>,
) -> Result<ChallengeAnswer, ServiceError> {
    if let Some(answer) = again(connection, account, key).await? {
        return Ok(answer);
    }
    let wanted = Wanted {
        new: &wanted.new,
        opponents: find_all(connection, account, &wanted.opponents).await?,
        rematch_of: None,
        time: wanted.time.unwrap_or_else(|| CHALLENGES.life()),
        client_seed: &wanted.client_seed,
    };
    let (loaded, at) = enter(connection, account, &wanted).await?;
    note(connection, account, key, (loaded.id(), at)).await?;
    loaded.answer(account, at, false)
}

fn check_names(names: &[String]) -> Result<(), ServiceError> {
    let refused = |detail| Err(ServiceError::InvalidField { field: "opponents", detail });
    if !(1..=9).contains(&names.len()) {
        return refused("must have 1 to 9 names");
    }
    // No account has a name of another form.
    if let Some(place) = names.iter().position(|name| check_username(name).is_err()) {
        return Err(ServiceError::OpponentNotFound(place));
    }
    let twice = (0..).zip(names).any(|(place, name)| names.iter().take(place).any(|other| other == name));
    if twice { refused("names a player twice") } else { Ok(()) }
}

async fn find_all(
    connection: &Connection,
    account: AccountId,
    names: &[String],
) -> Result<Vec<AccountId>, ServiceError> {
    house_bots::make_named(connection, names).await?;
    let found = account_list_by_username(connection, names).await?;
    // An account deletion that begins from now on finds the challenge, and leaves it.
    let ids: Vec<Uuid> = found.iter().map(|row| row.id).collect();
    let rows = account_keep_in_txn(connection, &ids).await?;
    let known: HashMap<String, AccountId> =
        rows.into_iter().map(|row| (row.username, AccountId(row.id))).collect();
    let found = (0..).zip(names).map(|(place, name)| match known.get(name) {
        Some(&found) if found == account => {
            Err(ServiceError::InvalidField { field: "opponents", detail: "names yourself" })
        }
        Some(&found) => Ok(found),
        None => Err(ServiceError::OpponentNotFound(place)),
    });
    found.collect()
}
