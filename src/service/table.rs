//! A match at one version: players, position and finished rounds together.
//!
//! Loaded as it stands now, or built by folding the log up to a version. Both change by the same functions, so that
//! they cannot differ.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::RecordResult;
use yaniv_engine::{
    Action, Card, Code, Match, PlayError, Played, Rules, Seat, SeedChain, Shuffler, SlamDown,
};

use super::ServiceError;
use super::played_round::PlayedRound;
use super::status::Status;
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::gifts::GiftRow;
use crate::store::idempotency::KeyRow;
use crate::store::matches::MatchRow;
use crate::store::seats::SeatRow;
use crate::store::table_load::{AskedKey, TableRows, table_load};

/// Somebody who takes part. Players are kept in the order of their seats, before the start in that of joining.
#[derive(Clone, Debug)]
pub struct Player {
    /// Who it is.
    pub account: AccountId,
    /// The account's name.
    pub username: String,
    /// Their part of the shuffles.
    pub client_seed: String,
    /// Number stored in `seats`: before the start it may have gaps.
    pub stored_seat: i16,
}

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
}

/// A match at one version.
pub struct Table {
    /// What is settled.
    pub row: MatchRow,
    /// The rule set.
    pub rules: Rules,
    /// Number of actions so far.
    pub version: i32,
    /// Where it is in its life.
    pub status: Status,
    /// When the newest action was accepted.
    pub at: DateTime<Utc>,
    /// Who takes part, in order.
    pub players: Vec<Player>,
    /// The position, from the start on.
    pub game: Option<Match>,
    /// Rounds that are over, oldest first.
    pub rounds: Vec<PlayedRound>,
    /// Dedications of turned-up cards, oldest first.
    pub gifts: Vec<GiftRow>,
}

