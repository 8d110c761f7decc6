//! Conversion between whole seconds of UTC as records write them, `2026-11-21T08:00:00Z`, and numbers, for differences
//! of times. Pure arithmetic; no clock.

/// A day, in seconds.
const DAY: i64 = 86_400;

/// Seconds since 1970 of a time in exactly this form.
pub(crate) fn to_seconds(text: &str) -> Option<i64> {
    let field = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse().ok()
    };
    let (year, month, day) = (field(0, 4)?, field(5, 7)?, field(8, 10)?);
    let (hour, minute, second) = (field(11, 13)?, field(14, 16)?, field(17, 19)?);
    let seconds = days(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
    // Any other form, or an invalid time, does not convert back to the same text.
    (to_text(seconds)? == text).then_some(seconds)
}

/// The time this number of seconds after the beginning of 1970; `None` outside of the years 0 to 9999.
pub(crate) fn to_text(seconds: i64) -> Option<String> {
    let (year, month, day) = date(seconds.div_euclid(DAY))?;
    let of_day = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// Days since 1970-01-01. Years begin in March here, so that a leap day is the last day of a year.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let shifted = (month + 9).rem_euclid(12);
    let year = if month <= 2 { year - 1 } else { year };
    let before = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    before + (shifted * 153 + 2) / 5 + day - 1 - 719_468
}

/// The date of a day, if its year has four digits.
fn date(days: i64) -> Option<(i64, i64, i64)> {
    let days = days.checked_add(719_468)?;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let of_years = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (of_years * 365 + of_years / 4 - of_years / 100);
    let shifted = (of_year * 5 + 2) / 153;
    let day = of_year - (shifted * 153 + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era.checked_mul(400)?.checked_add(of_years + i64::from(month <= 2))?;
    (0..=9999).contains(&year).then_some((year, month, day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_back_as_they_were() {
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:01Z", 951_825_601),
            ("2026-11-21T08:00:00Z", 1_795_248_000),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] {
            assert_eq!(to_seconds(text), Some(seconds), "{text}");
            assert_eq!(to_text(seconds).as_deref(), Some(text));
        }
        for day in -30_000..60_000 {
            let text = to_text(day * DAY + day.rem_euclid(DAY)).unwrap();
            assert_eq!(to_seconds(&text), Some(day * DAY + day.rem_euclid(DAY)), "{text}");
        }
    }

    #[test]
    fn what_is_not_of_this_form_is_no_time() {
        for text in [
            "",
            "2026-11-21",
            "2026-11-21T08:00:00+01:00",
            "2026-11-21T08:00:00.5Z",
            "2026-11-21 08:00:00Z",
            "2026-02-29T08:00:00Z",
            "2026-13-01T08:00:00Z",
            "2026-11-21T24:00:00Z",
            "2026-11-21T08:00:60Z",
            "2026-11-21T08:00:00z",
            "+026-11-21T08:00:00Z",
            "２026-11-21T08:00:00Z",
        ] {
            assert_eq!(to_seconds(text), None, "{text}");
        }
        assert_eq!((to_text(253_402_300_800), to_text(i64::MAX), to_text(i64::MIN)), (None, None, None));
    }
}
