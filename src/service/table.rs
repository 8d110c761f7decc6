//! A match at one version: players, position and finished rounds together.
//!
//! Loaded as it stands now, or built by folding the log up to a version. Both change by the same functions, so that
//! they cannot differ. A copy costs little: what an action does not change is shared.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_engine::{
    Action, Card, Code, Match, PlayError, Played, RecordResult, Rules, Seat, SeedChain, Shuffler, SlamDown,
};

use super::ServiceError;
use super::cause::Cause;
use super::clocks::{Clocks, LedgerLine, Turned};
use super::creation::PUBLIC;
use super::join_code::JoinCode;
use super::played_round::PlayedRound;
use super::settled::{Player, Settings};
use super::status::Status;
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::actions::ActionRow;
use crate::store::gifts::GiftRow;
use crate::store::match_versions::MatchVersion;
use crate::store::matches::MatchRow;

/// Entries of the log that a match has at hand: what happened since a player last looked is seldom more.
const TAIL: usize = 3;

/// An action that was played.
#[derive(Debug)]
pub struct Step {
    /// The action.
    pub action: Action,
    /// What came of it.
    pub played: Played,
    /// Who had started the round.
    pub starter: Seat,
    /// The card that it slammed down.
    pub slammed: Option<Card>,
    /// Who or what has made it.
    pub cause: Cause,
}

/// A match at one version.
#[derive(Clone)]
pub struct Table {
    /// What is settled.
    pub settings: Arc<Settings>,
    /// Number of entries in the log.
    pub version: i32,
    /// Where it is in its life.
    pub status: Status,
    /// Code that lets people in.
    pub join_code: Arc<JoinCode>,
    /// When the newest entry was accepted.
    pub at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it was won or given up.
    pub finished_at: Option<DateTime<Utc>>,
    /// Who takes part, in order.
    pub players: Arc<Vec<Player>>,
    /// The position, from the start on.
    pub game: Option<Match>,
    /// Rounds that are over, oldest first.
    pub rounds: Arc<Vec<PlayedRound>>,
    /// Dedications of turned-up cards, oldest first.
    pub gifts: Arc<Vec<GiftRow>>,
    /// Hashes of the idempotency keys in the log.
    pub keys: Arc<Vec<i64>>,
    /// The newest entries of the log, oldest first, as far as they are at hand.
    pub tail: Arc<Vec<ActionRow>>,
    /// The clocks, before the steps that have no time yet.
    pub clocks: Arc<Clocks>,
    /// What the steps that have no time yet do to them.
    pub(super) turning: Vec<Turned>,
    /// Where what changes the clocks is written down, if somebody wants it.
    pub(super) ledger: Option<Vec<LedgerLine>>,
    /// `s[1000]`, from which all shuffles come.
    pub(super) chain: Arc<SeedChain>,
    /// The source of all shuffles, once the players are settled.
    pub(super) shuffler: Option<Arc<Shuffler>>,
}

impl Table {
    /// A match before anything has happened to it: version 0, nobody seated.
    ///
    /// # Errors
    /// If the stored rules are no longer valid, or the secret is damaged.
    pub fn empty(row: &MatchRow) -> Result<Self, ServiceError> {
        let root = <[u8; 32]>::try_from(row.secret.as_slice())
            .map_err(|_| StoreError::Damaged("secret of a match".to_owned()))?;
        Ok(Self::beginning(Arc::new(Settings::try_from(row)?), Arc::new(SeedChain::new(root))))
    }

