//! Single waits: changes of a deadline during a wait, grace, reminders.

use chrono::{DateTime, Duration, Utc};
use chrono_tz::Tz;
use yaniv_clock::{
    Calendar, Change, Clock, ClockError, ClockSettings, Pause, PlayerClock, QuietHours, Reason, ReminderKind,
    Span, Step, Thresholds, advance, announce_vacation, cancel_vacation, running_time,
};

const SETTINGS: fn() -> ClockSettings = ClockSettings::default;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn step(clock: &PlayerClock, calendar: &Calendar, change: Change, now: &str) -> Step {
    advance(&SETTINGS(), clock, calendar, change, at(now)).unwrap()
}

/// A wait from noon of the first of June to noon of the fourth.
fn waiting() -> PlayerClock {
    let clock = PlayerClock::new(&SETTINGS());
    step(&clock, &Calendar::default(), Change::Began, "2027-06-01T12:00:00Z").clock
}

fn vacation(first: &str, last: &str, now: &str) -> Calendar {
    let days = (first.parse().unwrap(), last.parse().unwrap());
    let vacation = announce_vacation(&[], Tz::UTC, days, at(now)).unwrap();
    Calendar { vacations: vec![vacation], ..Calendar::default() }
}

#[test]
fn a_vacation_announced_and_cancelled_in_the_middle_of_a_turn_moves_the_deadline() {
    let calendar = vacation("2027-06-03", "2027-06-12", "2027-06-02T12:00:00Z");
    let away = step(&waiting(), &calendar, Change::VacationAnnounced, "2027-06-02T12:00:00Z");
    assert_eq!(away.clock.deadline(), Some(at("2027-06-14T12:00:00Z")));
    assert_eq!(away.entries.len(), 1);
    assert_eq!(away.entries[0].reason, Reason::VacationAnnounced);
    // Repeated, it changes nothing.
    let again = step(&away.clock, &calendar, Change::VacationAnnounced, "2027-06-02T12:00:01Z");
    assert_eq!(again, Step { clock: away.clock, entries: vec![] });

    let now = "2027-06-05T08:00:00Z";
    let rest = cancel_vacation(&calendar.vacations[0], at(now)).unwrap().unwrap();
    let calendar = Calendar { vacations: vec![rest], ..Calendar::default() };
    let back = step(&away.clock, &calendar, Change::VacationCancelled, now);
    // Three days of vacation were taken.
    assert_eq!(back.clock.deadline(), Some(at("2027-06-07T12:00:00Z")));
    let played = step(&back.clock, &calendar, Change::Played, "2027-06-06T12:00:00Z");
    assert_eq!(played.clock.bank.seconds(), (72 - 48 + 12) * 3600);
}

#[test]
fn a_vacation_that_did_not_reach_the_deadline_in_time_counts_all_the_same() {
    let calendar = vacation("2027-06-03", "2027-06-04", "2027-06-02T22:00:00Z");
    let clock = waiting();
    let early = advance(&SETTINGS(), &clock, &calendar, Change::Missed, at("2027-06-04T13:00:00Z"));
    assert_eq!(early, Err(ClockError::NotYet { deadline: Some(at("2027-06-06T12:00:00Z")) }));
    let played = step(&clock, &calendar, Change::Played, "2027-06-04T13:00:00Z");
    assert_eq!(played.clock.bank.seconds(), (72 - 36 + 12) * 3600);
}

#[test]
fn what_comes_within_the_grace_counts_and_then_only_the_miss_does() {
    let (clock, none) = (waiting(), Calendar::default());
    let last = "2027-06-04T12:00:01.999999Z";
    let early = advance(&SETTINGS(), &clock, &none, Change::Missed, at(last));
    assert_eq!(early, Err(ClockError::NotYet { deadline: clock.deadline() }));
    let played = step(&clock, &none, Change::Played, last);
    assert_eq!((played.clock.bank.seconds(), played.clock.missed_turns), (12 * 3600, 0));

    let over = "2027-06-04T12:00:02Z";
    assert_eq!(advance(&SETTINGS(), &clock, &none, Change::Played, at(over)), Err(ClockError::Expired));
    let missed = step(&clock, &none, Change::Missed, over);
    assert_eq!((missed.clock.bank.seconds(), missed.clock.missed_turns), (12 * 3600, 1));
    let reasons: Vec<Reason> = missed.entries.iter().map(|entry| entry.reason).collect();
    assert_eq!(reasons, [Reason::TurnMissed, Reason::Gain]);
    // The database's clock was set back, and reaches the deadline again.
    for now in ["2027-06-04T11:00:00Z", over, "2027-06-05T12:00:00Z"] {
        let twice = advance(&SETTINGS(), &missed.clock, &none, Change::Missed, at(now));
        assert_eq!(twice, Err(ClockError::NotWaiting));
    }
}

