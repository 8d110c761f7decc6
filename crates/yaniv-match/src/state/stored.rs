//! A match as it is stored, and the state built from it.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_engine::Match;

use crate::clocks::Clocks;
use crate::error::MatchError;
use crate::finished_round::FinishedRound;
use crate::join_code::JoinCode;
use crate::settings::{Dedication, Player, Settings};
use crate::state::MatchState;
use crate::status::Status;

/// The stored parts of a match at its newest version.
pub struct StoredMatch<'a> {
    /// The settings.
    pub settings: Settings,
    /// The seed of the chain of shuffles, 32 bytes.
    pub secret: &'a [u8],
    /// Number of entries in the log.
    pub version: i32,
    /// The status.
    pub status: Status,
    /// The newest join code; `None` if it is still the first.
    pub join_code: Option<JoinCode>,
    /// When the newest entry was accepted.
    pub at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it finished or was cancelled.
    pub finished_at: Option<DateTime<Utc>>,
    /// The players, in order.
    pub players: Vec<Player>,
    /// The position, in the form of `Match::to_bytes`; `None` before the start.
    pub position: Option<&'a [u8]>,
    /// The clocks, in the form of `MatchState::stored_clocks`.
    pub clocks: Option<&'a str>,
    /// Finished rounds, oldest first.
    pub rounds: Vec<FinishedRound>,
    /// Dedications of turned-up cards, oldest first.
    pub dedications: Vec<Dedication>,
    /// Current blocks between players, as (blocker, blocked); loaded only if there are dedications.
    pub blocks: Vec<(Uuid, Uuid)>,
    /// Marker of what hides dedications, as in `MatchVersion`.
    pub hiding: i64,
    /// Hashes of the idempotency keys in the log; none of an archived match.
    pub keys: Vec<i64>,
}

/// Stored state of the match right after a round was dealt.
pub struct RoundStart<'a> {
    /// Version of the entry that dealt the round.
    pub version: i32,
    /// When the round was dealt.
    pub at: DateTime<Utc>,
    /// The position, in the form of `Match::to_bytes`.
    pub position: Option<&'a [u8]>,
    /// The clocks, in the form of `MatchState::stored_clocks`.
    pub clocks: Option<&'a str>,
}

impl MatchState {
    /// The match from its stored parts, without log entries in memory.
    ///
    /// # Errors
    /// `Damaged`.
    pub fn from_stored(stored: StoredMatch<'_>) -> Result<Self, MatchError> {
        let mut state = Self::empty(stored.settings, stored.secret)?;
        state.version = stored.version;
        state.status = stored.status;
        state.at = stored.at;
        state.started_at = stored.started_at;
        state.finished_at = stored.finished_at;
        if let Some(newest) = stored.join_code {
            state.join_code = Arc::new(newest);
        }
        state.players = Arc::new(stored.players);
        state.rounds = Arc::new(stored.rounds);
        state.dedications = Arc::new(stored.dedications);
        state.blocks = Arc::new(stored.blocks);
        state.hiding = stored.hiding;
        state.keys = Arc::new(stored.keys);
        if let Some(position) = stored.position {
            state.game = Some(state.read_position(position)?);
            state.shuffler = Some(Arc::new(state.new_shuffler()));
        }
        if let Some(clocks) = stored.clocks {
            state.read_clocks(clocks)?;
        }
        Ok(state)
    }

    /// The match right after a round was dealt, without dedications.
    ///
    /// Players and join code are taken from this state: they do not change once a match has started.
    ///
    /// # Errors
    /// `Damaged`.
    pub fn at_round_start(&self, start: &RoundStart<'_>) -> Result<Self, MatchError> {
        let missing = || MatchError::Damaged(format!("position at {}", start.version));
        let position = start.position.ok_or_else(missing)?;
        let over = self.rounds.iter().filter(|round| round.last_version <= start.version);
        let mut state = self.at_the_beginning();
        state.version = start.version;
        state.at = start.at;
        state.status = Status::Running;
        state.join_code = Arc::clone(&self.join_code);
        state.started_at = self.started_at;
        state.players = Arc::clone(&self.players);
        state.shuffler.clone_from(&self.shuffler);
        state.rounds = Arc::new(over.cloned().collect());
        state.game = Some(state.read_position(position)?);
        if let Some(stored) = start.clocks {
            state.read_clocks(stored)?;
        }
        Ok(state)
    }

    /// The clocks at this version that a stored form describes.
    ///
    /// # Errors
    /// `Damaged`.
    pub fn clocks_of(&self, stored: &str) -> Result<Arc<Clocks>, MatchError> {
        let mut state = self.clone();
        state.read_clocks(stored)?;
        Ok(state.clocks)
    }

    fn read_position(&self, position: &[u8]) -> Result<Match, MatchError> {
        Match::from_bytes(self.rules(), position)
            .map_err(|error| MatchError::Damaged(format!("position: {error}")))
    }
}
