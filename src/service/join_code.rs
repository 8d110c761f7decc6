//! The code that lets people into a match, which may expire and be exchanged as long as the match waits.

use chrono::{DateTime, Utc};

use super::ServiceError;
use crate::store::StoreError;
use crate::store::join_codes::JoinCodeRow;

/// The code of a match at one of its versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinCode {
    /// The code.
    pub code: String,
    /// When it no longer lets anybody in, if ever.
    pub expires_at: Option<DateTime<Utc>>,
}

impl JoinCode {
    /// Whether this text lets somebody in now.
    pub fn opens(&self, code: &str, now: DateTime<Utc>) -> bool {
        self.code == code && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// As the log has it.
    pub(super) fn to_detail(&self) -> String {
        match self.expires_at {
            None => self.code.clone(),
            Some(expires_at) => format!("{} {}", self.code, expires_at.timestamp_micros()),
        }
    }

    /// From the log.
    ///
    /// # Errors
    /// `Damaged`.
    pub(super) fn from_detail(detail: &str) -> Result<Self, ServiceError> {
        let Some((code, micros)) = detail.split_once(' ') else {
            return Ok(Self { code: detail.to_owned(), expires_at: None });
        };
        let expires_at = micros.parse().ok().and_then(DateTime::from_timestamp_micros);
        let expires_at = expires_at.ok_or_else(|| StoreError::Damaged(format!("code {detail}")))?;
        Ok(Self { code: code.to_owned(), expires_at: Some(expires_at) })
    }
}

impl From<JoinCodeRow> for JoinCode {
    fn from(row: JoinCodeRow) -> Self {
        Self { code: row.code, expires_at: row.expires_at }
    }
}
