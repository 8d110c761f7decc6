//! A seat of a match, with its player.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_engine::PublicSeat;
use yaniv_match::clocks::SeatClock;
use yaniv_match::settings::Player;
use yaniv_match::view::MatchView;

use crate::values::card_code::{CardCode, codes};

/// A seat and its player.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Seat)]
pub struct SeatBody {
    /// Number of the seat, from 0, clockwise.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Name of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// Display name of the player. Left out if they have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 30, examples("Ada L."))]
    pub display_name: Option<String>,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Deadline of this player; two seconds of grace come on top. Left out while the match does not wait for them, and
    /// without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline: Option<DateTime<Utc>>,
    /// When the match began to wait for this player. Left out while it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub waiting_since: Option<DateTime<Utc>>,
    /// Seconds in the player's bank, without the turn in progress; with the clock `turn`, those of a turn. Left out
    /// without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i32>, nullable = false, examples(259_200))]
    pub bank_seconds: Option<i64>,
    /// Number of deadlines that the player has missed in a row. Absent: 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false, minimum = 0, examples(1))]
    pub missed_turns: i32,
    /// Whether a bot holds the seat for an absent player. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub held_by_bot: bool,
    /// Number of cards in hand.
    #[schema(minimum = 0, maximum = 216, examples(5))]
    pub card_count: i32,
    /// Sum of the scores.
    #[schema(examples(42))]
    pub total: i32,
    /// Whether the player is out: eliminated, resigned, or removed for absence. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub out: bool,
    /// Number of turns that the player has had in this round. Absent: 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false, minimum = 0, examples(3))]
    pub turns: i32,
    /// The hand, if it was exposed in answer to a call. Otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 216)]
    pub exposed: Option<Vec<CardCode>>,
    /// Successful calls counted for the bonus. Absent: 0.
    #[serde(skip_serializing_if = "is_zero")]
    #[schema(required = false, minimum = 0, examples(1))]
    pub successes: i32,
}

impl SeatBody {
    /// The seats of a match, in order.
    pub fn all(view: &MatchView) -> Vec<Self> {
        (0_u8..).zip(view.players.iter()).map(|(seat, player)| Self::new(view, seat, player)).collect()
    }

    fn new(view: &MatchView, seat: u8, player: &Player) -> Self {
        let clock: Option<&SeatClock> = view.clocks.seat(seat);
        let has_bank = view.settings.time_control.clock.bank().is_some();
        let wait = clock.and_then(|clock| clock.clock.wait);
        let public: Option<&PublicSeat> =
            view.game.as_ref().and_then(|game| game.seats.get(usize::from(seat)));
        Self {
            seat: i32::from(seat),
            username: player.username.clone(),
            display_name: player.display_name.clone(),
            bot: player.bot,
            deadline: wait.and_then(|wait| wait.deadline),
            waiting_since: wait.map(|wait| wait.began_at),
            bank_seconds: clock.filter(|_| has_bank).map(|clock| clock.clock.bank.seconds()),
            missed_turns: clock.map_or(0, |clock| i32::from(clock.clock.missed_turns)),
            held_by_bot: clock.is_some_and(|clock| clock.held),
            card_count: public.map_or(0, |public| i32::from(public.cards)),
            total: public.map_or(0, |public| public.total),
            out: public.is_some_and(|public| public.out),
            exposed: public
                .and_then(|public| public.exposed.as_ref())
                .map(|hand| codes(hand.iter().copied())),
            turns: public.map_or(0, |public| i32::from(public.turns)),
            successes: public.map_or(0, |public| i32::from(public.successes)),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &i32) -> bool {
    *number == 0
}
