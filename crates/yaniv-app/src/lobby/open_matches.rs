//! The list of public matches that wait for players, for all accounts. Joining is in `join_leave_start`.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::lobby::open_matches::{ListedMatch, OpenFilter, open_match_list};
use yaniv_db::matches::seats::{SeatRow, seat_list};
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::AccountId;

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::{Page, ServiceError, Services};

/// Filter and page of the list.
#[derive(Clone, Debug, Default)]
pub struct OpenQuery {
    /// Only this preset.
    pub preset: Option<String>,
    /// Only this number of seats.
    pub size: Option<i16>,
    /// Only matches whose turns take at most this number of seconds.
    pub longest_turn: Option<i32>,
    /// Only rated matches, or only unrated ones.
    pub rated: Option<bool>,
    /// Cursor of the page.
    pub cursor: Option<String>,
    /// Page size.
    pub limit: i64,
}

/// A match that waits for players.
#[derive(Clone, Debug)]
pub struct OpenMatch {
    /// The join code.
    pub code: String,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// Names of the players, the host first.
    pub usernames: Vec<String>,
    /// Those of them that are bots.
    pub bots: Vec<String>,
    /// Clock, and handling of absent players.
    pub time_control: TimeControl,
    /// Whether it is rated.
    pub rated: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

impl Services {
    /// Public matches with a free seat, newest first, without the caller's own.
    ///
    /// # Errors
    /// `InvalidParameter` if the cursor is not valid.
    #[boxed]
    pub async fn open_matches(
        &self,
        account: AccountId,
        query: OpenQuery,
    ) -> Result<Page<OpenMatch>, ServiceError> {
        let asked = PageQuery::new(query.cursor.as_deref(), query.limit)?;
        let OpenQuery { preset, size, longest_turn, rated, .. } = query;
        let filter = OpenFilter { preset, size, longest_turn, rated, before: asked.after };
        let connection = self.store.connection().await?;
        let rows = open_match_list(&connection, account, filter, asked.rows()).await?;
        let page = asked.page(rows, |row| row.match_id);
        let ids: Vec<Uuid> = page.items.iter().map(|row| row.match_id).collect();
        let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
        for seat in seat_list(&connection, &ids).await? {
            seats.entry(seat.match_id).or_default().push(seat);
        }
        page.try_map(|row: ListedMatch| {
            let seats = seats.remove(&row.match_id).unwrap_or_default();
            Ok(OpenMatch {
                time_control: TimeControl::from_stored(row.pace.as_ref())?,
                bots: seats.iter().filter(|seat| seat.bot).map(|seat| seat.username.clone()).collect(),
                usernames: seats.into_iter().map(|seat| seat.username).collect(),
                code: row.code,
                preset: row.preset,
                size: row.size,
                rated: row.rated,
                created_at: row.created_at,
            })
        })
    }
}
