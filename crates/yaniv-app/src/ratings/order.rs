//! Rates matches in the order of their ends according to their logs.
//!
//! For a match that arrives late, the changes of later matches are reverted, and those are rated again. So
//! the stored ratings always equal the result of a rebuild.
//!
//! The caller holds the rating lock (`yaniv_db::ratings::queue`). The formulas are in `math`.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::ratings::rating_changes::{
    RatingChangeRow, rating_change_insert_all_in_txn, rating_change_take_back_in_txn, rating_standing_list,
};
use yaniv_db::ratings::rating_rows::{NewRating, rating_save_all_in_txn};
use yaniv_db::{Connection, StoreError};
use yaniv_engine::Match;

use crate::ServiceError;
use crate::ratings::math::{Strength, rate};

/// Players without a rated match for this time are removed from the leaderboard.
pub(crate) const LISTED_FOR: TimeDelta = TimeDelta::days(180);

/// A finished rated match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RatedMatch {
    /// When it ended.
    pub(crate) at: DateTime<Utc>,
    /// The match.
    pub(crate) id: Uuid,
    /// The preset.
    pub(crate) preset: String,
    /// Whether its players are bots.
    pub(crate) bots: bool,
    /// Accounts of the players, with their places.
    pub(crate) places: Vec<(Uuid, u8)>,
}

/// Current rating of a player while matches are rated.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    strength: Strength,
    matches: i32,
    last_at: Option<DateTime<Utc>>,
}

/// Rates matches of any leaderboards, in order.
///
/// # Errors
/// Those of the database.
pub(crate) async fn rate_all_in_txn(
    connection: &Connection,
    matches: Vec<RatedMatch>,
) -> Result<(), ServiceError> {
    let mut lists: BTreeMap<(String, bool), Vec<RatedMatch>> = BTreeMap::new();
    for rated in matches {
        lists.entry((rated.preset.clone(), rated.bots)).or_default().push(rated);
    }
    for ((preset, bots), matches) in lists {
        rate_list(connection, (&preset, bots), matches).await?;
    }
    Ok(())
}

/// Rates matches of one leaderboard.
async fn rate_list(
    connection: &Connection,
    list: (&str, bool),
    mut matches: Vec<RatedMatch>,
) -> Result<(), ServiceError> {
    let Some(first) = matches.iter().map(|rated| (rated.at, rated.id)).min() else { return Ok(()) };
    matches.extend(played(rating_change_take_back_in_txn(connection, list, first).await?));
    matches.sort_unstable_by_key(|rated| (rated.at, rated.id));
    matches.dedup_by_key(|rated| rated.id);
    // Sort: sums of floating-point numbers depend on the order.
    matches.iter_mut().for_each(|rated| rated.places.sort_unstable());
    let mut accounts: Vec<Uuid> =
        matches.iter().flat_map(|rated| rated.places.iter().map(|(account, _)| *account)).collect();
    accounts.sort_unstable();
    accounts.dedup();
    let (preset, bots) = list;
    let mut standings: HashMap<Uuid, Standing> = HashMap::new();
    for row in rating_standing_list(connection, preset, &accounts).await? {
        let strength = Strength { mu: row.mu, sigma: row.sigma };
        standings.insert(row.account_id, Standing { strength, matches: row.number, last_at: None });
    }
    let changes: Vec<RatingChangeRow> =
        matches.iter().flat_map(|rated| change(rated, &mut standings)).collect();
    rating_change_insert_all_in_txn(connection, &changes).await?;
    let stands = |account: &Uuid| standings.get(account).and_then(|standing| standing.to_row(*account));
    let rows: Vec<NewRating> = accounts.iter().filter_map(stands).collect();
    rating_save_all_in_txn(connection, (preset, bots), &rows, LISTED_FOR).await?;
    Ok(())
}

/// Rates one match: returns its changes and updates the players' standings.
fn change(rated: &RatedMatch, standings: &mut HashMap<Uuid, Standing>) -> Vec<RatingChangeRow> {
    let before = |account: &Uuid| standings.get(account).copied().unwrap_or_default();
    let players: Vec<(Strength, u8)> =
        rated.places.iter().map(|(account, place)| (before(account).strength, *place)).collect();
    let count = i16::try_from(players.len()).unwrap_or(i16::MAX);
    let mut changes = Vec::new();
    for ((account, place), after) in rated.places.iter().zip(rate(&players)) {
        let standing = standings.entry(*account).or_default();
        let before = standing.strength;
        let number = standing.matches.saturating_add(1);
        *standing = Standing { strength: after, matches: number, last_at: Some(rated.at) };
        changes.push(RatingChangeRow {
            match_id: rated.id,
            account_id: *account,
            at: rated.at,
            mu_before: before.mu,
            sigma_before: before.sigma,
            mu: after.mu,
            sigma: after.sigma,
            number,
            place: i16::from(*place),
            players: count,
            bots: rated.bots,
            preset: rated.preset.clone(),
        });
    }
    changes
}

/// Rates one match from the strengths before it in the given changes.
pub(crate) fn changes_of(rated: &RatedMatch, given: &[RatingChangeRow]) -> Vec<RatingChangeRow> {
    let mut rated = rated.clone();
    rated.places.sort_unstable();
    let before = |row: &RatingChangeRow| {
        let strength = Strength { mu: row.mu_before, sigma: row.sigma_before };
        (row.account_id, Standing { strength, matches: row.number.saturating_sub(1), last_at: None })
    };
    change(&rated, &mut given.iter().map(before).collect())
}

/// Rebuilds the matches from their rating changes, sorted by identifier.
fn played(changes: Vec<RatingChangeRow>) -> Vec<RatedMatch> {
    let mut matches: BTreeMap<Uuid, RatedMatch> = BTreeMap::new();
    for row in changes {
        let rated = matches.entry(row.match_id).or_insert_with(|| RatedMatch {
            at: row.at,
            id: row.match_id,
            preset: row.preset,
            bots: row.bots,
            places: Vec::new(),
        });
        rated.places.push((row.account_id, u8::try_from(row.place).unwrap_or(u8::MAX)));
    }
    matches.into_values().collect()
}

impl Standing {
    /// The row to store; `None` if no match was rated now.
    fn to_row(self, account_id: Uuid) -> Option<NewRating> {
        let Strength { mu, sigma } = self.strength;
        let listed = Some(self.strength.rating()).filter(|_| !self.strength.is_provisional());
        Some(NewRating { account_id, mu, sigma, matches: self.matches, last_at: self.last_at?, listed })
    }
}

impl RatedMatch {
    /// The rated match with this final position. Of each player, by seat, it is given whether the account is
    /// a bot.
    ///
    /// # Errors
    /// `Damaged` if the match has not ended, or mixes bots and humans.
    pub(crate) fn of(
        id: Uuid,
        at: DateTime<Utc>,
        preset: String,
        game: &Match,
        players: Vec<(Uuid, bool)>,
    ) -> Result<Self, ServiceError> {
        let ranking = game.result().map(|result| result.ranking).unwrap_or_default();
        let bots = players.first().is_some_and(|(_, bot)| *bot);
        let right = ranking.len() == players.len() && players.iter().all(|(_, bot)| *bot == bots);
        if ranking.len() < 2 || !right {
            return Err(StoreError::Damaged(format!("players of {id}")).into());
        }
        let places = players.into_iter().map(|(account, _)| account).zip(ranking).collect();
        Ok(Self { at, id, preset, bots, places })
    }
}