#[test]
fn a_clock_that_goes_back_takes_nothing_and_gives_no_more_than_the_gain() {
    let played = step(&waiting(), &Calendar::default(), Change::Played, "2027-06-01T10:00:00Z");
    assert_eq!(played.clock.bank.seconds(), 84 * 3600);
    let next = step(&played.clock, &Calendar::default(), Change::Began, "2027-06-01T10:00:00Z");
    assert_eq!(next.clock.deadline(), Some(at("2027-06-04T22:00:00Z")));
}

#[test]
fn more_time_from_the_opponents_is_for_this_turn() {
    let (none, now) = (Calendar::default(), "2027-06-04T11:00:00Z");
    let more = step(&waiting(), &none, Change::Extended { by: Span::from_hours(24) }, now);
    assert_eq!(more.clock.deadline(), Some(at("2027-06-05T12:00:00Z")));
    let played = step(&more.clock, &none, Change::Played, "2027-06-05T06:00:00Z");
    assert_eq!(played.clock.bank.seconds(), 12 * 3600);
    let ask = |clock: &PlayerClock, by, now: &str| {
        advance(&SETTINGS(), clock, &none, Change::Extended { by }, at(now)).unwrap_err()
    };
    assert_eq!(ask(&waiting(), Span::from_hours(1), "2027-06-04T12:00:00Z"), ClockError::Expired);
    assert_eq!(ask(&more.clock, Span::from_hours(145), now), ClockError::Extension);
    assert_eq!(ask(&more.clock, Span::ZERO, now), ClockError::Extension);
    assert_eq!(ask(&played.clock, Span::from_hours(1), now), ClockError::NotWaiting);
}

#[test]
fn what_gives_time_takes_none_also_if_the_facts_have_changed() {
    let calendar = vacation("2027-06-03", "2027-06-12", "2027-06-02T12:00:00Z");
    let away = step(&waiting(), &calendar, Change::VacationAnnounced, "2027-06-02T12:00:00Z");
    // The vacation is gone, as with new time zone data.
    let by = Span::from_hours(24);
    let more = step(&away.clock, &Calendar::default(), Change::Extended { by }, "2027-06-02T13:00:00Z");
    assert_eq!(more.clock.deadline(), away.clock.deadline());
}

#[test]
fn after_a_pause_without_end_there_is_an_hour_at_least() {
    let begins_at = at("2027-06-04T11:59:00Z");
    let mut calendar = Calendar { pauses: vec![Pause { begins_at, ends_at: None }], ..Calendar::default() };
    let paused = step(&waiting(), &calendar, Change::ServicePaused, "2027-06-04T11:59:00Z");
    assert_eq!(paused.clock.deadline(), None);
    let now = at("2027-06-09T00:00:00Z");
    let early = advance(&SETTINGS(), &paused.clock, &calendar, Change::Missed, now);
    assert_eq!(early, Err(ClockError::NotYet { deadline: None }));
    calendar.pauses[0].ends_at = Some(now);
    let resumed = step(&paused.clock, &calendar, Change::ServiceResumed, "2027-06-09T00:00:00Z");
    assert_eq!(resumed.clock.deadline(), Some(at("2027-06-09T01:00:00Z")));
    // Repeated, also by a clock that was set back, it stays.
    let again = step(&resumed.clock, &calendar, Change::ServiceResumed, "2027-06-08T22:00:00Z");
    assert_eq!(again, Step { clock: resumed.clock, entries: vec![] });
}

