//! What has become of challenges, of `challenges` and their members, as an inbox tells it: that one was made, that one
//! was declined or withdrawn. One that was accepted is told by its match.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::challenges::SEEN;
use super::error::StoreError;
use crate::ids::AccountId;

/// Nothing becomes of a challenge that is older: it can be answered for thirty days at most. (A day for clocks that go
/// wrong: the identifier has its maker's, the rest that of the database.)
pub const OLDEST_CHALLENGE: TimeDelta = TimeDelta::days(31);

/// Something that became of a challenge.
#[derive(Clone, Debug, QueryableByName)]
pub struct ChallengeNewsRow {
    /// The challenge.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// When.
    #[diesel(sql_type = Timestamptz)]
    pub at: DateTime<Utc>,
    /// 1 for its making, 2 for its end: each happens once, in this order.
    #[diesel(sql_type = Integer)]
    pub number: i32,
    /// How it ended; none for its making.
    #[diesel(sql_type = Nullable<Text>)]
    pub outcome: Option<String>,
    /// Who did it.
    #[diesel(sql_type = Text)]
    pub username: String,
}

/// What has become of the challenges that an account sees, from a time on, oldest first, at most so much.
///
/// # Errors
/// Only those of the database.
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

/// The least identifier that could have been made at a time.
fn first_id(at: DateTime<Utc>) -> Uuid {
    Uuid::from_u128(u128::try_from(at.timestamp_millis()).unwrap_or_default() << 80)
}
