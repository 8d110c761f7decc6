//! Commands of an administrator, and the integrity check of stored data (`integrity`).

pub mod accounts;
pub mod integrity;
pub mod invitations;
pub mod matches;
pub mod session;
