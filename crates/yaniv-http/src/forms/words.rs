//! The sentences about parts of a request, made from their schemas.

use std::ops::RangeInclusive;

use serde_json::Value;
use uuid::Uuid;
use yaniv_model::times::{parse_day, parse_time};

pub(crate) const BOOLEAN: &str = "must be true or false";
pub(crate) const LIST: &str = "must be a list";
pub(crate) const MISSING: &str = "is missing";
pub(crate) const NULL: &str = "must not be null";
pub(crate) const OBJECT: &str = "must be an object";
pub(crate) const OPTIONAL_NULL: &str = "must not be null; leave an optional field out";
pub(crate) const TWICE: &str = "is given twice";

/// What a text of each pattern is. A list of words, `^(a|b)$`, needs no line.
const PATTERNS: [(&str, &str); 14] = [
    ("^[a-z0-9_]{3,20}$", "3 to 20 of the characters a-z, 0-9 and _"),
    (
        "^[a-z0-9_]{3,20}(,[a-z0-9_]{3,20}){0,19}$",
        "1 to 20 usernames of 3 to 20 of the characters a-z, 0-9 and _, separated by commas",
    ),
    ("^[a-z_]+$", "1 to 32 of the characters a-z and _"),
    ("^[a-z]{1,16}$", "1 to 16 letters a-z"),
    (
        "^([A23456789TJQK][CDHS]|X[BR])$",
        "the code of a card: a rank A23456789TJQK and a suit CDHS, or XB or XR",
    ),
    ("^[ -+\\--~]*$", "at most 64 printable ASCII characters without a comma"),
    ("^[0-9a-f]{64}$", "64 hexadecimal digits 0-9 and a-f"),
    ("^[0-2][0-9]:[0-5][0-9]$", "a time of day, such as 22:30"),
    ("^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of day, such as 22:30"),
    ("^2[0-9]{3}-(0[1-9]|1[0-2])$", "a month, such as 2026-12"),
    ("^([A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)?$", "a language tag (BCP 47), such as de or pt-BR"),
    ("^[A-Za-z0-9_-]*$", "a cursor of an earlier response"),
    ("^[A-Za-z0-9_-]{16,64}$", "16 to 64 of the characters A-Z, a-z, 0-9, - and _"),
    ("^[a-z0-9_]+$", "characters a-z, 0-9 and _"),
];

/// The bounds of an integer.
pub(crate) fn bounds(schema: &Value) -> (i64, i64) {
    let bound = |name: &str, default: i32| {
        schema.get(name).and_then(Value::as_i64).unwrap_or_else(|| i64::from(default))
    };
    (bound("minimum", i32::MIN), bound("maximum", i32::MAX))
}

/// The bounds of the length of a text (`Length`) or a list (`Items`).
pub(crate) fn lengths(schema: &Value, what: &str) -> RangeInclusive<i64> {
    let bound = |name: String| schema.get(name).and_then(Value::as_i64);
    bound(format!("min{what}")).unwrap_or(0)..=bound(format!("max{what}")).unwrap_or(i64::MAX)
}

/// What an integer must be.
pub(crate) fn whole_number(least: i64, most: i64) -> String {
    format!("must be a whole number from {least} to {most}")
}

/// What a list must have.
pub(crate) fn list(schema: &Value) -> String {
    sized("must be a list with", &lengths(schema, "Items"), "items")
}

/// What a text must be: one of the listed words, what its pattern or format means, or of some length.
pub(crate) fn text(schema: &Value) -> String {
    let member = |name: &str| schema.get(name).and_then(Value::as_str);
    if let Some(words) = listed(schema) {
        return one_of(&words);
    }
    let pattern = member("pattern");
    let meaning = PATTERNS.iter().find(|(of, _)| pattern == Some(*of)).map(|(_, meaning)| *meaning);
    match (meaning, pattern, member("format")) {
        (Some(meaning), _, _) => format!("must be {meaning}"),
        (None, Some(pattern), _) => format!("must be a text of the pattern {pattern}"),
        (_, _, Some("date")) => "must be a day, such as 2026-12-24".to_owned(),
        (_, _, Some("date-time")) => "must be a time, such as 2026-12-24T18:00:00Z".to_owned(),
        (_, _, Some("uuid")) => "must be an identifier (UUID)".to_owned(),
        _ => sized("must be a text with", &lengths(schema, "Length"), "characters"),
    }
}

/// The words that a text can be: `enum`, or a pattern of the form `^(a|b)$`.
pub(crate) fn listed(schema: &Value) -> Option<Vec<&str>> {
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return Some(words.iter().filter_map(Value::as_str).collect());
    }
    let words = schema.get("pattern")?.as_str()?.strip_prefix("^(")?.strip_suffix(")$")?;
    let is_plain = |letter: char| letter.is_ascii_lowercase() || "_|".contains(letter);
    words.chars().all(is_plain).then(|| words.split('|').collect())
}

/// Whether a text has a format that `serde` checks.
pub(crate) fn has_format(format: &str, text: &str) -> bool {
    match format {
        "date" => parse_day(text).is_some(),
        "date-time" => parse_time(text).is_some(),
        "uuid" => Uuid::try_parse(text).is_ok(),
        _ => true,
    }
}

/// What a field is that the schema does not have.
pub(crate) fn unknown_field<'a>(known: impl Iterator<Item = &'a String>) -> String {
    unknown("field", known.map(String::as_str))
}

/// What a query parameter is that the operation does not have.
pub(crate) fn unknown_parameter<'a>(known: impl Iterator<Item = &'a str>) -> String {
    unknown("query parameter", known)
}

fn unknown<'a>(what: &str, known: impl Iterator<Item = &'a str>) -> String {
    let known: Vec<&str> = known.collect();
    match known.as_slice() {
        [] => format!("is not a {what} here; there is none"),
        known => format!("is not a {what} here; known are {}", known.join(", ")),
    }
}

fn one_of(words: &[&str]) -> String {
    match words {
        [word] => format!("must be {word}"),
        [one, other] => format!("must be {one} or {other}"),
        words => format!("must be one of {}", words.join(", ")),
    }
}

fn sized(what: &str, lengths: &RangeInclusive<i64>, of: &str) -> String {
    match (*lengths.start(), *lengths.end()) {
        (0, i64::MAX) => what.trim_end_matches(" with").to_owned(),
        (0, most) => format!("{what} at most {most} {of}"),
        (least, i64::MAX) => format!("{what} at least {least} {of}"),
        (least, most) => format!("{what} {least} to {most} {of}"),
    }
}
