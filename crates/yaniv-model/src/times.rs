//! Times and days as text: RFC 3339, printed in one form and parsed strictly.

use chrono::{DateTime, NaiveDate, SecondsFormat, Utc};

/// Prints a time in UTC, with `Z` and microseconds.
#[must_use]
pub fn print_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// Parses an RFC 3339 time of any zone.
#[must_use]
pub fn parse_time(text: &str) -> Option<DateTime<Utc>> {
    // Chrono also accepts a space or a lowercase t between date and time.
    let separated = text.as_bytes().get(10) == Some(&b'T');
    DateTime::parse_from_rfc3339(text).ok().filter(|_| separated).map(|time| time.to_utc())
}

/// Parses a day of the form `2026-12-24`.
#[must_use]
pub fn parse_day(text: &str) -> Option<NaiveDate> {
    // Chrono also accepts fewer digits, spaces and signs.
    let day: NaiveDate = text.parse().ok()?;
    (text.len() == 10 && day.format("%Y-%m-%d").to_string() == text).then_some(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_has_six_digits_whatever_they_are() {
        for (nanos, printed) in [(0, "00.000000Z"), (500_000_000, "00.500000Z"), (123_456_789, "00.123456Z")]
        {
            let at = DateTime::from_timestamp(1_800_000_000, nanos).unwrap();
            assert_eq!(print_time(at), format!("2027-01-15T08:00:{printed}"));
            assert!(parse_time(&print_time(at)).is_some());
        }
    }

    #[test]
    fn days_and_times_have_one_form() {
        assert!(parse_day("2027-01-01").is_some() && parse_day("2028-02-29").is_some());
        for wrong in [
            "2027-1-1",
            "2027-01-1",
            "2027-02-29",
            " 2027-01-01",
            "+2027-01-01",
            "2027 -01-01",
            "27-01-01",
            "-2027-01-01",
            "",
        ] {
            assert_eq!(parse_day(wrong), None, "{wrong:?}");
        }
        for right in ["2027-01-01T00:00:00Z", "2027-01-01T00:00:00.5Z", "2027-01-01T00:00:00+05:30"] {
            assert!(parse_time(right).is_some(), "{right}");
        }
        for wrong in [
            "2027-01-01 00:00:00Z",
            "2027-01-01t00:00:00Z",
            "2027-1-1T00:00:00Z",
            "2027-01-01T00:00:00",
            "2027-01-01T00:00:00 Z",
            "2027-01-01T0:00:00Z",
            "2027-01-01T00:00:00+0530",
            "2027-01-01",
            "",
        ] {
            assert_eq!(parse_time(wrong), None, "{wrong:?}");
        }
    }
}
