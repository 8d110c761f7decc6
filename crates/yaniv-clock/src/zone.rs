//! Time zones: local time, and the beginning of a local day.

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use crate::span::{micros, time};

const SECOND: i64 = 1_000_000;
pub(crate) const MINUTE: i64 = 60 * SECOND;
pub(crate) const DAY: i64 = 24 * 60 * MINUTE;

/// Offset of local time from UTC at a time, in microseconds. Every time has exactly one, also where hours exist twice.
pub(crate) fn offset(zone: Tz, at: i64) -> i64 {
    let offset = zone.offset_from_utc_datetime(&time(at).naive_utc());
    i64::from(offset.fix().local_minus_utc()).saturating_mul(SECOND)
}

/// The first time after `from`, up to `to`, at which the offset differs from that at `from`. The two are less than a
/// day and a half apart: no zone has changed twice within that.
pub(crate) fn offset_change(zone: Tz, from: i64, to: i64) -> Option<i64> {
    let before = offset(zone, from);
    if offset(zone, to) == before {
        return None;
    }
    // Offsets change at whole seconds.
    let (mut same, mut other) = (from.div_euclid(SECOND), to.div_euclid(SECOND));
    while other.saturating_sub(same) > 1 {
        let middle = same.midpoint(other);
        if offset(zone, middle.saturating_mul(SECOND)) == before {
            same = middle;
        } else {
            other = middle;
        }
    }
    Some(other.saturating_mul(SECOND))
}

/// The local day.
pub(crate) fn local_day(zone: Tz, at: DateTime<Utc>) -> NaiveDate {
    at.with_timezone(&zone).date_naive()
}

/// When a local day begins: at midnight or, if that does not exist, at the first existing time after it. A day that the
/// zone skipped begins with the next one.
pub(crate) fn day_begins(zone: Tz, day: NaiveDate) -> Option<DateTime<Utc>> {
    let midnight = day.and_time(NaiveTime::MIN);
    // The longest gap so far is a day.
    (0..=26 * 60).find_map(|minutes| {
        let local = midnight.checked_add_signed(TimeDelta::minutes(minutes))?;
        Some(zone.from_local_datetime(&local).earliest()?.with_timezone(&Utc))
    })
}

/// When the next day begins.
pub(crate) fn day_ends(zone: Tz, day: NaiveDate) -> Option<DateTime<Utc>> {
    day_begins(zone, day.checked_add_days(Days::new(1))?)
}

/// The first day that begins at or after a time.
pub(crate) fn next_day(zone: Tz, at: DateTime<Utc>) -> Option<NaiveDate> {
    let today = local_day(zone, at);
    let begins = |day: &NaiveDate| day_begins(zone, *day).is_some_and(|begins| micros(begins) >= micros(at));
    today.iter_days().take(4).find(begins)
}

/// Stored form: the name of the zone.
pub(crate) mod name {
    use chrono_tz::Tz;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(zone: &Tz, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(zone.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Tz, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("no such time zone"))
    }
}
