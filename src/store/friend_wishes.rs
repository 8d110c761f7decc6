//! Rows of `friend_wishes`: who wants whom as a friend. Two who want each other are friends.

use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::accounts::KIND_BOT;
use super::error::StoreError;
use super::schema::{accounts, blocks, friend_wishes};
use crate::ids::AccountId;

/// A wish that somebody has to do with.
#[derive(Clone, Debug, Queryable)]
pub struct FriendWishRow {
    /// Who asks.
    pub wisher_id: Uuid,
    /// Who is asked.
    pub wished_id: Uuid,
    /// The name of the one who is not looking.
    pub username: String,
    /// Whether that is a bot.
    pub bot: bool,
    /// When it was asked.
    pub created_at: DateTime<Utc>,
}

/// Asks somebody; asked again, it stays as it is.
///
/// # Errors
/// Only those of the database.
pub async fn friend_wish_insert(
    mut connection: &AsyncPgConnection,
    wisher: AccountId,
    wished: AccountId,
) -> Result<(), StoreError> {
    diesel::insert_into(friend_wishes::table)
        .values((friend_wishes::wisher_id.eq(wisher.0), friend_wishes::wished_id.eq(wished.0)))
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Ends what there is between two, in both directions.
///
/// # Errors
/// Only those of the database.
pub async fn friend_wish_delete(
    mut connection: &AsyncPgConnection,
    one: AccountId,
    other: AccountId,
) -> Result<(), StoreError> {
    let pair = |wisher: AccountId, wished: AccountId| {
        friend_wishes::wisher_id.eq(wisher.0).and(friend_wishes::wished_id.eq(wished.0))
    };
    diesel::delete(friend_wishes::table.filter(pair(one, other).or(pair(other, one))))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// The wishes that somebody has to do with, from or to accounts whose names come after a name, by that name: two for
/// each friend. Those of people of whom one has blocked the other only who asks sees.
///
/// # Errors
/// Only those of the database.
pub async fn friend_wish_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: &str,
    limit: i64,
) -> Result<Vec<FriendWishRow>, StoreError> {
    let from = friend_wishes::wisher_id.eq(account.0).and(accounts::id.eq(friend_wishes::wished_id));
    let to = friend_wishes::wished_id.eq(account.0).and(accounts::id.eq(friend_wishes::wisher_id));
    let there =
        blocks::blocker_id.eq(friend_wishes::wisher_id).and(blocks::blocked_id.eq(friend_wishes::wished_id));
    let back =
        blocks::blocker_id.eq(friend_wishes::wished_id).and(blocks::blocked_id.eq(friend_wishes::wisher_id));
    let apart = blocks::table.filter(there.or(back)).select(blocks::blocker_id);
    Ok(friend_wishes::table
        .inner_join(accounts::table.on(from.or(to)))
        .filter(friend_wishes::wisher_id.eq(account.0).or(not(exists(apart))))
        .filter(accounts::username.gt(after))
        .order((accounts::username, friend_wishes::created_at))
        .limit(limit)
        .select((
            friend_wishes::wisher_id,
            friend_wishes::wished_id,
            accounts::username,
            accounts::kind.eq(KIND_BOT),
            friend_wishes::created_at,
        ))
        .load(&mut connection)
        .await?)
}
