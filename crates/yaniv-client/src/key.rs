//! The key of a write, by which the service knows a repetition.

use std::fmt;

use uuid::Uuid;

/// A key: a fresh one for each new wish, the same one to send the wish again. The write happens once.
#[derive(Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// A key that nobody has used.
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
