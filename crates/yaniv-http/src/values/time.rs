//! Times and days in bodies and queries, for `serde`.

use chrono::{DateTime, NaiveDate, Utc};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};
use yaniv_model::times::{parse_day, parse_time, print_time};

/// Prints a time.
///
/// # Errors
/// Only those of the serializer.
pub fn print<S: Serializer>(at: &DateTime<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&print_time(*at))
}

/// Prints a time, if there is one.
///
/// # Errors
/// Only those of the serializer.
pub fn print_some<S: Serializer>(at: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => print(at, serializer),
        None => serializer.serialize_none(),
    }
}

/// Reads an optional time.
///
/// # Errors
/// If the text is not valid.
pub fn read_some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DateTime<Utc>>, D::Error> {
    let text = Option::<String>::deserialize(deserializer)?;
    let wrong = || D::Error::custom("must be a time, such as 2026-12-24T18:00:00Z");
    text.map(|text| parse_time(&text).ok_or_else(wrong)).transpose()
}

/// Reads a day.
///
/// # Errors
/// If the text is not valid.
pub fn read_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NaiveDate, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_day(&text).ok_or_else(|| D::Error::custom("must be a day, such as 2026-12-24"))
}
