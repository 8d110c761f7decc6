//! Quiet hours of notifications, in the account's local time. Quiet hours of clocks are in `yaniv_clock`.

use chrono::{DateTime, Days, NaiveTime, TimeDelta, TimeZone, Timelike, Utc};
use chrono_tz::Tz;

/// Minutes of a day.
pub(crate) const DAY: i16 = 1440;

/// The end of the quiet hours, if `now` is in them. `from` and `to` are minutes of the day.
pub(crate) fn quiet_until(zone: Tz, from: i16, to: i16, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let wall = now.with_timezone(&zone);
    let minute = i16::try_from(wall.hour() * 60 + wall.minute()).ok()?;
    let within = |minute: i16| minute.rem_euclid(DAY);
    if within(minute - from) >= within(to - from) {
        return None;
    }
    let end = NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(to).ok()? * 60, 0)?;
    let day = if wall.time() < end { Days::new(0) } else { Days::new(1) };
    let local = wall.date_naive().checked_add_days(day)?.and_time(end);
    // In a repeated hour (end of daylight saving time), use the second occurrence if the first is over.
    let times = zone.from_local_datetime(&local);
    let times = [times.earliest(), times.latest()].into_iter().flatten();
    let until = times.map(|until| until.with_timezone(&Utc)).find(|until| *until > now);
    // If the end is in a skipped hour, the quiet hours end when it would have begun.
    let left = TimeDelta::minutes(i64::from(within(to - minute)));
    Some(until.unwrap_or(now + left).max(now + TimeDelta::seconds(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn until(zone: &str, from: i16, to: i16, now: &str) -> Option<String> {
        let until = quiet_until(zone.parse().unwrap(), from, to, now.parse().unwrap());
        until.map(|until| until.format("%FT%R").to_string())
    }

    #[test]
    fn it_is_quiet_by_the_clock_on_the_wall() {
        let night = |now| until("Europe/Berlin", 22 * 60, 7 * 60, now);
        assert_eq!(night("2027-01-10T20:59:00Z"), None);
        assert_eq!(night("2027-01-10T21:00:00Z").as_deref(), Some("2027-01-11T06:00"));
        assert_eq!(night("2027-01-11T05:59:30Z").as_deref(), Some("2027-01-11T06:00"));
        assert_eq!(night("2027-01-11T06:00:00Z"), None);
        // The nights with a skipped hour and with a repeated hour.
        assert_eq!(night("2027-03-27T23:00:00Z").as_deref(), Some("2027-03-28T05:00"));
        assert_eq!(night("2027-10-30T23:00:00Z").as_deref(), Some("2027-10-31T06:00"));
        // Quiet hours that end in a repeated hour: first and second occurrence.
        let early = |now| until("Europe/Berlin", 22 * 60, 2 * 60 + 30, now);
        assert_eq!(early("2027-10-31T00:10:00Z").as_deref(), Some("2027-10-31T00:30"));
        assert_eq!(early("2027-10-31T01:10:00Z").as_deref(), Some("2027-10-31T01:30"));
        assert_eq!(early("2027-10-31T01:40:00Z"), None);
        assert_eq!(until("UTC", 60, 60, "2027-01-10T01:00:00Z"), None);
        assert_eq!(
            until("Asia/Kolkata", 0, 6 * 60, "2027-01-09T18:30:00Z").as_deref(),
            Some("2027-01-10T00:30")
        );
    }
}
