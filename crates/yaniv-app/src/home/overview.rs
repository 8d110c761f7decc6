//! The home screen of a player: matches, challenges, pairing requests and friend requests in one read.
//!
//! Two round trips: the first has four statements; the second one, another with challenges, and two more with matches
//! that are not in the cache. Nothing is replayed. The lists themselves, with pages, are in `matches` and `matchmaking`.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryFutureExt;
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::friend_requests::friend_request_count;
use yaniv_db::home::match_list::{HomeLimits, HomeRow, home_match_list};
use yaniv_db::home::seen_versions::seen_version_list;
use yaniv_db::matches::my_turns::WaitingRow;
use yaniv_db::matchmaking::pairings::pairing_list_waiting;
use yaniv_match::MatchState;
use yaniv_match::settings::host_seat;
use yaniv_match::status::Status;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::lobby::change::host_of_full;
use crate::matches::list::MatchSummary;
use crate::matches::my_turns::{MOST_SORTED, most_urgent, newest_entry};
use crate::matchmaking::challenge_view::Challenge;
use crate::matchmaking::challenges::{open_challenges, seen_by};
use crate::matchmaking::pairing_view::Pairing;
use crate::{ServiceError, Services};

/// Maximum number of items of each list.
const MOST_LISTED: i64 = 20;
/// Maximum number of unread entries and of friend requests that are counted.
const MOST_COUNTED: i32 = 100;
/// How long a match that is over is listed, unless the player looks at it before.
const ENDED_LISTED: TimeDelta = TimeDelta::days(14);

/// The home screen.
#[derive(Default)]
pub struct Home {
    /// Matches that wait for the caller, most urgent first: for a turn, or for the start of a full table by its host.
    pub turns: Vec<HomeMatch>,
    /// Total number of matches that wait for the caller.
    pub turn_count: i64,
    /// Running matches that wait for others only, longest wait first.
    pub waiting: Vec<HomeMatch>,
    /// Their total number.
    pub waiting_count: i64,
    /// Other matches that have not started, newest change first.
    pub lobby: Vec<HomeMatch>,
    /// Their total number.
    pub lobby_count: i64,
    /// Recently ended matches that the caller has not read since, newest end first.
    pub finished: Vec<HomeMatch>,
    /// Open challenges, those that wait for the caller first.
    pub challenges: Vec<Challenge>,
    /// Their total number.
    pub challenge_count: i64,
    /// Waiting pairing requests, newest first.
    pub pairings: Vec<Pairing>,
    /// Number of friend requests that wait for the caller.
    pub friend_request_count: i64,
}

/// A match on the home screen.
pub struct HomeMatch {
    /// The match.
    pub summary: MatchSummary,
    /// The newest log entry.
    pub last: Option<LogEntry>,
    /// Number of log entries since the caller last looked or acted.
    pub unread: i32,
    /// The caller's place, once the match is over.
    pub your_place: Option<u8>,
    /// When the match ended, in database time.
    pub finished_at: Option<DateTime<Utc>>,
    /// Whether all seats are taken and it waits for the caller to start it.
    pub to_start: bool,
    /// The join code, while the match waits, the caller is the host and the code is valid.
    pub join_code: Option<String>,
}

/// The matches to be listed, most important first, and the number of all in each part.
struct Chosen {
    rows: Vec<WaitingRow>,
    counts: [i64; 3],
}

/// Data for the matches of the home screen.
struct Sources {
    account: AccountId,
    now: DateTime<Utc>,
    states: HashMap<Uuid, Arc<MatchState>>,
    seen: HashMap<Uuid, i32>,
}

