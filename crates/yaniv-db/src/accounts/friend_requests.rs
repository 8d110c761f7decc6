//! Rows of `friend_requests`: friend requests. Requests in both directions make a friendship.

use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::KIND_BOT;
use crate::error::StoreError;
use crate::schema::{accounts, blocks, friend_requests};

/// A friend request sent or received by an account.
#[derive(Clone, Debug, Queryable)]
pub struct FriendRequestRow {
    /// Account that sent it.
    pub wisher_id: Uuid,
    /// Account that received it.
    pub wished_id: Uuid,
    /// Username of the other account.
    pub username: String,
    /// Whether the other account is a bot.
    pub bot: bool,
    /// When it was sent.
    pub created_at: DateTime<Utc>,
}

/// Stores a friend request; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn friend_wish_insert(
    mut connection: &AsyncPgConnection,
    wisher: AccountId,
    wished: AccountId,
) -> Result<(), StoreError> {
    diesel::insert_into(friend_requests::table)
        .values((friend_requests::wisher_id.eq(wisher.0), friend_requests::wished_id.eq(wished.0)))
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the requests between two accounts, in both directions, and so their friendship.
///
/// # Errors
/// Any database error.
pub async fn friend_wish_delete(
    mut connection: &AsyncPgConnection,
    one: AccountId,
    other: AccountId,
) -> Result<(), StoreError> {
    let pair = |wisher: AccountId, wished: AccountId| {
        friend_requests::wisher_id.eq(wisher.0).and(friend_requests::wished_id.eq(wished.0))
    };
    diesel::delete(friend_requests::table.filter(pair(one, other).or(pair(other, one))))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// The number of requests that wait for the answer of an account; at most `limit` are counted.
///
/// Requests of accounts that block it or that it blocks are not counted.
///
/// # Errors
/// Any database error.
pub async fn friend_request_count(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<i64, StoreError> {
    let answer = diesel::alias!(friend_requests as answer);
    let (asked, asking) = (friend_requests::wished_id, friend_requests::wisher_id);
    let answered = answer
        .filter(answer.field(friend_requests::wisher_id).eq(asked))
        .filter(answer.field(friend_requests::wished_id).eq(asking))
        .select(answer.field(friend_requests::wisher_id));
    let there = blocks::blocker_id.eq(asking).and(blocks::blocked_id.eq(asked));
    let back = blocks::blocker_id.eq(asked).and(blocks::blocked_id.eq(asking));
    let apart = blocks::table.filter(there.or(back)).select(blocks::blocker_id);
    let waiting: Vec<Uuid> = friend_requests::table
        .filter(asked.eq(account.0))
        .filter(not(exists(answered)))
        .filter(not(exists(apart)))
        .limit(limit)
        .select(asking)
        .load(&mut connection)
        .await?;
    Ok(i64::try_from(waiting.len()).unwrap_or(limit))
}

/// A page of the requests sent or received by an account, by the other account's name, after a name; a
/// friendship has two. If either account blocks the other, only the sender sees the request.
///
/// # Errors
/// Any database error.
pub async fn friend_wish_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: &str,
    limit: i64,
) -> Result<Vec<FriendRequestRow>, StoreError> {
    let from = friend_requests::wisher_id.eq(account.0).and(accounts::id.eq(friend_requests::wished_id));
    let to = friend_requests::wished_id.eq(account.0).and(accounts::id.eq(friend_requests::wisher_id));
    let there = blocks::blocker_id
        .eq(friend_requests::wisher_id)
        .and(blocks::blocked_id.eq(friend_requests::wished_id));
    let back = blocks::blocker_id
        .eq(friend_requests::wished_id)
        .and(blocks::blocked_id.eq(friend_requests::wisher_id));
    let apart = blocks::table.filter(there.or(back)).select(blocks::blocker_id);
    Ok(friend_requests::table
        .inner_join(accounts::table.on(from.or(to)))
        .filter(friend_requests::wisher_id.eq(account.0).or(not(exists(apart))))
        .filter(accounts::username.gt(after))
        .order((accounts::username, friend_requests::created_at))
        .limit(limit)
        .select((
            friend_requests::wisher_id,
            friend_requests::wished_id,
            accounts::username,
            accounts::kind.eq(KIND_BOT),
            friend_requests::created_at,
        ))
        .load(&mut connection)
        .await?)
}
