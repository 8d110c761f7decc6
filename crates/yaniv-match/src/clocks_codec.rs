//! Stored form of the clocks, beside the position. Compact, as every action writes it. The ledger is not
//! stored: it is computed from the log.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use yaniv_clock::{Calendar, PlayerClock, QuietHours, Span, Wait};

use crate::clocks::{ClockStep, Clocks, SeatClock};
use crate::error::MatchError;

/// Clocks, and the steps not yet applied to them.
#[derive(Serialize, Deserialize)]
pub(super) struct ClocksForm {
    /// By seat.
    s: Vec<SeatForm>,
    /// Steps of the newest action, to be applied at the time of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    t: Vec<ClockStepForm>,
    /// Microseconds by which match time is ahead.
    #[serde(default, skip_serializing_if = "is_zero")]
    a: i64,
}

/// Bank and wait; the other fields only where set.
#[derive(Serialize, Deserialize)]
struct SeatForm {
    /// Bank, in microseconds.
    b: i64,
    /// Deadlines missed in a row.
    #[serde(default, skip_serializing_if = "is_none_missed")]
    m: u16,
    /// The wait: beginning, and deadline if any, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    w: Option<(i64, Option<i64>)>,
    /// Extension of the wait, in microseconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    e: i64,
    /// Quiet hours in force when the wait began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    q: Option<QuietHours>,
    /// Lower bound of the deadline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    n: Option<i64>,
    /// The player's calendar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    c: Option<Calendar>,
    /// A bot holds the seat.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    h: bool,
}

/// Seat, done, missed, dealt, waiting.
#[derive(Serialize, Deserialize)]
struct ClockStepForm(u8, bool, bool, bool, i16);

impl ClocksForm {
    pub(super) fn new(clocks: &Clocks, clock_steps: &[ClockStep]) -> Self {
        let step =
            |step: &ClockStep| ClockStepForm(step.seat, step.done, step.missed, step.dealt, step.waiting);
        Self {
            s: clocks.seats.iter().map(SeatForm::from).collect(),
            t: clock_steps.iter().map(step).collect(),
            a: clocks.ahead,
        }
    }

    /// Parses the clocks, and the steps not yet applied.
    ///
    /// # Errors
    /// `Damaged` if the text or a time is not valid.
    pub(super) fn read(stored: &str) -> Result<(Clocks, Vec<ClockStep>), MatchError> {
        let damaged = |error: serde_json::Error| MatchError::Damaged(format!("clocks: {error}"));
        let form: Self = serde_json::from_str(stored).map_err(damaged)?;
        let seats = form.s.into_iter().map(SeatClock::try_from).collect::<Result<_, _>>()?;
        let step = |ClockStepForm(seat, done, missed, dealt, waiting)| ClockStep {
            seat,
            done,
            missed,
            dealt,
            waiting,
        };
        Ok((Clocks { seats, ahead: form.a }, form.t.into_iter().map(step).collect()))
    }
}

impl From<&SeatClock> for SeatForm {
    fn from(seat: &SeatClock) -> Self {
        let wait = seat.clock.wait.as_ref();
        let calendar = Calendar::clone(&seat.calendar);
        Self {
            b: seat.clock.bank.microseconds(),
            m: seat.clock.missed_turns,
            w: wait.map(|wait| (wait.began_at.timestamp_micros(), wait.deadline.map(micros))),
            e: wait.map_or(0, |wait| wait.extension.microseconds()),
            q: wait.and_then(|wait| wait.quiet_hours),
            n: wait.and_then(|wait| wait.not_before).map(micros),
            c: (calendar != Calendar::default()).then_some(calendar),
            h: seat.held,
        }
    }
}

impl TryFrom<SeatForm> for SeatClock {
    type Error = MatchError;

    fn try_from(form: SeatForm) -> Result<Self, MatchError> {
        let wait = match form.w {
            None => None,
            Some((began_at, deadline)) => Some(Wait {
                began_at: time(began_at)?,
                deadline: deadline.map(time).transpose()?,
                extension: Span::from_microseconds(form.e),
                quiet_hours: form.q,
                not_before: form.n.map(time).transpose()?,
            }),
        };
        let clock = PlayerClock { bank: Span::from_microseconds(form.b), missed_turns: form.m, wait };
        Ok(Self { clock, calendar: Arc::new(form.c.unwrap_or_default()), held: form.h })
    }
}

fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

fn time(micros: i64) -> Result<DateTime<Utc>, MatchError> {
    DateTime::from_timestamp_micros(micros).ok_or_else(|| MatchError::Damaged("time of a clock".to_owned()))
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_none_missed(number: &u16) -> bool {
    *number == 0
}
