//! Ratings and leaderboards, as everybody with an account may read them. How they come about is in `rater`.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Preset;

use super::cursor_time::cursor_time;
use super::rating_math::Strength;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::accounts::account_find_by_username;
use crate::store::rating_boards::{
    BoardPosition, ListedRow, board_count, board_find, board_list, board_list_around,
};
use crate::store::rating_changes::{ChangePosition, SeenChangeRow, rating_change_list};
use crate::store::ratings::{RatingRow, rating_list};

/// A rating of an account.
#[derive(Clone, Debug)]
pub struct Rating {
    /// Preset that it is for.
    pub preset: String,
    /// What is known.
    pub strength: Strength,
    /// Rated matches.
    pub matches: i32,
    /// When the newest of them ended.
    pub last_at: DateTime<Utc>,
    /// Place on the leaderboard, if it is there.
    pub rank: Option<i64>,
    /// How many are on the leaderboard.
    pub players: i64,
}

/// What a match did to a rating.
#[derive(Clone, Debug)]
pub struct RatingChange {
    /// The match, if the viewer may know it.
    pub match_id: Option<MatchId>,
    /// When it ended.
    pub at: DateTime<Utc>,
    /// Which of the account's rated matches it was.
    pub number: i32,
    /// Place in the match.
    pub place: i16,
    /// Players of the match.
    pub players: i16,
    /// Before it.
    pub before: Strength,
    /// After it.
    pub after: Strength,
}

/// A page of changes.
pub struct RatingChangePage {
    /// Newest first.
    pub items: Vec<RatingChange>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

/// Somebody on a leaderboard.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The account's name.
    pub username: String,
    /// Place, from 1; those with the same rating share it.
    pub rank: i64,
    /// What is known.
    pub strength: Strength,
    /// Rated matches.
    pub matches: i32,
    /// When the newest of them ended.
    pub last_at: DateTime<Utc>,
}

/// A part of a leaderboard.
pub struct Leaderboard {
    /// Preset that it is for.
    pub preset: Preset,
    /// Whether it is the one of bots.
    pub bots: bool,
    /// How many are on it.
    pub players: i64,
    /// From the top down.
    pub items: Vec<Listed>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// Ratings of an account, by preset.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn ratings(&self, username: &str) -> Result<Vec<Rating>, ServiceError> {
        let connection = self.store.connection().await?;
        let account = named(&connection, username).await?;
        drop(connection);
        self.own_ratings(account).await
    }

    /// The same of the caller.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn own_ratings(&self, account: AccountId) -> Result<Vec<Rating>, ServiceError> {
        let rows = rating_list(&*self.store.connection().await?, account).await?;
        Ok(rows.into_iter().map(Rating::from).collect())
    }

    /// What rated matches by a preset did to the rating of an account, newest first. A page begins behind the last match of
    /// the page before, whatever has come or was rated late meanwhile; while ratings are rebuilt some are missing.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidParameter` for a cursor that no answer gave.
    pub async fn rating_changes(
        &self,
        viewer: AccountId,
        username: &str,
        preset: Preset,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<RatingChangePage, ServiceError> {
        let behind =
            cursor.map(|cursor| parse_change_cursor(cursor).ok_or(ServiceError::InvalidParameter("cursor")));
        let behind = behind.transpose()?.unwrap_or(ChangePosition::TOP);
        let connection = self.store.connection().await?;
        let account = named(&connection, username).await?;
        let most = limit.saturating_add(1);
        let rows = rating_change_list(&connection, (account, viewer), preset.as_str(), behind, most).await?;
        let mut items: Vec<RatingChange> = rows.into_iter().map(RatingChange::from).collect();
        let more = cut(&mut items, limit);
        let next_cursor = items.last().filter(|_| more).map(print_change_cursor);
        Ok(RatingChangePage { items, next_cursor })
    }

    /// Those on a leaderboard, from the top down. A page begins behind the last of the page before, wherever the others have
    /// gone meanwhile.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn leaderboard(
        &self,
        preset: Preset,
        bots: bool,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Leaderboard, ServiceError> {
        let connection = self.store.connection().await?;
        let after = match cursor {
            None => BoardPosition::TOP,
            Some(cursor) => board_position(&connection, cursor).await?,
        };
        let list = (preset.as_str(), bots);
        let rows = board_list(&connection, list, after, limit.saturating_add(1)).await?;
        Leaderboard::new(&connection, (preset, bots), rows, limit).await
    }

    /// Somebody on a leaderboard, with so many before and after; nobody, if they are on none.
    ///
    /// # Errors
    /// `AccountNotFound`.
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
            return Leaderboard::new(&connection, (preset, bots), Vec::new(), limit).await;
        };
        let list = (preset.as_str(), bots);
        let rows = board_list_around(&connection, list, at, (limit, limit.saturating_add(1))).await?;
        let before = rows.iter().take_while(|row| row.username != username).count();
        let shown = i64::try_from(before).unwrap_or(limit).saturating_add(1).saturating_add(limit);
        Leaderboard::new(&connection, (preset, bots), rows, shown).await
    }
}

impl Leaderboard {
    async fn new(
        connection: &AsyncPgConnection,
        (preset, bots): (Preset, bool),
        mut rows: Vec<ListedRow>,
        limit: i64,
    ) -> Result<Self, ServiceError> {
        let more = cut(&mut rows, limit);
        let last = rows.last().filter(|_| more);
        let next_cursor = last.map(|row| format!("{}.{}", row.listed, row.username));
        let players = board_count(connection, (preset.as_str(), bots)).await?;
        Ok(Self { preset, bots, players, items: rows.into_iter().map(Listed::from).collect(), next_cursor })
    }
}

async fn named(connection: &AsyncPgConnection, username: &str) -> Result<AccountId, ServiceError> {
    let row = account_find_by_username(connection, username).await?;
    row.map(|row| AccountId(row.id)).ok_or(ServiceError::AccountNotFound)
}

/// Cuts off what was asked for beyond a page, and says whether there was any.
fn cut<T>(items: &mut Vec<T>, limit: i64) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    more
}

/// Where a page of changes ended: the number and the microsecond of its last.
fn print_change_cursor(last: &RatingChange) -> String {
    format!("{}.{}", last.number, last.at.timestamp_micros())
}

fn parse_change_cursor(cursor: &str) -> Option<ChangePosition> {
    let (number, micros) = cursor.split_once('.')?;
    Some(ChangePosition { number: number.parse().ok()?, at: cursor_time(micros.parse().ok()?)? })
}

/// Where a page ended: the rating and the name of its last. Of who is deleted meanwhile nobody has the place any more: then it
/// goes on with all who have that rating.
async fn board_position(connection: &AsyncPgConnection, cursor: &str) -> Result<BoardPosition, ServiceError> {
    let refused = || ServiceError::InvalidParameter("cursor");
    let (listed, username) = cursor.split_once('.').ok_or_else(refused)?;
    let listed = listed.parse().map_err(|_| refused())?;
    let row = account_find_by_username(connection, username).await?;
    Ok(BoardPosition { listed, account_id: row.map_or(BoardPosition::TOP.account_id, |row| row.id) })
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
