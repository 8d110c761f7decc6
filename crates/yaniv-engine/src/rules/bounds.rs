//! The bounds of rule options (rules §3), checked by the kind of each row of the table.

use std::ops::RangeInclusive;

use crate::error::BadRules;
use crate::rules::options::{Bonus, Points, Reduction, RuleOptions};

macro_rules! check_options {
    ($(
        $(#[doc = $doc:tt])+ $name:ident: $type:ty, $kind:ident $(($($args:tt)*))? = $default:expr;
    )+) => {
        /// The first option that breaks a bound is the error.
        pub(crate) fn check(options: &RuleOptions) -> Result<(), BadRules> {
            $(check_option!(stringify!($name), options.$name, $kind $(($($args)*))?);)+
            Ok(())
        }
    };
}

macro_rules! check_option {
    ($name:expr, $value:expr, number($min:tt..=$max:tt)) => {
        bound($name, $value, $min..=$max)?
    };
    ($name:expr, $value:expr, optional($min:tt..=$max:tt, $($texts:tt)*)) => {
        if let Some(value) = $value {
            bound($name, value, $min..=$max)?;
        }
    };
    ($name:expr, $value:expr, either($low:tt, $high:tt)) => {
        if ![$low, $high].contains(&$value) {
            return Err(BadRules::new($name, format!("must be {} or {}", $high, $low)));
        }
    };
    ($name:expr, $value:expr, flag) => {};
    ($name:expr, $value:expr, choice) => {};
    ($name:expr, $value:expr, points) => {
        check_points($name, $value)?
    };
    ($name:expr, $value:expr, words) => {
        check_words($name, &$value)?
    };
    ($name:expr, $value:expr, reductions) => {
        check_reductions($name, &$value)?
    };
    ($name:expr, $value:expr, bonus) => {
        check_bonus($name, $value)?
    };
}

crate::rule_options!(check_options);

fn bound<T: Copy + PartialOrd + std::fmt::Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), BadRules> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(BadRules::new(name, format!("must be {} to {}, not {value}", range.start(), range.end())))
}

fn check_points(name: &str, points: Points) -> Result<(), BadRules> {
    let Points { ace, jack, queen, king, joker } = points;
    [ace, jack, queen, king, joker].into_iter().try_for_each(|value| bound(name, value, 0..=20))
}

fn check_words(name: &str, words: &[String]) -> Result<(), BadRules> {
    let good = |word: &String| (1..=16).contains(&word.len()) && word.bytes().all(|b| b.is_ascii_lowercase());
    if (1..=4).contains(&words.len()) && words.iter().all(good) {
        return Ok(());
    }
    Err(BadRules::new(name, "must be one to four words of 1 to 16 letters a-z"))
}

fn check_reductions(name: &str, list: &[Reduction]) -> Result<(), BadRules> {
    if list.len() > 20 || list.iter().any(|one| one.at > 1000 || one.to > 1000) {
        return Err(BadRules::new(name, "must be at most 20 pairs of totals from 0 to 1000"));
    }
    if !list.is_sorted_by(|one, next| one.at < next.at) {
        return Err(BadRules::new(name, "must have each total once"));
    }
    Ok(())
}

fn check_bonus(name: &str, bonus: Option<Bonus>) -> Result<(), BadRules> {
    let Some(bonus) = bonus else { return Ok(()) };
    bound(name, bonus.every, 1..=10)?;
    bound(name, bonus.points, 1..=100)
}
