//! Actions of the game, standing orders, sandboxes.

pub mod answers;
pub mod orders;
pub mod orders_body;
pub mod play;
pub mod sandboxes;
pub mod side_actions;
