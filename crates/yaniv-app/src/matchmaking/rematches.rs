//! Rematches: the players of a finished match play another one. An offer is a challenge to all other players;
//! offering one while an offer is open accepts it. Answers are in `challenge_answers`.

use chrono::{DateTime, Utc};
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::matchmaking::challenges::{ChallengeRow, challenge_list_rematches, challenge_lock};
use yaniv_db::{Connection, Transactions};
use yaniv_match::MatchState;
use yaniv_match::status::Status;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::kernel::bounds::CHALLENGES;
use crate::kernel::boxed;
use crate::lobby::create::NewMatch;
use crate::lobby::join_leave_start::check_client_seed;
use crate::lobby::open_seats::check_running;
use crate::matchmaking::challenge_answers::accept_locked;
use crate::matchmaking::challenge_view::{Challenge, ChallengeAnswer, ChallengeStatus, Loaded};
use crate::matchmaking::challenges::{Wanted, again, enter, note};
use crate::{ServiceError, Services};

/// An offer: all that is known before locking.
#[derive(Clone)]
struct Offer {
    over: MatchId,
    new: NewMatch,
    others: Vec<AccountId>,
    client_seed: String,
    key: Option<IdempotencyKey>,
}

impl Services {
    /// Offers the players of a finished match a rematch by the same rules with random seats, or accepts the
    /// open offer.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotOver`, `TooFewPlayers` if no other account is left, `TooManyChallenges`,
    /// `TooManyChallengesToday`, `TooManyRunningMatches`, `ChallengeOver`, `InvalidField`, `KeyReused`.
    #[boxed]
    pub async fn offer_rematch(
        &self,
        account: AccountId,
        id: MatchId,
        client_seed: String,
        key: Option<IdempotencyKey>,
    ) -> Result<ChallengeAnswer, ServiceError> {
        check_client_seed(&client_seed)?;
        let state = self.match_for(account, id).await?;
        if state.status() != Status::Finished {
            return Err(ServiceError::NotOver);
        }
        let offer = Offer::of(&state, account, client_seed, key);
        self.durably(offer.key.is_some(), false, move |mut connection, _| {
            let asked = offer.clone();
            async move {
                let offered = connection
                    .transaction(async |connection| offer_or_accept(connection, account, &asked).await)
                    .await?;
                offered.ok_or(ServiceError::ChallengeOver)
            }
        })
        .await
    }

    /// The rematch of a match of the caller: the accepted offer, otherwise the newest one.
    ///
    /// # Errors
    /// `MatchNotFound`, `ChallengeNotFound` if there is no offer.
    #[boxed]
    pub async fn rematch(&self, account: AccountId, id: MatchId) -> Result<Challenge, ServiceError> {
        self.match_for(account, id).await?;
        let (connection, now) = (self.store.connection().await?, Utc::now());
        let rows = challenge_list_rematches(&connection, account, id).await?;
        let row = pick(rows, now).ok_or(ServiceError::ChallengeNotFound)?;
        Loaded::of(&connection, row).await?.seen(account, now)
    }
}

impl Offer {
    fn of(state: &MatchState, account: AccountId, client_seed: String, key: Option<IdempotencyKey>) -> Self {
        let players = state.players().iter().map(|player| player.account);
        Self {
            over: state.id(),
            new: NewMatch {
                rules: state.rules().clone(),
                preset: state.settings().preset.clone(),
                // The number of actual players, regardless of the number of seats.
                size: i16::try_from(state.players().len()).unwrap_or(state.settings().size),
                random_seats: true,
                public: false,
                code_time: None,
                time_control: state.settings().time_control,
                sandbox: false,
                rated: state.settings().rated,
                secret: None,
            },
            others: players.filter(|player| *player != account).collect(),
            client_seed,
            key,
        }
    }

    fn wanted<'a>(&'a self, new: &'a NewMatch, opponents: Vec<AccountId>) -> Wanted<'a> {
        Wanted {
            new,
            opponents,
            rematch_of: Some(self.over),
            time: CHALLENGES.life(),
            client_seed: &self.client_seed,
        }
    }
}

/// Under the lock of the finished match, so that the second of two concurrent offers accepts the first.
async fn offer_or_accept(
    connection: &Connection,
    account: AccountId,
    offer: &Offer,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    if let Some(answer) = again(connection, account, offer.key.as_ref()).await? {
        return Ok(Some(answer));
    }
    match_lock(connection, offer.over).await?;
    let offers = async || challenge_list_rematches(connection, account, offer.over).await;
    // Declining and withdrawing take only the lock of the challenge.
    for row in offers().await?.iter().filter(|row| row.outcome.is_none()) {
        challenge_lock(connection, ChallengeId(row.id)).await?;
    }
    let now = clock_read(connection).await?;
    let (answer, id, at) = match pick(offers().await?, now).filter(|row| counts(row, now)) {
        None => {
            let others = those_who_are_left(connection, &offer.others).await?;
            let size = i16::try_from(others.len()).unwrap_or_default().saturating_add(1);
            let new = NewMatch { size, ..offer.new.clone() };
            let (loaded, at) = enter(connection, account, &offer.wanted(&new, others)).await?;
            let id = loaded.id();
            (Some(loaded.answer(account, at, false)?), id, at)
        }
        Some(row) => {
            let loaded = Loaded::of(connection, row).await?;
            let (id, seed) = (loaded.id(), offer.client_seed.as_str());
            check_running(connection, account).await?;
            let accepted = loaded.member(account).is_some_and(|member| member.accepted_at.is_some());
            let answer = if accepted {
                Some(loaded.answer(account, now, false)?)
            } else {
                accept_locked(connection, account, loaded, seed, now).await?
            };
            (answer, id, now)
        }
    };
    if answer.is_some() {
        note(connection, account, offer.key.as_ref(), (id, at)).await?;
    }
    Ok(answer)
}

/// The other players whose accounts are not deleted.
async fn those_who_are_left(
    connection: &Connection,
    others: &[AccountId],
) -> Result<Vec<AccountId>, ServiceError> {
    let ids: Vec<_> = others.iter().map(|other| other.0).collect();
    let there = account_keep_in_txn(connection, &ids).await?;
    let left = |other: &AccountId| there.iter().any(|row| row.id == other.0);
    let others: Vec<AccountId> = others.iter().copied().filter(left).collect();
    if others.is_empty() { Err(ServiceError::TooFewPlayers) } else { Ok(others) }
}

/// Whether an offer prevents another one: it has led to a match, or is open.
fn counts(row: &ChallengeRow, now: DateTime<Utc>) -> bool {
    match row.outcome.as_deref() {
        None => now < row.expires_at,
        Some(outcome) => outcome == ChallengeStatus::Accepted.as_str(),
    }
}

/// The relevant one of all offers, which are sorted newest first: the accepted one, otherwise the oldest open
/// one, otherwise the newest.
fn pick(rows: Vec<ChallengeRow>, now: DateTime<Utc>) -> Option<ChallengeRow> {
    let accepted = rows.iter().position(|row| row.outcome.is_some() && counts(row, now));
    let open = rows.iter().rposition(|row| counts(row, now));
    let place = accepted.or(open).unwrap_or_default();
    rows.into_iter().nth(place)
}
