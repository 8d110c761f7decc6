//! A match as one player may see it.
//!
//! Cards that are hidden from the player do not get in: positions come from the engine's view of one seat, rounds are
//! included only when they are over, and log entries pass through `LogEntry::for_viewer`.

use std::borrow::Borrow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_engine::{Action, CallOutcome, Card, Seat, SeatView};

use yaniv_model::ids::AccountId;

use crate::clocks::Clocks;
use crate::event::{LogEvent, LoggedEvent, Names};
use crate::finished_round::FinishedRound;
use crate::join_code::JoinCode;
use crate::origin::ActionOrigin;
use crate::settings::{Dedication, Player, Settings};
use crate::state::MatchState;
use crate::status::Status;

/// A match as one of its players may see it.
#[derive(Debug)]
pub struct MatchView {
    /// The settings.
    pub settings: Arc<Settings>,
    /// The status.
    pub status: Status,
    /// Number of entries in the log.
    pub version: i32,
    /// The join code.
    pub join_code: Arc<JoinCode>,
    /// When the newest log entry was accepted.
    pub updated_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// The viewer's seat; `None` for a viewer without a seat.
    pub you: Option<Seat>,
    /// The players, by seat.
    pub players: Arc<Vec<Player>>,
    /// The clocks.
    pub clocks: Arc<Clocks>,
    /// Bit mask of the seats that have to act.
    pub waiting_on: i16,
    /// The position, from the viewer's seat.
    pub game: Option<SeatView>,
    /// Finished rounds.
    pub rounds: Arc<Vec<FinishedRound>>,
    /// The dedication of the turned-up card of the round in play.
    pub dedication: Option<Dedication>,
    /// Recent log entries.
    pub recent: Vec<LogEntry>,
}

impl MatchView {
    /// The view of an account. Without a seat, it is the public view, without a hand.
    pub fn new(state: &MatchState, viewer: AccountId, recent: Vec<LogEntry>) -> Self {
        let you = state.seat_of(viewer);
        Self {
            settings: Arc::clone(state.settings()),
            status: state.status(),
            version: state.version(),
            join_code: Arc::clone(state.join_code()),
            updated_at: state.at(),
            started_at: state.started_at(),
            finished_at: state.finished_at(),
            you,
            players: Arc::clone(state.players()),
            clocks: Arc::clone(state.clocks()),
            waiting_on: state.waiting_on(),
            game: state.game().map(|game| game.view(you)),
            rounds: Arc::clone(state.rounds()),
            dedication: state.dedication(viewer).cloned(),
            recent,
        }
    }

    /// The last finished round, if the viewer may not know it yet: it has just ended, or the viewer has had no turn
    /// since.
    pub fn news_of_round(&self) -> Option<&FinishedRound> {
        let turns = self.you.zip(self.game.as_ref()).and_then(|(you, game)| game.seats.get(you.index()));
        let has_played = turns.is_some_and(|seat| seat.turns > 0) && self.status == Status::Running;
        let has_just_ended = || self.recent.iter().any(|entry| entry.ended_round);
        self.rounds.last().filter(|_| !has_played || has_just_ended())
    }
}

/// An entry of the log, filtered for the viewer.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// 1, 2, 3 … without a gap.
    pub version: i32,
    /// When the entry was accepted.
    pub at: DateTime<Utc>,
    /// Round of the entry; 0 before play.
    pub round: i16,
    /// Seat of the player; `None` before play.
    pub seat: Option<i16>,
    /// Name of the player.
    pub username: String,
    /// The kind of entry, with its content.
    pub kind: EntryKind,
    /// Origin of the action.
    pub origin: ActionOrigin,
    /// The stock was refilled.
    pub recycled: bool,
    /// It ended the round.
    pub ended_round: bool,
    /// It ended the match.
    pub ended_match: bool,
}

/// The kind of a log entry.
#[derive(Clone, Debug)]
pub enum EntryKind {
    /// A player took a seat.
    Joined,
    /// A player left before the start.
    Left,
    /// The host removed a player before the start.
    Removed,
    /// The first cards were dealt.
    Started,
    /// The join code was replaced.
    CodeRenewed,
    /// The join code was revoked.
    CodeRevoked,
    /// The player's vacations or quiet hours changed.
    CalendarChanged,
    /// A bot took over the seat of an absent player.
    SeatHeld,
    /// The owner took the seat back.
    SeatTakenBack,
    /// The player reminded the players in these seats.
    Nudged(Vec<i16>),
    /// The clock of a sandbox was moved.
    ClockMoved,
    /// An action in play, with the result that the viewer may see.
    Action(Box<ActionEntry>),
}

