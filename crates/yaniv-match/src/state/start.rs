//! Start of a match: seat order, first deal, first wait. Later transitions are in `apply`.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_clock::Calendar;
use yaniv_engine::{Match, Shuffler};

use crate::clocks::{ClockStep, Clocks};
use crate::error::MatchError;
use crate::settings::{Player, RANDOM};
use crate::state::MatchState;
use crate::status::Status;

/// Calendars at the start of a match, by account. Accounts without a calendar are absent.
pub type Calendars = HashMap<Uuid, Calendar>;

impl MatchState {
    /// Fixes the seat order, deals the first round, and starts the clocks.
    ///
    /// # Errors
    /// `BadRules` if the rules do not allow this number of players.
    pub(super) fn start(&mut self, calendars: &Calendars, at: DateTime<Utc>) -> Result<(), MatchError> {
        let count = u8::try_from(self.players.len()).map_err(|_| MatchError::damaged("players"))?;
        let mut players: Vec<Player> = self.players.to_vec();
        if self.settings.seat_order == RANDOM {
            let order = self.new_shuffler().seat_order(count);
            players = order.iter().filter_map(|who| self.players.get(usize::from(*who)).cloned()).collect();
        }
        for (seat, player) in (0_i16..).zip(&mut players) {
            player.stored_seat = seat;
        }
        self.players = Arc::new(players);
        let shuffler = Arc::new(self.new_shuffler());
        self.game = Some(Match::start(self.rules(), count, &shuffler)?);
        self.shuffler = Some(shuffler);
        self.status = Status::Running;
        self.started_at = Some(at);
        self.step(at);
        self.start_clocks(calendars);
        Ok(())
    }

    fn start_clocks(&mut self, calendars: &Calendars) {
        let of = |player: &Player| Arc::new(calendars.get(&player.account.0).cloned().unwrap_or_default());
        let calendars = self.players.iter().map(of).collect();
        self.clocks =
            Arc::new(Clocks::start(&self.settings.time_control.clock, calendars, self.clocks.ahead));
        let waiting = self.waiting_on();
        self.turn_clocks(&[ClockStep { seat: 0, done: false, missed: false, dealt: false, waiting }]);
    }

    /// The source of all shuffles for these players.
    pub(super) fn new_shuffler(&self) -> Shuffler {
        let seeds: Vec<String> = self.players.iter().map(|player| player.client_seed.clone()).collect();
        Shuffler::new(Arc::clone(&self.chain), &self.settings.shuffled_as(), &seeds)
    }
}

/// Serializes calendars for the log; an empty string if there are none.
///
/// # Errors
/// If serialization fails.
pub fn calendars_to_detail(calendars: &Calendars) -> Result<String, MatchError> {
    if calendars.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(calendars).map_err(|error| MatchError::Damaged(format!("calendars: {error}")))
}

/// Parses calendars from the log.
///
/// # Errors
/// `Damaged` if the text is not valid.
pub fn calendars_from_detail(detail: &str) -> Result<Calendars, MatchError> {
    if detail.is_empty() {
        return Ok(Calendars::new());
    }
    serde_json::from_str(detail).map_err(|error| MatchError::Damaged(format!("calendars: {error}")))
}
