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

use crate::kernel::boxed;
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
    /// Seats that have to act.
    pub to_act: Vec<Seat>,
    /// Round in play, from 1.
    pub round: Option<u16>,
    /// The players, by seat.
    pub seats: Vec<SummarySeat>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the newest action was accepted.
    pub updated_at: DateTime<Utc>,
}

/// Summary of a seat. Its times are database times even in sandboxes.
pub struct SummarySeat {
    /// The player.
    pub player: Player,
    /// The total, once play has begun.
    pub total: Option<i32>,
    /// The player's deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// Since when the match waits for the player.
    pub waiting_since: Option<DateTime<Utc>>,
    /// Whether a bot holds the seat for its owner.
    pub held_by_bot: bool,
}

impl Services {
    /// A page of the caller's matches.
    ///
    /// Order: those that wait for the caller, longest waiting first; then running ones, waiting ones and
    /// finished ones, each by newest change first.
    ///
    /// # Errors
    /// `InvalidParameter` if the cursor is not valid.
    #[boxed]
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
        // Sent together: one round trip.
        let (all_seats, all_codes) =
            tokio::try_join!(seat_list(&connection, &ids), join_code_list(&connection, &ids))?;
        let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
        for seat in all_seats {
            seats.entry(seat.match_id).or_default().push(seat);
        }
        let mut codes: HashMap<Uuid, Vec<JoinCodeRow>> = HashMap::new();
        for code in all_codes {
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
        let to_act = match_state.game().map(|game| game.to_act().to_vec()).unwrap_or_default();
        let seats = (0_u8..).map(Seat::new).zip(match_state.players().iter());
        Self {
            id: match_state.id(),
            code: match_state.join_code().code.clone(),
            preset: match_state.settings().preset.clone(),
            status: match_state.status(),
            version: match_state.version(),
            size: match_state.settings().size,
            rated: match_state.settings().rated,
            you,
            your_turn: you.is_some_and(|seat| match_state.waits_for(seat)),
            to_act,
            round: match_state.game().map(yaniv_engine::Match::round),
            seats: seats.map(|(seat, player)| SummarySeat::new(match_state, seat, player)).collect(),
            created_at: match_state.settings().created_at,
            updated_at: match_state.clocks().real(match_state.at()),
        }
    }

    /// The seat of the caller.
    pub fn your_seat(&self) -> Option<&SummarySeat> {
        self.seats.get(self.you?.index())
    }
}

impl SummarySeat {
    fn new(match_state: &MatchState, seat: Seat, player: &Player) -> Self {
        let clocks = match_state.clocks();
        let wait = clocks.seat(seat.number()).and_then(|of_seat| of_seat.clock.wait);
        Self {
            player: player.clone(),
            total: match_state.game().map(|game| game.total(seat)),
            deadline: wait.and_then(|wait| wait.deadline).map(|at| clocks.real(at)),
            waiting_since: wait.map(|wait| clocks.real(wait.began_at)),
            held_by_bot: clocks.is_held(seat.number()),
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
