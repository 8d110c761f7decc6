//! What is counted, as it is asked for: of a player, of two against each other, of everything. What each figure is, is said in
//! docs/statistics.md; it is counted in `bookkeeper`.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate, TimeDelta};

use super::bookkeeper::figures::add;
use super::bookkeeper::replies::median;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::StoreError;
use crate::store::accounts::{AccountRow, account_find_by_username};
use crate::store::activity::activity_count_since;
use crate::store::clock::clock_read;
use crate::store::service_totals::{ServiceTotalRow, service_total_list};
use crate::store::tallies::{StreaksOf, TallyFilter, TogetherRow, tally_together};
use crate::store::totals::{TotalFigures, TotalRow, total_list};

/// Who counts as active has played in so many days.
const ACTIVE: TimeDelta = TimeDelta::days(30);
/// Months that are listed at most, the newest.
pub const MONTHS_MOST: usize = 120;

/// Which matches count.
pub type StatisticsFilter = TallyFilter;

/// What a player has come to.
#[derive(Clone, Debug, Default)]
pub struct PlayerFigures {
    /// What is added up.
    pub sums: TotalFigures,
    /// Matches that are over, by seats and place.
    pub places: Vec<PlaceCount>,
    /// The most matches won in a row.
    pub longest_streak: i64,
}

/// How often a place was had at tables of a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceCount {
    /// Seats.
    pub seats: i16,
    /// Place, 1 the best.
    pub place: i16,
    /// Matches.
    pub matches: i32,
}

/// Figures under a name: of a preset, or of a month.
#[derive(Clone, Debug)]
pub struct NamedFigures {
    /// The preset, or `custom`; the month, as `2026-11`.
    pub name: String,
    /// What the player has come to.
    pub figures: PlayerFigures,
}

/// The statistics of a player.
#[derive(Clone, Debug)]
pub struct PlayerStatistics {
    /// Whose.
    pub username: String,
    /// Of all that was asked for.
    pub overall: PlayerFigures,
    /// Of each preset.
    pub presets: Vec<NamedFigures>,
}

/// Two players against each other.
#[derive(Clone, Debug)]
pub struct HeadToHead {
    /// The first.
    pub username: String,
    /// The second.
    pub opponent: String,
    /// How they fared.
    pub together: TogetherRow,
}

/// Everything that was played.
#[derive(Clone, Debug)]
pub struct ServiceStatistics {
    /// By preset and month.
    pub rows: Vec<ServiceTotalRow>,
    /// People who have played of late.
    pub active_players: i64,
}

impl PlayerFigures {
    /// Matches that are over.
    pub fn matches(&self) -> i32 {
        self.sums.places.iter().sum()
    }

    /// Those that were won, also together with others.
    pub fn wins(&self) -> i32 {
        self.sums.places.first().copied().unwrap_or_default()
    }

    /// Points in hand at a call.
    pub fn mean_call_points(&self) -> Option<f64> {
        mean(self.sums.call_points, self.sums.calls_right + self.sums.calls_wrong)
    }

    /// Points in hand at the end of a round that was lost.
    pub fn mean_hand_given_up(&self) -> Option<f64> {
        mean(self.sums.points_lost, self.sums.rounds_lost)
    }

    /// How long others waited, in seconds: half of the times for less.
    pub fn median_reply_seconds(&self) -> Option<f64> {
        median(&self.sums.replies).map(|seconds| (seconds * 10.0).round() / 10.0)
    }

    /// Of all deadlines, the part that was met.
    pub fn on_time_share(&self) -> Option<f64> {
        let all = self.sums.in_time + self.sums.missed;
        let share = (all > 0).then(|| f64::from(self.sums.in_time) / f64::from(all));
        share.map(|share| (share * 10_000.0).round() / 10_000.0)
    }

    fn take(&mut self, row: &TotalRow) {
        add(&mut self.sums, &row.figures);
        for (place, matches) in (1_i16..).zip(&row.figures.places).filter(|(_, matches)| **matches > 0) {
            let same = |count: &&mut PlaceCount| count.seats == row.seats && count.place == place;
            match self.places.iter_mut().find(same) {
                Some(count) => count.matches += matches,
                None => self.places.push(PlaceCount { seats: row.seats, place, matches: *matches }),
            }
        }
        self.places.sort_by_key(|count| (count.seats, count.place));
    }
}

