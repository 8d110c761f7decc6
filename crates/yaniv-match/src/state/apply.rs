//! The one transition of a match: an event of its log is applied to the state.

use chrono::{DateTime, Utc};

use crate::error::MatchError;
use crate::event::{LogEvent, LoggedEvent, Name, Names};
use crate::settings::Player;
use crate::state::{MatchState, Step};

impl MatchState {
    /// Applies an event: the only transition. Returns the step if the event is an action.
    ///
    /// `names` contains the account of a joining player.
    ///
    /// # Errors
    /// If the event cannot follow the previous ones; the state is unusable afterwards.
    pub fn apply(
        &mut self,
        event: &LogEvent,
        at: DateTime<Utc>,
        names: &Names,
    ) -> Result<Option<Step>, MatchError> {
        match event {
            LogEvent::Joined { account, client_seed } => {
                let name = names.get(&account.0).ok_or_else(|| MatchError::damaged("account that joined"))?;
                let last = self.players.last().map_or(-1, |last| last.stored_seat);
                let Name { username, display_name, bot, level } = name.clone();
                let (account, client_seed) = (*account, client_seed.clone());
                let stored_seat = last.saturating_add(1);
                let player = Player { account, username, display_name, bot, level, client_seed, stored_seat };
                self.join(player, at);
            }
            LogEvent::Left { account } | LogEvent::Removed { account } => self.leave(*account, at),
            LogEvent::Started { calendars, .. } => self.start(calendars, at)?,
            LogEvent::CodeRenewed { code, .. } => self.set_code(code.clone(), at),
            LogEvent::CodeRevoked { .. } => self.revoke_code(at),
            LogEvent::CalendarChanged { seat, change, calendar } => {
                self.set_calendar(*seat, calendar.clone(), change.of_clock(), at);
            }
            LogEvent::SeatHeld { seat } => self.hold(*seat, at),
            LogEvent::SeatTakenBack { seat } => self.give_back(*seat, at),
            LogEvent::Nudged { .. } => self.step(at),
            LogEvent::ClockMoved { by, .. } => self.move_clock(*by, at),
            LogEvent::Action(event) => {
                let step = self.play(event.seat, &event.action, event.origin)?;
                self.stamp(&step, at);
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    /// Folds an entry of the log into the state.
    ///
    /// # Errors
    /// `Damaged`, also for an action that the rules refuse: it was accepted before.
    pub fn fold(&mut self, entry: &LoggedEvent, names: &Names) -> Result<Option<Step>, MatchError> {
        self.apply(&entry.event, entry.at, names).map_err(|error| match error {
            MatchError::Damaged(what) => MatchError::Damaged(format!("{what} of {}", entry.version)),
            other => MatchError::Damaged(format!("entry {}: {other}", entry.version)),
        })
    }
}
