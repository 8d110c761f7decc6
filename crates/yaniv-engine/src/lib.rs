//! The rules of Yaniv, a card game: players shed cards until their hand is small enough to call.
//!
//! A [`Match`] is a value that cannot be in an illegal state. An [`Action`] is a value, too: playing one changes the
//! match, or is refused with a reason and changes nothing. There is no I/O, no clock and no hidden randomness: every
//! shuffle comes from a [`Shuffler`], whose seeds are fixed before the match and can be published afterwards for
//! verification. Section numbers (rules §n) are those of `docs/rules.md`.
//!
//! ```
//! use yaniv_engine::{Action, Draw, Match, Preset, Rules, SeedChain, Shuffler};
//!
//! let rules = Rules::new(Preset::Yaniv.options())?;
//! let chain = SeedChain::new([7; 32]); // 32 random bytes, kept secret
//! let commitment = chain.commitment(); // published before anyone joins
//! let shuffler = Shuffler::new(chain.clone(), "match-1", &[String::new(), String::new()]);
//!
//! let mut game = Match::start(&rules, 2, &shuffler)?;
//! while game.round() == 1 {
//!     let seat = game.to_act()[0];
//!     let options = game.legal_actions(seat);
//!     // Call as soon as it is allowed; before that throw as many points as possible, and draw from the stock.
//!     let worth = |action: &Action| match action {
//!         Action::Call { .. } => u16::MAX,
//!         Action::Play { cards, draw: Draw::Stock } => rules.points(cards),
//!         _ => 0,
//!     };
//!     let action = options.iter().max_by_key(|action| worth(action)).expect("there is always something to do");
//!     let played = game.play(seat, action, &shuffler)?;
//!     if let Some(end) = played.round_ended {
//!         println!("{:?}", end.result);
//!     }
//! }
//! assert_eq!(chain.round(1).previous(), commitment); // what players check
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The view of a player is [`Match::view`]; the stored form is [`Match::to_bytes`]. The feature `serde` adds the JSON
//! forms of the specification: rule sets, positions with `analyze_line`, and records.

// In reading order: values; rules; the parts of a round; playing it; views and forms of a match.
mod cards;
mod error;
mod match_;
#[cfg(feature = "serde")]
mod record;
mod round;
mod rules;
mod shuffle;
#[cfg(feature = "serde")]
mod tools;

pub use crate::cards::card::{Card, Suit};
pub use crate::cards::seat::Seat;
pub use crate::cards::set::Cards;
pub use crate::error::{
    BadNotation, BadPosition, BadRules, BadSnapshot, BadState, Code, Parameter, PlayError,
};
pub use crate::match_::legal::{Legal, Slam};
pub use crate::match_::state::Match;
pub use crate::match_::view::{Answer, OwnHand, PublicSeat, SeatView};
pub use crate::round::action::{Action, Draw, Word};
pub use crate::round::event::{CallOutcome, MatchResult, Played, RoundEnd, RoundResult};
pub use crate::round::phase::PhaseKind;
pub use crate::round::state::MAX_ACTIONS;
pub use crate::rules::choices::{
    AllOut, Direction, EliminationAt, End, OutOfTurn, OverLimit, Pickup, Response, SlamDown, TieStarter,
    WrongCallOthers,
};
pub use crate::rules::options::{Bonus, Points, Reduction, RuleOptions};
pub use crate::rules::preset::Preset;
pub use crate::rules::rule_set::Rules;
pub use crate::shuffle::seeds::{MAX_ROUNDS, Seed, SeedChain, valid_client_seed};
pub use crate::shuffle::shuffler::Shuffler;

#[cfg(feature = "serde")]
pub use crate::record::builder::RecordBuilder;
#[cfg(feature = "serde")]
pub use crate::record::document::{
    Dedication, Drew, Record, RecordAction, RecordPlayer, RecordResult, RecordRound,
};
#[cfg(feature = "serde")]
pub use crate::record::positions::{RecordPosition, record_positions};
#[cfg(feature = "serde")]
pub use crate::record::text_write::BadText;
#[cfg(feature = "serde")]
pub use crate::record::verify::{Discrepancy, verify};
#[cfg(feature = "serde")]
pub use crate::rules::json::{respell_rules, rules_from_json};
#[cfg(feature = "serde")]
pub use crate::tools::analyze::analyze_line;
#[cfg(feature = "serde")]
pub use crate::tools::perft::{PERFT_BUDGET, PERFT_DEPTH};
#[cfg(feature = "serde")]
pub use crate::tools::position::{Position, PositionSeat, PositionSlam};
