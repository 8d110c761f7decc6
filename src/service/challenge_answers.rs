//! What becomes of a challenge: accepted, declined, withdrawn, or given up by a block. Each is decided under the lock of its
//! row, by the database's clock read after it; who accepts last makes the match.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::challenge::{ChallengeAnswer, ChallengeStatus, DeclineReason, Loaded};
use super::creation::{Drawn, NewMatch, RANDOM};
use super::lobby::check_client_seed;
use super::made_match::{Joining, make_started};
use super::pace::Pace;
use super::{ServiceError, Services};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::account_keep_in_txn;
use crate::store::blocks::blocker_list;
use crate::store::challenge_members::{challenge_member_accept_in_txn, challenge_member_decline_in_txn};
use crate::store::challenges::{
    challenge_end_in_txn, challenge_find, challenge_lock, challenge_lock_all_of,
    challenge_withdraw_rest_in_txn,
};
use crate::store::clock::clock_read;
use crate::store::matches::match_lock;

impl Services {
    /// Accepts a challenge; who is the last to do so makes the match. Accepted again, it stays as it is, and the first client
    /// seed counts.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `OwnChallenge`, `ChallengeOver`, `InvalidField`.
    pub async fn accept_challenge(
        &self,
        account: AccountId,
        id: ChallengeId,
        client_seed: String,
    ) -> Result<ChallengeAnswer, ServiceError> {
        check_client_seed(&client_seed)?;
        self.durably(true, false, move |mut connection, _| {
            let seed = client_seed.clone();
            async move {
                let accepted = connection
                    .transaction(async |connection| accept(connection, account, id, &seed).await)
                    .await?;
                accepted.ok_or(ServiceError::ChallengeOver)
            }
        })
        .await
    }

    /// Declines a challenge, which ends it for all; also after having accepted it. Declined again, it stays as it is.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `OwnChallenge`, `ChallengeOver`.
    pub async fn decline_challenge(
        &self,
        account: AccountId,
        id: ChallengeId,
        reason: DeclineReason,
    ) -> Result<ChallengeAnswer, ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection.transaction(async |connection| decline(connection, account, id, reason).await).await
        })
        .await
    }

    /// Takes a challenge back. Taken back again, it stays as it is.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `ChallengerOnly`, `ChallengeOver`.
    pub async fn withdraw_challenge(
        &self,
        account: AccountId,
        id: ChallengeId,
    ) -> Result<ChallengeAnswer, ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection.transaction(async |connection| withdraw(connection, account, id).await).await
        })
        .await
    }
}

