//! What a player can do in a running match, as one value: each variant is an operation of the API.

use crate::types::{CallAnswer, Card, DrawFrom, RequestAnswer, SlamDownWish, SwapAnswer};

/// An action. Which are legal, the view's `legal` says.
#[derive(Clone, Debug)]
pub enum Move {
    /// Throw these cards and draw (`playCards`).
    Play {
        /// What is thrown, in order.
        cards: Vec<Card>,
        /// Where to draw from.
        draw_from: DrawFrom,
        /// Which card, with the pile.
        draw_card: Option<Card>,
        /// Slam the drawn card down at once if it fits.
        slam_down: Option<SlamDownWish>,
    },
    /// Call (`makeCall`), with another word than the right one if given.
    Call {
        /// One of `rules.call_words`.
        word: Option<String>,
    },
    /// Put the card just drawn on the pile (`slamDown`).
    SlamDown {
        /// At the low end of a run where it would do at both.
        first: bool,
    },
    /// Ask for a card that the player to act could pick up (`askForCard`).
    Ask {
        /// The card.
        card: Card,
    },
    /// Give or keep the card asked for (`answerRequest`).
    AnswerRequest(RequestAnswer),
    /// Expose the hand or challenge (`answerCall`).
    AnswerCall(CallAnswer),
    /// Exchange hands with the caller or not (`answerSwap`).
    AnswerSwap(SwapAnswer),
    /// Pass with an empty hand (`passTurn`).
    Pass,
    /// Give the match up (`resignMatch`).
    Resign,
}
