//! Challenges: somebody asks others by name to play. Here they are made, looked at and listed; `challenge_answers` has
//! what becomes of them.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::accounts::check_username;
use super::challenge::{Challenge, ChallengeAnswer, ChallengeStatus, Loaded};
use super::creation::{Drawn, NewMatch};
use super::house_bots;
use super::lobby::check_client_seed;
use super::notices::invite_in_txn;
use super::rated_seats::{check_all, check_ratable};
use super::replay::IdempotencyKey;
use super::{ServiceError, Services};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::{account_keep_in_txn, account_list_by_username, account_lock};
use crate::store::challenge_keys::{ChallengeKeyRow, challenge_key_find, challenge_key_insert_in_txn};
use crate::store::challenge_members::{
    ChallengeMemberRow, NewChallengeMember, challenge_member_insert_all_in_txn, challenge_member_list,
};
use crate::store::challenges::{
    ChallengeFilter, ChallengeRow, challenge_count_open, challenge_find, challenge_insert_in_txn,
    challenge_list,
};
use crate::store::clock::clock_read;

/// Challenges that an account may have open at a time. How many others may challenge it is not limited.
const MOST_OPEN: i64 = 20;
/// How long a challenge waits unless somebody says otherwise.
pub(super) const WAITS: TimeDelta = TimeDelta::days(14);
/// How long those that are over stay in the list.
const LISTED: TimeDelta = TimeDelta::days(30);

/// What is wanted of a new challenge.
#[derive(Clone, Debug)]
pub struct NewChallenge {
    /// The match.
    pub new: NewMatch,
    /// Names of those who are asked, in the order of joining.
    pub opponents: Vec<String>,
    /// How long it can be answered.
    pub time: Option<TimeDelta>,
    /// The challenger's part of the shuffles.
    pub client_seed: String,
}

/// A challenge to be stored, its opponents found.
pub(super) struct Wanted<'a> {
    pub(super) new: &'a NewMatch,
    pub(super) opponents: Vec<AccountId>,
    pub(super) rematch_of: Option<MatchId>,
    pub(super) time: TimeDelta,
    pub(super) client_seed: &'a str,
}

/// Which challenges are wanted.
#[derive(Clone, Debug, Default)]
pub struct ChallengeQuery {
    /// Those that the caller has made, or those of others.
    pub outgoing: Option<bool>,
    /// Those that stand so.
    pub status: Option<ChallengeStatus>,
    /// Where the page before ended.
    pub cursor: Option<String>,
    /// How many.
    pub limit: i64,
}

/// A page of challenges.
pub struct ChallengePage {
    /// Newest first.
    pub items: Vec<Challenge>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// Challenges somebody. Between people of whom one has blocked another it has no effect that the caller would see.
    ///
    /// # Errors
    /// `BadRules`, `Rated`, `InvalidField`, `OpponentNotFound`, `TooManyChallenges`, `KeyReused`.
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
    pub async fn challenge(&self, account: AccountId, id: ChallengeId) -> Result<Challenge, ServiceError> {
        let connection = self.store.connection().await?;
        let row = challenge_find(&connection, account, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
        Loaded::of(&connection, row).await?.seen(account, Utc::now())
    }

    /// The caller's challenges, newest first. A page begins behind the last one of the page before, whatever has come
    /// meanwhile.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn list_challenges(
        &self,
        account: AccountId,
        query: ChallengeQuery,
    ) -> Result<ChallengePage, ServiceError> {
        let before = query
            .cursor
            .map(|cursor| Uuid::try_parse(&cursor).map_err(|_| ServiceError::InvalidParameter("cursor")))
            .transpose()?;
        let standing = query.status.map(ChallengeStatus::standing);
        let filter = ChallengeFilter { outgoing: query.outgoing, standing, before };
        let (connection, now) = (self.store.connection().await?, Utc::now());
        // One more than asked for tells whether there is another page.
        let most = query.limit.saturating_add(1);
        let mut rows = challenge_list(&connection, account, filter, (now, now - LISTED), most).await?;
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.id.simple().to_string());
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let mut members: HashMap<Uuid, Vec<ChallengeMemberRow>> = HashMap::new();
        for member in challenge_member_list(&connection, &ids).await? {
            members.entry(member.challenge_id).or_default().push(member);
        }
        let seen = |row: ChallengeRow| {
            let members = members.remove(&row.id).unwrap_or_default();
            Loaded { row, members }.seen(account, now)
        };
        let items = rows.into_iter().map(seen).collect::<Result<_, ServiceError>>()?;
        Ok(ChallengePage { items, next_cursor })
    }
}

