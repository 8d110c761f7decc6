//! Conversion of counts to floats, and number formatting.

/// A count as a float; exact up to 2^53.
#[must_use]
pub fn real(count: u64) -> f64 {
    let halves = |word: u64| f64::from(u32::try_from(word & 0xffff_ffff).unwrap_or(u32::MAX));
    halves(count >> 32) * 4_294_967_296.0 + halves(count)
}

/// A quotient of counts; 0 if the divisor is 0.
#[must_use]
pub fn per(amount: f64, count: u64) -> f64 {
    if count == 0 { 0.0 } else { amount / real(count) }
}

/// The median; 0 if there are no values.
#[must_use]
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    let upper = values.get(half).copied().unwrap_or_default();
    if values.len() % 2 == 1 {
        return upper;
    }
    let lower = half.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or_default();
    f64::midpoint(lower, upper)
}

/// A number with thousands separators, and a decimal only where it is significant.
#[must_use]
pub fn pretty(value: f64) -> String {
    if value.abs() < 9.95 {
        return format!("{value:.2}");
    }
    if value.abs() < 99.95 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) && digit.is_ascii_digit() && !text.ends_with('-') {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
