//! Writing actions, due matches, standing orders, scripts of sandboxes.

pub mod append_actions;
pub mod due;
pub mod sandbox_scripts;
pub mod standing_orders;
