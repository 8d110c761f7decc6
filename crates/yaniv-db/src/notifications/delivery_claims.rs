//! Claims of due rows of `deliveries`, by destination, and the data needed to send them. The data is read at
//! sending time, so that no obsolete notification is sent.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::matches::full_tables::HOST_OF_FULL;
use crate::matchmaking::challenges::SEEN;

/// Duration of a claim in seconds: longer than any attempt.
const CLAIMED: i32 = 60;

/// Limits of a claim query.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Only these hosts; none: all.
    pub of: Option<Vec<String>>,
    /// Excluded hosts.
    pub not_of: Vec<String>,
    /// Excluded accounts.
    pub not_for: Vec<Uuid>,
    /// At most this many per host.
    pub per_host: i64,
    /// At most this many per account.
    pub per_account: i64,
    /// At most this many in total.
    pub limit: i64,
}

/// Claims due deliveries for a minute (SKIP LOCKED between instances).
///
/// After a claim that was never released, the next lasts twice as long, up to a day: a delivery that crashes
/// its sender is tried less and less often.
///
/// # Errors
/// Any database error.
pub async fn delivery_claim(
    mut connection: &AsyncPgConnection,
    lease: Uuid,
    wanted: &Wanted,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Claimed {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let rows: Vec<Claimed> = diesel::sql_query(
        "WITH hosts AS (SELECT host FROM deliveries WHERE done_at IS NULL AND due_at <= now() AND host <> ALL($3) \
             AND ($2 IS NULL OR host = ANY($2)) AND account_id <> ALL($4) \
             GROUP BY host ORDER BY min(due_at) LIMIT $7), \
         picked AS (SELECT d.* FROM hosts CROSS JOIN LATERAL (SELECT id, account_id, due_at FROM deliveries \
             WHERE deliveries.host = hosts.host AND done_at IS NULL AND due_at <= now() AND account_id <> ALL($4) \
             ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED) d LIMIT $7), \
         placed AS (SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS place FROM picked) \
         UPDATE deliveries SET lease = $1, tried_at = now(), due_at = now() + CASE WHEN lease IS NULL \
             THEN make_interval(secs => $8) \
             ELSE least(2 * greatest(due_at - tried_at, make_interval(secs => $8)), interval '1 day') END \
         FROM placed WHERE deliveries.id = placed.id AND placed.place <= $6 RETURNING deliveries.id",
    )
    .bind::<SqlUuid, _>(lease)
    .bind::<Nullable<Array<Text>>, _>(&wanted.of)
    .bind::<Array<Text>, _>(&wanted.not_of)
    .bind::<Array<SqlUuid>, _>(&wanted.not_for)
    .bind::<BigInt, _>(wanted.per_host)
    .bind::<BigInt, _>(wanted.per_account)
    .bind::<BigInt, _>(wanted.limit)
    .bind::<Integer, _>(CLAIMED)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// A claimed delivery with its content and the data that decides whether to send it. No `Debug`.
#[derive(Clone, QueryableByName)]
pub struct ClaimedDelivery {
    /// Identifier.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// The channel.
    #[diesel(sql_type = SqlUuid)]
    pub channel_id: Uuid,
    /// Recipient.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Kind of notification.
    #[diesel(sql_type = Text)]
    pub kind: String,
    /// The match.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub match_id: Option<Uuid>,
    /// Version of the match.
    #[diesel(sql_type = Nullable<Integer>)]
    pub version: Option<i32>,
    /// The challenge.
    #[diesel(sql_type = Nullable<SqlUuid>)]
    pub challenge_id: Option<Uuid>,
    /// The deadline.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub deadline: Option<DateTime<Utc>>,
    /// Time of the event.
    #[diesel(sql_type = Timestamptz)]
    pub happened_at: DateTime<Utc>,
    /// Number of earlier attempts.
    #[diesel(sql_type = SmallInt)]
    pub attempts: i16,
    /// `web_push`, `email`, or the format of a webhook.
    #[diesel(sql_type = Text)]
    pub format: String,
    /// Address of the channel.
    #[diesel(sql_type = Text)]
    pub url: String,
    /// Host of the address.
    #[diesel(sql_type = Text)]
    pub host: String,
    /// Page that it opens.
    #[diesel(sql_type = Nullable<Text>)]
    pub link: Option<String>,
    /// Whether it is sent immediately, without any delay.
    #[diesel(sql_type = Bool)]
    pub immediate: bool,
    /// The channel's secret.
    #[diesel(sql_type = Binary)]
    pub secret: Vec<u8>,
    /// The previous secret, while valid.
    #[diesel(sql_type = Nullable<Binary>)]
    pub previous_secret: Option<Vec<u8>>,
    /// Public key of the browser.
    #[diesel(sql_type = Nullable<Binary>)]
    pub public_key: Option<Vec<u8>>,
    /// Whether the channel is active and verified, its owner may be notified, and its session is open.
    #[diesel(sql_type = Bool)]
    pub open: bool,
    /// Whether the event is still current.
    #[diesel(sql_type = Bool)]
    pub holds: bool,
    /// Username of the recipient.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// Tag of the recipient's language.
    #[diesel(sql_type = Nullable<Text>)]
    pub language: Option<String>,
    /// Time zone of the recipient.
    #[diesel(sql_type = Nullable<Text>)]
    pub time_zone: Option<String>,
    /// Username of the challenger.
    #[diesel(sql_type = Nullable<Text>)]
    pub challenger: Option<String>,
    /// Number of matches waiting for the recipient; only for web push and digests.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub waiting: Option<i64>,
    /// When the recipient last looked at the match.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub looked_at: Option<DateTime<Utc>>,
    /// Time zone of the quiet hours.
    #[diesel(sql_type = Nullable<Text>)]
    pub quiet_zone: Option<String>,
    /// Minute of the day at which they begin.
    #[diesel(sql_type = Nullable<SmallInt>)]
    pub quiet_from: Option<i16>,
    /// Minute of the day at which they end.
    #[diesel(sql_type = Nullable<SmallInt>)]
    pub quiet_to: Option<i16>,
    /// The current time.
    #[diesel(sql_type = Timestamptz)]
    pub now: DateTime<Utc>,
}

/// SQL condition: whether the event is still current.
///
/// A turn or question is if the match still waits for the seat and the seat has not acted since. A challenge
/// is if it is open, unanswered and visible. A full table is if it still waits for its start by this host.
const HOLDS: &str = "CASE WHEN d.kind IN ('your_turn', 'deadline_near', 'nudged') THEN \
         coalesce(m.status = 'running' AND (m.waiting_on >> s.seat) & 1 = 1, false) \
         AND NOT EXISTS (SELECT 1 FROM actions x WHERE x.match_id = d.match_id AND x.version > d.version \
             AND x.seat = s.seat AND x.kind = 'a') \
         AND (d.kind <> 'deadline_near' OR d.deadline > now()) \
     WHEN d.kind = 'invited' THEN EXISTS (SELECT 1 FROM challenges \
         JOIN challenge_members ON challenge_members.challenge_id = challenges.id \
         WHERE challenges.id = d.challenge_id AND challenge_members.account_id = d.account_id \
         AND challenge_members.accepted_at IS NULL AND challenge_members.declined_at IS NULL \
         AND challenges.outcome IS NULL AND challenges.expires_at > now() AND SEEN) \
     WHEN d.kind = 'table_full' THEN coalesce(m.status = 'waiting', false) AND EXISTS (SELECT 1 FROM seats o \
         WHERE o.match_id = d.match_id AND o.account_id = d.account_id AND HOST_OF_FULL) \
     ELSE true END";

/// Loads claimed deliveries with the data to send them; deleted ones are left out.
///
/// # Errors
/// Any database error.
pub async fn delivery_load(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let holds = HOLDS.replace("SEEN", SEEN).replace("HOST_OF_FULL", HOST_OF_FULL);
    let query = format!(
        "SELECT d.id, d.channel_id, d.account_id, d.kind, d.match_id, d.version, d.challenge_id, d.deadline, d.happened_at, d.attempts, \
         c.format, c.url, c.host, c.link, c.immediate, c.secret, \
         CASE WHEN c.previous_until > now() THEN c.previous_secret END AS previous_secret, c.public_key, \
         (c.ended_at IS NULL AND a.deletion_asked_at IS NULL \
          AND (c.format <> 'email' OR c.verified_at IS NOT NULL OR d.kind = 'verify_email') \
          AND (a.suspended_at IS NULL OR coalesce(a.suspended_until <= now(), false)) \
          AND (c.session_id IS NULL OR EXISTS (SELECT 1 FROM sessions e WHERE e.id = c.session_id \
              AND e.ended_at IS NULL AND e.expires_at > now()))) AS open, \
         {holds} AS holds, a.username, a.language, a.time_zone, \
         (SELECT p.username FROM challenges h JOIN accounts p ON p.id = h.challenger_id \
              WHERE h.id = d.challenge_id) AS challenger, \
         CASE WHEN c.format = 'web_push' OR d.kind = 'digest' THEN (SELECT count(*) FROM seats o JOIN match_states w ON w.match_id = o.match_id \
              WHERE o.account_id = d.account_id AND CASE w.status WHEN 'running' THEN (w.waiting_on >> o.seat) & 1 = 1 \
              WHEN 'waiting' THEN {HOST_OF_FULL} ELSE false END) END AS waiting, \
         l.at AS looked_at, n.time_zone AS quiet_zone, n.quiet_from, n.quiet_to, now() AS now \
         FROM deliveries d JOIN channels c ON c.id = d.channel_id JOIN accounts a ON a.id = d.account_id \
         LEFT JOIN match_states m ON m.match_id = d.match_id \
         LEFT JOIN seats s ON s.match_id = d.match_id AND s.account_id = d.account_id \
         LEFT JOIN match_last_seen l ON l.match_id = d.match_id AND l.account_id = d.account_id \
         LEFT JOIN notice_settings n ON n.account_id = d.account_id \
         WHERE d.id = ANY($1) AND d.done_at IS NULL"
    );
    Ok(diesel::sql_query(query).bind::<Array<SqlUuid>, _>(ids).load(&mut connection).await?)
}
