//! A simulated year of random turns, in zones with offset changes: the clock against the reference, and against itself.

use chrono::{DateTime, Days, Duration, Utc};
use chrono_tz::Tz;
use proptest::prelude::*;
use yaniv_clock::{
    Calendar, Change, Clock, ClockError, ClockSettings, Entry, GRACE, MOST_EXTENSION, Pause, PlayerClock,
    QuietHours, Reason, Span, Step, advance, announce_vacation, cancel_vacation, running_time,
};

use crate::reference::{MINUTE, Reference};

const ZONES: [Tz; 7] = [
    Tz::Europe__Berlin,
    Tz::America__New_York,
    Tz::Australia__Lord_Howe,
    Tz::Asia__Kathmandu,
    Tz::Pacific__Apia,
    Tz::Asia__Beirut,
    Tz::America__Havana,
];

/// The next event, and its parameters.
type Happening = (u8, u32, u16);

struct Year {
    settings: ClockSettings,
    clock: PlayerClock,
    calendar: Calendar,
    zone: Tz,
    now: DateTime<Utc>,
    ledger: Vec<Entry>,
    missed: u32,
    ended: u32,
}

fn long(span: Span) -> Duration {
    Duration::microseconds(span.microseconds())
}

/// Pauses begin and end at whole minutes, as that is what the reference counts.
fn next_minute(at: DateTime<Utc>) -> DateTime<Utc> {
    let minutes = at.timestamp_micros().div_euclid(MINUTE) + 1;
    DateTime::from_timestamp_micros(minutes * MINUTE).unwrap()
}

fn stored<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

impl Year {
    fn try_change(&self, change: Change, at: DateTime<Utc>) -> Result<Step, ClockError> {
        advance(&self.settings, &self.clock, &self.calendar, change, at)
    }

