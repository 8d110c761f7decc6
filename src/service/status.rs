//! Where a match is in its life.

use crate::store::StoreError;

/// Where a match is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Players come and go.
    Waiting,
    /// Cards are dealt.
    Running,
    /// It has a result.
    Finished,
    /// Everybody left before the start.
    Cancelled,
}

impl Status {
    /// As it is stored and printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        }
    }

    /// From its stored form.
    ///
    /// # Errors
    /// `Damaged` if it is none.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        [Self::Waiting, Self::Running, Self::Finished, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| StoreError::Damaged(format!("status {text}")))
    }
}
