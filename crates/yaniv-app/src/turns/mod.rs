//! Actions in a running match, by players and for them (`automatic`). The time before the first deal is in
//! `lobby`.

pub mod automatic;
pub mod dedications;
pub mod locked;
pub mod order_checks;
pub mod orders;
pub mod play;
pub mod sandbox;
pub mod save;
pub mod seat_events;
