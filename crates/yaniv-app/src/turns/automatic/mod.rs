//! Automatic actions: scheduler, timeouts, house bots, standing orders. Actions of players are in
//! `turns::play`.

pub mod bot_play;
pub mod due_matches;
pub mod orders;
pub mod timeouts;
