//! Rows of `challenges`: settings and outcome of a challenge. Changed only under the lock of the row; the
//! members are in `challenge_members`.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::{count_star, exists, sql};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::error::StoreError;
use crate::schema::{challenge_members, challenges};

/// A challenge.
#[derive(Clone, Queryable, Selectable, Insertable)]
#[diesel(table_name = challenges)]
pub struct ChallengeRow {
    /// Identifier.
    pub id: Uuid,
    /// Account that created it.
    pub challenger_id: Uuid,
    /// Identifier of the match, existing or future.
    pub match_id: Uuid,
    /// The match that it is a rematch of.
    pub rematch_of: Option<Uuid>,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Number of players.
    pub size: i16,
    /// `joined` or `random`.
    pub seat_order: String,
    /// `s[1000]` of the seed chain, until the challenge ends.
    pub secret: Option<Vec<u8>>,
    /// `s[0]` of the seed chain, in hexadecimal.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires, unless it ended before.
    pub expires_at: DateTime<Utc>,
    /// `accepted`, `declined` or `withdrawn`.
    pub outcome: Option<String>,
    /// Time of the outcome.
    pub ended_at: Option<DateTime<Utc>>,
    /// Time control and timeouts for absent players; none: no clock.
    pub pace: Option<serde_json::Value>,
    /// Whether the match is to be rated.
    pub rated: bool,
}

/// Filters of an account's challenges.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChallengeFilter {
    /// Only those it created, or only those of others.
    pub outgoing: Option<bool>,
    /// Only those in this state.
    pub standing: Option<Standing>,
    /// Cursor: older than this one.
    pub before: Option<Uuid>,
}

/// State of a challenge, as distinguished by the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Can still be answered.
    Open,
    /// Expired without an outcome.
    Expired,
    /// Ended with this value of `outcome`.
    Ended(&'static str),
}

/// SQL condition: whether the member whose row is joined can see the challenge.
///
/// The challenger and members who answered can. Members who blocked another member, or had been blocked by
/// one before the challenge was created, cannot.
/// Being blocked later does not hide the challenge, so the block is not revealed.
pub(crate) const SEEN: &str = "(challenge_members.place = 0 OR challenge_members.accepted_at IS NOT NULL \
     OR challenge_members.declined_at IS NOT NULL OR NOT EXISTS (SELECT 1 FROM challenge_members o \
         JOIN blocks b ON b.blocker_id = challenge_members.account_id AND b.blocked_id = o.account_id \
         WHERE o.challenge_id = challenges.id) \
     AND NOT EXISTS (SELECT 1 FROM challenge_members o \
         JOIN blocks b ON b.blocker_id = o.account_id AND b.blocked_id = challenge_members.account_id \
         WHERE o.challenge_id = challenges.id AND b.created_at <= challenges.created_at))";

