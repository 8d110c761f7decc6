//! Quiet hours around each offset change of a zone: every kind of overlap, against the reference. The simulated year
//! meets these cases only by chance.

use chrono::{DateTime, Duration, Offset, TimeZone, Timelike, Utc};
use chrono_tz::Tz;
use yaniv_clock::{Calendar, Change, Clock, ClockSettings, PlayerClock, QuietHours, advance};

use crate::reference::Reference;

const ZONES: [Tz; 6] = [
    Tz::Europe__Berlin,
    Tz::America__New_York,
    Tz::Australia__Lord_Howe,
    Tz::Asia__Beirut,
    Tz::America__Havana,
    Tz::America__Santiago,
];

fn offset(zone: Tz, at: DateTime<Utc>) -> i32 {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc()
}

/// The first times with another offset, in two years.
fn changes(zone: Tz) -> Vec<DateTime<Utc>> {
    let begin: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
    let halves = (1..2 * 366 * 48).map(|half| begin + Duration::minutes(30 * half));
    halves.filter(|at| offset(zone, *at) != offset(zone, *at - Duration::minutes(30))).collect()
}

#[test]
fn quiet_hours_are_right_around_every_change_of_hours() {
    let mut cases = 0;
    for zone in ZONES {
        let changes = changes(zone);
        assert!(changes.len() >= 4, "{zone} changes its hours twice a year");
        for at in changes {
            let wall = (at - Duration::minutes(1)).with_timezone(&zone);
            let wall = i64::from(wall.hour() * 60 + wall.minute()) + 1;
            for from in [wall - 90, wall - 60, wall - 30, wall - 1, wall, wall + 1, wall + 30, wall + 60] {
                for length in [1, 30, 60, 90, 600] {
                    cases += around(zone, at, from.rem_euclid(1440), length);
                }
            }
        }
    }
    assert!(cases >= 4_000, "{cases}");
}

fn around(zone: Tz, change: DateTime<Utc>, from: i64, length: i64) -> usize {
    let [from, to] = [from, (from + length).rem_euclid(1440)].map(|minute| u16::try_from(minute).unwrap());
    let quiet = QuietHours::new(zone, from, to).unwrap();
    let mut cases = 0;
    for (before, seconds) in [(400, 3_600), (90, 7_200), (1, 60), (0, 10_800), (1_500, 90_000)] {
        let clock = Clock::Turn { turn_seconds: seconds };
        let settings = ClockSettings { clock, vacation: true, quiet_hours: true };
        let calendar = Calendar { quiet_hours: Some(quiet), ..Calendar::default() };
        let began_at = change - Duration::minutes(before);
        let step =
            advance(&settings, &PlayerClock::new(&settings), &calendar, Change::Began, began_at).unwrap();
        let reference = Reference { settings: &settings, calendar: &calendar, quiet: Some(quiet) };
        let expected = reference.deadline(began_at, step.clock.bank);
        assert_eq!(step.clock.deadline(), expected, "{zone}, {change}, {quiet:?}, {before} minutes before");
        cases += 1;
    }
    cases
}
