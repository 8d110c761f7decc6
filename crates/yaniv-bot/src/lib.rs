//! Computer players for Yaniv: the decisions of bots, and the safe turn for an absent player.
//!
//! A bot gets a [`Sight`]: the engine's view of its seat and the public events of the round. No other input exists, so
//! a bot knows no more than a person in its seat. The same sight, level and seed give the same action. No I/O, no
//! clock, no randomness of its own.
//!
//! ```
//! use yaniv_bot::{History, Level, Sight, decide};
//! use yaniv_engine::{Match, Preset, Rules, SeedChain, Shuffler};
//!
//! let rules = Rules::new(Preset::Yaniv.options())?;
//! let shuffler = Shuffler::new(SeedChain::new([7; 32]), "match-1", &[String::new(), String::new()]);
//! let mut game = Match::start(&rules, 2, &shuffler)?;
//! let mut history = History::new(game.round());
//! while game.round() == 1 {
//!     let seat = game.to_act()[0];
//!     let view = game.view(Some(seat));
//!     let sight = Sight { view: &view, rules: &rules, seat, history: &history };
//!     let action = decide(&sight, Level::Medium, 1).expect("it is to act");
//!     let played = game.play(seat, &action, &shuffler)?;
//!     history.note(seat, &action, None, played.recycled);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod answers;
mod appraise;
mod calls;
mod choice;
mod cost;
mod dice;
mod estimate;
pub mod expert;
mod hands;
mod level;
mod plays;
mod safe;
mod sight;
mod unseen;

pub use crate::appraise::{Appraisal, appraise};
pub use crate::choice::{decide, volunteer};
pub use crate::cost::Cost;
pub use crate::level::{Level, NoLevel};
pub use crate::safe::safe_turn;
pub use crate::sight::{History, Sight};
