//! A match at one version: players, position and finished rounds together.
//!
//! It is loaded from the database, or built by folding the log up to a version. Both paths use
//! `MatchState::apply` (`state::apply`) and `MatchState::play`, so that they cannot differ. A copy is cheap: parts
//! that an action does not change are shared.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_engine::{
    Action, Card, Code, Match, PlayError, Played, Rules, Seat, SeedChain, Shuffler, SlamDown,
};

use yaniv_model::ids::{AccountId, MatchId};
use yaniv_model::match_version::MatchVersion;

use crate::clocks::{ClockStep, Clocks, LedgerLine};
use crate::error::MatchError;
use crate::event::LoggedEvent;
use crate::finished_round::{FinishedRound, RoundScore};
use crate::join_code::JoinCode;
use crate::origin::ActionOrigin;
use crate::settings::{Dedication, PUBLIC, Player, Settings};
use crate::status::Status;

mod apply;
mod read;
mod start;
mod stored;
mod turn_clocks;

pub use start::{Calendars, calendars_from_detail, calendars_to_detail};
pub use stored::{RoundStart, StoredMatch};
pub use turn_clocks::goes_on;

/// Log entries kept in memory with a match: a player rarely needs more since the last read.
const TAIL: usize = 3;

/// An action that was played.
#[derive(Debug)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// The result of the action.
    pub played: Played,
    /// Seat that started the round.
    pub starter: Seat,
    /// The card that it slammed down.
    pub slammed: Option<Card>,
    /// Origin of the action.
    pub origin: ActionOrigin,
}

/// A match at one version.
#[derive(Clone)]
pub struct MatchState {
    /// The settings.
    settings: Arc<Settings>,
    /// Number of entries in the log.
    version: i32,
    /// The status.
    status: Status,
    /// The join code.
    join_code: Arc<JoinCode>,
    /// When the newest entry was accepted.
    at: DateTime<Utc>,
    /// When the first cards were dealt.
    started_at: Option<DateTime<Utc>>,
    /// When it finished or was cancelled.
    finished_at: Option<DateTime<Utc>>,
    /// The players, in order.
    players: Arc<Vec<Player>>,
    /// The position; `None` before the start.
    game: Option<Match>,
    /// Finished rounds, oldest first.
    rounds: Arc<Vec<FinishedRound>>,
    /// Dedications of turned-up cards, oldest first.
    dedications: Arc<Vec<Dedication>>,
    /// Current blocks between players, as (blocker, blocked); loaded only if there are dedications.
    blocks: Arc<Vec<(Uuid, Uuid)>>,
    /// Marker of what hides dedications, as in `MatchVersion`.
    hiding: i64,
    /// Hashes of the idempotency keys in the log.
    keys: Arc<Vec<i64>>,
    /// The newest log entries, oldest first, as far as they are in memory.
    tail: Arc<Vec<Arc<LoggedEvent>>>,
    /// The clocks, before the steps whose time is not known yet.
    clocks: Arc<Clocks>,
    /// Clock changes of the steps whose time is not known yet.
    clock_steps: Vec<ClockStep>,
    /// Collects the ledger, if it is requested.
    ledger: Option<Vec<LedgerLine>>,
    /// `s[1000]`, the seed from which all shuffles are derived.
    chain: Arc<SeedChain>,
    /// The source of all shuffles; `None` before the players are fixed.
    shuffler: Option<Arc<Shuffler>>,
}

impl MatchState {
    /// A match at version 0, without players.
    ///
    /// `secret` is the seed of its chain, 32 bytes.
    ///
    /// # Errors
    /// `Damaged` if the secret has another length.
    pub fn empty(settings: Settings, secret: &[u8]) -> Result<Self, MatchError> {
        Ok(Self::beginning(Arc::new(settings), Arc::new(seed_chain(secret)?)))
    }

    /// The same match at version 0.
    pub fn at_the_beginning(&self) -> Self {
        Self::beginning(Arc::clone(&self.settings), Arc::clone(&self.chain))
    }

    /// When the scheduler has to check the match next, if the steps without a time are stored at about `now`.
    pub fn check_at_if_stored(&self, now: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
        let at = now.map_or(self.at, |now| self.clocks.time(now));
        let mut clocks = Clocks::clone(&self.clocks);
        self.turn(&mut clocks, &self.clock_steps, at);
        self.next_check_of(&clocks, at, at).map(|at| clocks.real(at))
    }