/// Notes that a member accepts a challenge that is open and locked. If that was the last, the match is made; unless two
/// of them must not meet: then whoever has blocked the other has given the challenge up, and there is no answer.
pub(super) async fn accept_locked(
    connection: &AsyncPgConnection,
    account: AccountId,
    loaded: Loaded,
    client_seed: &str,
    at: DateTime<Utc>,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    let id = loaded.id();
    if account_keep_in_txn(connection, &[account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    challenge_member_accept_in_txn(connection, id, account, client_seed, at).await?;
    let mut loaded = Loaded::of(connection, loaded.row).await?;
    if loaded.members.iter().all(|member| member.accepted_at.is_some()) {
        let members: Vec<Uuid> = loaded.members.iter().map(|member| member.account_id).collect();
        if let Some(blocker) = blocker_list(connection, &members).await?.first() {
            give_up(connection, &loaded, AccountId(*blocker), at).await?;
            return Ok(None);
        }
        make_match(connection, &mut loaded, at).await?;
    }
    loaded.answer(account, at, false).map(Some)
}

/// Ends the challenges in which an account is a member: those that it has made are withdrawn, others declined. With somebody
/// else, whom it does not want to meet: those with both, and of others only what it had accepted. What it had not
/// answered looks as if it never would be.
///
/// # Errors
/// Those of the database. Deadlocks are broken as `Busy`.
pub(super) async fn give_up_all(
    connection: &AsyncPgConnection,
    account: AccountId,
    other: Option<AccountId>,
) -> Result<(), ServiceError> {
    let rows = challenge_lock_all_of(connection, account, other).await?;
    if rows.is_empty() {
        return Ok(());
    }
    let at = clock_read(connection).await?;
    for row in rows {
        let loaded = Loaded::of(connection, row).await?;
        let answered = loaded.member(account).is_some_and(|member| member.accepted_at.is_some());
        let concerned = answered || other.is_none();
        if concerned && loaded.status(at) == ChallengeStatus::Open {
            give_up(connection, &loaded, account, at).await?;
        }
    }
    Ok(())
}

async fn accept(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: ChallengeId,
    client_seed: &str,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    let found = challenge_find(connection, account, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
    // Before the challenge's own lock, as who offers a rematch has it: there is one rematch of a match at most.
    if let Some(over) = found.rematch_of {
        match_lock(connection, MatchId(over)).await?;
    }
    let (loaded, at) = hold(connection, account, id).await?;
    let mine = loaded.member(account).ok_or(ServiceError::ChallengeNotFound)?;
    match (mine.accepted_at, mine.declined_at) {
        _ if mine.place == 0 => Err(ServiceError::OwnChallenge),
        (Some(accepted_at), None) => loaded.answer(account, accepted_at, false).map(Some),
        _ if loaded.status(at) != ChallengeStatus::Open => Err(ServiceError::ChallengeOver),
        _ => accept_locked(connection, account, loaded, client_seed, at).await,
    }
}

async fn decline(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: ChallengeId,
    reason: DeclineReason,
) -> Result<ChallengeAnswer, ServiceError> {
    let (loaded, at) = hold(connection, account, id).await?;
    let mine = loaded.member(account).ok_or(ServiceError::ChallengeNotFound)?;
    match mine.declined_at {
        _ if mine.place == 0 => Err(ServiceError::OwnChallenge),
        Some(declined_at) => loaded.answer(account, declined_at, false),
        None if loaded.status(at) != ChallengeStatus::Open => Err(ServiceError::ChallengeOver),
        None => {
            challenge_member_decline_in_txn(connection, id, account, reason.as_str(), at).await?;
            end(connection, loaded, ChallengeStatus::Declined, (account, at)).await
        }
    }
}

async fn withdraw(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: ChallengeId,
) -> Result<ChallengeAnswer, ServiceError> {
    let (loaded, at) = hold(connection, account, id).await?;
    match (loaded.status(at), loaded.row.ended_at) {
        _ if loaded.row.challenger_id != account.0 => Err(ServiceError::ChallengerOnly),
        (ChallengeStatus::Withdrawn, Some(ended_at)) => loaded.answer(account, ended_at, false),
        (ChallengeStatus::Open, _) => {
            end(connection, loaded, ChallengeStatus::Withdrawn, (account, at)).await
        }
        _ => Err(ServiceError::ChallengeOver),
    }
}

/// Locks a challenge that the account sees, and reads it and the clock. Who does not see it neither waits for the lock nor makes
/// others wait.
async fn hold(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: ChallengeId,
) -> Result<(Loaded, DateTime<Utc>), ServiceError> {
    let find = async || challenge_find(connection, account, id).await?.ok_or(ServiceError::ChallengeNotFound);
    find().await?;
    challenge_lock(connection, id).await?;
    let at = clock_read(connection).await?;
    Ok((Loaded::of(connection, find().await?).await?, at))
}

async fn end(
    connection: &AsyncPgConnection,
    loaded: Loaded,
    how: ChallengeStatus,
    (account, at): (AccountId, DateTime<Utc>),
) -> Result<ChallengeAnswer, ServiceError> {
    challenge_end_in_txn(connection, loaded.id(), how.as_str(), at).await?;
    let mut ended = Loaded::of(connection, loaded.row).await?;
    (ended.row.outcome, ended.row.ended_at) = (Some(how.as_str().to_owned()), Some(at));
    ended.answer(account, at, false)
}

/// Ends a challenge that is open and locked, as if the member had said so.
async fn give_up(
    connection: &AsyncPgConnection,
    loaded: &Loaded,
    member: AccountId,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let how = if loaded.row.challenger_id == member.0 {
        ChallengeStatus::Withdrawn
    } else {
        let reason = DeclineReason::default().as_str();
        challenge_member_decline_in_txn(connection, loaded.id(), member, reason, at).await?;
        ChallengeStatus::Declined
    };
    challenge_end_in_txn(connection, loaded.id(), how.as_str(), at).await?;
    Ok(())
}

/// Makes the match of a challenge that everybody has accepted.
async fn make_match(
    connection: &AsyncPgConnection,
    loaded: &mut Loaded,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let id = loaded.id();
    let row = &mut loaded.row;
    let secret =
        row.secret.take().ok_or_else(|| StoreError::Damaged(format!("secret of challenge {}", row.id)))?;
    let drawn = Drawn { id: MatchId(row.match_id), secret, commitment: row.commitment.clone() };
    let new = NewMatch {
        rules: yaniv_engine::rules_from_json(&row.rules).map_err(ServiceError::internal)?,
        preset: row.preset.clone(),
        size: row.size,
        random_seats: row.seat_order == RANDOM,
        public: false,
        code_time: None,
        pace: Pace::from_stored(row.pace.as_ref())?,
        sandbox: false,
        rated: row.rated,
        secret: None,
    };
    let joining = loaded.members.iter();
    let joining: Vec<Joining> =
        joining.map(|member| (AccountId(member.account_id), member.client_seed.clone())).collect();
    make_started(connection, &new, drawn, &joining, at).await?;
    let made = ChallengeStatus::Accepted.as_str();
    challenge_end_in_txn(connection, id, made, at).await?;
    (row.outcome, row.ended_at) = (Some(made.to_owned()), Some(at));
    if let Some(over) = row.rematch_of {
        challenge_withdraw_rest_in_txn(connection, MatchId(over), at).await?;
    }
    Ok(())
}
