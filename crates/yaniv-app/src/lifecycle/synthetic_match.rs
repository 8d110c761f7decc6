//! Synthetic matches: creates and plays a match up to any state, as the rows that would be stored of it.
//!
//! For programs that fill a database; the rows equal those of the service, as the same code makes them.

use chrono::{DateTime, Utc};
use yaniv_bot::Level;
use yaniv_db::StoreError;
use yaniv_db::matches::log::ActionRow;
use yaniv_db::matches::match_rows::{MatchRow, StateRow};
use yaniv_db::matches::rounds::RoundRow;
use yaniv_engine::{Action, Match, Seat};
use yaniv_match::event::{LogEvent, LoggedEvent, Name, Names};
use yaniv_match::finished_round::{FinishedRound, RoundScore};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::status::Status;
use yaniv_match::{Calendars, MatchState};
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::lobby::change::entry_of;
use crate::lobby::create::{Drawn, NewMatch, new_row};
use crate::matches::load::{empty_match, state_of};
use crate::matches::log::row_of;

/// A match in progress.
pub struct WholeMatch {
    row: MatchRow,
    state: MatchState,
    log: Vec<LoggedEvent>,
}

/// All rows of a match.
pub struct WholeRows {
    /// The row of immutable values.
    pub row: MatchRow,
    /// The row of the state.
    pub state: StateRow,
    /// Account, seat number and client seed of each player, by seat.
    pub seats: Vec<(AccountId, i16, String)>,
    /// The log.
    pub log: Vec<ActionRow>,
    /// Finished rounds.
    pub rounds: Vec<RoundRow>,
    /// When it ended.
    pub closed_at: Option<DateTime<Utc>>,
}

impl WholeMatch {
    /// Creates a match at a time, with a given join code and secret.
    ///
    /// # Errors
    /// If the rules are invalid.
    pub fn new(
        new: &NewMatch,
        (id, code, secret): (MatchId, String, [u8; 32]),
        at: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
        let drawn = Drawn { id, secret: secret.to_vec(), commitment: String::new() };
        let mut row = MatchRow { code, ..new_row(new, drawn, at)? };
        // The match state computes its chain of seeds once.
        let match_state = empty_match(&row)?;
        row.commitment = match_state.seed_chain().commitment().to_hex();
        Ok(Self { row, state: match_state, log: Vec::new() })
    }

    /// A player joins; a house bot has a level.
    ///
    /// # Errors
    /// `Damaged`, which a player who joins never causes.
    pub fn join(
        &mut self,
        account: AccountId,
        level: Option<Level>,
        client_seed: &str,
        at: DateTime<Utc>,
    ) -> Result<(), ServiceError> {
        let name = Name { username: String::new(), display_name: None, bot: level.is_some(), level };
        let event = LogEvent::Joined { account, client_seed: client_seed.to_owned() };
        self.apply(event, at, &Names::from([(account.0, name)]))
    }

    /// A player leaves before the start.
    ///
    /// # Errors
    /// `Damaged`, which a player who leaves never causes.
    pub fn leave(&mut self, account: AccountId, at: DateTime<Utc>) -> Result<(), ServiceError> {
        self.apply(LogEvent::Left { account }, at, &Names::new())
    }

    /// Deals the first cards.
    ///
    /// # Errors
    /// If the rules do not allow this number of players.
    pub fn start(&mut self, account: AccountId, at: DateTime<Utc>) -> Result<(), ServiceError> {
        self.apply(LogEvent::Started { account, calendars: Calendars::new() }, at, &Names::new())
    }

    /// A player's action.
    ///
    /// # Errors
    /// Those of the rules.
    pub fn play(&mut self, seat: Seat, action: &Action, at: DateTime<Utc>) -> Result<(), ServiceError> {
        let step = self.state.play(seat, action, ActionOrigin::Player)?;
        self.log.extend(LoggedEvent::of_steps(&self.state, seat, std::slice::from_ref(&step), at));
        self.state.stamp(&step, at);
        Ok(())
    }

    fn apply(&mut self, event: LogEvent, at: DateTime<Utc>, names: &Names) -> Result<(), ServiceError> {
        self.state.apply(&event, at, names)?;
        self.log.push(entry_of(&self.state, event));
        Ok(())
    }

    /// The position, once the match has started.
    pub fn game(&self) -> Option<&Match> {
        self.state.game()
    }

    /// The rows of the match.
    ///
    /// # Errors
    /// Only if they cannot be serialized.
    pub fn rows(self) -> Result<WholeRows, ServiceError> {
        let Self { mut row, state: match_state, log } = self;
        let id = row.id;
        row.started_at = match_state.started_at();
        row.finished_at = match_state.finished_at();
        let seats = match_state.players().iter();
        let seats = seats.map(|player| (player.account, player.stored_seat, player.client_seed.clone()));
        let is_over = matches!(match_state.status(), Status::Finished | Status::Cancelled);
        Ok(WholeRows {
            row,
            state: state_of(&match_state)?,
            seats: seats.collect(),
            rounds: match_state.rounds().iter().map(round_row).collect::<Result<_, _>>()?,
            closed_at: is_over.then_some(match_state.at()),
            log: log.iter().map(|entry| row_of(MatchId(id), entry, None)).collect::<Result<_, _>>()?,
        })
    }
}

fn round_row(played: &FinishedRound) -> Result<RoundRow, ServiceError> {
    let damaged = |_| StoreError::Damaged(format!("round {}", played.round));
    let print = |score: &RoundScore| serde_json::to_value(score).map_err(ServiceError::internal);
    Ok(RoundRow {
        round: i16::try_from(played.round).map_err(damaged)?,
        starter: i16::from(played.starter.number()),
        last_version: played.last_version,
        result: played.score.as_ref().map(print).transpose()?,
        ended_at: played.ended_at,
    })
}
