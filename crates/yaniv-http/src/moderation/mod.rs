//! Moderation: players report and read what was decided; moderators read the queue and decide.

pub mod decision_body;
pub mod queue;
pub mod queue_body;
pub mod report_body;
pub mod report_request;
pub mod reports;
pub mod sanctions;
