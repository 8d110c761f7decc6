//! The situation that a notification reports, read from the match when it is sent.
//!
//! Only what the recipient may know: no cards, and points only of rounds that are over.

use yaniv_db::Connection;
use yaniv_db::notifications::delivery_claims::ClaimedDelivery;
use yaniv_engine::{PhaseKind, RecordResult, Seat, SeatView};
use yaniv_match::MatchState;
use yaniv_match::event::LogEvent;
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;
use crate::matches::load::load_match;
use crate::matches::log::log_load;
use crate::notifications::channels::kinds::Kind;

/// The situation of a notification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Situation {
    /// The other players of the match, by seat.
    pub opponents: Vec<String>,
    /// The player who called, asks, reminds or challenges.
    pub player: Option<String>,
    /// Details by the kind of notification.
    pub topic: Topic,
}

/// What a notification is about, besides its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Nothing else.
    #[default]
    None,
    /// A turn or an answer.
    Turn(Turn),
    /// A round that is over.
    Round {
        /// Its number.
        round: i32,
        /// Score and total of the recipient; `None` if it ended unscored.
        scored: Option<(i32, i32)>,
    },
    /// A match that is over.
    Match {
        /// Number of rounds.
        rounds: i32,
        /// Number of players.
        players: i32,
        /// Place of the recipient; `None` without a ranking.
        place: Option<i32>,
        /// Whether the win is shared.
        shared: bool,
    },
}

/// A turn or an answer that a match waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Number of the round.
    pub round: i32,
    /// The phase of the round.
    pub phase: PhaseKind,
    /// Whether it is the recipient's first turn in the match.
    pub first: bool,
    /// The word of a right call.
    pub word: String,
}

/// Reads the situation; `None` if the match no longer exists.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn situation(
    connection: &Connection,
    told: &ClaimedDelivery,
    kind: Kind,
) -> Result<Option<Situation>, ServiceError> {
    let Some(id) = told.match_id.map(MatchId) else {
        return Ok(Some(Situation { player: told.challenger.clone(), ..Situation::default() }));
    };
    let Some(state) = load_match(connection, id).await? else { return Ok(None) };
    let version = told.version.unwrap_or_default();
    let mut situation = Situation::of(&state, AccountId(told.account_id), kind, version);
    if let Some(situation) = situation.as_mut().filter(|_| kind == Kind::Nudged) {
        situation.player = nudged_by(connection, &state, version).await?;
    }
    Ok(situation)
}

/// The player whose nudge is at this version.
async fn nudged_by(
    connection: &Connection,
    state: &MatchState,
    version: i32,
) -> Result<Option<String>, ServiceError> {
    let (entries, _) = log_load(connection, state.id(), (version.saturating_sub(1), version), 1).await?;
    let by = entries.iter().find_map(|entry| match entry.event {
        LogEvent::Nudged { seat, .. } => Some(seat),
        _ => None,
    });
    Ok(by.and_then(|seat| name(state, seat)))
}

fn name(state: &MatchState, seat: Seat) -> Option<String> {
    state.player(seat).map(|player| player.username.clone())
}

fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}

impl Situation {
    /// The situation of a player; `None` without a seat or, except for a full table, before the start.
    fn of(state: &MatchState, account: AccountId, kind: Kind, version: i32) -> Option<Self> {
        let seat = state.seat_of(account)?;
        let others = state.players().iter().filter(|player| player.account != account);
        let opponents = others.map(|player| player.username.clone()).collect();
        if kind == Kind::TableFull {
            return Some(Self { opponents, ..Self::default() });
        }
        let view = state.game()?.view(None);
        let (topic, player) = match kind {
            Kind::RoundOver => (round_over(state, seat, version), None),
            Kind::MatchOver => (match_over(state, seat), None),
            _ => (Topic::Turn(turn(state, seat, &view)), actor(&view).and_then(|seat| name(state, seat))),
        };
        Some(Self { opponents, player, topic })
    }
}

/// The player who asks for an answer or called.
fn actor(view: &SeatView) -> Option<Seat> {
    view.caller.or(view.request.map(|(asker, _)| asker))
}

fn turn(state: &MatchState, seat: Seat, view: &SeatView) -> Turn {
    let own = view.seats.get(seat.index());
    Turn {
        round: i32::from(view.round),
        phase: view.phase,
        first: view.round == 1 && view.phase == PhaseKind::Turn && own.is_some_and(|own| own.turns == 0),
        word: state.rules().options().call_words.first().cloned().unwrap_or_default(),
    }
}

fn round_over(state: &MatchState, seat: Seat, version: i32) -> Topic {
    let Some(round) = state.rounds().iter().find(|round| round.last_version == version) else {
        return Topic::None;
    };
    let points =
        |result: &RecordResult| Some((*result.scores.get(seat.index())?, *result.totals.get(seat.index())?));
    let scored = round.score.as_ref().and_then(|score| points(&score.result));
    Topic::Round { round: i32::from(round.round), scored }
}

fn match_over(state: &MatchState, seat: Seat) -> Topic {
    let result = state.game().and_then(|game| game.result());
    let place = result.as_ref().and_then(|result| result.ranking.get(seat.index()).copied());
    Topic::Match {
        rounds: number(state.rounds().len()),
        players: number(state.players().len()),
        place: place.map(i32::from),
        shared: result.is_some_and(|result| result.winner.is_none()),
    }
}
