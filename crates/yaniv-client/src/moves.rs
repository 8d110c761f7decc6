//! An action of a player in a running match: each variant is an operation of the API.

use crate::types::{CallAnswer, Card, CardRequestAnswer, DrawFrom, SlamDownWish, SwapAnswer};

/// An action. The view's `legal` lists the legal ones.
#[derive(Clone, Debug)]
pub enum Move {
    /// Discard these cards and draw (`playCards`).
    Play {
        /// The discard, in order.
        cards: Vec<Card>,
        /// Where to draw from.
        draw_from: DrawFrom,
        /// The card, if from the pile.
        draw_card: Option<Card>,
        /// Slam the drawn card down at once if it fits.
        slam_down: Option<SlamDownWish>,
    },
    /// Call (`makeCall`), with another word than the default if given.
    Call {
        /// One of `rules.call_words`.
        word: Option<String>,
    },
    /// Put the card just drawn on the pile (`slamDown`).
    SlamDown {
        /// At the low end of a run where both ends are possible.
        first: bool,
    },
    /// Ask for a card that the seat to act could draw from the pile (`requestCard`).
    Ask {
        /// The card.
        card: Card,
    },
    /// Give or keep the card asked for (`answerCardRequest`).
    AnswerRequest(CardRequestAnswer),
    /// Expose the hand or challenge (`answerCall`).
    AnswerCall(CallAnswer),
    /// Exchange hands with the caller or not (`answerSwap`).
    AnswerSwap(SwapAnswer),
    /// Pass with an empty hand (`passTurn`).
    Pass,
    /// Resign the match (`resignMatch`).
    Resign,
}
