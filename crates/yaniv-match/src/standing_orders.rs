//! Standing orders: conditional moves that a player places before their turn, and the decision that follows
//! from them now.
//!
//! Pure. `yaniv_app::turns` has the checks at placement (`order_checks`), storage (`orders`) and execution
//! (`automatic::orders`).
//!
//! Orders are decided on [`SeatView`], the view of their owner, only: an action by order reveals no more than
//! a player's own action could.

use serde::{Deserialize, Serialize};
use yaniv_engine::{Action, Card, Draw, Match, OwnHand, PhaseKind, Seat, SeatView};

/// Conditional moves of a player, for one turn and for the requests before it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingOrders {
    /// Call, if the hand has at most this number of points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_at_most: Option<u16>,
    /// Otherwise play: the first legal one of these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plays: Vec<PlayOrder>,
    /// With the play: slam the drawn card down if it fits. If it fits at two ends: at the first (true) or the
    /// last (false).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slam_down: Option<bool>,
    /// Asked for a card: give it, if it is worth at least this number of points, otherwise keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_from: Option<u16>,
    /// To a call: challenge, if the hand has at most this number of points, otherwise expose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge_at_most: Option<u16>,
    /// To a call over the limit: swap, if the hand has at least this number of points, otherwise stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_from: Option<u16>,
}

/// A play with its condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayOrder {
    /// The cards to discard, in order.
    pub cards: Vec<Card>,
    /// The draw.
    #[serde(with = "draw_text")]
    pub draw: Draw,
    /// Only if all of these can be picked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub if_pickable: Vec<Card>,
}

/// The situation that orders are bound to; in any other they are void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The round in which they were placed.
    pub round: u16,
    /// Number of turns that the seat had taken in the round.
    pub turns: u16,
    /// The hand at placement, in canonical order.
    pub hand: Vec<Card>,
}

/// The decision that follows from orders in the current position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The seat does not have to act; the orders wait.
    Wait,
    /// Play this action.
    Act(OrderedAction),
    /// The orders are void.
    Void(VoidReason),
}

/// An action by order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderedAction {
    /// The action.
    pub action: Action,
    /// With a play: slam the drawn card down if it fits, at the first end (true) or the last.
    pub slam_down: Option<bool>,
}

/// Why orders are void.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoidReason {
    /// The match is over.
    MatchOver,
    /// The seat is out of the match.
    Out,
    /// The round is over.
    RoundOver,
    /// The seat has taken its turn.
    TurnTaken,
    /// The hand has changed.
    HandChanged,
    /// A player has called, and the orders do not cover a call.
    Called,
    /// A player asks for a card, and the orders do not cover a request.
    Asked,
    /// None of the ordered plays is legal.
    NothingFits,
    /// The rules refused the ordered action.
    Refused,
}

impl VoidReason {
    /// The stored and printed form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MatchOver => "match_over",
            Self::Out => "out",
            Self::RoundOver => "round_over",
            Self::TurnTaken => "turn_taken",
            Self::HandChanged => "hand_changed",
            Self::Called => "called",
            Self::Asked => "asked",
            Self::NothingFits => "nothing_fits",
            Self::Refused => "refused",
        }
    }
}

impl OrderedAction {
    /// Whether the action completes the orders. Giving a card away does not: hand and turn stay as they were.
    pub const fn is_last(&self) -> bool {
        !matches!(self.action, Action::Give)
    }
}

impl Bound {
    /// The situation of a seat now; `None` if it has no hand.
    pub fn now(view: &SeatView, seat: Seat) -> Option<Self> {
        let turns = view.seats.get(seat.index())?.turns;
        Some(Self { round: view.round, turns, hand: view.hand.as_ref()?.cards.clone() })
    }
}

impl StandingOrders {
    /// Whether no order is set.
    pub fn is_empty(&self) -> bool {
        let Self { call_at_most, plays, give_from, challenge_at_most, swap_from, .. } = self;
        let points = [call_at_most, give_from, challenge_at_most, swap_from];
        plays.is_empty() && points.into_iter().all(Option::is_none)
    }

