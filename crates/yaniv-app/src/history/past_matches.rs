//! Match history: lists of an account's matches, newest first, for the account itself and for others.
//!
//! They are sorted by identifier, that is, by creation (for a match from a challenge or a matchmaking
//! request: the creation of that). The order never changes, so a page begins after the last match of the page
//! before, regardless of new matches.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::{account_find, account_find_by_username};
use yaniv_db::history::past_matches::{HistoryFilter, Stage, history_list};
use yaniv_db::matches::batch_reads::match_list_of;
use yaniv_db::matches::load::MatchRows;
use yaniv_db::matches::seats::{SeatRow, seat_list};
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::settings::Player;
use yaniv_match::status::Status;
use yaniv_model::ids::{AccountId, MatchId, first_id_of};

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::matches::load::state_of_rows;
use crate::{Page, ServiceError, Services};

/// Maximum age of an identifier when its match is created: challenges and matchmaking requests wait for two
/// weeks.
const DRAWN_BEFORE: TimeDelta = TimeDelta::days(30);
/// Maximum difference between the clocks of instances and of the database.
const CLOCKS_APART: TimeDelta = TimeDelta::days(1);

/// Filter and page of the list.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Status of the match.
    pub status: Option<Status>,
    /// Preset of the rules; empty for rules that equal no preset.
    pub preset: Option<String>,
    /// With this player in another seat.
    pub opponent: Option<String>,
    /// Won by the account, or over and not won.
    pub won: Option<bool>,
    /// With or without a bot.
    pub bots: Option<bool>,
    /// Public or private.
    pub public: Option<bool>,
    /// Rated or unrated.
    pub rated: Option<bool>,
    /// Created at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Created before this time.
    pub until: Option<DateTime<Utc>>,
    /// Cursor from the page before.
    pub cursor: Option<String>,
    /// Maximum number of items.
    pub limit: i64,
}

/// A match in the history.
pub struct PastMatch {
    /// The match.
    pub id: MatchId,
    /// Status of the match.
    pub status: Status,
    /// The preset, if the rules equal one.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// `private` or `public`.
    pub visibility: String,
    /// Whether it is rated.
    pub rated: bool,
    /// Whether it is a sandbox.
    pub sandbox: bool,
    /// Rounds so far, including the one in play.
    pub rounds: u16,
    /// The account's seat.
    pub seat: Option<Seat>,
    /// Players by seat, with totals once play has begun and places once it is over.
    pub players: Vec<(Player, Option<i32>, Option<u8>)>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

impl Services {
    /// The caller's matches.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn history(
        &self,
        account: AccountId,
        query: HistoryQuery,
    ) -> Result<Page<PastMatch>, ServiceError> {
        let connection = self.store.connection().await?;
        page(&connection, account, query).await
    }

    /// The finished public matches of an account.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn public_history(
        &self,
        username: &str,
        query: HistoryQuery,
    ) -> Result<Page<PastMatch>, ServiceError> {
        let connection = self.store.connection().await?;
        let account = account_find_by_username(&connection, username).await?;
        let account = AccountId(account.ok_or(ServiceError::AccountNotFound)?.id);
        let query = HistoryQuery { status: Some(Status::Finished), public: Some(true), ..query };
        page(&connection, account, query).await
    }
}

async fn page(
    connection: &Connection,
    account: AccountId,
    query: HistoryQuery,
) -> Result<Page<PastMatch>, ServiceError> {
    let asked = PageQuery::new(query.cursor.as_deref(), query.limit)?;
    let Some(filter) = filter(connection, account, query, asked.after).await? else {
        return Ok(Page::empty());
    };
    let found = history_list(connection, account, &filter, asked.rows()).await?;
    let Page { items: found, next_cursor } = asked.page(found, |id| *id);
    let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
    for seat in seat_list(connection, &found).await? {
        seats.entry(seat.match_id).or_default().push(seat);
    }
    let rows = match_list_of(connection, &found).await?;
    let items = rows.into_iter().map(|(row, state)| {
        let seats = seats.remove(&row.id).unwrap_or_default();
        let (rounds, dedications, keys, codes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (blocks, hiding) = (Vec::new(), 0);
        let rows = MatchRows { row, state, seats, rounds, dedications, keys, codes, blocks, hiding };
        Ok(PastMatch::new(&state_of_rows(rows)?, account))
    });
    Ok(Page { items: items.collect::<Result<_, ServiceError>>()?, next_cursor })
}

/// Translates the filter for the database; `None` if no match can satisfy it.
async fn filter(
    connection: &Connection,
    account: AccountId,
    query: HistoryQuery,
    before: Option<Uuid>,
) -> Result<Option<HistoryFilter>, ServiceError> {
    let opponent = match query.opponent {
        None => None,
        Some(name) => match account_find_by_username(connection, &name).await? {
            Some(account) => Some(account.id),
            None => return Ok(None),
        },
    };
    let bots = match query.bots {
        // A bot's own matches always contain a bot.
        Some(bots) if account_find(connection, account).await?.is_some_and(|row| row.is_bot()) => {
            if !bots {
                return Ok(None);
            }
            None
        }
        bots => bots,
    };
    let latest = query.until.and_then(|until| first_id_of(until.checked_add_signed(CLOCKS_APART)?));
    let earliest = query.since.and_then(|since| first_id_of(since.checked_sub_signed(DRAWN_BEFORE)?));
    let stage = query.status.map(|status| match status {
        Status::Waiting => Stage::Waiting,
        Status::Running => Stage::Running,
        Status::Finished | Status::Cancelled => Stage::Over,
    });
    Ok(Some(HistoryFilter {
        stage,
        preset: query.preset,
        opponent,
        won: query.won,
        bots,
        public: query.public,
        rated: query.rated,
        since: query.since,
        until: query.until,
        after_id: earliest,
        before_id: before.into_iter().chain(latest).min(),
    }))
}

impl PastMatch {
    fn new(match_state: &MatchState, account: AccountId) -> Self {
        let game = match_state.game();
        let with_numbers = (0_u8..).map(Seat::new).zip(match_state.players().iter());
        let players = with_numbers.map(|(seat, player)| {
            let total = game.map(|game| game.total(seat));
            (player.clone(), total, match_state.place(seat))
        });
        Self {
            id: match_state.id(),
            status: match_state.status(),
            preset: match_state.settings().preset.clone(),
            size: match_state.settings().size,
            visibility: match_state.settings().visibility.clone(),
            rated: match_state.settings().rated,
            sandbox: match_state.settings().sandbox,
            rounds: game.map_or(0, yaniv_engine::Match::round),
            seat: match_state.seat_of(account),
            players: players.collect(),
            created_at: match_state.settings().created_at,
            started_at: match_state.started_at(),
            finished_at: match_state.finished_at(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_bounded_by_the_time_at_which_they_were_drawn() {
        let before = Utc::now();
        let id = MatchId::generate().0;
        let first = first_id_of(before).unwrap();
        let later = first_id_of(before + TimeDelta::seconds(60)).unwrap();
        assert!(first <= id && id < later, "{first} {id} {later}");
        assert_eq!(first_id_of(DateTime::UNIX_EPOCH - TimeDelta::days(1)), None);
        assert_eq!(first_id_of(DateTime::<Utc>::MAX_UTC), None);
    }
}
