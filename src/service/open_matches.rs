//! Public matches that wait for players, as anybody may list them who has an account.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::pace::Pace;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::open_matches::{ListedMatch, OpenFilter, open_match_list};
use crate::store::seats::{SeatRow, seat_list};

/// Which open matches are wanted.
#[derive(Clone, Debug, Default)]
pub struct OpenQuery {
    /// With the rules of this preset.
    pub preset: Option<String>,
    /// With so many seats.
    pub size: Option<i16>,
    /// In which a turn takes so many seconds at most.
    pub longest_turn: Option<i32>,
    /// Only those that count for ratings, or only those that do not.
    pub rated: Option<bool>,
    /// Where the page before ended.
    pub cursor: Option<String>,
    /// How many.
    pub limit: i64,
}

/// A match that waits for players.
#[derive(Clone, Debug)]
pub struct OpenMatch {
    /// Code to join by.
    pub code: String,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats.
    pub size: i16,
    /// Who has taken one, the host first.
    pub usernames: Vec<String>,
    /// Those of them that are bots.
    pub bots: Vec<String>,
    /// Clock, and what is done for absent players.
    pub pace: Pace,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A page of matches that wait for players.
pub struct OpenPage {
    /// Newest first.
    pub items: Vec<OpenMatch>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// Public matches with a free seat, the caller's own left out; newest first. A page begins behind the last match of
    /// the page before, whatever has come or gone meanwhile.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn open_matches(&self, account: AccountId, query: OpenQuery) -> Result<OpenPage, ServiceError> {
        let before = query
            .cursor
            .map(|cursor| Uuid::try_parse(&cursor).map_err(|_| ServiceError::InvalidParameter("cursor")))
            .transpose()?;
        let OpenQuery { preset, size, longest_turn, rated, .. } = query;
        let filter = OpenFilter { preset, size, longest_turn, rated, before };
        let connection = self.store.connection().await?;
        // One more than asked for tells whether there is another page.
        let mut rows = open_match_list(&connection, account, filter, query.limit.saturating_add(1)).await?;
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|row| row.match_id.simple().to_string());
        let ids: Vec<Uuid> = rows.iter().map(|row| row.match_id).collect();
        let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
        for seat in seat_list(&connection, &ids).await? {
            seats.entry(seat.match_id).or_default().push(seat);
        }
        let item = |row: ListedMatch| {
            let seats = seats.remove(&row.match_id).unwrap_or_default();
            Ok(OpenMatch {
                pace: Pace::from_stored(row.pace.as_ref())?,
                bots: seats.iter().filter(|seat| seat.bot).map(|seat| seat.username.clone()).collect(),
                usernames: seats.into_iter().map(|seat| seat.username).collect(),
                code: row.code,
                preset: row.preset,
                size: row.size,
                rated: row.rated,
                created_at: row.created_at,
            })
        };
        let items = rows.into_iter().map(item).collect::<Result<_, ServiceError>>()?;
        Ok(OpenPage { items, next_cursor })
    }
}
