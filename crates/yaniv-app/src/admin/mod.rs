//! Commands of an administrator, the integrity check of stored data (`integrity`), and the archiver (`archive`).

pub mod accounts;
pub mod archive;
pub mod integrity;
pub mod invitations;
pub mod matches;
pub mod moderation;
pub mod session;
pub mod storage;
