//! Announcement and cancellation of vacation.

use chrono::{DateTime, Days, NaiveDate, Utc};
use chrono_tz::Tz;
use yaniv_clock::{Vacation, VacationError, announce_vacation, cancel_vacation, vacation_days_left};

const BERLIN: Tz = Tz::Europe__Berlin;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn day(text: &str) -> NaiveDate {
    text.parse().unwrap()
}

fn june(first: &str, last: &str) -> Vacation {
    announce_vacation(&[], BERLIN, (day(first), day(last)), at("2027-05-01T12:00:00Z")).unwrap()
}

#[test]
fn vacation_is_announced_an_hour_before_the_day_begins() {
    let days = (day("2027-06-02"), day("2027-06-04"));
    // Midnight in Berlin is ten in the evening in UTC.
    let announced = announce_vacation(&[], BERLIN, days, at("2027-06-01T21:00:00Z")).unwrap();
    assert_eq!(
        (announced.begins_at, announced.ends_at),
        (at("2027-06-01T22:00:00Z"), at("2027-06-04T22:00:00Z"))
    );
    let late = announce_vacation(&[], BERLIN, days, at("2027-06-01T21:00:00.000001Z"));
    assert_eq!(late, Err(VacationError::TooSoon));
}

#[test]
fn days_are_counted_in_their_years() {
    let now = at("2027-12-01T12:00:00Z");
    let first = announce_vacation(&[], BERLIN, (day("2027-12-20"), day("2028-01-10")), now).unwrap();
    assert_eq!((vacation_days_left(&[first], 2027), vacation_days_left(&[first], 2028)), (16, 18));
    let more = announce_vacation(&[first], BERLIN, (day("2027-12-03"), day("2027-12-19")), now);
    assert_eq!(more, Err(VacationError::Allowance { year: 2027, left: 16 }));
    assert!(announce_vacation(&[first], BERLIN, (day("2027-12-14"), day("2027-12-19")), now).is_ok());
    let more = announce_vacation(&[first], BERLIN, (day("2028-01-11"), day("2028-01-29")), now);
    assert_eq!(more, Err(VacationError::Allowance { year: 2028, left: 18 }));
}

#[test]
fn one_wait_does_not_get_the_days_of_two_years() {
    let now = at("2027-11-01T12:00:00Z");
    let ask = |taken: &[Vacation], first: &str, last: &str| {
        announce_vacation(taken, BERLIN, (day(first), day(last)), now)
    };
    let december = ask(&[], "2027-12-04", "2027-12-31").unwrap();
    assert_eq!(ask(&[december], "2028-01-01", "2028-01-28"), Err(VacationError::Crowded));
    assert_eq!(ask(&[], "2027-12-17", "2028-01-14"), Err(VacationError::Crowded), "nor in one piece");
    assert!(ask(&[], "2027-12-18", "2028-01-14").is_ok());
    // 90 days from the first day of one to the first day of the other, announced in either order.
    assert_eq!(ask(&[december], "2028-03-02", "2028-03-02"), Err(VacationError::Crowded));
    let march = ask(&[december], "2028-03-03", "2028-03-30").unwrap();
    assert_eq!(
        ask(&[march], "2027-12-05", "2027-12-31"),
        Ok(Vacation { first_day: day("2027-12-05"), begins_at: at("2027-12-04T23:00:00Z"), ..december })
    );
    let february = ask(&[], "2028-02-01", "2028-02-10").unwrap();
    assert_eq!(ask(&[february], "2027-12-05", "2027-12-23"), Err(VacationError::Crowded));
    assert!(ask(&[february], "2027-12-05", "2027-12-22").is_ok());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let now = at("2027-05-01T12:00:00Z");
    let ask = |first: &str, last: &str| {
        announce_vacation(&[june("2027-06-02", "2027-06-04")], BERLIN, (day(first), day(last)), now)
    };
    assert_eq!(ask("2027-07-02", "2027-07-01"), Err(VacationError::Order));
    assert_eq!(ask("2027-06-04", "2027-06-05"), Err(VacationError::Overlap));
    assert!(ask("2027-06-05", "2027-06-05").is_ok());
    assert_eq!(ask("2028-05-01", "2028-05-02"), Err(VacationError::TooFar));
    assert!(ask("2028-05-01", "2028-05-01").is_ok());
    assert_eq!(ask("2027-06-01", "9999-12-31"), Err(VacationError::TooFar));
    assert_eq!(ask("2027-04-20", "2027-04-22"), Err(VacationError::TooSoon));
    // The same days in another zone.
    let taken = [june("2027-06-02", "2027-06-04")];
    let apia = announce_vacation(&taken, Tz::Pacific__Apia, (day("2027-06-05"), day("2027-06-06")), now);
    assert_eq!(apia, Err(VacationError::Overlap));
    // A day that the zone skipped.
    let december = at("2011-12-01T12:00:00Z");
    let never = (day("2011-12-30"), day("2011-12-30"));
    assert_eq!(announce_vacation(&[], Tz::Pacific__Apia, never, december), Err(VacationError::Order));
}

#[test]
fn who_cancels_gets_back_the_days_that_have_not_begun() {
    let vacation = june("2027-06-02", "2027-06-10");
    // An hour before it begins: all of it.
    assert_eq!(cancel_vacation(&vacation, at("2027-06-01T21:00:00Z")), Ok(None));
    // Later, the first day is used.
    let rest = cancel_vacation(&vacation, at("2027-06-01T21:00:00.000001Z")).unwrap().unwrap();
    assert_eq!((rest.first_day, rest.last_day), (day("2027-06-02"), day("2027-06-02")));
    // In the middle, the day of today.
    let rest = cancel_vacation(&vacation, at("2027-06-05T12:00:00Z")).unwrap().unwrap();
    assert_eq!((rest.last_day, rest.ends_at), (day("2027-06-05"), at("2027-06-05T22:00:00Z")));
    assert_eq!(vacation_days_left(&[rest], 2027), 24);
    // On the last day and later, nothing can be given back.
    assert_eq!(cancel_vacation(&vacation, at("2027-06-10T01:00:00Z")), Err(VacationError::Over));
    assert_eq!(cancel_vacation(&vacation, at("2028-06-10T01:00:00Z")), Err(VacationError::Over));
}

#[test]
fn vacations_that_follow_each_other_leave_nothing_between() {
    for zone in
        [BERLIN, Tz::Asia__Beirut, Tz::America__Havana, Tz::Australia__Lord_Howe, Tz::America__Asuncion]
    {
        let mut end = None;
        let mut last = day("2023-01-01");
        for _ in 0..800 {
            let begins = last.checked_add_days(Days::new(1)).unwrap();
            let announced =
                begins.checked_sub_days(Days::new(5)).unwrap().and_hms_opt(0, 0, 0).unwrap().and_utc();
            let vacation = announce_vacation(&[], zone, (begins, begins), announced).unwrap();
            assert!(end.is_none_or(|end| end == vacation.begins_at), "{zone} {begins}");
            (end, last) = (Some(vacation.ends_at), begins);
        }
    }
}