    fn beginning(settings: Arc<Settings>, chain: Arc<SeedChain>) -> Self {
        Self {
            version: 0,
            status: Status::Waiting,
            join_code: Arc::clone(&settings.first_code),
            at: settings.created_at,
            started_at: None,
            finished_at: None,
            players: Arc::default(),
            game: None,
            rounds: Arc::default(),
            dedications: Arc::default(),
            blocks: Arc::default(),
            hiding: 0,
            keys: Arc::default(),
            tail: Arc::default(),
            clocks: Arc::default(),
            clock_steps: Vec::new(),
            ledger: None,
            shuffler: None,
            settings,
            chain,
        }
    }

    /// The match's identifier.
    pub fn id(&self) -> MatchId {
        self.settings.id
    }

    /// The rule set.
    pub fn rules(&self) -> &Rules {
        &self.settings.rules
    }

    /// The version marker, which identifies this state among all states of the match.
    pub fn stands_at(&self) -> MatchVersion {
        let dedications = i16::try_from(self.dedications.len()).unwrap_or(i16::MAX);
        MatchVersion { version: self.version, dedications, updated_at: self.at, hiding: self.hiding }
    }

    /// The seat of an account.
    pub fn seat_of(&self, account: AccountId) -> Option<Seat> {
        let index = self.players.iter().position(|player| player.account == account)?;
        u8::try_from(index).ok().map(Seat::new)
    }

    /// The place of a seat, from 1, once the match has finished.
    pub fn place(&self, seat: Seat) -> Option<u8> {
        let result = self.game.as_ref().filter(|_| self.status == Status::Finished)?.result()?;
        result.ranking.get(seat.index()).copied()
    }

    /// Whether any account may read it: a public match that is over, so that nothing is hidden.
    pub fn is_open_to_all(&self) -> bool {
        self.settings.visibility == PUBLIC && self.status == Status::Finished
    }

    /// The player of a seat.
    pub fn player(&self, seat: Seat) -> Option<&Player> {
        self.players.get(seat.index())
    }

    /// The chain of seeds; its end is the commitment.
    pub fn seed_chain(&self) -> &Arc<SeedChain> {
        &self.chain
    }

    fn join(&mut self, player: Player, at: DateTime<Utc>) {
        Arc::make_mut(&mut self.players).push(player);
        self.step(at);
    }

    /// Removes a player. The last one to leave cancels the match.
    fn leave(&mut self, account: AccountId, at: DateTime<Utc>) {
        Arc::make_mut(&mut self.players).retain(|player| player.account != account);
        if self.players.is_empty() {
            self.status = Status::Cancelled;
            self.finished_at = Some(at);
        }
        self.step(at);
    }

    fn set_code(&mut self, code: JoinCode, at: DateTime<Utc>) {
        self.join_code = Arc::new(code);
        self.step(at);
    }

    fn revoke_code(&mut self, at: DateTime<Utc>) {
        let code = self.join_code.code.clone();
        self.set_code(JoinCode { code, expires_at: Some(at) }, at);
    }

    /// Plays an action; a refused one changes nothing.
    ///
    /// The time is not known before the action is stored: `stamp` sets it.
    ///
    /// # Errors
    /// `NotStarted`, or the refusal of the rules.
    pub fn play(&mut self, seat: Seat, action: &Action, origin: ActionOrigin) -> Result<Step, MatchError> {
        let slam = self.open_slam(seat).filter(|_| matches!(action, Action::Slam { .. }));
        self.check_slam(seat, action, slam)?;
        let (Some(game), Some(shuffler)) = (self.game.as_mut(), &self.shuffler) else {
            return Err(MatchError::NotStarted);
        };
        let starter = game.starter();
        let recorded = game.as_recorded(seat, action);
        let played = game.play(seat, action, shuffler).map_err(MatchError::Rejected)?;
        if game.is_over() {
            self.status = Status::Finished;
        }
        self.version = self.version.saturating_add(1);
        self.clock_steps.push(self.clock_step(seat, action, &played, origin));
        Ok(Step { action: recorded, played, starter, slammed: slam, origin })
    }

    /// The card that a seat may slam down now.
    pub fn open_slam(&self, seat: Seat) -> Option<Card> {
        let game = self.game.as_ref().filter(|_| self.rules().options().slam_down != SlamDown::Off)?;
        game.legal(seat).slam.map(|slam| slam.card)
    }

    /// Log entries after a version, oldest first, if they are in memory.
    pub fn tail_after(&self, version: i32) -> Option<&[Arc<LoggedEvent>]> {
        let place = self.tail.iter().position(|row| row.version == version.saturating_add(1))?;
        self.tail.get(place..)
    }

    /// Adds entries that were just stored.
    pub fn note(&mut self, key_hash: Option<i64>, entries: &[Arc<LoggedEvent>]) {
        Arc::make_mut(&mut self.keys).extend(key_hash);
        let kept = self.tail.iter().chain(entries);
        let passed_over = (self.tail.len() + entries.len()).saturating_sub(TAIL);
        self.tail = Arc::new(kept.skip(passed_over).cloned().collect());
    }

