//! Read-only queries of `fsck` on derived data: tallies, rating changes of a match, and sums that must agree.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer, Jsonb, Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::ratings::rating_changes::RatingChangeRow;
use crate::statistics::match_stats::TallyRow;

/// Derived data of a match.
pub struct DerivedAudit {
    /// Rounds marked as counted; none of an archived match, whose rounds have all been counted.
    pub counted: Option<i64>,
    /// Tallies of its seats, by seat.
    pub tallies: Vec<TallyRow>,
    /// Whether it is marked as rated.
    pub rated: bool,
    /// Rating changes of its players, by account.
    pub changes: Vec<LinkedChange>,
}

/// A rating change, checked against the account's neighbouring changes.
#[derive(Clone, Debug, QueryableByName)]
pub struct LinkedChange {
    /// The change.
    #[diesel(embed)]
    pub change: RatingChangeRow,
    /// Whether it starts from the result of the previous change, and is later; or, for the first, from the
    /// initial rating.
    #[diesel(sql_type = Bool)]
    pub continues: bool,
    /// Whether it is not the newest, or the rating equals its result.
    #[diesel(sql_type = Bool)]
    pub stands: bool,
}

/// A table whose sums differ from their sources.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct WrongSums {
    /// The table.
    #[diesel(sql_type = Text)]
    pub what: String,
    /// Number of rows that are wrong, missing or surplus.
    #[diesel(sql_type = BigInt)]
    pub rows: i64,
}

#[derive(QueryableByName)]
struct Noted {
    #[diesel(sql_type = Nullable<BigInt>)]
    counted: Option<i64>,
    #[diesel(sql_type = Bool)]
    rated: bool,
    #[diesel(sql_type = Jsonb)]
    tallies: serde_json::Value,
}

const SUMS: &str = "
SELECT 'totals' AS what, count(*) AS rows FROM
    (SELECT account_id, preset, bots, seats, month, sum(rounds) AS rounds, sum(rounds_won) AS rounds_won,
        max(best_run) AS best_run, sum(calls_right) AS calls_right, sum(calls_wrong) AS calls_wrong,
        sum(call_points) AS call_points, sum(points_lost) AS points_lost, sum(rounds_lost) AS rounds_lost,
        sum(reductions) AS reductions, sum(slam_downs) AS slam_downs, sum(in_time) AS in_time, sum(missed) AS missed,
        sum((SELECT sum(n) FROM unnest(inflicted) n)) AS inflicted, count(ended_at) AS matches,
        count(*) FILTER (WHERE place = 1) AS wins
     FROM match_player_stats GROUP BY account_id, preset, bots, seats, month) c
    FULL JOIN player_stats t USING (account_id, preset, bots, seats, month)
    WHERE (c.rounds, c.rounds_won, c.best_run, c.calls_right, c.calls_wrong, c.call_points, c.points_lost, c.rounds_lost,
        c.reductions, c.slam_downs, c.in_time, c.missed, coalesce(c.inflicted, 0), c.matches, c.wins) IS DISTINCT FROM
        (t.rounds, t.rounds_won, t.best_run, t.calls_right, t.calls_wrong, t.call_points, t.points_lost, t.rounds_lost,
        t.reductions, t.slam_downs, t.in_time, t.missed, t.inflicted,
        (SELECT coalesce(sum(n), 0) FROM unnest(t.places) n), coalesce(t.places[1], 0))
UNION ALL SELECT 'service_totals', count(*) FROM
    (SELECT preset, month, sum(counted) AS rounds, count(ended_at) AS matches FROM
        (SELECT min(preset) AS preset, min(month) AS month, max(counted) AS counted, max(ended_at) AS ended_at
         FROM match_player_stats GROUP BY match_id) m GROUP BY preset, month) c
    FULL JOIN service_totals t USING (preset, month)
    WHERE (c.rounds, c.matches) IS DISTINCT FROM (t.rounds, t.matches)
UNION ALL SELECT 'ratings', count(*) FROM ratings r WHERE NOT EXISTS
    (SELECT 1 FROM rating_changes c WHERE c.account_id = r.account_id AND c.preset = r.preset AND c.number = r.matches)
UNION ALL SELECT 'rating_counts', count(*) FROM
    (SELECT preset, bots, listed AS rating, count(*) AS players FROM ratings WHERE listed IS NOT NULL GROUP BY 1, 2, 3) c
    FULL JOIN rating_counts t USING (preset, bots, rating)
    WHERE coalesce(c.players, 0) <> coalesce(t.players, 0)";

/// Derived data of a match, given the initial strength and uncertainty of a rating.
///
/// # Errors
/// Any database error; `Damaged`.
pub async fn derived_audit(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    (mu, sigma): (i32, i32),
) -> Result<DerivedAudit, StoreError> {
    let noted: Noted = diesel::sql_query(
        "SELECT m.rated_at IS NOT NULL AS rated, \
         CASE WHEN NOT EXISTS (SELECT 1 FROM archived_logs z WHERE z.match_id = m.id) THEN \
             (SELECT count(*) FROM rounds r WHERE r.match_id = m.id AND r.counted_at IS NOT NULL) END AS counted, \
         (SELECT coalesce(jsonb_agg(to_jsonb(t) ORDER BY t.seat), '[]') FROM seats s \
          JOIN match_player_stats t ON t.account_id = s.account_id AND t.match_id = s.match_id WHERE s.match_id = m.id) AS tallies \
         FROM matches m WHERE m.id = $1",
    )
    .bind::<SqlUuid, _>(id.0)
    .get_result(&mut connection)
    .await?;
    let changes = diesel::sql_query(
        "SELECT c.*, CASE WHEN c.number = 1 THEN (c.mu_before, c.sigma_before) = ($2, $3) ELSE \
         coalesce((c.mu_before, c.sigma_before) = (p.mu, p.sigma) AND (c.at, c.match_id) > (p.at, p.match_id), false) END \
         AS continues, n.number IS NOT NULL OR \
         coalesce((c.mu, c.sigma, c.number, c.at) = (r.mu, r.sigma, r.matches, r.last_at), false) AS stands \
         FROM rating_changes c \
         LEFT JOIN rating_changes p ON (p.account_id, p.preset, p.number) = (c.account_id, c.preset, c.number - 1) \
         LEFT JOIN rating_changes n ON (n.account_id, n.preset, n.number) = (c.account_id, c.preset, c.number + 1) \
         LEFT JOIN ratings r ON (r.account_id, r.preset) = (c.account_id, c.preset) \
         WHERE c.match_id = $1 ORDER BY c.account_id",
    )
    .bind::<SqlUuid, _>(id.0)
    .bind::<Integer, _>(mu)
    .bind::<Integer, _>(sigma)
    .load(&mut connection)
    .await?;
    let tallies =
        serde_json::from_value(noted.tallies).map_err(|error| StoreError::Damaged(error.to_string()))?;
    Ok(DerivedAudit { counted: noted.counted, tallies, rated: noted.rated, changes })
}

/// Tables whose sums differ from their sources, on one snapshot.
///
/// # Errors
/// Any database error.
pub async fn wrong_sums_in_txn(mut connection: &AsyncPgConnection) -> Result<Vec<WrongSums>, StoreError> {
    // Reads all derived data, so it may take long.
    diesel::sql_query("SET LOCAL statement_timeout = 0").execute(&mut connection).await?;
    let sums: Vec<WrongSums> = diesel::sql_query(SUMS).load(&mut connection).await?;
    Ok(sums.into_iter().filter(|sums| sums.rows > 0).collect())
}
