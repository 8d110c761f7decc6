//! What an accepted action led to: for the log, the record and the answer to the player. What of it others may
//! see is up to the caller: `drew` and `drew_three` are the player's own.

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::cards::set::Cards;
use crate::rules::choices::choices;

choices! {
    /// What followed a call.
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

/// What an accepted action led to.
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
    /// What followed, when the action was a call.
    pub call: Option<CallOutcome>,
    /// Whose hand was exchanged with that of the player who acted.
    pub swapped_with: Option<Seat>,
    /// The round that ended with this action. Unless the match ended too, the next one has been dealt.
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
    /// Who called.
    pub caller: Seat,
    /// Whether the call was right.
    pub right: bool,
    /// Who defeated a wrong call, in order of the seats: who had less, or as much where that is enough; after a challenge, its
    /// winner alone. Nobody, where it was wrong whatever the others had and none of them had less.
    pub defeated_by: Vec<Seat>,
    /// The hands, each in canonical order.
    pub hands: Vec<Vec<Card>>,
    /// What the hands were worth.
    pub points: Vec<i32>,
    /// What was scored.
    pub scores: Vec<i32>,
    /// The totals after bonus and reductions.
    pub totals: Vec<i32>,
    /// Whose total was replaced, in order of the seats.
    pub reduced: Vec<Seat>,
    /// Who went out at the end of this round, in order of the seats.
    pub out: Vec<Seat>,
    /// Who starts the next round; `None` when the match is over.
    pub next_starter: Option<Seat>,
}

/// The result of a match (rules §8).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MatchResult {
    /// The winner; `None` when the win is shared.
    pub winner: Option<Seat>,
    /// The place of each seat, from 1 on; equal places are shared and the next is left out.
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