    /// The same match with these entries in memory, the newest entries of its log.
    #[must_use]
    pub fn with_tail(&self, tail: Vec<Arc<LoggedEvent>>) -> Self {
        Self { tail: Arc::new(tail), ..self.clone() }
    }

    /// Takes over what hides dedications now, and the dedications that were made before a version.
    pub fn take_dedications_before(&mut self, version: i32, now: &Self) {
        let earlier = now.dedications.iter().filter(|dedication| dedication.after_version < version);
        self.dedications = Arc::new(earlier.cloned().collect());
        self.blocks = Arc::clone(&now.blocks);
    }

    /// Sets the number of actions played so far, for a position stored without it.
    pub fn set_actions(&mut self, actions: u64) {
        if let Some(game) = &mut self.game {
            game.set_actions(actions);
        }
    }

    /// Collects the clock changes from now on, for `take_ledger`.
    pub fn keep_ledger(&mut self) {
        self.ledger = Some(Vec::new());
    }

    /// The clock changes since `keep_ledger` or the last call, in order.
    pub fn take_ledger(&mut self) -> Vec<LedgerLine> {
        self.ledger.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sets the time of the action just played, and adds the round that it ended.
    pub fn stamp(&mut self, step: &Step, at: DateTime<Utc>) {
        self.at = at;
        let clock_steps = std::mem::take(&mut self.clock_steps);
        self.turn_clocks(&clock_steps);
        if let Some(end) = &step.played.round_ended {
            Arc::make_mut(&mut self.rounds).push(FinishedRound {
                round: end.round,
                starter: step.starter,
                last_version: self.version,
                score: end.result.as_ref().map(RoundScore::from),
                ended_at: at,
            });
        }
        if self.status == Status::Finished {
            self.finished_at = Some(at);
        }
    }

    /// Whether the turned-up card of the round in play has a dedication, for any viewer.
    pub fn has_dedication(&self) -> bool {
        let round = self.game.as_ref().map(|game| i32::from(game.round()));
        self.dedications.iter().any(|dedication| Some(i32::from(dedication.round)) == round)
    }

    /// The dedication of the turned-up card of the round in play, as the viewer sees it.
    pub fn dedication(&self, viewer: AccountId) -> Option<&Dedication> {
        self.dedication_of_round(self.game.as_ref()?.round().into(), viewer)
    }

    /// The dedication of the turned-up card of a round, as the viewer sees it.
    ///
    /// `None` if it was emptied, if the viewer has blocked the dealer, or if the viewer has no seat.
    pub fn dedication_of_round(&self, round: i32, viewer: AccountId) -> Option<&Dedication> {
        let dedication = self
            .dedications
            .iter()
            .find(|dedication| i32::from(dedication.round) == round && !dedication.text.is_empty())?;
        let giver = self.player(Seat::new(u8::try_from(dedication.seat).ok()?))?.account;
        let seen = self.seat_of(viewer).is_some() && !self.blocks.contains(&(viewer.0, giver.0));
        seen.then_some(dedication)
    }

    /// Whether the round is over, so that nothing of it is hidden.
    pub fn is_round_over(&self, round: i16) -> bool {
        self.game.as_ref().is_some_and(|game| game.is_over() || i32::from(round) < i32::from(game.round()))
    }

    /// Refuses a slam-down of a seat without one, whether or not another seat has one.
    ///
    /// The engine's refusals differ between the two cases. No other player may learn that a slam-down is
    /// open: it reveals that the drawn card fits.
    fn check_slam(&self, seat: Seat, action: &Action, slam: Option<Card>) -> Result<(), MatchError> {
        let asked =
            matches!(action, Action::Slam { .. }) && self.rules().options().slam_down != SlamDown::Off;
        let out = self.game.as_ref().is_none_or(|game| game.is_over() || game.is_out(seat));
        if !asked || slam.is_some() || out {
            return Ok(());
        }
        Err(MatchError::Rejected(PlayError::new(Code::WrongPhase, "you have no card to slam down")))
    }

    fn step(&mut self, at: DateTime<Utc>) {
        self.version = self.version.saturating_add(1);
        self.at = at;
    }
}

/// The chain of seeds of a match, from its secret.
///
/// # Errors
/// `Damaged` if the length is wrong.
pub fn seed_chain(secret: &[u8]) -> Result<SeedChain, MatchError> {
    let root = <[u8; 32]>::try_from(secret).map_err(|_| MatchError::damaged("secret of a match"))?;
    Ok(SeedChain::new(root))
}