/// Stores a challenge that its maker has accepted by making it. Locks the account: how many are open is counted.
pub(super) async fn enter(
    connection: &AsyncPgConnection,
    account: AccountId,
    wanted: &Wanted<'_>,
) -> Result<(Loaded, DateTime<Utc>), ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    check_all(connection, wanted.new, &row, &wanted.opponents).await?;
    let at = clock_read(connection).await?;
    if challenge_count_open(connection, account, at).await? >= MOST_OPEN {
        return Err(ServiceError::TooManyChallenges);
    }
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
        pace: Some(new.pace.to_stored()?),
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
    Ok((house_bots::accept(connection, account, loaded, at).await?, at))
}

/// The answer that belongs to a key, if it has been used.
pub(super) async fn again(
    connection: &AsyncPgConnection,
    account: AccountId,
    key: Option<&IdempotencyKey>,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    let Some(key) = key else { return Ok(None) };
    let Some(known) = challenge_key_find(connection, account, key.hash(account)).await? else {
        return Ok(None);
    };
    if known.fingerprint != key.fingerprint {
        return Err(ServiceError::KeyReused);
    }
    let found = challenge_find(connection, account, ChallengeId(known.challenge_id)).await?;
    let loaded = Loaded::of(connection, found.ok_or(ServiceError::ChallengeNotFound)?).await?;
    loaded.answer(account, known.at, true).map(Some)
}

/// Notes what a key has done.
pub(super) async fn note(
    connection: &AsyncPgConnection,
    account: AccountId,
    key: Option<&IdempotencyKey>,
    (id, at): (ChallengeId, DateTime<Utc>),
) -> Result<(), ServiceError> {
    let Some(key) = key else { return Ok(()) };
    let (account_id, key_hash) = (account.0, key.hash(account));
    let row = ChallengeKeyRow { account_id, key_hash, fingerprint: key.fingerprint, challenge_id: id.0, at };
    challenge_key_insert_in_txn(connection, &row).await.map_err(|error| match error {
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })
}

async fn create(
    connection: &AsyncPgConnection,
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
        time: wanted.time.unwrap_or(WAITS),
        client_seed: &wanted.client_seed,
    };
    let (loaded, at) = enter(connection, account, &wanted).await?;
    note(connection, account, key, (loaded.id(), at)).await?;
    loaded.answer(account, at, false)
}

fn check_names(names: &[String]) -> Result<(), ServiceError> {
    let refused = |detail| Err(ServiceError::InvalidField { field: "opponents", detail });
    if !(1..=9).contains(&names.len()) {
        return refused("has to have 1 to 9 names");
    }
    // No account has a name of another form.
    if let Some(place) = names.iter().position(|name| check_username(name).is_err()) {
        return Err(ServiceError::OpponentNotFound(place));
    }
    let twice = (0..).zip(names).any(|(place, name)| names.iter().take(place).any(|other| other == name));
    if twice { refused("names somebody twice") } else { Ok(()) }
}

async fn find_all(
    connection: &AsyncPgConnection,
    account: AccountId,
    names: &[String],
) -> Result<Vec<AccountId>, ServiceError> {
    house_bots::make_named(connection, names).await?;
    let found = account_list_by_username(connection, names).await?;
    // Who is deleted from now on finds the challenge, and leaves it.
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
