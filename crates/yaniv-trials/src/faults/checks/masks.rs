//! Masks values that may differ between two matches that look the same to a player: identifiers, codes, times, bank
//! times, and the commitment with what derives from it.
//!
//! They are recognised by their form and blanked; all else stays, lengths included.

use std::collections::HashSet;

use yaniv_contract::leaks::{Secret, leaked};

use crate::player::Answer;

/// Headers that vary. The length follows from the body, which is compared; times vary in length.
const OF_THE_MOMENT: [&str; 3] = ["date", "x-request-id", "content-length"];

/// Fields that depend on the duration of turns.
const OF_BANKS: [&str; 3] = ["bank_seconds", "bank_before_seconds", "bank_after_seconds"];

/// An answer with variable values blanked. A secret in it is not hidden by that: it is appended.
#[must_use]
pub fn masked(answer: &Answer, secrets: &HashSet<Secret>) -> String {
    let parts = answer.headers.iter().map(|(_, value)| value.as_bytes()).chain([answer.body.as_ref()]);
    let leaks: Vec<Secret> = parts.filter_map(|part| leaked(part, secrets)).collect();
    let mut headers: Vec<String> = answer
        .headers
        .iter()
        .filter(|(name, _)| !OF_THE_MOMENT.contains(&name.as_str()))
        .map(|(name, value)| format!("{name}: {}\n", blank(&String::from_utf8_lossy(value.as_bytes()))))
        .collect();
    headers.sort();
    let body = blank(&String::from_utf8_lossy(&answer.body));
    let leaks = leaks.iter().map(|secret| format!("\nA SECRET: {secret:02x?}"));
    format!("{}\n{}\n{body}{}", answer.status, headers.concat(), leaks.collect::<String>())
}

/// Blanks quoted values with a variable form, and variable numbers.
fn blank(text: &str) -> String {
    let mut before = "";
    let parts: Vec<String> = text
        .split('"')
        .map(|part| {
            let name = std::mem::replace(&mut before, part);
            let of_bank = OF_BANKS.contains(&name);
            if of_bank { part.replace(|letter: char| letter.is_ascii_digit(), "") } else { blank_part(part) }
        })
        .collect();
    parts.join("\"")
}

fn blank_part(part: &str) -> String {
    let is_hexadecimal = part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_hash = is_hexadecimal && [64, 24].contains(&part.len());
    let is_code = part.len() == 8 && part.bytes().all(|byte| b"23456789BCDFGHJKMNPQRSTVWXZ".contains(&byte));
    if is_time(part) {
        "*".to_owned()
    } else if is_hash || is_code {
        "*".repeat(part.len())
    } else {
        without_ids(part)
    }
}

fn is_time(part: &str) -> bool {
    let bytes = part.as_bytes();
    bytes.len() >= 20 && bytes.ends_with(b"Z") && bytes.get(4) == Some(&b'-') && bytes.get(10) == Some(&b'T')
}

/// Blanks identifiers within a text, such as those in paths.
fn without_ids(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        match rest.get(..36).filter(|candidate| is_id(candidate)) {
            Some(id) => {
                kept.push_str(&"*".repeat(id.len()));
                rest = rest.get(36..).unwrap_or_default();
            }
            None => {
                kept.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
            }
        }
    }
    kept
}

fn is_id(text: &str) -> bool {
    text.bytes().enumerate().all(|(place, byte)| match place {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}