impl Services {
    /// The home screen of an account.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn home(&self, account: AccountId) -> Result<Home, ServiceError> {
        let (connection, now) = (self.store.connection().await?, self.now());
        let limits = HomeLimits { turns: MOST_SORTED, rest: MOST_LISTED, ended_after: now - ENDED_LISTED };
        // Sent together: one round trip. So are the next.
        let (rows, (challenges, challenge_count), pairings, friend_request_count) = tokio::try_join!(
            home_match_list(&connection, account, limits).err_into(),
            open_challenges(&connection, account, now, MOST_LISTED),
            pairing_list_waiting(&connection, account, now).err_into(),
            friend_request_count(&connection, account, MOST_COUNTED.into()).err_into(),
        )?;
        let Chosen { rows, counts: [turn_count, waiting_count, lobby_count] } = Chosen::of(rows)?;
        let (sources, challenges) = tokio::try_join!(
            self.sources(&connection, account, &rows, now),
            seen_by(&connection, account, challenges, now),
        )?;
        let pairings =
            pairings.iter().map(|(row, wish)| Pairing::new(row, wish, now)).collect::<Result<_, _>>()?;
        let counted = Home {
            turn_count,
            waiting_count,
            lobby_count,
            challenges,
            challenge_count,
            pairings,
            friend_request_count,
            ..Home::default()
        };
        Ok(counted.with_matches(rows.iter().filter_map(|row| sources.listed(row.id))))
    }

    async fn sources(
        &self,
        connection: &Connection,
        account: AccountId,
        rows: &[WaitingRow],
        now: DateTime<Utc>,
    ) -> Result<Sources, ServiceError> {
        let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
        let (states, seen) = tokio::try_join!(
            self.cached_matches(connection, rows),
            seen_version_list(connection, account, rows, MOST_COUNTED).err_into(),
        )?;
        let mut seen: HashMap<Uuid, i32> = seen.into_iter().collect();
        // What was read at this instance is stored some seconds later.
        for id in ids {
            if let Some(version) = self.notices.seen_version(account, MatchId(id)) {
                seen.entry(id).and_modify(|seen| *seen = version.max(*seen)).or_insert(version);
            }
        }
        Ok(Sources { account, now, states, seen })
    }
}

impl Chosen {
    /// # Errors
    /// Damaged data.
    fn of(found: Vec<HomeRow>) -> Result<Self, ServiceError> {
        let count = |part: i16| found.iter().find(|row| row.part == part).map_or(0, |row| row.count);
        let counts = [0, 1, 2].map(count);
        let (turns, others): (Vec<_>, Vec<_>) = found.into_iter().partition(|row| row.part == 0);
        let turns = turns.into_iter().map(|row| row.row).collect();
        let mut rows = most_urgent(turns, usize::try_from(MOST_LISTED).unwrap_or_default())?;
        rows.extend(others.into_iter().map(|row| row.row));
        Ok(Self { rows, counts })
    }
}

impl Sources {
    /// A match, if the account still has a seat.
    fn listed(&self, id: Uuid) -> Option<HomeMatch> {
        let state = self.states.get(&id)?;
        let seat = state.seat_of(self.account)?;
        let summary = MatchSummary::new(state, self.account);
        let seen = self.seen.get(&id).copied().unwrap_or_default();
        let code = state.join_code();
        let valid = code.expires_at.is_none_or(|expires_at| self.now < expires_at);
        let is_host = host_seat(state.players()) == Some(seat);
        let shared = state.status() == Status::Waiting && is_host && valid;
        let to_start = host_of_full(state) == Some(self.account);
        Some(HomeMatch {
            last: newest_entry(state, self.account),
            unread: state.version().saturating_sub(seen).clamp(0, MOST_COUNTED),
            your_place: state.place(seat),
            finished_at: state.finished_at().map(|at| state.clocks().real(at)),
            to_start,
            join_code: shared.then(|| code.code.clone()),
            summary,
        })
    }
}

impl Home {
    /// Adds the matches to the lists. Their states decide, which may be newer than the rows.
    fn with_matches(mut self, matches: impl Iterator<Item = HomeMatch>) -> Self {
        for one in matches {
            match one.summary.status {
                Status::Running if one.summary.your_turn => self.turns.push(one),
                Status::Running => self.waiting.push(one),
                Status::Waiting if one.to_start => self.turns.push(one),
                Status::Waiting => self.lobby.push(one),
                Status::Finished if one.unread > 0 => self.finished.push(one),
                Status::Finished | Status::Cancelled => {}
            }
        }
        self.waiting.sort_by_key(HomeMatch::waited_for_since);
        // A match may have moved from one list to another since the rows were read.
        let most = usize::try_from(MOST_LISTED).unwrap_or_default();
        for list in [&mut self.turns, &mut self.waiting, &mut self.lobby, &mut self.finished] {
            list.truncate(most);
        }
        self
    }
}

impl HomeMatch {
    /// Since when the match waits for another player. While bots hold the seats to act, since its newest entry.
    fn waited_for_since(&self) -> DateTime<Utc> {
        let waits = self.summary.seats.iter().filter_map(|seat| seat.waiting_since);
        waits.min().unwrap_or(self.summary.updated_at)
    }
}
