//! The join code of a match. While the match waits, the code may expire and be replaced.

use chrono::{DateTime, Utc};

use crate::error::MatchError;

/// The join code of a match at one version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JoinCode {
    /// The code.
    pub code: String,
    /// When the code expires, if ever.
    pub expires_at: Option<DateTime<Utc>>,
}

impl JoinCode {
    /// Whether this text is the code and the code has not expired.
    pub fn opens(&self, code: &str, now: DateTime<Utc>) -> bool {
        self.code == code && self.expires_at.is_none_or(|expires_at| now < expires_at)
    }

    /// Serializes the code for the log.
    pub fn to_detail(&self) -> String {
        match self.expires_at {
            None => self.code.clone(),
            Some(expires_at) => format!("{} {}", self.code, expires_at.timestamp_micros()),
        }
    }

    /// Parses the code from the log.
    ///
    /// # Errors
    /// `Damaged` if the expiry is not valid.
    pub fn from_detail(detail: &str) -> Result<Self, MatchError> {
        let Some((code, micros)) = detail.split_once(' ') else {
            return Ok(Self { code: detail.to_owned(), expires_at: None });
        };
        let expires_at = micros.parse().ok().and_then(DateTime::from_timestamp_micros);
        let expires_at = expires_at.ok_or_else(|| MatchError::Damaged(format!("code {detail}")))?;
        Ok(Self { code: code.to_owned(), expires_at: Some(expires_at) })
    }
}