    /// The match again before anything had happened to it.
    pub fn at_the_beginning(&self) -> Self {
        Self::beginning(Arc::clone(&self.settings), Arc::clone(&self.chain))
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
            gifts: Arc::default(),
            keys: Arc::default(),
            tail: Arc::default(),
            clocks: Arc::default(),
            turning: Vec::new(),
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

    /// What tells this state from every other of the match.
    pub fn stands_at(&self) -> MatchVersion {
        let gifts = i16::try_from(self.gifts.len()).unwrap_or(i16::MAX);
        MatchVersion { version: self.version, gifts, updated_at: self.at }
    }

    /// The seat of an account.
    pub fn seat_of(&self, account: AccountId) -> Option<Seat> {
        let index = self.players.iter().position(|player| player.account == account)?;
        u8::try_from(index).ok().map(Seat::new)
    }

    /// Whether everybody may read it: a public match that is over, of which nothing is hidden any more.
    pub fn is_open_to_all(&self) -> bool {
        self.settings.visibility == PUBLIC && self.status == Status::Finished
    }

    /// Who sits there.
    pub fn player(&self, seat: Seat) -> Option<&Player> {
        self.players.get(seat.index())
    }

    /// The chain of seeds, whose end is the commitment.
    pub fn seed_chain(&self) -> &SeedChain {
        &self.chain
    }

    /// Seats somebody.
    pub fn join(&mut self, player: Player, at: DateTime<Utc>) {
        Arc::make_mut(&mut self.players).push(player);
        self.step(at);
    }

    /// Takes a seat away; the last to leave cancels the match.
    pub fn leave(&mut self, account: AccountId, at: DateTime<Utc>) {
        Arc::make_mut(&mut self.players).retain(|player| player.account != account);
        if self.players.is_empty() {
            self.status = Status::Cancelled;
            self.finished_at = Some(at);
        }
        self.step(at);
    }

    /// Puts another code in the place of the one that lets people in.
    pub fn set_code(&mut self, code: JoinCode, at: DateTime<Utc>) {
        self.join_code = Arc::new(code);
        self.step(at);
    }

    /// Lets nobody in by the code any more.
    pub fn revoke_code(&mut self, at: DateTime<Utc>) {
        let code = self.join_code.code.clone();
        self.set_code(JoinCode { code, expires_at: Some(at) }, at);
    }

    /// Plays an action; a refused one changes nothing. The time is not known before it is stored: `stamp` sets it.
    ///
    /// # Errors
    /// `NotStarted`, or what the rules say.
    pub fn play(&mut self, seat: Seat, action: &Action, cause: Cause) -> Result<Step, ServiceError> {
        let slam = self.open_slam(seat).filter(|_| matches!(action, Action::Slam { .. }));
        self.check_slam(seat, action, slam)?;
        let (Some(game), Some(shuffler)) = (self.game.as_mut(), &self.shuffler) else {
            return Err(ServiceError::NotStarted);
        };
        let starter = game.starter();
        let played = game.play(seat, action, shuffler).map_err(ServiceError::Rejected)?;
        if game.is_over() {
            self.status = Status::Finished;
        }
        self.version = self.version.saturating_add(1);
        self.turning.push(self.turned(seat, action, &played, cause));
        Ok(Step { action: action.clone(), played, starter, slammed: slam, cause })
    }

    /// The card that a seat may slam down now.
    pub fn open_slam(&self, seat: Seat) -> Option<Card> {
        let game = self.game.as_ref().filter(|_| self.rules().options().slam_down != SlamDown::Off)?;
        game.legal(seat).slam.map(|slam| slam.card)
    }

    /// Entries of the log after a version, oldest first, if they are at hand.
    pub fn tail_after(&self, version: i32) -> Option<&[ActionRow]> {
        let place = self.tail.iter().position(|row| row.version == version.saturating_add(1))?;
        self.tail.get(place..)
    }

    /// Notes what was just stored.
    pub fn note(&mut self, key_hash: Option<i64>, rows: &[ActionRow]) {
        Arc::make_mut(&mut self.keys).extend(key_hash);
        let tail = Arc::make_mut(&mut self.tail);
        tail.extend_from_slice(rows);
        tail.drain(..tail.len().saturating_sub(TAIL));
    }

    /// Sets the time of the action just played, and files the round that it ended.
    pub fn stamp(&mut self, step: &Step, at: DateTime<Utc>) {
        self.at = at;
        let turning = std::mem::take(&mut self.turning);
        self.turn_clocks(&turning);
        if let Some(end) = &step.played.round_ended {
            Arc::make_mut(&mut self.rounds).push(PlayedRound {
                round: end.round,
                starter: step.starter,
                last_version: self.version,
                result: end.result.as_ref().map(RecordResult::from),
                ended_at: at,
            });
        }
        if self.status == Status::Finished {
            self.finished_at = Some(at);
        }
    }

    /// The dedication of the turned-up card of the round in play. One that was emptied is none any more.
    pub fn gift(&self) -> Option<&GiftRow> {
        let round = i16::try_from(self.game.as_ref()?.round()).ok()?;
        self.gifts.iter().find(|gift| gift.round == round && !gift.text.is_empty())
    }

    /// Whether everything about a round may be known by now.
    pub fn is_round_over(&self, round: i16) -> bool {
        self.game.as_ref().is_some_and(|game| game.is_over() || i32::from(round) < i32::from(game.round()))
    }

    /// The engine tells another's slam-down from none. Nobody else may hear that one is open: it says that the card
    /// drawn fits.
    fn check_slam(&self, seat: Seat, action: &Action, slam: Option<Card>) -> Result<(), ServiceError> {
        let asked =
            matches!(action, Action::Slam { .. }) && self.rules().options().slam_down != SlamDown::Off;
        let out = self.game.as_ref().is_none_or(|game| game.is_over() || game.is_out(seat));
        if !asked || slam.is_some() || out {
            return Ok(());
        }
        let detail = "you have no card to slam down".into();
        Err(ServiceError::Rejected(PlayError { code: Code::WrongPhase, detail }))
    }

    pub(super) fn step(&mut self, at: DateTime<Utc>) {
        self.version = self.version.saturating_add(1);
        self.at = at;
    }
}
