//! Answers to challenges: accept, decline, withdraw, and giving up because of a block.
//!
//! Each is decided under the lock of the challenge's row, at the database time read after locking. The last
//! acceptance creates the match. Creation of challenges is in `challenges`.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::accounts::blocks::blocker_list;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::matchmaking::challenge_members::{
    challenge_member_accept_in_txn, challenge_member_decline_in_txn,
};
use yaniv_db::matchmaking::challenges::{
    challenge_end_in_txn, challenge_find, challenge_lock, challenge_lock_all_of,
    challenge_withdraw_rest_in_txn,
};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_match::settings::{RANDOM, level_of};
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::kernel::boxed;
use crate::lobby::create::{Drawn, NewMatch};
use crate::lobby::join_leave_start::check_client_seed;
use crate::lobby::open_seats::check_running;
use crate::lobby::start_seated::{Joining, make_started};
use crate::matchmaking::challenge_view::{ChallengeAnswer, ChallengeStatus, DeclineReason, Loaded};
use crate::{ServiceError, Services};

impl Services {
    /// Accepts a challenge; the last acceptance creates the match. Accepting again changes nothing: the first
    /// client seed counts.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `OwnChallenge`, `ChallengeOver`, `InvalidField`, `TooManyRunningMatches`.
    #[boxed]
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

    /// Declines a challenge, which ends it for all members; also after having accepted it. Declining again
    /// changes nothing.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `OwnChallenge`, `ChallengeOver`.
    #[boxed]
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

    /// Withdraws a challenge. Withdrawing again changes nothing.
    ///
    /// # Errors
    /// `ChallengeNotFound`, `ChallengerOnly`, `ChallengeOver`.
    #[boxed]
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

/// Stores the acceptance of a member, for a challenge that is open and locked. The last one creates the
/// match.
///
/// If a member has then blocked another, the blocking member gives the challenge up instead, and the result
/// is `None`.
pub(crate) async fn accept_locked(
    connection: &Connection,
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

/// Ends open challenges of an account: those made by it are withdrawn, others declined.
///
/// With `other`, an account that it has blocked: only challenges with both that it has made or accepted.
/// Unanswered ones stay open, so that the block is not revealed.
///
/// # Errors
/// Those of the database. Deadlocks are reported as `Busy`.
pub(crate) async fn give_up_all(
    connection: &Connection,
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
    connection: &Connection,
    account: AccountId,
    id: ChallengeId,
    client_seed: &str,
) -> Result<Option<ChallengeAnswer>, ServiceError> {
    let found = challenge_find(connection, account, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
    // Lock the match before the challenge, in the same order as offers of rematches: a match has at most one
    // rematch.
    if let Some(over) = found.rematch_of {
        match_lock(connection, MatchId(over)).await?;
    }
    let (loaded, at) = hold(connection, account, id).await?;
    let mine = loaded.member(account).ok_or(ServiceError::ChallengeNotFound)?;
    match (mine.accepted_at, mine.declined_at) {
        _ if mine.place == 0 => Err(ServiceError::OwnChallenge),
        (Some(accepted_at), None) => loaded.answer(account, accepted_at, false).map(Some),
        _ if loaded.status(at) != ChallengeStatus::Open => Err(ServiceError::ChallengeOver),
        _ => {
            check_running(connection, account).await?;
            accept_locked(connection, account, loaded, client_seed, at).await
        }
    }
}

async fn decline(
    connection: &Connection,
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
    connection: &Connection,
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

/// Locks a challenge that the account can see, then reads the clock and the challenge. Callers who cannot see
/// it neither wait for the lock nor hold it.
async fn hold(
    connection: &Connection,
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
    connection: &Connection,
    loaded: Loaded,
    how: ChallengeStatus,
    (account, at): (AccountId, DateTime<Utc>),
) -> Result<ChallengeAnswer, ServiceError> {
    challenge_end_in_txn(connection, loaded.id(), how.as_str(), at).await?;
    let mut ended = Loaded::of(connection, loaded.row).await?;
    (ended.row.outcome, ended.row.ended_at) = (Some(how.as_str().to_owned()), Some(at));
    ended.answer(account, at, false)
}

/// Ends a challenge that is open and locked, on behalf of a member.
async fn give_up(
    connection: &Connection,
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

/// Creates the match of a challenge that all members have accepted.
async fn make_match(
    connection: &Connection,
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
        time_control: TimeControl::from_stored(row.pace.as_ref())?,
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

/// Lets house bots accept a challenge that was just created; returns the challenge afterwards.
pub(crate) async fn house_bots_accept(
    connection: &Connection,
    challenger: AccountId,
    made: Loaded,
    at: DateTime<Utc>,
) -> Result<Loaded, ServiceError> {
    let bots = made.members.iter().filter(|member| level_of(member.level.as_deref()).is_some());
    let bots: Vec<AccountId> = bots.map(|member| AccountId(member.account_id)).collect();
    let id = made.id();
    let mut loaded = made;
    for bot in bots {
        if loaded.status(at) == ChallengeStatus::Open {
            accept_locked(connection, bot, loaded, "", at).await?;
        }
        let row = challenge_find(connection, challenger, id).await?.ok_or(ServiceError::ChallengeNotFound)?;
        loaded = Loaded::of(connection, row).await?;
    }
    Ok(loaded)
}
