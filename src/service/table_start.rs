//! The start of a match: the order of seats, the first deal, and the first wait.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_clock::Calendar;
use yaniv_engine::{Match, Shuffler};

use super::ServiceError;
use super::clocks::{Clocks, Turned};
use super::creation::RANDOM;
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use crate::store::StoreError;

/// The calendars of those who have one, when the match starts.
pub(super) type Calendars = HashMap<Uuid, Calendar>;

impl Table {
    /// Settles the order of seats, deals the first round, and sets the clocks going.
    ///
    /// # Errors
    /// `BadRules` if the rules do not take this many players.
    pub(super) fn start(&mut self, calendars: &Calendars, at: DateTime<Utc>) -> Result<(), ServiceError> {
        let count = u8::try_from(self.players.len()).map_err(ServiceError::internal)?;
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
        self.clocks = Arc::new(Clocks::start(&self.settings.pace.clock, calendars, self.clocks.ahead));
        let waiting = self.waiting_on();
        self.turn_clocks(&[Turned { seat: 0, done: false, missed: false, dealt: false, waiting }]);
    }

    /// The source of all shuffles of these players.
    pub(super) fn new_shuffler(&self) -> Shuffler {
        let seeds: Vec<String> = self.players.iter().map(|player| player.client_seed.clone()).collect();
        Shuffler::new(self.seed_chain().clone(), &self.settings.shuffled_as(), &seeds)
    }
}

/// Calendars as the log keeps them: nothing where nobody has one.
///
/// # Errors
/// Only if they cannot be printed.
pub(super) fn calendars_to_detail(calendars: &Calendars) -> Result<String, ServiceError> {
    if calendars.is_empty() {
        return Ok(String::new());
    }
    serde_json::to_string(calendars).map_err(ServiceError::internal)
}

/// Calendars from the log.
///
/// # Errors
/// `Damaged` if they are none.
pub(super) fn calendars_from_detail(detail: &str) -> Result<Calendars, StoreError> {
    if detail.is_empty() {
        return Ok(Calendars::new());
    }
    serde_json::from_str(detail).map_err(|error| StoreError::Damaged(format!("calendars: {error}")))
}
