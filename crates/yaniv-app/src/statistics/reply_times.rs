//! Histogram of reply times, in buckets that can be summed.
//!
//! Buckets are half powers of two of seconds, so that a median is accurate to a fifth. Bucket 0 is less than
//! a second, bucket n from 2^((n-1)/2) seconds to 2^(n/2).

use chrono::TimeDelta;

/// The last bucket: from 34 days on.
const LAST: u32 = 44;
const SECOND: u128 = 1_000_000;

/// Counts a reply time.
pub(crate) fn note_reply(buckets: &mut Vec<i32>, waited: TimeDelta) {
    let micros = u128::try_from(waited.num_microseconds().unwrap_or(i64::MAX)).unwrap_or_default();
    // Whole powers of two of the square are half powers of two: no rounding occurs.
    let square = micros.saturating_mul(micros) / (SECOND * SECOND);
    let bucket = square.checked_ilog2().map_or(0, |power| (power + 1).min(LAST));
    let bucket = usize::try_from(bucket).unwrap_or_default();
    if buckets.len() <= bucket {
        buckets.resize(bucket + 1, 0);
    }
    if let Some(count) = buckets.get_mut(bucket) {
        *count = count.saturating_add(1);
    }
}

/// Adds a list to another, element by element.
pub(crate) fn add_list(to: &mut Vec<i32>, added: &[i32]) {
    if to.len() < added.len() {
        to.resize(added.len(), 0);
    }
    for (sum, one) in to.iter_mut().zip(added) {
        *sum = sum.saturating_add(*one);
    }
}

/// The difference of two lists, element by element, without trailing zeros.
pub(crate) fn list_since(now: &[i32], before: &[i32]) -> Vec<i32> {
    let before = before.iter().copied().chain(std::iter::repeat(0));
    let mut since: Vec<i32> =
        now.iter().zip(before).map(|(now, before)| now.saturating_sub(before)).collect();
    while since.last() == Some(&0) {
        since.pop();
    }
    since
}

/// The median, in seconds: the geometric middle of its bucket.
pub fn median(buckets: &[i32]) -> Option<f64> {
    let count: i64 = buckets.iter().map(|count| i64::from(*count)).sum();
    let mut left = (count + 1) / 2;
    let bucket = buckets.iter().position(|count| {
        left -= i64::from(*count);
        left <= 0
    });
    let bucket = i32::try_from(bucket.filter(|_| count > 0)?).ok()?;
    Some(if bucket == 0 { 0.5 } else { 2_f64.powf(f64::from(bucket) / 2.0 - 0.25) })
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use crate::statistics::reply_times::{LAST, median, note_reply};

    fn of(millis: &[i64]) -> Vec<i32> {
        let mut buckets = Vec::new();
        millis.iter().for_each(|millis| note_reply(&mut buckets, TimeDelta::milliseconds(*millis)));
        buckets
    }

    #[test]
    fn a_bucket_begins_where_the_one_before_ends() {
        assert_eq!(of(&[-5, 0, 999]), [3]);
        assert_eq!(of(&[1000, 1414]), [0, 2]);
        assert_eq!(of(&[1415, 1999]), [0, 0, 2]);
        assert_eq!(of(&[2000, 2828]), [0, 0, 0, 2]);
        assert_eq!(u32::try_from(of(&[i64::MAX / 1000]).len()), Ok(LAST + 1));
    }

    #[test]
    fn a_median_is_known_to_a_fifth() {
        for seconds in 1..100_000_i64 {
            let known = median(&of(&[1, seconds * 1000, seconds * 9000])).unwrap_or_default();
            let off = known / f64::from(i32::try_from(seconds).unwrap_or_default());
            assert!((0.84..1.19).contains(&off), "{seconds} s: {known}");
        }
        assert_eq!(median(&[]), None);
        assert_eq!(median(&of(&[3, 4, 5])), Some(0.5));
    }
}