/// An action in play.
#[derive(Clone, Debug)]
pub struct ActionEntry {
    /// The action.
    pub action: Action,
    /// Cards drawn from the stock, if the viewer may see them; for a slam-down, the card, which all players
    /// see.
    pub cards: Vec<Card>,
    /// Outcome of a call.
    pub outcome: Option<CallOutcome>,
}

impl LogEntry {
    /// Filters several events; see `for_viewer`.
    pub fn all_for_viewer(
        events: &[impl Borrow<LoggedEvent>],
        names: &Names,
        state: &MatchState,
        viewer: AccountId,
    ) -> Vec<Self> {
        events.iter().map(|event| Self::for_viewer(event.borrow(), names, state, viewer)).collect()
    }

    /// The removal of a player, as the removed player sees it.
    pub fn of_removal(version: i32, at: DateTime<Utc>, username: String) -> Self {
        Self {
            version,
            at,
            round: 0,
            seat: None,
            username,
            kind: EntryKind::Removed,
            origin: ActionOrigin::default(),
            recycled: false,
            ended_round: false,
            ended_match: false,
        }
    }

    /// Filters an event: removes cards that other players drew in a round that is not over.
    pub fn for_viewer(entry: &LoggedEvent, names: &Names, state: &MatchState, viewer: AccountId) -> Self {
        let event = &entry.event;
        let player = event.seat().and_then(|seat| state.player(seat));
        let username = match player {
            Some(player) => player.username.clone(),
            None => event
                .account()
                .and_then(|account| names.get(&account.0))
                .map(|name| name.username.clone())
                .unwrap_or_default(),
        };
        let kind = match event {
            LogEvent::Joined { .. } => EntryKind::Joined,
            LogEvent::Left { .. } => EntryKind::Left,
            LogEvent::Removed { .. } => EntryKind::Removed,
            LogEvent::Started { .. } => EntryKind::Started,
            LogEvent::CodeRenewed { .. } => EntryKind::CodeRenewed,
            LogEvent::CodeRevoked { .. } => EntryKind::CodeRevoked,
            LogEvent::CalendarChanged { .. } => EntryKind::CalendarChanged,
            LogEvent::SeatHeld { .. } => EntryKind::SeatHeld,
            LogEvent::SeatTakenBack { .. } => EntryKind::SeatTakenBack,
            LogEvent::Nudged { seats, .. } => {
                EntryKind::Nudged(seats.iter().copied().map(i16::from).collect())
            }
            LogEvent::ClockMoved { .. } => EntryKind::ClockMoved,
            LogEvent::Action(event) => {
                let own = player.is_some_and(|player| player.account == viewer);
                let open =
                    own || state.is_round_over(entry.round) || matches!(event.action, Action::Slam { .. });
                let cards = if open { event.drew.clone() } else { Vec::new() };
                let (action, outcome) = (event.action.clone(), event.outcome);
                EntryKind::Action(Box::new(ActionEntry { action, cards, outcome }))
            }
        };
        let action = entry.action();
        Self {
            version: entry.version,
            at: entry.at,
            round: entry.round,
            seat: event.seat().map(|seat| seat.number().into()),
            username,
            kind,
            origin: action.map(|action| action.origin).unwrap_or_default(),
            recycled: action.is_some_and(|action| action.recycled),
            ended_round: action.is_some_and(|action| action.ended_round),
            ended_match: action.is_some_and(|action| action.ended_match),
        }
    }
}

impl EntryKind {
    /// Whether the entry is an action of this kind.
    pub fn is_action(&self, kind: &str) -> bool {
        matches!(self, Self::Action(entry) if entry.action.kind() == kind)
    }
}

impl LogEntry {
    /// Whether the player made the entry, not a timeout, a standing order or a bot that holds the seat.
    pub fn is_own_doing(&self) -> bool {
        let by_player = matches!(
            self.kind,
            EntryKind::Action(_) | EntryKind::SeatTakenBack | EntryKind::Nudged(_) | EntryKind::Joined
        );
        by_player && self.origin == ActionOrigin::Player
    }
}
