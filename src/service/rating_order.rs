//! The order in which matches are rated: that of their ends, by their logs. One that comes late goes to its place: what
//! those behind it did is taken back, and they are rated again. So what is stored is always what a rebuild would make.
//! Whoever does this holds the lock of `store::rating_queue`.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;
use yaniv_engine::Match;

use super::ServiceError;
use super::rating_math::{Strength, rate};
use crate::store::StoreError;
use crate::store::rating_changes::{
    RatingChangeRow, rating_change_insert_all_in_txn, rating_change_take_back_in_txn, rating_standing_list,
};
use crate::store::ratings::{NewRating, rating_save_all_in_txn};

/// Who has not played a rated match for so long is no longer on the leaderboard.
pub(super) const LISTED_FOR: TimeDelta = TimeDelta::days(180);

/// A match that is over and counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RatedMatch {
    /// When it ended.
    pub(super) at: DateTime<Utc>,
    /// The match.
    pub(super) id: Uuid,
    /// Preset of its rules.
    pub(super) preset: String,
    /// Whether bots have played it.
    pub(super) bots: bool,
    /// Who took part, and at which place they ended.
    pub(super) places: Vec<(Uuid, u8)>,
}

/// How somebody stands, from match to match.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    strength: Strength,
    matches: i32,
    last_at: Option<DateTime<Utc>>,
}

/// Rates matches, of whatever lists, each in its place.
///
/// # Errors
/// Those of the database.
pub(super) async fn rate_all_in_txn(
    connection: &AsyncPgConnection,
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

/// The same for those of one list.
async fn rate_list(
    connection: &AsyncPgConnection,
    list: (&str, bool),
    mut matches: Vec<RatedMatch>,
) -> Result<(), ServiceError> {
    let Some(first) = matches.iter().map(|rated| (rated.at, rated.id)).min() else { return Ok(()) };
    matches.extend(played(rating_change_take_back_in_txn(connection, list, first).await?));
    matches.sort_unstable_by_key(|rated| (rated.at, rated.id));
    matches.dedup_by_key(|rated| rated.id);
    // Sums of fractions depend on their order: it is the same each time.
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

/// What a match does to its players, who stand accordingly from then on.
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

/// What a match does to its players, if they stood before it as these changes of it say.
pub(super) fn changes_of(rated: &RatedMatch, given: &[RatingChangeRow]) -> Vec<RatingChangeRow> {
    let mut rated = rated.clone();
    rated.places.sort_unstable();
    let before = |row: &RatingChangeRow| {
        let strength = Strength { mu: row.mu_before, sigma: row.sigma_before };
        (row.account_id, Standing { strength, matches: row.number.saturating_sub(1), last_at: None })
    };
    change(&rated, &mut given.iter().map(before).collect())
}

/// The matches of which this has come, by their identifiers.
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
    /// As it is stored, if a match has just been rated.
    fn to_row(self, account_id: Uuid) -> Option<NewRating> {
        let Strength { mu, sigma } = self.strength;
        let listed = Some(self.strength.rating()).filter(|_| !self.strength.is_provisional());
        Some(NewRating { account_id, mu, sigma, matches: self.matches, last_at: self.last_at?, listed })
    }
}

impl RatedMatch {
    /// What is to be rated of a match that ended so; of its players, by seat, it is said whether they are bots.
    ///
    /// # Errors
    /// `Damaged` if it has not ended, or if they could not have played it together.
    pub(super) fn of(
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
