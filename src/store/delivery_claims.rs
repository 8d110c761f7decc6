//! How notices of `deliveries` are claimed, destination by destination, and what has to be known to send one: read when it
//! is sent, so that nobody is told what is no longer so.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::challenges::SEEN;
use super::error::StoreError;

/// How long a claim is good, in seconds: longer than any try.
const CLAIMED: i32 = 60;

/// Which notices are wanted.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Those of these hosts; none: of all.
    pub of: Option<Vec<String>>,
    /// Not those of these hosts.
    pub not_of: Vec<String>,
    /// Not those for these accounts.
    pub not_for: Vec<Uuid>,
    /// Of so many of one host.
    pub per_host: i64,
    /// For one account, so many.
    pub per_account: i64,
    /// So many in all.
    pub limit: i64,
}

/// Claims notices that are due, for a minute. Others pass over what somebody claims meanwhile.
///
/// Where a claim was never given
/// back, the next lasts twice as long, up to a day: what brings everybody down who sends it does so less and less often.
///
/// # Errors
/// Only those of the database.
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

/// A claimed notice with everything that is said in it, and by which it is decided whether to send it. Not to be printed.
#[derive(Clone, QueryableByName)]
pub struct ClaimedDelivery {
    /// Its identifier.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Where it goes.
    #[diesel(sql_type = SqlUuid)]
    pub channel_id: Uuid,
    /// Whom it tells.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// What it is of.
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
    /// When it happened.
    #[diesel(sql_type = Timestamptz)]
    pub happened_at: DateTime<Utc>,
    /// How often it was tried before.
    #[diesel(sql_type = SmallInt)]
    pub attempts: i16,
    /// `web_push`, or the form of a webhook.
    #[diesel(sql_type = Text)]
    pub format: String,
    /// Where the channel leads.
    #[diesel(sql_type = Text)]
    pub url: String,
    /// Host of it.
    #[diesel(sql_type = Text)]
    pub host: String,
    /// The page that it opens.
    #[diesel(sql_type = Nullable<Text>)]
    pub link: Option<String>,
    /// Whether nothing holds it up.
    #[diesel(sql_type = Bool)]
    pub immediate: bool,
    /// The channel's secret.
    #[diesel(sql_type = Binary)]
    pub secret: Vec<u8>,
    /// The one before, while it is good.
    #[diesel(sql_type = Nullable<Binary>)]
    pub previous_secret: Option<Vec<u8>>,
    /// The browser's key.
    #[diesel(sql_type = Nullable<Binary>)]
    pub public_key: Option<Vec<u8>>,
    /// Whether the channel is there, its owner may be told, and its log-in is open.
    #[diesel(sql_type = Bool)]
    pub open: bool,
    /// Whether what it tells is still so.
    #[diesel(sql_type = Bool)]
    pub holds: bool,
    /// Name of whom it tells.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// Names of the others of the match, or of the challenger.
    #[diesel(sql_type = Nullable<Text>)]
    pub others: Option<String>,
    /// How many matches wait for whom it tells.
    #[diesel(sql_type = Nullable<BigInt>)]
    pub waiting: Option<i64>,
    /// Their last look at the match.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub looked_at: Option<DateTime<Utc>>,
    /// Quiet hours: where they live.
    #[diesel(sql_type = Nullable<Text>)]
    pub time_zone: Option<String>,
    /// From which minute of the day.
    #[diesel(sql_type = Nullable<SmallInt>)]
    pub quiet_from: Option<i16>,
    /// To which.
    #[diesel(sql_type = Nullable<SmallInt>)]
    pub quiet_to: Option<i16>,
    /// The time now.
    #[diesel(sql_type = Timestamptz)]
    pub now: DateTime<Utc>,
}

/// A turn (or a question) still waits if the match waits for the seat, and the seat has not acted since. A challenge does if it is
/// open, not answered, and seen.
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
     ELSE true END";

/// What is known of claimed notices. Those that are gone are left out.
///
/// # Errors
/// Only those of the database.
pub async fn delivery_load(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    let holds = HOLDS.replace("SEEN", SEEN);
    let query = format!(
        "SELECT d.id, d.channel_id, d.account_id, d.kind, d.match_id, d.version, d.challenge_id, d.deadline, d.happened_at, d.attempts, \
         c.format, c.url, c.host, c.link, c.immediate, c.secret, \
         CASE WHEN c.previous_until > now() THEN c.previous_secret END AS previous_secret, c.public_key, \
         (c.ended_at IS NULL AND a.deletion_asked_at IS NULL \
          AND (a.suspended_at IS NULL OR coalesce(a.suspended_until <= now(), false)) \
          AND (c.session_id IS NULL OR EXISTS (SELECT 1 FROM sessions e WHERE e.id = c.session_id \
              AND e.ended_at IS NULL AND e.expires_at > now()))) AS open, \
         {holds} AS holds, a.username, \
         CASE WHEN d.match_id IS NOT NULL THEN (SELECT string_agg(p.username, ', ' ORDER BY o.seat) FROM seats o \
              JOIN accounts p ON p.id = o.account_id WHERE o.match_id = d.match_id AND o.account_id <> d.account_id) \
         WHEN d.challenge_id IS NOT NULL THEN (SELECT p.username FROM challenges h \
              JOIN accounts p ON p.id = h.challenger_id WHERE h.id = d.challenge_id) END AS others, \
         CASE WHEN c.format = 'web_push' THEN (SELECT count(*) FROM seats o JOIN match_states w ON w.match_id = o.match_id \
              WHERE o.account_id = d.account_id AND w.status = 'running' AND (w.waiting_on >> o.seat) & 1 = 1) END AS waiting, \
         l.at AS looked_at, n.time_zone, n.quiet_from, n.quiet_to, now() AS now \
         FROM deliveries d JOIN channels c ON c.id = d.channel_id JOIN accounts a ON a.id = d.account_id \
         LEFT JOIN match_states m ON m.match_id = d.match_id \
         LEFT JOIN seats s ON s.match_id = d.match_id AND s.account_id = d.account_id \
         LEFT JOIN match_looks l ON l.match_id = d.match_id AND l.account_id = d.account_id \
         LEFT JOIN notice_settings n ON n.account_id = d.account_id \
         WHERE d.id = ANY($1) AND d.done_at IS NULL"
    );
    Ok(diesel::sql_query(query).bind::<Array<SqlUuid>, _>(ids).load(&mut connection).await?)
}