    fn reference(&self) -> Reference<'_> {
        let quiet = self.clock.wait.and_then(|wait| wait.quiet_hours);
        Reference { settings: &self.settings, calendar: &self.calendar, quiet }
    }

    /// Applies a change through the stored forms, as a newly started instance would.
    fn take(&mut self, change: Change) {
        let before = self.clock;
        let step = self.try_change(change, self.now).unwrap();
        for entry in &step.entries {
            if let Some(last) = self.ledger.last() {
                assert_eq!(
                    (last.deadline_after, last.bank_after),
                    (entry.deadline_before, entry.bank_before)
                );
            }
            assert_eq!(entry.at, self.now);
            self.ledger.push(stored(entry));
        }
        self.clock = stored(&step.clock);
        self.settings = stored(&self.settings);
        self.calendar = stored(&self.calendar);
        assert_eq!(self.clock, step.clock);
        if let Some(last) = self.ledger.last() {
            assert_eq!((last.deadline_after, last.bank_after), (self.clock.deadline(), self.clock.bank));
        }
        let gives = !matches!(change, Change::VacationCancelled | Change::ServiceResumed);
        if let (true, Some(old), Some(_)) = (gives, before.wait, self.clock.wait) {
            let later = match (old.deadline, self.clock.deadline()) {
                (Some(old), Some(new)) => new >= old,
                (old, new) => old.is_some() || new.is_none(),
            };
            assert!(later, "{change:?} made a deadline earlier");
        }
    }

    fn check_wait(&self) {
        let Some(wait) = self.clock.wait else { return };
        let all = Span::from_microseconds(self.clock.bank.microseconds() + wait.extension.microseconds());
        if matches!(self.settings.clock, Clock::None) {
            assert_eq!(wait.deadline, None);
            return;
        }
        let run_out = self.reference().deadline(wait.began_at, all);
        let expected = run_out.map(|at| wait.not_before.map_or(at, |floor| at.max(floor)));
        assert_eq!(wait.deadline, expected);
        let Some(deadline) = wait.deadline else { return };
        assert!(deadline >= wait.began_at + long(all), "less than what is on the clock");
        if wait.not_before.is_none() {
            assert_eq!(running_time(&self.settings, &wait, &self.calendar, deadline), all);
        }
        // At any time exactly one of the two is accepted.
        let end = deadline + long(GRACE);
        for at in [end - Duration::microseconds(1), end, deadline, end + Duration::days(9), wait.began_at] {
            let (played, missed) = (self.try_change(Change::Played, at), self.try_change(Change::Missed, at));
            assert_eq!(played.is_ok(), at < end);
            assert_eq!(missed.is_ok(), at >= end);
        }
        // Reading never moves a deadline.
        for (change, days) in
            [(Change::VacationAnnounced, 0), (Change::VacationCancelled, 3), (Change::ServiceResumed, 90)]
        {
            let read = self.try_change(change, self.now + Duration::days(days)).unwrap();
            assert_eq!(read, Step { clock: self.clock, entries: vec![] });
        }
    }

    fn begin(&mut self) {
        self.take(Change::Began);
        self.check_wait();
    }

    fn end(&mut self, change: Change) {
        let (before, wait) = (self.clock.bank, self.clock.wait.unwrap());
        let spent = match change {
            Change::Missed => before,
            _ => self.reference().running(wait.began_at, self.now).min(before),
        };
        self.take(change);
        let expected = match self.settings.bank() {
            None => 0,
            Some(bank) => (before.microseconds() + bank.gain.microseconds() - spent.microseconds())
                .min(bank.cap.microseconds()),
        };
        assert_eq!(self.clock.bank.microseconds(), expected);
        self.missed += u32::from(change == Change::Missed);
        self.ended += 1;
        assert_eq!(
            self.try_change(Change::Missed, self.now + Duration::days(99)),
            Err(ClockError::NotWaiting)
        );
        self.begin();
    }

    /// Advances the time. The worker finds every deadline that has passed, with or without delay.
    fn pass(&mut self, minutes: u32, micros: u32) {
        self.now += Duration::minutes(minutes.into()) + Duration::microseconds(micros.into());
        let fires = self.clock.deadline().is_some_and(|deadline| self.now >= deadline + long(GRACE));
        assert_eq!(self.try_change(Change::Missed, self.now).is_ok(), fires);
        if fires {
            self.end(Change::Missed);
        }
    }

    fn happen(&mut self, (what, number, small): Happening) {
        self.pass(number % (4 * 1440), number);
        match what % 16 {
            0..5 => self.end(Change::Played),
            5 => self.end(Change::Withdrawn),
            6 => self.pass(number % (12 * 1440), number),
            7 | 8 => {
                let today = self.now.with_timezone(&self.zone).date_naive();
                let first = today.checked_add_days(Days::new(u64::from(small % 5) + 1)).unwrap();
                let days = (first, first.checked_add_days(Days::new(u64::from(small / 5 % 8))).unwrap());
                if let Ok(vacation) = announce_vacation(&self.calendar.vacations, self.zone, days, self.now) {
                    self.calendar.vacations.push(vacation);
                    self.take(Change::VacationAnnounced);
                }
            }
            9 => {
                let now = self.now;
                let mut open = self.calendar.vacations.iter().enumerate();
                let found =
                    open.find_map(|(index, vacation)| Some((index, cancel_vacation(vacation, now).ok()?)));
                let Some((index, rest)) = found else { return };
                self.calendar.vacations.remove(index);
                self.calendar.vacations.extend(rest);
                self.take(Change::VacationCancelled);
                assert!(self.clock.deadline().is_none_or(|deadline| deadline > now - long(GRACE)));
            }
            10 => {
                let begins_at = next_minute(self.now);
                let ends_at = (small % 3 > 0).then(|| begins_at + Duration::minutes(i64::from(small % 9000)));
                self.calendar.pauses.push(Pause { begins_at, ends_at });
                self.take(Change::ServicePaused);
            }
            11 => {
                let by = Span::from_microseconds(i64::from(number) * 10_000 + 1);
                if self.clock.wait.unwrap().extension.microseconds() + by.microseconds()
                    < MOST_EXTENSION.microseconds()
                    && self.clock.deadline().is_none_or(|deadline| self.now < deadline)
                {
                    self.take(Change::Extended { by });
                }
            }
            12 | 13 => {
                let from = small % 1440;
                let to = (from + 1 + u16::try_from(number % 600).unwrap()) % 1440;
                let zone = if what < 128 { self.zone } else { ZONES[usize::from(small) % ZONES.len()] };
                self.calendar.quiet_hours = Some(QuietHours::new(zone, from, to).unwrap());
            }
            // The database's clock is set back.
            14 => self.now -= Duration::minutes(i64::from(small % 180)),
            _ => self.calendar.quiet_hours = None,
        }
        self.check_wait();
        let mut open = self.calendar.pauses.iter_mut().filter(|pause| pause.ends_at.is_none());
        if let Some(pause) = open.next() {
            pause.ends_at =
                Some(next_minute(self.now).max(pause.begins_at) + Duration::minutes(i64::from(small) % 500));
            self.take(Change::ServiceResumed);
            self.check_wait();
        }
    }
}

