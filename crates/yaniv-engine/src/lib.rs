//! The rules of Yaniv, the card game in which one sheds cards until the hand is small enough to call.
//!
//! A [`Match`] is a value that cannot be in an illegal state. An [`Action`] is a value too: playing one changes
//! the match, or is refused with the reason and changes nothing. There is no I/O, no clock and no hidden
//! randomness: every shuffle comes from a [`Shuffler`], whose seeds are fixed before the match and can be
//! published afterwards for everyone to check. Section numbers (rules §n) are those of the specification.
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
//! What a player may see is [`Match::view`]; what is stored is [`Match::to_bytes`]. With the feature `serde`
//! there are also the JSON forms of the specification: rule sets, positions with `analyze_line`, and records.

// In reading order: values; rules; what a round is made of; playing it; the views and forms of a match.
mod bag;
mod card;
mod cards;
mod error;
mod seat;

mod choices;
mod options;
mod preset;
mod rules;
#[cfg(feature = "serde")]
mod rules_json;

mod action;
mod discards;
mod meld;
mod phase;
mod runs;
mod shuffle;
mod shuffler;
mod table;

mod call;
mod deal;
mod ending;
mod event;
mod leave;
mod match_;
mod play;
mod responses;
mod scoring;
mod slam;

mod check;
mod legal;
mod snapshot;
mod view;

#[cfg(feature = "serde")]
mod analyze;
#[cfg(feature = "serde")]
mod perft;
#[cfg(feature = "serde")]
mod position;
#[cfg(feature = "serde")]
mod record;
#[cfg(feature = "serde")]
mod record_builder;
#[cfg(feature = "serde")]
mod record_positions;
#[cfg(feature = "serde")]
mod record_scan;
#[cfg(feature = "serde")]
mod record_text;
#[cfg(feature = "serde")]
mod record_text_read;
#[cfg(feature = "serde")]
mod record_time;
#[cfg(feature = "serde")]
mod verify;

pub use crate::action::{Action, Draw, Word};
pub use crate::card::{Card, Suit};
pub use crate::cards::Cards;
pub use crate::choices::{
    AllOut, Direction, EliminationAt, End, OutOfTurn, OverLimit, Pickup, Response, SlamDown, TieStarter,
    WrongCallOthers,
};
pub use crate::error::{BadNotation, BadPosition, BadRules, BadSnapshot, BadState, Code, PlayError};
pub use crate::event::{CallOutcome, MatchResult, Played, RoundEnd, RoundResult};
pub use crate::legal::{Legal, Slam};
pub use crate::match_::Match;
pub use crate::options::{Bonus, Points, Reduction, RuleOptions};
pub use crate::phase::PhaseKind;
pub use crate::preset::Preset;
pub use crate::rules::Rules;
pub use crate::seat::Seat;
pub use crate::shuffle::{MAX_ROUNDS, Seed, SeedChain, valid_client_seed};
pub use crate::shuffler::Shuffler;
pub use crate::view::{Answer, OwnHand, PublicSeat, SeatView};

#[cfg(feature = "serde")]
pub use crate::analyze::analyze_line;
#[cfg(feature = "serde")]
pub use crate::perft::{PERFT_BUDGET, PERFT_DEPTH};
#[cfg(feature = "serde")]
pub use crate::position::{Position, PositionSeat, PositionSlam};
#[cfg(feature = "serde")]
pub use crate::record::{Drew, Gift, Record, RecordAction, RecordPlayer, RecordResult, RecordRound};
#[cfg(feature = "serde")]
pub use crate::record_builder::RecordBuilder;
#[cfg(feature = "serde")]
pub use crate::record_positions::{RecordPosition, record_positions};
#[cfg(feature = "serde")]
pub use crate::record_text::BadText;
#[cfg(feature = "serde")]
pub use crate::rules_json::rules_from_json;
#[cfg(feature = "serde")]
pub use crate::verify::{Discrepancy, verify};
