//! What other modules read of a match: its fields change only by the transitions.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_engine::{Match, Shuffler};

use crate::clocks::Clocks;
use crate::event::LoggedEvent;
use crate::finished_round::FinishedRound;
use crate::join_code::JoinCode;
use crate::settings::{Dedication, Player, Settings};
use crate::state::MatchState;
use crate::status::Status;

impl MatchState {
    /// The settings.
    pub fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Number of entries in the log.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The status.
    pub fn status(&self) -> Status {
        self.status
    }

    /// The join code.
    pub fn join_code(&self) -> &Arc<JoinCode> {
        &self.join_code
    }

    /// When the newest entry was accepted.
    pub fn at(&self) -> DateTime<Utc> {
        self.at
    }

    /// When the first cards were dealt.
    pub fn started_at(&self) -> Option<DateTime<Utc>> {
        self.started_at
    }

    /// When it finished or was cancelled.
    pub fn finished_at(&self) -> Option<DateTime<Utc>> {
        self.finished_at
    }

    /// The players, in order.
    pub fn players(&self) -> &Arc<Vec<Player>> {
        &self.players
    }

    /// The position; `None` before the start.
    pub fn game(&self) -> Option<&Match> {
        self.game.as_ref()
    }

    /// Finished rounds, oldest first.
    pub fn rounds(&self) -> &Arc<Vec<FinishedRound>> {
        &self.rounds
    }

    /// Dedications of turned-up cards, oldest first.
    pub fn dedications(&self) -> &Arc<Vec<Dedication>> {
        &self.dedications
    }

    /// Current blocks between players, as (blocker, blocked); loaded only if there are dedications.
    pub fn blocks(&self) -> &Arc<Vec<(Uuid, Uuid)>> {
        &self.blocks
    }

    /// Marker of what hides dedications, as in `MatchVersion`.
    pub fn hiding(&self) -> i64 {
        self.hiding
    }

    /// Hashes of the idempotency keys in the log; none of an archived match.
    pub fn keys(&self) -> &Arc<Vec<i64>> {
        &self.keys
    }

    /// The newest log entries, oldest first, as far as they are in memory.
    pub fn tail(&self) -> &[Arc<LoggedEvent>] {
        &self.tail
    }

    /// The clocks, before the steps whose time is not known yet.
    pub fn clocks(&self) -> &Arc<Clocks> {
        &self.clocks
    }

    /// The source of all shuffles; `None` before the players are fixed.
    pub fn shuffler(&self) -> Option<&Arc<Shuffler>> {
        self.shuffler.as_ref()
    }
}
