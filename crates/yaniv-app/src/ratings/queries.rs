//! Queries of ratings and leaderboards, for all accounts. Ratings are computed by `worker`.

use chrono::{DateTime, Utc};
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::account_find_by_username;
use yaniv_db::ratings::leaderboards::{
    BoardPosition, ListedRow, board_count, board_find, board_list, board_list_around,
};
use yaniv_db::ratings::rating_changes::{ChangePosition, SeenChangeRow, rating_change_list};
use yaniv_db::ratings::rating_rows::{RatingRow, rating_list};
use yaniv_engine::Preset;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::kernel::page::{CursorKey, PageQuery, cursor_time};
use crate::ratings::math::Strength;
use crate::{Page, ServiceError, Services};

/// A rating of an account.
#[derive(Clone, Debug)]
pub struct Rating {
    /// The preset.
    pub preset: String,
    /// The player's strength.
    pub strength: Strength,
    /// Rated matches.
    pub matches: i32,
    /// When the newest of them ended.
    pub last_at: DateTime<Utc>,
    /// Rank on the leaderboard, if listed.
    pub rank: Option<i64>,
    /// Number of players on the leaderboard.
    pub players: i64,
}

/// The change of a rating by a match.
#[derive(Clone, Debug)]
pub struct RatingChange {
    /// The match, if the viewer may see it.
    pub match_id: Option<MatchId>,
    /// When it ended.
    pub at: DateTime<Utc>,
    /// Number of the match among the account's rated matches of the preset.
    pub number: i32,
    /// Place in the match.
    pub place: i16,
    /// Number of players of the match.
    pub players: i16,
    /// Strength before the match.
    pub before: Strength,
    /// Strength after the match.
    pub after: Strength,
}

/// An entry of a leaderboard.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The account's name.
    pub username: String,
    /// Rank, from 1; equal ratings share it.
    pub rank: i64,
    /// The player's strength.
    pub strength: Strength,
    /// Rated matches.
    pub matches: i32,
    /// When the newest of them ended.
    pub last_at: DateTime<Utc>,
}

/// A page of a leaderboard.
pub struct Leaderboard {
    /// The preset.
    pub preset: Preset,
    /// Whether it is the leaderboard of bots.
    pub bots: bool,
    /// Number of players on it.
    pub players: i64,
    /// Highest rating first.
    pub page: Page<Listed>,
}

impl Services {
    /// Ratings of an account, by preset.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn ratings(&self, username: &str) -> Result<Vec<Rating>, ServiceError> {
        let connection = self.store.connection().await?;
        let account = named(&connection, username).await?;
        drop(connection);
        self.own_ratings(account).await
    }

    /// Ratings of the caller, by preset.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) async fn own_ratings(&self, account: AccountId) -> Result<Vec<Rating>, ServiceError> {
        let rows = rating_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(Rating::from).collect())
    }

    /// Rating changes of an account in a preset, newest first.
    ///
    /// Matches rated late do not shift a page. During a rebuild some changes are missing.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidParameter` if the cursor is not valid.
    #[boxed]
    pub async fn rating_changes(
        &self,
        viewer: AccountId,
        username: &str,
        preset: Preset,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<RatingChange>, ServiceError> {
        let asked = PageQuery::<ChangePosition>::new(cursor, limit)?;
        let behind = asked.after.unwrap_or(ChangePosition::TOP);
        let connection = self.store.connection().await?;
        let account = named(&connection, username).await?;
        let of = (account, viewer);
        let rows = rating_change_list(&connection, of, preset.as_str(), behind, asked.rows()).await?;
        let page = asked.page(rows, |row| ChangePosition { number: row.change.number, at: row.change.at });
        Ok(page.map(RatingChange::from))
    }

    /// A page of a leaderboard, highest rating first.
    ///
    /// # Errors
    /// `InvalidParameter` if the cursor is not valid.
    #[boxed]
    pub async fn leaderboard(
        &self,
        preset: Preset,
        bots: bool,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Leaderboard, ServiceError> {
        let asked = PageQuery::<BoardKey>::new(cursor, limit)?;
        let connection = self.store.connection().await?;
        let after = match &asked.after {
            None => BoardPosition::TOP,
            Some(key) => board_position(&connection, key).await?,
        };
        let list = (preset.as_str(), bots);
        let rows = board_list(&connection, list, after, asked.rows()).await?;
        Leaderboard::new(&connection, (preset, bots), rows, &asked).await
    }

    /// A player on a leaderboard, with up to `limit` entries before and after; empty if the player is not
    /// listed.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn leaderboard_around(
        &self,
        preset: Preset,
        username: &str,
        limit: i64,
    ) -> Result<Leaderboard, ServiceError> {
        let connection = self.store.connection().await?;
        let Some((at, bots)) = board_find(&connection, preset.as_str(), username).await? else {
            let row = account_find_by_username(&connection, username).await?;
            let bots = row.ok_or(ServiceError::AccountNotFound)?.is_bot();
            return Leaderboard::new(&connection, (preset, bots), Vec::new(), &PageQuery::new(None, limit)?)
                .await;
        };
        let list = (preset.as_str(), bots);
        let rows = board_list_around(&connection, list, at, (limit, limit.saturating_add(1))).await?;
        let before = rows.iter().take_while(|row| row.username != username).count();
        let shown = i64::try_from(before).unwrap_or(limit).saturating_add(1).saturating_add(limit);
        Leaderboard::new(&connection, (preset, bots), rows, &PageQuery::new(None, shown)?).await
    }
}

