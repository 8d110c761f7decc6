//! Challenge events of the account feed, from `challenge_events`, which triggers write: created, declined, withdrawn. An
//! accepted challenge shows up as its match.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matchmaking::challenges::SEEN;

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
    /// Number of the newest event of the challenge.
    #[diesel(sql_type = Integer)]
    pub newest: i32,
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
    let challenger = "SELECT username FROM accounts WHERE accounts.id = challenges.challenger_id";
    let decliner = "SELECT username FROM challenge_members d JOIN accounts ON accounts.id = d.account_id \
                    WHERE d.challenge_id = challenges.id AND d.declined_at IS NOT NULL ORDER BY d.declined_at LIMIT 1";
    // A row of each event is found by its own (LIMIT 1): the planner must not join all challenges of the account first.
    let query = format!(
        "SELECT e.challenge_id AS id, e.at, e.number::integer AS number, c.newest, c.outcome, c.username \
         FROM challenge_events e CROSS JOIN LATERAL (SELECT \
             CASE WHEN challenges.outcome IN ('declined', 'withdrawn') THEN 2 ELSE 1 END AS newest, \
             CASE e.number WHEN 2 THEN challenges.outcome END AS outcome, \
             CASE WHEN e.number = 2 AND challenges.outcome = 'declined' THEN COALESCE(({decliner}), ({challenger})) \
                  ELSE ({challenger}) END AS username \
             FROM challenges JOIN challenge_members ON challenge_members.challenge_id = challenges.id \
             WHERE challenges.id = e.challenge_id AND challenge_members.account_id = e.account_id AND {SEEN} LIMIT 1) c \
         WHERE e.account_id = $1 AND e.at >= $2 ORDER BY e.at, e.challenge_id, e.number LIMIT $3"
    );
    Ok(diesel::sql_query(query)
        .bind::<SqlUuid, _>(account.0)
        .bind::<Timestamptz, _>(from)
        .bind::<BigInt, _>(limit)
        .load(&mut connection)
        .await?)
}