impl Table {
    /// A match before anything has happened to it: version 0, nobody seated.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub fn empty(row: MatchRow) -> Result<Self, ServiceError> {
        let rules = yaniv_engine::rules_from_json(&row.rules).map_err(ServiceError::internal)?;
        Ok(Self {
            version: 0,
            status: Status::Waiting,
            at: row.created_at,
            players: Vec::new(),
            game: None,
            rounds: Vec::new(),
            gifts: Vec::new(),
            rules,
            row: MatchRow { started_at: None, finished_at: None, ..row },
        })
    }

    /// A match as it stands now and what the asker's key has done, in one round trip; whoever asks.
    ///
    /// # Errors
    /// Those of the database, and stored data that is damaged.
    pub async fn load(
        connection: &AsyncPgConnection,
        id: MatchId,
        key: AskedKey<'_>,
    ) -> Result<Option<(Self, Option<KeyRow>)>, ServiceError> {
        match table_load(connection, id, key).await? {
            None => Ok(None),
            Some(mut rows) => {
                let key = rows.key.take();
                Ok(Some((Self::try_from(rows)?, key)))
            }
        }
    }

    /// The match's identifier.
    pub fn id(&self) -> MatchId {
        MatchId(self.row.id)
    }

    /// The seat of an account.
    pub fn seat_of(&self, account: AccountId) -> Option<Seat> {
        let index = self.players.iter().position(|player| player.account == account)?;
        u8::try_from(index).ok().map(Seat::new)
    }

    /// The source of all its shuffles, from its secret and the players' seeds.
    ///
    /// # Errors
    /// If the stored secret is damaged.
    pub fn shuffler(&self) -> Result<Shuffler, ServiceError> {
        let seeds: Vec<String> = self.players.iter().map(|player| player.client_seed.clone()).collect();
        Ok(Shuffler::new(self.seed_chain()?, &self.row.id.to_string(), &seeds))
    }

    /// The chain of seeds, whose end is the commitment.
    ///
    /// # Errors
    /// If the stored secret is damaged.
    pub fn seed_chain(&self) -> Result<SeedChain, ServiceError> {
        let root = <[u8; 32]>::try_from(self.row.secret.as_slice())
            .map_err(|_| StoreError::Damaged("secret of a match".to_owned()))?;
        Ok(SeedChain::new(root))
    }

    /// Seats somebody.
    pub fn join(&mut self, player: Player, at: DateTime<Utc>) {
        self.players.push(player);
        self.step(at);
    }

    /// Takes a seat away; the last to leave cancels the match.
    pub fn leave(&mut self, account: AccountId, at: DateTime<Utc>) {
        self.players.retain(|player| player.account != account);
        if self.players.is_empty() {
            self.status = Status::Cancelled;
            self.row.finished_at = Some(at);
        }
        self.step(at);
    }

    /// Settles the order of seats and deals the first round.
    ///
    /// # Errors
    /// `BadRules` if the rules do not take this many players.
    pub fn start(&mut self, at: DateTime<Utc>) -> Result<(), ServiceError> {
        let count = u8::try_from(self.players.len()).map_err(ServiceError::internal)?;
        if self.row.seat_order == "random" {
            let order = self.shuffler()?.seat_order(count);
            let joined = std::mem::take(&mut self.players);
            self.players = order.iter().filter_map(|who| joined.get(usize::from(*who)).cloned()).collect();
        }
        for (seat, player) in (0_i16..).zip(&mut self.players) {
            player.stored_seat = seat;
        }
        let game = Match::start(&self.rules, count, &self.shuffler()?)?;
        self.game = Some(game);
        self.status = Status::Running;
        self.row.started_at = Some(at);
        self.step(at);
        Ok(())
    }

    /// Plays an action; a refused one changes nothing. The time is not known before it is stored: `stamp` sets it.
    ///
    /// # Errors
    /// `NotStarted`, or what the rules say.
    pub fn play(&mut self, seat: Seat, action: &Action) -> Result<Step, ServiceError> {
        let shuffler = self.shuffler()?;
        let slam = self.open_slam(seat).filter(|_| matches!(action, Action::Slam { .. }));
        self.check_slam(seat, action, slam)?;
        let game = self.game.as_mut().ok_or(ServiceError::NotStarted)?;
        let starter = game.starter();
        let played = game.play(seat, action, &shuffler).map_err(ServiceError::Rejected)?;
        if game.is_over() {
            self.status = Status::Finished;
        }
        self.version += 1;
        Ok(Step { action: action.clone(), played, starter, slammed: slam })
    }

    /// The engine tells another's slam-down from none. Nobody else may hear that one is open: it says that the card
    /// drawn fits.
    fn check_slam(&self, seat: Seat, action: &Action, slam: Option<Card>) -> Result<(), ServiceError> {
        let asked = matches!(action, Action::Slam { .. }) && self.rules.options().slam_down != SlamDown::Off;
        let out = self.game.as_ref().is_none_or(|game| game.is_over() || game.is_out(seat));
        if !asked || slam.is_some() || out {
            return Ok(());
        }
        let detail = "you have no card to slam down".into();
        Err(ServiceError::Rejected(PlayError { code: Code::WrongPhase, detail }))
    }

    /// The card that a seat may slam down now.
    pub fn open_slam(&self, seat: Seat) -> Option<Card> {
        let game = self.game.as_ref().filter(|_| self.rules.options().slam_down != SlamDown::Off)?;
        game.legal(seat).slam.map(|slam| slam.card)
    }

    /// Sets the time of the action just played, and files the round that it ended.
    pub fn stamp(&mut self, step: &Step, at: DateTime<Utc>) {
        self.at = at;
        if let Some(end) = &step.played.round_ended {
            self.rounds.push(PlayedRound {
                round: end.round,
                starter: step.starter,
                last_version: self.version,
                result: end.result.as_ref().map(RecordResult::from),
                ended_at: at,
            });
        }
        if self.status == Status::Finished {
            self.row.finished_at = Some(at);
        }
    }

    /// The dedication of the turned-up card of the round in play.
    pub fn gift(&self) -> Option<&GiftRow> {
        let round = i16::try_from(self.game.as_ref()?.round()).ok()?;
        self.gifts.iter().find(|gift| gift.round == round)
    }

    /// Seats that have to act, a bit each.
    pub fn waiting_on(&self) -> i16 {
        let seats = self.game.as_ref().map(Match::to_act).unwrap_or_default();
        seats.iter().fold(0, |bits, seat| bits | 1 << seat.number())
    }

    /// Whether everything about a round may be known by now.
    pub fn is_round_over(&self, round: i16) -> bool {
        self.game.as_ref().is_some_and(|game| game.is_over() || i32::from(round) < i32::from(game.round()))
    }

    fn step(&mut self, at: DateTime<Utc>) {
        self.version += 1;
        self.at = at;
    }
}

impl TryFrom<TableRows> for Table {
    type Error = ServiceError;

    fn try_from(rows: TableRows) -> Result<Self, ServiceError> {
        let TableRows { row, state, seats, rounds, gifts, key: _ } = rows;
        let (started_at, finished_at) = (row.started_at, row.finished_at);
        let mut table = Self::empty(row)?;
        table.row.started_at = started_at;
        table.row.finished_at = finished_at;
        table.version = state.version;
        table.status = Status::parse(&state.status)?;
        table.at = state.updated_at;
        table.gifts = gifts;
        table.players = seats.into_iter().map(Player::from).collect();
        if let Some(bytes) = &state.state {
            let game = Match::from_bytes(&table.rules, bytes).map_err(ServiceError::internal)?;
            table.game = Some(game);
        }
        table.rounds = rounds.into_iter().map(PlayedRound::try_from).collect::<Result<_, _>>()?;
        Ok(table)
    }
}

impl From<SeatRow> for Player {
    fn from(row: SeatRow) -> Self {
        Self {
            account: AccountId(row.account_id),
            username: row.username,
            client_seed: row.client_seed,
            stored_seat: row.seat,
        }
    }
}

impl From<yaniv_engine::BadRules> for ServiceError {
    fn from(error: yaniv_engine::BadRules) -> Self {
        Self::BadRules { option: error.option, detail: error.detail }
    }
}
