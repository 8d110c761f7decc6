//! Errors: refusals of actions, notations and stored states, with the codes of rules §12. Their meaning over HTTP is
//! not defined here.

use std::borrow::Cow;
use std::fmt;

/// The error codes of rules §12, in the same order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// The seat does not have to act, or the open slam-down is another seat's.
    NotYourTurn,
    /// The phase does not allow this kind of action.
    WrongPhase,
    /// A card of the discard is not in the hand.
    CardNotInHand,
    /// The cards are not a discard in any order.
    NotAMeld,
    /// The cards are a run, but not in this order.
    RunOutOfOrder,
    /// The stock is empty, or the card cannot be picked up.
    DrawNotAvailable,
    /// The hand has more points than `call_limit`.
    CallOverLimit,
    /// A player has had fewer turns than `min_turns`.
    CallTooEarly,
    /// The call of this turn is used up.
    AlreadyCalled,
    /// The word is not among `call_words`.
    UnknownWord,
    /// The rule set does not have this action, or not for this player now.
    NotAllowedByRules,
    /// The seat is out.
    SeatOut,
    /// The round is over.
    RoundOver,
    /// The match is over.
    MatchOver,
    /// The text is not an action.
    BadNotation,
    /// The position is not possible.
    BadPosition,
    /// The rule set breaks a bound.
    BadRules,
}

impl Code {
    /// Every code.
    pub const ALL: [Code; 17] = [
        Code::NotYourTurn,
        Code::WrongPhase,
        Code::CardNotInHand,
        Code::NotAMeld,
        Code::RunOutOfOrder,
        Code::DrawNotAvailable,
        Code::CallOverLimit,
        Code::CallTooEarly,
        Code::AlreadyCalled,
        Code::UnknownWord,
        Code::NotAllowedByRules,
        Code::SeatOut,
        Code::RoundOver,
        Code::MatchOver,
        Code::BadNotation,
        Code::BadPosition,
        Code::BadRules,
    ];

    /// The written form, `snake_case`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Code::NotYourTurn => "not_your_turn",
            Code::WrongPhase => "wrong_phase",
            Code::CardNotInHand => "card_not_in_hand",
            Code::NotAMeld => "not_a_meld",
            Code::RunOutOfOrder => "run_out_of_order",
            Code::DrawNotAvailable => "draw_not_available",
            Code::CallOverLimit => "call_over_limit",
            Code::CallTooEarly => "call_too_early",
            Code::AlreadyCalled => "already_called",
            Code::UnknownWord => "unknown_word",
            Code::NotAllowedByRules => "not_allowed_by_rules",
            Code::SeatOut => "seat_out",
            Code::RoundOver => "round_over",
            Code::MatchOver => "match_over",
            Code::BadNotation => "bad_notation",
            Code::BadPosition => "bad_position",
            Code::BadRules => "bad_rules",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Refusal of an action. The state is unchanged.
///
/// The text mentions nothing that the acting player cannot know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayError {
    /// The reason, for programs.
    pub code: Code,
    /// The reason, for people: lower case, no full stop.
    pub detail: Cow<'static, str>,
    /// The values that the detail mentions, for programs. A name may occur several times.
    pub parameters: Vec<Parameter>,
}

/// A named value in the reason of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The name, `snake_case`.
    pub name: &'static str,
    /// The value, as text.
    pub value: String,
}

impl PlayError {
    /// A refusal without parameters.
    pub const fn new(code: Code, detail: &'static str) -> PlayError {
        PlayError { code, detail: Cow::Borrowed(detail), parameters: Vec::new() }
    }

    /// The same with a text of its own.
    pub fn with(code: Code, detail: String) -> PlayError {
        PlayError { code, detail: Cow::Owned(detail), parameters: Vec::new() }
    }

    /// The refusal with another parameter.
    #[must_use]
    pub fn about(mut self, name: &'static str, value: impl Into<String>) -> PlayError {
        self.parameters.push(Parameter { name, value: value.into() });
        self
    }

    /// The values of a parameter.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.parameters.iter().filter(move |one| one.name == name).map(|one| one.value.as_str())
    }
}

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.detail)
    }
}

impl std::error::Error for PlayError {}

/// A text that is not a card, action, option value or seed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BadNotation(&'static str);

impl BadNotation {
    pub(crate) const CARD: BadNotation = BadNotation("no card has this code");

    pub(crate) const fn new(what: &'static str) -> BadNotation {
        BadNotation(what)
    }

    /// The expected form: lower case, no full stop.
    pub const fn detail(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for BadNotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for BadNotation {}

impl From<BadNotation> for PlayError {
    fn from(error: BadNotation) -> PlayError {
        PlayError::new(Code::BadNotation, error.0)
    }
}

/// A rule set, or a number of players, that breaks a bound of rules §3.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRules {
    /// The name of the option; `players` for the number of players, `rules` for the form as a whole.
    pub option: String,
    /// The fault: lower case, no full stop.
    pub detail: String,
}

impl BadRules {
    pub(crate) fn new(option: &str, detail: impl Into<String>) -> BadRules {
        BadRules { option: option.to_owned(), detail: detail.into() }
    }
}

impl fmt::Display for BadRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.option, self.detail)
    }
}

impl std::error::Error for BadRules {}

/// A position or a stored state that no match can be in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadState(Cow<'static, str>);

impl BadState {
    pub(crate) const fn new(detail: &'static str) -> BadState {
        BadState(Cow::Borrowed(detail))
    }

    #[cfg(feature = "serde")]
    pub(crate) fn with(detail: String) -> BadState {
        BadState(Cow::Owned(detail))
    }
}

impl fmt::Display for BadState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadState {}

/// The error of [`Match::from_bytes`](crate::Match::from_bytes).
pub type BadSnapshot = BadState;
/// The error of reading a position from text.
pub type BadPosition = BadState;
