//! Moderation: players report, moderators decide. One queue for both the API and the command line.
//!
//! `report`: what players do. `moderator`: who moderates, and the audit log. `queue`: what moderators read.
//! `decide`, `undo`: decisions. `sanctions`: what the player sees of them. `suspension`: as of the
//! administrator, too. `marks`: reports that the service makes itself.

pub mod decide;
pub mod decision;
mod marks;
pub mod moderator;
pub mod queue;
pub mod report;
pub mod sanctions;
pub(crate) mod suspension;
pub mod undo;