impl Services {
    /// What a player has come to, overall and by preset.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn statistics(
        &self,
        username: &str,
        filter: &StatisticsFilter,
    ) -> Result<PlayerStatistics, ServiceError> {
        let account = self.counted_account(username).await?;
        let id = AccountId(account.id);
        let mut connection = self.store.connection().await?;
        // Of one moment, whatever is counted meanwhile.
        let mut snapshot = connection.build_transaction().repeatable_read().read_only();
        let read = snapshot.run(async |connection| {
            let rows = total_list(connection, id, filter).await?;
            let of = (id, matches_in(&rows));
            let streaks = self.streaks.of(connection, of, filter, StreaksOf::Preset).await?;
            let longest = self.streaks.of(connection, of, filter, StreaksOf::All).await?;
            Ok::<_, StoreError>((rows, streaks, longest))
        });
        let (rows, streaks, longest) = read.await?;
        drop(connection);
        let mut overall = PlayerFigures::default();
        rows.iter().for_each(|row| overall.take(row));
        overall.longest_streak = longest.first().map(|(_, longest)| *longest).unwrap_or_default();
        let presets = named(&rows, |row| row.preset.clone(), &streaks);
        Ok(PlayerStatistics { username: account.username, overall, presets })
    }

    /// What a player has come to in each month, the newest first.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn statistics_by_month(
        &self,
        username: &str,
        filter: &StatisticsFilter,
    ) -> Result<(String, Vec<NamedFigures>), ServiceError> {
        let account = self.counted_account(username).await?;
        let id = AccountId(account.id);
        let mut connection = self.store.connection().await?;
        let mut snapshot = connection.build_transaction().repeatable_read().read_only();
        let read = snapshot.run(async |connection| {
            let rows = total_list(connection, id, filter).await?;
            let of = (id, matches_in(&rows));
            let streaks = self.streaks.of(connection, of, filter, StreaksOf::Month).await?;
            Ok::<_, StoreError>((rows, streaks))
        });
        let (rows, streaks) = read.await?;
        drop(connection);
        let mut months = named(&rows, |row| month_name(row.month), &streaks);
        months.reverse();
        months.truncate(MONTHS_MOST);
        Ok((account.username, months))
    }

    /// How two players fared against each other.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn head_to_head(&self, username: &str, opponent: &str) -> Result<HeadToHead, ServiceError> {
        let first = self.counted_account(username).await?;
        let second = self.counted_account(opponent).await?;
        let connection = self.store.connection().await?;
        let together = tally_together(&connection, AccountId(first.id), AccountId(second.id)).await?;
        Ok(HeadToHead { username: first.username, opponent: second.username, together })
    }

    /// Everything that was played.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn service_statistics(&self) -> Result<ServiceStatistics, ServiceError> {
        let connection = self.store.connection().await?;
        let rows = service_total_list(&connection).await?;
        let today = clock_read(&connection).await?.date_naive();
        let active_players = activity_count_since(&connection, today - ACTIVE).await?;
        Ok(ServiceStatistics { rows, active_players })
    }

    async fn counted_account(&self, username: &str) -> Result<AccountRow, ServiceError> {
        let connection = self.store.connection().await?;
        account_find_by_username(&connection, username).await?.ok_or(ServiceError::AccountNotFound)
    }
}

/// How many matches that are over are in these.
fn matches_in(rows: &[TotalRow]) -> i64 {
    rows.iter().flat_map(|row| &row.figures.places).map(|matches| i64::from(*matches)).sum()
}

/// A month as it is printed.
pub fn month_name(month: NaiveDate) -> String {
    format!("{:04}-{:02}", month.year(), month.month())
}

fn named(
    rows: &[TotalRow],
    name: impl Fn(&TotalRow) -> String,
    streaks: &[(String, i64)],
) -> Vec<NamedFigures> {
    let mut found: BTreeMap<String, PlayerFigures> = BTreeMap::new();
    for row in rows {
        found.entry(name(row)).or_default().take(row);
    }
    for (name, longest) in streaks {
        if let Some(figures) = found.get_mut(name) {
            figures.longest_streak = *longest;
        }
    }
    found.into_iter().map(|(name, figures)| NamedFigures { name, figures }).collect()
}

/// To a hundredth.
fn mean(sum: i64, count: i32) -> Option<f64> {
    let count = i64::from(count);
    let hundredths = (sum.saturating_mul(100) + count / 2).checked_div(count)?;
    Some(f64::from(i32::try_from(hundredths).ok()?) / 100.0)
}