#[test]
fn new_quiet_hours_hold_from_the_next_turn_on() {
    let quiet = QuietHours::new(Tz::UTC, 1320, 480).unwrap();
    let calendar = Calendar { quiet_hours: Some(quiet), ..Calendar::default() };
    let read = step(&waiting(), &calendar, Change::VacationAnnounced, "2027-06-01T13:00:00Z");
    assert_eq!(read, Step { clock: waiting(), entries: vec![] });
    let played = step(&read.clock, &calendar, Change::Played, "2027-06-01T13:00:00Z");
    let next = step(&played.clock, &calendar, Change::Began, "2027-06-01T13:00:00Z");
    assert_eq!(next.clock.wait.unwrap().quiet_hours, Some(quiet));
    // 83 hours of days with 14.
    assert_eq!(next.clock.deadline(), Some(at("2027-06-07T12:00:00Z")));
    let reasons: Vec<Reason> = next.entries.iter().map(|entry| entry.reason).collect();
    assert_eq!(reasons, [Reason::TurnBegan, Reason::QuietHours]);
}

#[test]
fn without_a_clock_no_turn_is_late() {
    let settings = ClockSettings { clock: Clock::None, vacation: true, quiet_hours: true };
    let none = Calendar::default();
    let began = at("2027-06-01T12:00:00Z");
    let step = advance(&settings, &PlayerClock::new(&settings), &none, Change::Began, began).unwrap();
    assert_eq!((step.clock.deadline(), step.entries.len()), (None, 0));
    let twice = advance(&settings, &step.clock, &none, Change::Began, began);
    assert_eq!(twice, Err(ClockError::Waiting));
    let late = began + Duration::days(4000);
    let missed = advance(&settings, &step.clock, &none, Change::Missed, late);
    assert_eq!(missed, Err(ClockError::NotYet { deadline: None }));
    assert!(advance(&settings, &step.clock, &none, Change::Played, late).unwrap().entries.is_empty());
}

#[test]
fn notices_come_twice_for_each_deadline_and_never_in_quiet_hours() {
    let quiet = QuietHours::new(Tz::UTC, 1320, 480).unwrap();
    let calendar = Calendar { quiet_hours: Some(quiet), ..Calendar::default() };
    let (settings, thresholds) = (SETTINGS(), Thresholds::default());
    let clock = step(&PlayerClock::new(&settings), &calendar, Change::Began, "2027-06-01T12:00:00Z").clock;
    let times = thresholds.times(&settings, &clock, &calendar);
    assert_eq!(clock.deadline(), Some(at("2027-06-06T14:00:00Z")));
    let first = (ReminderKind::First, at("2027-06-04T18:00:00Z"));
    assert_eq!(times, [first, (ReminderKind::Second, at("2027-06-06T11:00:00Z"))].map(Some));

    let due = |told: Option<&_>, now: &str| thresholds.due(&settings, &clock, &calendar, told, at(now));
    assert_eq!(due(None, "2027-06-04T17:59:59Z"), None);
    let told = due(None, "2027-06-04T18:00:00Z").unwrap();
    assert_eq!(told.notice, ReminderKind::First);
    assert_eq!(due(Some(&told), "2027-06-05T12:00:00Z"), None);
    // After an outage of a night, only the second is sent.
    assert_eq!(due(None, "2027-06-06T11:30:00Z").unwrap().notice, ReminderKind::Second);
    let both = due(Some(&told), "2027-06-06T11:00:00Z").unwrap();
    assert_eq!(due(Some(&both), "2027-06-06T12:00:00Z"), None);
    assert_eq!(due(None, "2027-06-06T14:00:00Z"), None);

    // Another deadline has its own reminders.
    let by = Span::from_hours(28);
    let clock = step(&clock, &calendar, Change::Extended { by }, "2027-06-06T12:00:00Z").clock;
    let again = thresholds.due(&settings, &clock, &calendar, Some(&both), at("2027-06-06T18:00:00Z"));
    assert_eq!(again.unwrap().notice, ReminderKind::First);
    let wait = clock.wait.unwrap();
    let run = running_time(&settings, &wait, &calendar, clock.deadline().unwrap());
    assert_eq!(run, Span::from_hours(100));
}
