//! Rows of `rounds`: rounds that are over. Written by `action_save`, read by `table_load`.

use chrono::{DateTime, Utc};

/// A round that is over.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct RoundRow {
    /// From 1.
    pub round: i16,
    /// Seat that played first.
    pub starter: i16,
    /// Action that ended it.
    pub last_version: i32,
    /// Result in the form of the record; none if it ended unscored.
    pub result: Option<serde_json::Value>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}
