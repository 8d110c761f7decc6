//! Challenge events of the account feed, from `challenges` and their members: created, declined, withdrawn. An
//! accepted challenge shows up as its match.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matchmaking::challenges::SEEN;

/// Age after which a challenge has no new events: it can be answered for thirty days at most.
///
/// One day is added for clock differences: the identifier has the clock of its instance, the rest that of the
/// database.
pub const OLDEST_CHALLENGE: TimeDelta = TimeDelta::days(31);

/// An event of a challenge.
#[derive(Clone, Debug, QueryableByName)]
pub struct ChallengeNewsRow {
    /// The challenge.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Time of the event.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
    /// 1 for the creation, 2 for the end: each happens once, in this order.
    #[diesel(sql_type = Integer)]
    pub number: i32,
    /// How it ended; none for its creation.
    #[diesel(sql_type = Nullable<Text>)]
    pub outcome: Option<String>,
    /// Name of the account that caused it.
    #[diesel(sql_type = Text)]
    pub username: String,
}

/// Events of the challenges visible to an account, from a time on, oldest first, at most `limit`.
///
/// # Errors
/// Any database error.
pub async fn challenge_news_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    from: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ChallengeNewsRow>, StoreError> {
    let seats = "FROM challenge_members JOIN challenges ON challenges.id = challenge_members.challenge_id \
                 WHERE challenge_members.account_id = $1 AND challenge_members.challenge_id > $2";
    let challenger = "SELECT username FROM accounts WHERE accounts.id = challenges.challenger_id";
    let decliner = "SELECT username FROM challenge_members d JOIN accounts ON accounts.id = d.account_id \
                    WHERE d.challenge_id = challenges.id AND d.declined_at IS NOT NULL ORDER BY d.declined_at LIMIT 1";
    let query = format!(
        "SELECT challenges.id, challenges.created_at AS at, 1 AS number, NULL::text AS outcome, \
         ({challenger}) AS username {seats} AND challenges.challenger_id <> $1 AND challenges.created_at >= $3 AND {SEEN} \
         UNION ALL SELECT challenges.id, challenges.ended_at, 2, challenges.outcome, \
         CASE challenges.outcome WHEN 'declined' THEN COALESCE(({decliner}), ({challenger})) ELSE ({challenger}) END \
         {seats} AND challenges.outcome IN ('declined', 'withdrawn') AND challenges.ended_at >= $3 AND {SEEN} \
         ORDER BY at, id, number LIMIT $4"
    );
    Ok(diesel::sql_query(query)
        .bind::<SqlUuid, _>(account.0)
        .bind::<SqlUuid, _>(first_id(from - OLDEST_CHALLENGE))
        .bind::<Timestamptz, _>(from)
        .bind::<BigInt, _>(limit)
        .load(&mut connection)
        .await?)
}

/// The least identifier that could have been generated at a time.
fn first_id(at: DateTime<Utc>) -> Uuid {
    Uuid::from_u128(u128::try_from(at.timestamp_millis()).unwrap_or_default() << 80)
}
