//! `expected_version` of requests.

use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer};

/// Reads a version: 1 or more.
///
/// # Errors
/// If it is less than 1.
pub fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i32, D::Error> {
    let version = i32::deserialize(deserializer)?;
    let wrong = || D::Error::invalid_value(Unexpected::Signed(version.into()), &"a version, 1 or more");
    (version >= 1).then_some(version).ok_or_else(wrong)
}
