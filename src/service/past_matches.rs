//! What somebody has played: lists of matches, newest first, as their player or as others may see them.
//!
//! The order is that of identifiers, which is that in which matches were created (one that a challenge or a request led to: when
//! that was made). It never changes, so a page begins behind the last match of the page before, whatever comes meanwhile.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;
use yaniv_engine::Seat;

use super::settled::Player;
use super::status::Status;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::accounts::{account_find, account_find_by_username};
use crate::store::history_list::{HistoryFilter, Stage, history_list};
use crate::store::match_rows::match_list_of;
use crate::store::seats::{SeatRow, seat_list};
use crate::store::table_load::TableRows;

/// A match is created so long after its identifier was drawn at most: challenges and requests to be paired wait for two weeks.
const DRAWN_BEFORE: TimeDelta = TimeDelta::days(30);
/// How far the clocks of instances may be from the database's.
const CLOCKS_APART: TimeDelta = TimeDelta::days(1);

/// Which matches are wanted.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    /// Where they are in their lives.
    pub status: Option<Status>,
    /// With the rules of this preset; an empty one: with those of none.
    pub preset: Option<String>,
    /// With this player in another seat.
    pub opponent: Option<String>,
    /// Won, or over and not won.
    pub won: Option<bool>,
    /// With a bot at the table, or without.
    pub bots: Option<bool>,
    /// Public, or private.
    pub public: Option<bool>,
    /// That count for ratings, or do not.
    pub rated: Option<bool>,
    /// Created at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// Created before this time.
    pub until: Option<DateTime<Utc>>,
    /// Where the page before ended.
    pub cursor: Option<String>,
    /// How many.
    pub limit: i64,
}

/// A match that somebody has played.
pub struct PastMatch {
    /// The match.
    pub id: MatchId,
    /// Where it is in its life.
    pub status: Status,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats.
    pub size: i16,
    /// `private` or `public`.
    pub visibility: String,
    /// Whether it counts for ratings.
    pub rated: bool,
    /// Whether it is a test match.
    pub sandbox: bool,
    /// Rounds so far, that in play included.
    pub rounds: u16,
    /// The seat of who is asked about.
    pub seat: Option<Seat>,
    /// Everybody by seat, with their totals once play has begun and their places once it is over.
    pub players: Vec<(Player, Option<i32>, Option<u8>)>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A page of matches.
pub struct PastMatches {
    /// Newest first.
    pub items: Vec<PastMatch>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Services {
    /// The caller's matches.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn history(
        &self,
        account: AccountId,
        query: HistoryQuery,
    ) -> Result<PastMatches, ServiceError> {
        let connection = self.store.connection().await?;
        page(&connection, account, query).await
    }

    /// The public matches of somebody that are over.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidParameter` for a cursor that no answer gave.
    pub async fn public_history(
        &self,
        username: &str,
        query: HistoryQuery,
    ) -> Result<PastMatches, ServiceError> {
        let connection = self.store.connection().await?;
        let account = account_find_by_username(&connection, username).await?;
        let account = AccountId(account.ok_or(ServiceError::AccountNotFound)?.id);
        let query = HistoryQuery { status: Some(Status::Finished), public: Some(true), ..query };
        page(&connection, account, query).await
    }
}

async fn page(
    connection: &AsyncPgConnection,
    account: AccountId,
    query: HistoryQuery,
) -> Result<PastMatches, ServiceError> {
    let limit = query.limit;
    let nothing = PastMatches { items: Vec::new(), next_cursor: None };
    let Some(filter) = filter(connection, account, query).await? else { return Ok(nothing) };
    // One more than asked for tells whether there is another page.
    let mut found = history_list(connection, account, &filter, limit.saturating_add(1)).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    let next_cursor = found.last().filter(|_| more).map(|id| id.simple().to_string());
    let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
    for seat in seat_list(connection, &found).await? {
        seats.entry(seat.match_id).or_default().push(seat);
    }
    let rows = match_list_of(connection, &found).await?;
    let items = rows.into_iter().map(|(row, state)| {
        let seats = seats.remove(&row.id).unwrap_or_default();
        let (rounds, gifts, keys, codes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let rows = TableRows { row, state, seats, rounds, gifts, keys, codes };
        Ok(PastMatch::new(&Table::try_from(rows)?, account))
    });
    Ok(PastMatches { items: items.collect::<Result<_, ServiceError>>()?, next_cursor })
}

/// What to ask the database for; nothing, if no match can be as it is asked for.
async fn filter(
    connection: &AsyncPgConnection,
    account: AccountId,
    query: HistoryQuery,
) -> Result<Option<HistoryFilter>, ServiceError> {
    let cursor = query
        .cursor
        .map(|cursor| Uuid::try_parse(&cursor).map_err(|_| ServiceError::InvalidParameter("cursor")))
        .transpose()?;
    let opponent = match query.opponent {
        None => None,
        Some(name) => match account_find_by_username(connection, &name).await? {
            Some(account) => Some(account.id),
            None => return Ok(None),
        },
    };
    let bots = match query.bots {
        // At its table there is always one.
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
        before_id: cursor.into_iter().chain(latest).min(),
    }))
}

/// The first identifier of those drawn at a time or later: they begin with milliseconds.
fn first_id_of(time: DateTime<Utc>) -> Option<Uuid> {
    let millis = u64::try_from(time.timestamp_millis()).ok().filter(|millis| millis >> 48 == 0)?;
    Some(Uuid::from_u128(u128::from(millis) << 80))
}

impl PastMatch {
    fn new(table: &Table, account: AccountId) -> Self {
        let game = table.game.as_ref();
        let result = game.filter(|_| table.status == Status::Finished).and_then(yaniv_engine::Match::result);
        let with_numbers = (0_u8..).map(Seat::new).zip(table.players.iter());
        let players = with_numbers.map(|(seat, player)| {
            let total = game.map(|game| game.total(seat));
            let place = result.as_ref().and_then(|result| result.ranking.get(seat.index()).copied());
            (player.clone(), total, place)
        });
        Self {
            id: table.id(),
            status: table.status,
            preset: table.settings.preset.clone(),
            size: table.settings.size,
            visibility: table.settings.visibility.clone(),
            rated: table.settings.rated,
            sandbox: table.settings.sandbox,
            rounds: game.map_or(0, yaniv_engine::Match::round),
            seat: table.seat_of(account),
            players: players.collect(),
            created_at: table.settings.created_at,
            started_at: table.started_at,
            finished_at: table.finished_at,
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
