//! Queries of statistics: of a player, of two players against each other, of the service. The figures are
//! defined in docs/statistics.md and counted by `worker`.

use std::collections::BTreeMap;

use chrono::{Datelike, NaiveDate, TimeDelta};
use yaniv_db::accounts::account_rows::{AccountRow, account_find_by_username};
use yaniv_db::accounts::activity::activity_count_since;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::statistics::match_stats::{StreaksOf, TallyFilter, TogetherRow, tally_together};
use yaniv_db::statistics::player_stats::{TotalFigures, TotalRow, total_list};
use yaniv_db::statistics::service_totals::{ServiceTotalRow, service_total_list};
use yaniv_db::{StoreError, Transactions};
use yaniv_model::ids::AccountId;

use crate::kernel::boxed;
use crate::statistics::figures::add;
use crate::statistics::reply_times::median;
use crate::{ServiceError, Services};

/// Players who have played within this time are active.
const ACTIVE: TimeDelta = TimeDelta::days(30);
/// Maximum number of months listed, the newest.
pub const MOST_MONTHS: usize = 120;

/// Filter of the counted matches.
pub type StatisticsFilter = TallyFilter;

/// Figures of a player.
#[derive(Clone, Debug, Default)]
pub struct PlayerFigures {
    /// Sums.
    pub sums: TotalFigures,
    /// Finished matches, by number of seats and place.
    pub places: Vec<PlaceCount>,
    /// The longest winning streak, in matches.
    pub longest_streak: i64,
}

/// Number of matches with a place, by number of seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceCount {
    /// Number of seats.
    pub seats: i16,
    /// Place, 1 is best.
    pub place: i16,
    /// Number of matches.
    pub matches: i32,
}

/// Figures of a preset or of a month.
#[derive(Clone, Debug)]
pub struct NamedFigures {
    /// The preset, or `custom`; the month, as `2026-11`.
    pub name: String,
    /// The figures.
    pub figures: PlayerFigures,
}

/// The statistics of a player.
#[derive(Clone, Debug)]
pub struct PlayerStatistics {
    /// The player.
    pub username: String,
    /// Figures of all matches of the filter.
    pub overall: PlayerFigures,
    /// Figures by preset.
    pub presets: Vec<NamedFigures>,
}

/// Two players against each other.
#[derive(Clone, Debug)]
pub struct HeadToHead {
    /// The first player.
    pub username: String,
    /// The second player.
    pub opponent: String,
    /// The results.
    pub together: TogetherRow,
}

/// Statistics of the service.
#[derive(Clone, Debug)]
pub struct ServiceStatistics {
    /// By preset and month.
    pub rows: Vec<ServiceTotalRow>,
    /// Number of humans who have played recently.
    pub active_players: i64,
}

impl PlayerFigures {
    /// Number of finished matches.
    pub fn matches(&self) -> i32 {
        self.sums.places.iter().sum()
    }

    /// Number of matches won, including shared wins.
    pub fn wins(&self) -> i32 {
        self.sums.places.first().copied().unwrap_or_default()
    }

    /// Mean points in hand at a call.
    pub fn mean_call_points(&self) -> Option<f64> {
        mean(self.sums.call_points, self.sums.calls_right + self.sums.calls_wrong)
    }

    /// Mean points in hand at the end of a lost round.
    pub fn mean_hand_given_up(&self) -> Option<f64> {
        mean(self.sums.points_lost, self.sums.rounds_lost)
    }

    /// Median reply time, in seconds.
    pub fn median_reply_seconds(&self) -> Option<f64> {
        median(&self.sums.replies).map(|seconds| (seconds * 10.0).round() / 10.0)
    }

    /// Share of deadlines that were met.
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
    /// Figures of a player, overall and by preset.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn statistics(
        &self,
        username: &str,
        filter: &StatisticsFilter,
    ) -> Result<PlayerStatistics, ServiceError> {
        let account = self.counted_account(username).await?;
        let id = AccountId(account.id);
        let mut connection = self.store.connection().await?;
        // One snapshot, consistent while counting goes on.
        let read = connection.snapshot(async |connection| {
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

    /// Figures of a player by month, newest first.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn statistics_by_month(
        &self,
        username: &str,
        filter: &StatisticsFilter,
    ) -> Result<(String, Vec<NamedFigures>), ServiceError> {
        let account = self.counted_account(username).await?;
        let id = AccountId(account.id);
        let mut connection = self.store.connection().await?;
        let read = connection.snapshot(async |connection| {
            let rows = total_list(connection, id, filter).await?;
            let of = (id, matches_in(&rows));
            let streaks = self.streaks.of(connection, of, filter, StreaksOf::Month).await?;
            Ok::<_, StoreError>((rows, streaks))
        });
        let (rows, streaks) = read.await?;
        drop(connection);
        let mut months = named(&rows, |row| month_name(row.month), &streaks);
        months.reverse();
        months.truncate(MOST_MONTHS);
        Ok((account.username, months))
    }

    /// Results of two players against each other.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn head_to_head(&self, username: &str, opponent: &str) -> Result<HeadToHead, ServiceError> {
        let first = self.counted_account(username).await?;
        let second = self.counted_account(opponent).await?;
        let connection = self.store.connection().await?;
        let together = tally_together(&connection, AccountId(first.id), AccountId(second.id)).await?;
        Ok(HeadToHead { username: first.username, opponent: second.username, together })
    }

    /// Statistics of the service.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
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

/// Number of finished matches in these rows.
fn matches_in(rows: &[TotalRow]) -> i64 {
    rows.iter().flat_map(|row| &row.figures.places).map(|matches| i64::from(*matches)).sum()
}

/// The printed form of a month.
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

/// Mean, rounded to a hundredth.
fn mean(sum: i64, count: i32) -> Option<f64> {
    let count = i64::from(count);
    let hundredths = (sum.saturating_mul(100) + count / 2).checked_div(count)?;
    Some(f64::from(i32::try_from(hundredths).ok()?) / 100.0)
}
