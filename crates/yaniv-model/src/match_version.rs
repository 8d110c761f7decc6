//! The version of a match, with which the match cache checks its entries.

use chrono::{DateTime, Utc};

/// Identifies one state of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchVersion {
    /// Version of the newest log entry.
    pub version: i32,
    /// Number of dedications, which are not versioned.
    pub dedications: i16,
    /// When the newest entry was accepted. After data loss (failover to a lagging standby, restored backup)
    /// the same version can recur with other content.
    pub updated_at: DateTime<Utc>,
    /// Changes with the visibility of dedications: blocks between players, erased dedications.
    pub hiding: i64,
}