    /// Decides the orders in the current position. `called` tells whether any player has called since
    /// placement.
    pub fn decide(&self, bound: &Bound, game: &Match, seat: Seat, called: bool) -> Decision {
        let view = game.view(Some(seat));
        if let Some(reason) = surprise(bound, &view, seat) {
            return Decision::Void(reason);
        }
        let Some(hand) = &view.hand else { return Decision::Void(VoidReason::Out) };
        let asked = view.to_act.contains(&seat);
        match view.phase {
            PhaseKind::Challenge if asked => by(self.challenge_at_most, VoidReason::Called, |most| {
                if hand.points <= most { Action::Challenge } else { Action::Expose }
            }),
            PhaseKind::Swap if asked => by(self.swap_from, VoidReason::Called, |least| {
                if hand.points >= least { Action::Swap } else { Action::Stay }
            }),
            PhaseKind::Challenge | PhaseKind::Swap | PhaseKind::FinalTurn | PhaseKind::MustPlay => {
                Decision::Void(VoidReason::Called)
            }
            PhaseKind::Over => Decision::Void(VoidReason::RoundOver),
            PhaseKind::Turn | PhaseKind::Request if called => Decision::Void(VoidReason::Called),
            PhaseKind::Turn | PhaseKind::Request if !asked => Decision::Wait,
            PhaseKind::Request => by(self.give_from, VoidReason::Asked, |least| {
                let points = view.request.map_or(0, |(_, card)| game.rules().points(&[card]));
                if points >= least { Action::Give } else { Action::Keep }
            }),
            PhaseKind::Turn => self.turn(&view, hand, game.rules().options().call_limit),
        }
    }

    /// Decides the orders in the seat's turn.
    fn turn(&self, view: &SeatView, hand: &OwnHand, limit: Option<u16>) -> Decision {
        let legal = view.legal.clone().unwrap_or_default();
        // Never make a call above the call limit: the rules would punish it.
        let most = self.call_at_most.map(|most| limit.map_or(most, |limit| most.min(limit)));
        if legal.call && most.is_some_and(|most| hand.points <= most) {
            return Decision::Act(OrderedAction { action: Action::Call { word: None }, slam_down: None });
        }
        let fits = |play: &&PlayOrder| {
            legal.draws.contains(&play.draw)
                && play.if_pickable.iter().all(|card| view.pickable.contains(card))
        };
        match self.plays.iter().find(fits) {
            Some(play) => {
                let action = Action::Play { cards: play.cards.iter().copied().collect(), draw: play.draw };
                Decision::Act(OrderedAction { action, slam_down: self.slam_down })
            }
            None => Decision::Void(VoidReason::NothingFits),
        }
    }
}

/// The reason why the orders are void regardless of their content, if any.
fn surprise(bound: &Bound, view: &SeatView, seat: Seat) -> Option<VoidReason> {
    let own = view.seats.get(seat.index())?;
    let hand = view.hand.as_ref().map(|hand| &hand.cards);
    [
        (view.result.is_some(), VoidReason::MatchOver),
        (own.out, VoidReason::Out),
        (view.round != bound.round, VoidReason::RoundOver),
        (own.turns != bound.turns, VoidReason::TurnTaken),
        (hand != Some(&bound.hand), VoidReason::HandChanged),
    ]
    .into_iter()
    .find_map(|(surprising, reason)| surprising.then_some(reason))
}

/// Decides an order by points; void if it is not set.
fn by(points: Option<u16>, otherwise: VoidReason, action: impl FnOnce(u16) -> Action) -> Decision {
    let act = |points| Decision::Act(OrderedAction { action: action(points), slam_down: None });
    points.map_or(Decision::Void(otherwise), act)
}

/// Draws are stored in their text form.
mod draw_text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};
    use yaniv_engine::Draw;

    pub(super) fn serialize<S: Serializer>(draw: &Draw, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(draw)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Draw, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
