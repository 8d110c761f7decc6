//! Vacations and quiet hours.

pub mod calendar_body;
pub mod calendars;