impl Leaderboard {
    async fn new(
        connection: &Connection,
        (preset, bots): (Preset, bool),
        rows: Vec<ListedRow>,
        asked: &PageQuery<BoardKey>,
    ) -> Result<Self, ServiceError> {
        let page = asked.page(rows, |row| BoardKey { listed: row.listed, username: row.username.clone() });
        let players = board_count(connection, (preset.as_str(), bots)).await?;
        Ok(Self { preset, bots, players, page: page.map(Listed::from) })
    }
}

async fn named(connection: &Connection, username: &str) -> Result<AccountId, ServiceError> {
    let row = account_find_by_username(connection, username).await?;
    row.map(|row| AccountId(row.id)).ok_or(ServiceError::AccountNotFound)
}

/// Number, and time in microseconds.
impl CursorKey for ChangePosition {
    fn print(&self) -> String {
        format!("{}.{}", self.number, self.at.timestamp_micros())
    }

    fn parse(cursor: &str) -> Option<Self> {
        let (number, micros) = cursor.split_once('.')?;
        Some(Self { number: number.parse().ok()?, at: cursor_time(micros.parse().ok()?)? })
    }
}

/// Rating and name of an entry of a leaderboard.
struct BoardKey {
    listed: i32,
    username: String,
}

impl CursorKey for BoardKey {
    fn print(&self) -> String {
        format!("{}.{}", self.listed, self.username)
    }

    fn parse(cursor: &str) -> Option<Self> {
        let (listed, username) = cursor.split_once('.')?;
        Some(Self { listed: listed.parse().ok()?, username: username.to_owned() })
    }
}

/// The position of an entry.
///
/// If its account has been deleted since, the page begins with all entries of the same rating.
async fn board_position(connection: &Connection, key: &BoardKey) -> Result<BoardPosition, ServiceError> {
    let row = account_find_by_username(connection, &key.username).await?;
    let account_id = row.map_or(BoardPosition::TOP.account_id, |row| row.id);
    Ok(BoardPosition { listed: key.listed, account_id })
}

impl From<RatingRow> for Rating {
    fn from(row: RatingRow) -> Self {
        Self {
            preset: row.preset,
            strength: Strength { mu: row.mu, sigma: row.sigma },
            matches: row.matches,
            last_at: row.last_at,
            rank: row.before.map(|before| before.saturating_add(1)),
            players: row.players,
        }
    }
}

impl From<SeenChangeRow> for RatingChange {
    fn from(SeenChangeRow { change, open }: SeenChangeRow) -> Self {
        Self {
            match_id: open.then_some(MatchId(change.match_id)),
            at: change.at,
            number: change.number,
            place: change.place,
            players: change.players,
            before: Strength { mu: change.mu_before, sigma: change.sigma_before },
            after: Strength { mu: change.mu, sigma: change.sigma },
        }
    }
}

impl From<ListedRow> for Listed {
    fn from(row: ListedRow) -> Self {
        Self {
            username: row.username,
            rank: row.rank,
            strength: Strength { mu: row.mu, sigma: row.sigma },
            matches: row.matches,
            last_at: row.last_at,
        }
    }
}