fn settings() -> impl Strategy<Value = ClockSettings> {
    let clock = prop_oneof![
        1 => Just(Clock::None),
        4 => (60u32..=345_600).prop_map(|turn_seconds| Clock::Turn { turn_seconds }),
        3 => Just(ClockSettings::default().clock),
        4 => (300u32..=432_000, 60u32..=86_400, 0u32..=345_600).prop_map(|(bank_seconds, gain_seconds, more)| {
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds: bank_seconds + more }
        }),
    ];
    let honoured = || prop_oneof![3 => Just(true), 1 => Just(false)];
    (clock, honoured(), honoured()).prop_map(|(clock, vacation, quiet_hours)| ClockSettings {
        clock,
        vacation,
        quiet_hours,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 20, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_of_a_year_has_one_deadline(
        settings in settings(),
        zone in 0..ZONES.len(),
        start in 0u32..366 * 1440,
        happenings in prop::collection::vec(any::<Happening>(), 100..200),
    ) {
        // Apia skipped 30 December 2011; any year does for the others.
        let zone = ZONES[zone];
        let year = if zone == Tz::Pacific__Apia { "2011-06-01T00:00:00Z" } else { "2026-06-01T00:00:00Z" };
        let begin = year.parse::<DateTime<Utc>>().unwrap();
        let now = begin + Duration::minutes(i64::from(start % (270 * 1440)));
        let clock = PlayerClock::new(&settings);
        let calendar = Calendar::default();
        let mut year =
            Year { settings, clock, calendar, zone, now, ledger: Vec::new(), missed: 0, ended: 0 };
        year.begin();
        for happening in happenings {
            year.happen(happening);
            if year.now > now + Duration::days(366) {
                break;
            }
        }
        // The ledger has every turn exactly once.
        let count = |wanted: &[Reason]| year.ledger.iter().filter(|entry| wanted.contains(&entry.reason)).count();
        if settings.bank().is_some() {
            prop_assert_eq!(count(&[Reason::TurnMissed]), usize::try_from(year.missed).unwrap());
            let ended = count(&[Reason::TurnMissed, Reason::TurnUsed, Reason::TurnWithdrawn]);
            prop_assert_eq!(ended, usize::try_from(year.ended).unwrap());
            let sum: i64 = year
                .ledger
                .iter()
                .map(|entry| entry.bank_after.microseconds() - entry.bank_before.microseconds())
                .sum();
            let start = PlayerClock::new(&settings).bank.microseconds();
            prop_assert_eq!(start + sum, year.clock.bank.microseconds());
        } else {
            prop_assert!(year.ledger.is_empty());
        }
    }
}