/// Finds a challenge visible to an account; none for others.
///
/// # Errors
/// Any database error.
pub async fn challenge_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: ChallengeId,
) -> Result<Option<ChallengeRow>, StoreError> {
    Ok(challenges::table
        .inner_join(challenge_members::table)
        .filter(challenges::id.eq(id.0))
        .filter(challenge_members::account_id.eq(account.0))
        .filter(sql::<Bool>(SEEN))
        .select(ChallengeRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Locks a challenge until the end of the transaction.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn challenge_lock(mut connection: &AsyncPgConnection, id: ChallengeId) -> Result<(), StoreError> {
    challenges::table
        .find(id.0)
        .select(challenges::id)
        .for_no_key_update()
        .first::<Uuid>(&mut connection)
        .await
        .optional()?;
    Ok(())
}

/// Locks all unended challenges of an account; or only those that another given account is a member of, too.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn challenge_lock_all_of(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    other: Option<AccountId>,
) -> Result<Vec<ChallengeRow>, StoreError> {
    let member = |account: AccountId| {
        let rows = challenge_members::table.filter(challenge_members::challenge_id.eq(challenges::id));
        exists(rows.filter(challenge_members::account_id.eq(account.0)))
    };
    let mut query =
        challenges::table.filter(challenges::outcome.is_null()).filter(member(account)).into_boxed();
    if let Some(other) = other {
        query = query.filter(member(other));
    }
    let ids: Vec<Uuid> = query.order(challenges::id).select(challenges::id).load(&mut connection).await?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    Ok(challenges::table
        .filter(challenges::id.eq_any(ids))
        .filter(challenges::outcome.is_null())
        .order(challenges::id)
        .for_no_key_update()
        .select(ChallengeRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Challenges visible to an account, newest first; leaves out those that ended before a time.
///
/// # Errors
/// Any database error.
pub async fn challenge_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    filter: ChallengeFilter,
    (now, ended_after): (DateTime<Utc>, DateTime<Utc>),
    limit: i64,
) -> Result<Vec<ChallengeRow>, StoreError> {
    let recent = challenges::outcome.is_null().and(challenges::expires_at.gt(ended_after));
    let mut query = challenge_members::table
        .inner_join(challenges::table)
        .filter(challenge_members::account_id.eq(account.0))
        .filter(sql::<Bool>(SEEN))
        .filter(challenges::ended_at.gt(ended_after).or(recent))
        .order(challenge_members::challenge_id.desc())
        .limit(limit)
        .select(ChallengeRow::as_select())
        .into_boxed();
    query = match filter.outgoing {
        Some(true) => query.filter(challenges::challenger_id.eq(account.0)),
        Some(false) => query.filter(challenges::challenger_id.ne(account.0)),
        None => query,
    };
    let not_ended = || challenges::outcome.is_null();
    query = match filter.standing {
        Some(Standing::Open) => query.filter(not_ended().and(challenges::expires_at.gt(now))),
        Some(Standing::Expired) => query.filter(not_ended().and(challenges::expires_at.le(now))),
        Some(Standing::Ended(outcome)) => query.filter(challenges::outcome.eq(outcome)),
        None => query,
    };
    if let Some(before) = filter.before {
        query = query.filter(challenge_members::challenge_id.lt(before));
    }
    Ok(query.load(&mut connection).await?)
}

/// The open challenges visible to an account, at most `limit`, and their total number.
///
/// Those that wait for its answer come first, then the newest. `first` is the smallest identifier that an open
/// challenge can have.
///
/// # Errors
/// Any database error.
pub async fn challenge_list_open(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    (now, first): (DateTime<Utc>, Uuid),
    limit: i64,
) -> Result<(Vec<ChallengeRow>, i64), StoreError> {
    let rows: Vec<(ChallengeRow, i64)> = challenge_members::table
        .inner_join(challenges::table)
        .filter(challenge_members::account_id.eq(account.0).and(challenge_members::challenge_id.ge(first)))
        .filter(sql::<Bool>(SEEN))
        .filter(challenges::outcome.is_null().and(challenges::expires_at.gt(now)))
        .order((challenge_members::accepted_at.is_not_null(), challenge_members::challenge_id.desc()))
        .limit(limit)
        .select((ChallengeRow::as_select(), sql::<BigInt>("count(*) OVER ()")))
        .load(&mut connection)
        .await?;
    let count = rows.as_slice().first().map_or(0, |(_, count)| *count);
    Ok((rows.into_iter().map(|(row, _)| row).collect(), count))
}

/// Rematch offers visible to an account, newest first.
///
/// # Errors
/// Any database error.
pub async fn challenge_list_rematches(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    of: MatchId,
) -> Result<Vec<ChallengeRow>, StoreError> {
    Ok(challenges::table
        .inner_join(challenge_members::table)
        .filter(challenges::rematch_of.eq(of.0))
        .filter(challenge_members::account_id.eq(account.0))
        .filter(sql::<Bool>(SEEN))
        .order(challenges::id.desc())
        .select(ChallengeRow::as_select())
        .load(&mut connection)
        .await?)
}

/// The number of open challenges created by an account.
///
/// # Errors
/// Any database error.
pub async fn challenge_count_open(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    Ok(challenges::table
        .filter(challenges::challenger_id.eq(account.0))
        .filter(challenges::outcome.is_null().and(challenges::expires_at.gt(now)))
        .select(count_star())
        .first(&mut connection)
        .await?)
}

/// Stores a new challenge.
///
/// # Errors
/// Any database error.
pub async fn challenge_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChallengeRow,
) -> Result<(), StoreError> {
    diesel::insert_into(challenges::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Ends a locked challenge and deletes its secret.
///
/// # Errors
/// Any database error.
pub async fn challenge_end_in_txn(
    mut connection: &AsyncPgConnection,
    id: ChallengeId,
    outcome: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(challenges::table.find(id.0))
        .set((
            challenges::outcome.eq(outcome),
            challenges::ended_at.eq(at),
            challenges::secret.eq(None::<Vec<u8>>),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Withdraws all unended offers of a rematch after one was accepted.
///
/// # Errors
/// Any database error.
pub async fn challenge_withdraw_rest_in_txn(
    mut connection: &AsyncPgConnection,
    rematch_of: MatchId,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(challenges::table)
        .filter(challenges::rematch_of.eq(rematch_of.0).and(challenges::outcome.is_null()))
        .filter(challenges::expires_at.gt(at))
        .set((
            challenges::outcome.eq("withdrawn"),
            challenges::ended_at.eq(at),
            challenges::secret.eq(None::<Vec<u8>>),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes a batch of challenges that ended longer ago than this, except those that became a match: they link rematches
/// to their matches. Returns their number.
///
/// # Errors
/// Any database error.
pub async fn challenge_forget_old(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    limit: i64,
) -> Result<i64, StoreError> {
    let deleted = diesel::sql_query(
        "DELETE FROM challenges WHERE id IN (SELECT id FROM challenges WHERE outcome IS DISTINCT FROM 'accepted' \
         AND COALESCE(ended_at, expires_at) < now() - make_interval(secs => $1) LIMIT $2)",
    )
    .bind::<diesel::sql_types::Double, _>(ago.as_seconds_f64())
    .bind::<BigInt, _>(limit)
    .execute(&mut connection)
    .await?;
    Ok(i64::try_from(deleted).unwrap_or(limit))
}
