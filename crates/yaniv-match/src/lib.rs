//! A match as a pure state machine: [`state::MatchState`] changes by [`event::LogEvent`] only, and
//! [`view::MatchView`] is the part that one seat may see.
//!
//! No I/O, no SQL, no HTTP, no clock reads: the caller passes the time. The rules are in `yaniv_engine`,
//! deadlines in `yaniv_clock`, bots in `yaniv_bot`.

mod calendar_codec;
pub mod clocks;
mod clocks_codec;
pub mod error;
pub mod event;
pub mod finished_round;
pub mod join_code;
pub mod origin;
pub mod round_visitor;
pub mod settings;
pub mod standing_orders;
pub mod state;
pub mod status;
pub mod time_control;
pub mod view;

pub use calendar_codec::{CalendarChange, calendar_from_detail, calendar_to_detail};
pub use error::MatchError;
pub use state::{Calendars, MatchState, calendars_from_detail, calendars_to_detail};
