//! Quiet hours and vacations.

pub mod calendar_body;
pub mod calendars;
