//! Standing orders: what a player wants done when it becomes their turn, and what that comes to now.
//!
//! Pure: whether they may be placed is in `order_checks`, where they are kept in `placed_orders`, who carries them out in
//! `order_carrying`.
//!
//! They see what their owner sees, [`SeatView`], and nothing else: what is done by them tells no more than a player could.

use serde::{Deserialize, Serialize};
use yaniv_engine::{Action, Card, Draw, Match, OwnHand, PhaseKind, Seat, SeatView};

/// What a player wants done, once, when it becomes their turn or they are asked something before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StandingOrders {
    /// Call, if the hand has so many points at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_at_most: Option<u16>,
    /// Otherwise play: the first of these that can be done.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plays: Vec<PlayOrder>,
    /// With the play: slam the drawn card down if it fits, at the first end where there are two (true) or the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slam_down: Option<bool>,
    /// Asked for a card: give it, if it counts so many points at least, otherwise keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub give_from: Option<u16>,
    /// To a call: challenge, if the hand has so many points at most, otherwise expose it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge_at_most: Option<u16>,
    /// To a call over the limit: swap, if the hand has so many points at least, otherwise stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub swap_from: Option<u16>,
}

/// A play, on a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayOrder {
    /// What to throw, in order.
    pub cards: Vec<Card>,
    /// What to draw.
    #[serde(with = "draw_text")]
    pub draw: Draw,
    /// Only if all of these can be picked up.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub if_pickable: Vec<Card>,
}

/// What orders are bound to: when it is otherwise, they are void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The round in which they were placed.
    pub round: u16,
    /// Turns that the seat had had in it.
    pub turns: u16,
    /// The hand then, in canonical order.
    pub hand: Vec<Card>,
}

/// What orders come to now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nobody asks the seat anything: they wait.
    Wait,
    /// This is to be done.
    Act(Carried),
    /// They will not be carried out.
    Void(VoidReason),
}

/// An action by order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// What to do.
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
    /// The seat has had its turn.
    TurnTaken,
    /// The hand is another one.
    HandChanged,
    /// Somebody has called, and nothing was ordered for that.
    Called,
    /// Somebody asks for a card, and nothing was ordered for that.
    Asked,
    /// None of the plays can be done as it was ordered.
    NothingFits,
    /// The rules have refused what was ordered.
    Refused,
}

impl VoidReason {
    /// As it is stored and printed.
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

impl Carried {
    /// Whether the orders are done with by it. A card that was given away leaves hand and turn as they were.
    pub const fn is_last(&self) -> bool {
        !matches!(self.action, Action::Give)
    }
}

impl Bound {
    /// What orders are bound to that a seat places now; none if it has no hand.
    pub fn now(view: &SeatView, seat: Seat) -> Option<Self> {
        let turns = view.seats.get(seat.index())?.turns;
        Some(Self { round: view.round, turns, hand: view.hand.as_ref()?.cards.clone() })
    }
}

impl StandingOrders {
    /// Whether nothing is ordered.
    pub fn is_empty(&self) -> bool {
        let Self { call_at_most, plays, give_from, challenge_at_most, swap_from, .. } = self;
        let points = [call_at_most, give_from, challenge_at_most, swap_from];
        plays.is_empty() && points.into_iter().all(Option::is_none)
    }

    /// What they come to now, whoever looks. `called` says whether anybody has called since they were placed.
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

    /// What to do in a turn.
    fn turn(&self, view: &SeatView, hand: &OwnHand, limit: Option<u16>) -> Decision {
        let legal = view.legal.clone().unwrap_or_default();
        // A call that the rules would punish is never meant.
        let most = self.call_at_most.map(|most| limit.map_or(most, |limit| most.min(limit)));
        if legal.call && most.is_some_and(|most| hand.points <= most) {
            return Decision::Act(Carried { action: Action::Call { word: None }, slam_down: None });
        }
        let fits = |play: &&PlayOrder| {
            legal.draws.contains(&play.draw)
                && play.if_pickable.iter().all(|card| view.pickable.contains(card))
        };
        match self.plays.iter().find(fits) {
            Some(play) => {
                let action = Action::Play { cards: play.cards.iter().copied().collect(), draw: play.draw };
                Decision::Act(Carried { action, slam_down: self.slam_down })
            }
            None => Decision::Void(VoidReason::NothingFits),
        }
    }
}

/// What has happened that makes orders void, whatever they say.
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

/// What was ordered by points; void if nothing was.
fn by(points: Option<u16>, otherwise: VoidReason, action: impl FnOnce(u16) -> Action) -> Decision {
    let act = |points| Decision::Act(Carried { action: action(points), slam_down: None });
    points.map_or(Decision::Void(otherwise), act)
}

/// Draws are stored as they are written.
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
