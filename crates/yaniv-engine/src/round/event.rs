//! Results of accepted actions, for the log, the record and the response to the player. The caller decides what other
//! players may see: `drew` and `drew_three` are for the player only.

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::cards::set::Cards;
use crate::rules::choices::choices;

choices! {
    /// The outcome of a call.
    CallOutcome {
        /// The round was scored.
        Revealed = "revealed",
        /// The others have one more turn each.
        FinalTurns = "final_turns",
        /// The others expose or challenge.
        Challenged = "challenged",
        /// Over the limit: a wrong call.
        Penalty = "penalty",
        /// Over the limit: the caller is out.
        Eliminated = "eliminated",
        /// Over the limit: the caller drew three cards and must play.
        DrewThree = "drew_three",
        /// Over the limit: the others may exchange hands with the caller.
        SwapOffered = "swap_offered",
        /// Over the limit: nothing; the caller must play.
        Ignored = "ignored",
        /// Out of turn: the round ended with 30 points for the caller.
        OutOfTurn = "out_of_turn",
    }
}

/// The result of an accepted action.
#[derive(Clone, Debug, PartialEq)]
pub struct Played {
    /// The round the action belonged to, 1 to 1000.
    pub round: u16,
    /// The card drawn from the stock by a play. Only the player may know it.
    pub drew: Option<Card>,
    /// The cards drawn by a call over the limit (`draw_three`), in order. Only the player may know them.
    pub drew_three: Cards,
    /// The buried cards were shuffled and became the stock, at least once.
    pub recycled: bool,
    /// The outcome, if the action was a call.
    pub call: Option<CallOutcome>,
    /// The seat whose hand was exchanged with that of the acting player.
    pub swapped_with: Option<Seat>,
    /// The round that ended with this action. Unless the match ended, too, the next one has been dealt.
    pub round_ended: Option<Box<RoundEnd>>,
    /// The result, when the match ended with this action.
    pub match_ended: Option<MatchResult>,
}

/// The end of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundEnd {
    /// Its number, 1 to 1000.
    pub round: u16,
    /// The score; `None` when the round ended unscored or the match ended without a call.
    pub result: Option<RoundResult>,
}

/// The score of a round (rules §5). Lists are by seat; a seat that was out has no cards, points or score.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundResult {
    /// The caller.
    pub caller: Seat,
    /// Whether the call was right.
    pub right: bool,
    /// Seats that defeated a wrong call, in order.
    ///
    /// Those with fewer points, or with as many if `tie_is_wrong`; after a
    /// challenge, its winner alone. Empty if the call was wrong regardless of the other hands and no player had less.
    pub defeated_by: Vec<Seat>,
    /// The hands, each in canonical order.
    pub hands: Vec<Vec<Card>>,
    /// Points of the hands.
    pub points: Vec<i32>,
    /// The scores.
    pub scores: Vec<i32>,
    /// The totals after bonus and reductions.
    pub totals: Vec<i32>,
    /// Seats whose total was replaced, in order.
    pub reduced: Vec<Seat>,
    /// Seats that went out at the end of this round, in order.
    pub out: Vec<Seat>,
    /// The starter of the next round; `None` if the match is over.
    pub next_starter: Option<Seat>,
}

/// The result of a match (rules §8).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatchResult {
    /// The winner; `None` when the win is shared.
    pub winner: Option<Seat>,
    /// The place of each seat, from 1; equal places are shared and the next is skipped.
    pub ranking: Vec<u8>,
}

impl Played {
    pub(crate) fn new(round: u16) -> Played {
        Played {
            round,
            drew: None,
            drew_three: Cards::new(),
            recycled: false,
            call: None,
            swapped_with: None,
            round_ended: None,
            match_ended: None,
        }
    }
}
