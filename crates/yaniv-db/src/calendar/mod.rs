//! Vacations and quiet hours.

pub mod quiet_hours;
pub mod vacations;
