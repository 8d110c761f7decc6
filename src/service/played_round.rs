//! A round that is over, with everything open.

use chrono::{DateTime, Utc};
use yaniv_engine::{RecordResult, Seat};

use super::ServiceError;
use crate::store::rounds::RoundRow;

/// A round that is over.
#[derive(Clone, Debug)]
pub struct PlayedRound {
    /// From 1.
    pub round: u16,
    /// Who played first.
    pub starter: Seat,
    /// Version of the action that ended it.
    pub last_version: i32,
    /// None if it ended unscored.
    pub result: Option<RecordResult>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

impl TryFrom<RoundRow> for PlayedRound {
    type Error = ServiceError;

    fn try_from(row: RoundRow) -> Result<Self, ServiceError> {
        Ok(Self {
            round: u16::try_from(row.round).map_err(ServiceError::internal)?,
            starter: Seat::new(u8::try_from(row.starter).map_err(ServiceError::internal)?),
            last_version: row.last_version,
            result: row.result.map(serde_json::from_value).transpose().map_err(ServiceError::internal)?,
            ended_at: row.ended_at,
        })
    }
}
