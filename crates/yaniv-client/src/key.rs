//! Idempotency key of a write.

use std::fmt;

use uuid::Uuid;

/// A key: a fresh one for each new write, the same one for its retries. The write happens once.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A new, unique key.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::new_v4().to_string())
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
