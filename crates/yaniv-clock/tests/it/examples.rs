//! The examples of `tests/data/deadlines.txt`, checked against the function and the reference.

use chrono::{DateTime, Duration, NaiveDateTime, Utc};
use chrono_tz::Tz;
use yaniv_clock::{
    Calendar, Change, Clock, ClockSettings, Pause, PlayerClock, QuietHours, Span, advance, announce_vacation,
};

use crate::reference::Reference;

fn utc(text: &str) -> DateTime<Utc> {
    NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M").unwrap().and_utc()
}

fn some<T>(text: &str, read: impl Fn(&str) -> T) -> Option<T> {
    (text != "-").then(|| read(text))
}

fn quiet_hours(zone: Tz, text: &str) -> QuietHours {
    let minute = |text: &str| {
        let (hour, minute) = text.split_once(':').unwrap();
        hour.parse::<u16>().unwrap() * 60 + minute.parse::<u16>().unwrap()
    };
    let (from, to) = text.split_once('-').unwrap();
    QuietHours::new(zone, minute(from), minute(to)).unwrap()
}

#[test]
fn every_deadline_of_the_table_is_right() {
    let mut count = 0;
    let lines = include_str!("../data/deadlines.txt").lines();
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [hours, zone, quiet, vacation, began, deadline, pause] = words[..] else { panic!("{line}") };
        let zone: Tz = zone.parse().unwrap();
        let honoured = !hours.ends_with('!');
        let hours: u16 = hours.trim_end_matches('!').parse().unwrap();
        let clock = Clock::Turn { turn_seconds: u32::from(hours) * 3600 };
        let settings = ClockSettings { clock, vacation: honoured, quiet_hours: honoured };
        let vacation = some(vacation, |text| {
            let (first, last) = text.split_once("..").unwrap();
            let days = (first.parse().unwrap(), last.parse().unwrap());
            announce_vacation(&[], zone, days, utc(began) - Duration::days(30)).unwrap()
        });
        let pause = some(pause, |text| {
            let (begins, ends) = text.split_once("..").unwrap();
            Pause { begins_at: utc(begins), ends_at: some(ends, utc) }
        });
        let calendar = Calendar {
            vacations: vacation.into_iter().collect(),
            quiet_hours: some(quiet, |text| quiet_hours(zone, text)),
            pauses: pause.into_iter().collect(),
        };
        let began = utc(began);
        let step = advance(&settings, &PlayerClock::new(&settings), &calendar, Change::Began, began).unwrap();
        assert_eq!(step.clock.deadline(), some(deadline, utc), "{line}");
        let reference = Reference { settings: &settings, calendar: &calendar, quiet: calendar.quiet_hours };
        assert_eq!(reference.deadline(began, Span::from_hours(hours)), some(deadline, utc), "{line}");
        assert_eq!(step.entries.last().unwrap().deadline_after, some(deadline, utc), "{line}");
        count += 1;
    }
    assert_eq!(count, 20);
}
