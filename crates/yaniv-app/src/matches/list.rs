//! Pages of the caller's matches, one summary per match. Matches that wait for the caller, with details, are
//! in `my_turns`.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::lobby::join_codes::{JoinCodeRow, join_code_list};
use yaniv_db::matches::list::{ListPosition, NOTED, match_list};
use yaniv_db::matches::load::MatchRows;
use yaniv_db::matches::seats::{SeatRow, seat_list};
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::settings::Player;
use yaniv_match::status::Status;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::page::{CursorKey, PageQuery, cursor_time};
use crate::matches::load::state_of_rows;
use crate::{Page, ServiceError, Services};

/// Summary of a match.
pub struct MatchSummary {
    /// The match.
    pub id: MatchId,
    /// The join code.
    pub code: String,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// The status.
    pub status: Status,
    /// Number of actions so far.
    pub version: i32,
    /// Number of seats.
    pub size: i16,
    /// Whether it is rated.
    pub rated: bool,
    /// The caller's seat.
    pub you: Option<Seat>,
    /// Whether it waits for the caller.
    pub your_turn: bool,
    /// The caller's deadline, in database time even for sandboxes.
    pub deadline: Option<DateTime<Utc>>,
    /// Since when it waits for the caller, in database time.
    pub waits_since: Option<DateTime<Utc>>,
    /// Seats that have to act.
    pub to_act: Vec<Seat>,
    /// Round in play, from 1.
    pub round: Option<u16>,
    /// The players, with their totals once play has begun.
    pub players: Vec<(Player, Option<i32>)>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the newest action was accepted.
    pub updated_at: DateTime<Utc>,
}

impl Services {
    /// A page of the caller's matches.
    ///
    /// Order: those that wait for the caller, longest waiting first; then running ones, waiting ones and
    /// finished ones, each by newest change first.
    ///
    /// # Errors
    /// `InvalidParameter` if the cursor is not valid.
    pub async fn list_matches(
        &self,
        account: AccountId,
        status: Option<Status>,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<MatchSummary>, ServiceError> {
        let asked = PageQuery::<ListPosition>::new(cursor, limit)?;
        let mut connection = self.store.connection().await?;
        // One snapshot: a match that ends meanwhile is listed once.
        let (status, after, most) = (status.map(Status::as_str), asked.after, asked.rows());
        let read = connection
            .snapshot(async |connection| match_list(connection, account, status, after, most).await);
        let page = asked.page(read.await?, |(position, ..)| *position);
        let ids: Vec<Uuid> = page.items.iter().map(|(_, row, _)| row.id).collect();
        let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
        for seat in seat_list(&connection, &ids).await? {
            seats.entry(seat.match_id).or_default().push(seat);
        }
        let mut codes: HashMap<Uuid, Vec<JoinCodeRow>> = HashMap::new();
        for code in join_code_list(&connection, &ids).await? {
            codes.entry(code.match_id).or_default().push(code);
        }
        page.try_map(|(_, row, state)| {
            let seats = seats.remove(&row.id).unwrap_or_default();
            let codes = codes.remove(&row.id).unwrap_or_default();
            let (rounds, dedications, keys) = (Vec::new(), Vec::new(), Vec::new());
            let (blocks, hiding) = (Vec::new(), 0);
            let rows = MatchRows { row, state, seats, rounds, dedications, keys, codes, blocks, hiding };
            Ok(MatchSummary::new(&state_of_rows(rows)?, account))
        })
    }
}

impl MatchSummary {
    pub(crate) fn new(match_state: &MatchState, viewer: AccountId) -> Self {
        let you = match_state.seat_of(viewer);
        let to_act = match_state.game.as_ref().map(|game| game.to_act().to_vec()).unwrap_or_default();
        let total = |seat: u8| match_state.game.as_ref().map(|game| game.total(Seat::new(seat)));
        let wait = you.and_then(|seat| match_state.clocks.seat(seat.number())?.clock.wait);
        let players =
            (0_u8..).zip(match_state.players.iter()).map(|(seat, player)| (player.clone(), total(seat)));
        Self {
            id: match_state.id(),
            code: match_state.join_code.code.clone(),
            preset: match_state.settings.preset.clone(),
            status: match_state.status,
            version: match_state.version,
            size: match_state.settings.size,
            rated: match_state.settings.rated,
            you,
            your_turn: you.is_some_and(|seat| match_state.waits_for(seat)),
            deadline: wait.and_then(|wait| wait.deadline).map(|at| match_state.clocks.real(at)),
            waits_since: wait.map(|wait| match_state.clocks.real(wait.began_at)),
            to_act,
            round: match_state.game.as_ref().map(yaniv_engine::Match::round),
            players: players.collect(),
            created_at: match_state.settings.created_at,
            updated_at: match_state.clocks.real(match_state.at),
        }
    }
}

/// Group, microseconds, match.
impl CursorKey for ListPosition {
    fn print(&self) -> String {
        let micros = self.at.timestamp_micros();
        format!("{}.{micros:x}.{}", self.group, self.id.simple())
    }

    fn parse(cursor: &str) -> Option<Self> {
        let mut parts = cursor.splitn(3, '.');
        let group = parts.next()?.parse().ok()?;
        let micros = i64::from_str_radix(parts.next()?, 16).ok()?;
        let id = Uuid::try_parse(parts.next()?).ok()?;
        let at = cursor_time(micros)?;
        (0..=NOTED).contains(&group).then_some(Self { group, at, id })
    }
}
