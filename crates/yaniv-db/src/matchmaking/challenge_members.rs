//! Rows of `challenge_members`: invited players and their answers. Changed only under the lock of the
//! challenge.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChallengeId};

use crate::accounts::account_rows::KIND_BOT;
use crate::error::StoreError;
use crate::matchmaking::challenges::SEEN;
use crate::schema::{accounts, challenge_members, challenges};

/// A member of a challenge, with the name of the account.
#[derive(Clone, Debug, Queryable)]
pub struct ChallengeMemberRow {
    /// The challenge.
    pub challenge_id: Uuid,
    /// The account.
    pub account_id: Uuid,
    /// Username of the account.
    pub username: String,
    /// Display name of the account.
    pub display_name: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// Level of play, for house bots only.
    pub level: Option<String>,
    /// Order of joining; 0 is the challenger.
    pub place: i16,
    /// The player's seed for the shuffles.
    pub client_seed: String,
    /// When the member accepted.
    pub accepted_at: Option<DateTime<Utc>>,
    /// When the member declined.
    pub declined_at: Option<DateTime<Utc>>,
    /// Reason given for declining.
    pub reason: Option<String>,
}

/// A new member.
#[derive(Insertable)]
#[diesel(table_name = challenge_members)]
pub struct NewChallengeMember<'a> {
    /// The challenge.
    pub challenge_id: Uuid,
    /// The account.
    pub account_id: Uuid,
    /// Order of joining.
    pub place: i16,
    /// The player's seed for the shuffles.
    pub client_seed: &'a str,
    /// When the member accepted.
    pub accepted_at: Option<DateTime<Utc>>,
}

/// The invited accounts that can see a challenge.
///
/// # Errors
/// Any database error.
pub async fn challenge_member_list_asked(
    mut connection: &AsyncPgConnection,
    challenge: Uuid,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(challenge_members::table
        .inner_join(challenges::table)
        .filter(challenge_members::challenge_id.eq(challenge))
        .filter(challenge_members::place.gt(0))
        .filter(sql::<Bool>(SEEN))
        .select(challenge_members::account_id)
        .load(&mut connection)
        .await?)
}

/// Members of these challenges, by challenge and place.
///
/// # Errors
/// Any database error.
pub async fn challenge_member_list(
    mut connection: &AsyncPgConnection,
    challenges: &[Uuid],
) -> Result<Vec<ChallengeMemberRow>, StoreError> {
    Ok(challenge_members::table
        .inner_join(accounts::table)
        .filter(challenge_members::challenge_id.eq_any(challenges))
        .order((challenge_members::challenge_id, challenge_members::place))
        .select((
            challenge_members::challenge_id,
            challenge_members::account_id,
            accounts::username,
            accounts::display_name,
            accounts::kind.eq(KIND_BOT),
            accounts::level,
            challenge_members::place,
            challenge_members::client_seed,
            challenge_members::accepted_at,
            challenge_members::declined_at,
            challenge_members::reason,
        ))
        .load(&mut connection)
        .await?)
}

/// Stores all members of a new challenge.
///
/// # Errors
/// Any database error.
pub async fn challenge_member_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    members: &[NewChallengeMember<'_>],
) -> Result<(), StoreError> {
    diesel::insert_into(challenge_members::table).values(members).execute(&mut connection).await?;
    Ok(())
}

/// Records that a member accepted.
///
/// # Errors
/// Any database error.
pub async fn challenge_member_accept_in_txn(
    mut connection: &AsyncPgConnection,
    challenge: ChallengeId,
    account: AccountId,
    client_seed: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(challenge_members::table.find((challenge.0, account.0)))
        .set((challenge_members::accepted_at.eq(at), challenge_members::client_seed.eq(client_seed)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Records that a member declined.
///
/// # Errors
/// Any database error.
pub async fn challenge_member_decline_in_txn(
    mut connection: &AsyncPgConnection,
    challenge: ChallengeId,
    account: AccountId,
    reason: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(challenge_members::table.find((challenge.0, account.0)))
        .set((challenge_members::declined_at.eq(at), challenge_members::reason.eq(reason)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
