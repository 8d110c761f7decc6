//! Actions of the game, events of seats, standing orders, sandboxes.

pub mod answers;
pub mod orders;
pub mod orders_body;
pub mod play;
pub mod sandboxes;
pub mod seat_events;
pub mod side_actions;
