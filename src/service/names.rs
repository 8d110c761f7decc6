//! What accounts may be called, and what names look like. Names are compared by their looks (UTS 39) and never rewritten;
//! that nobody's name passes for another's is seen to in `name_keeping`.

use chrono_tz::Tz;
use rand::seq::IndexedRandom;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::is_nfkc;
use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

use super::ServiceError;

/// What the names of guests begin with.
pub(super) const GUEST_PREFIX: &str = "guest_";
/// What the names of those begin with who have deleted their account.
pub(super) const DELETED_PREFIX: &str = "deleted_";
/// What the names of the bots of the house begin with.
pub(super) const HOUSE_PREFIX: &str = "house_";
/// Names that would pass for the service's own.
const RESERVED: &[&str] = &[
    "admin",
    "administrator",
    "moderator",
    "official",
    "operator",
    "root",
    "security",
    "service",
    "staff",
    "support",
    "system",
    "yaniv",
];
/// Longest display name, in characters.
const LONGEST: usize = 30;
/// What a display name may have besides letters, marks and digits.
const BETWEEN: &[char] = &[' ', '-', '.', '_', '\'', '\u{2019}'];
/// Of generated names: no vowels, so no words, and nothing that looks like something else.
const ALPHABET: &[u8] = b"23456789bcdfghjkmnpqrstvwxz";
/// Letters in a generated name, behind its prefix: 27^10 are 2 · 10^14.
const GENERATED: usize = 10;

/// What a name looks like: two that look alike, whatever their case, have the same. Never shown.
pub(super) fn look(name: &str) -> String {
    // Once for the letters as they are, as a capital i looks like a small l; once for what they are without their case.
    let first: String = skeleton(name).collect();
    let folded: String = first.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    skeleton(&folded)
        .map(|letter| if letter == 'i' { 'l' } else { letter })
        .flat_map(char::to_lowercase)
        .collect()
}

/// A name that says nothing of whoever has it.
pub(super) fn generated(prefix: &str) -> String {
    let letters = (0..GENERATED).filter_map(|_| ALPHABET.choose(&mut rand::rng()));
    prefix.chars().chain(letters.map(|&letter| char::from(letter))).collect()
}

/// Whether somebody may choose this username, whose form is right.
///
/// # Errors
/// `UsernameReserved`.
pub(super) fn check_not_reserved(username: &str) -> Result<(), ServiceError> {
    if is_reserved(&look(username)) { Err(ServiceError::UsernameReserved) } else { Ok(()) }
}

fn is_reserved(seen: &str) -> bool {
    RESERVED.iter().any(|name| look(name) == seen)
        || [GUEST_PREFIX, DELETED_PREFIX, HOUSE_PREFIX].iter().any(|prefix| seen.starts_with(&look(prefix)))
}

/// Whether a display name is one, and what it looks like.
///
/// # Errors
/// `InvalidField`, `DisplayNameTaken` for those that are reserved.
pub(super) fn check_display_name(name: &str) -> Result<String, ServiceError> {
    let refused = |detail| ServiceError::InvalidField { field: "display_name", detail };
    if !(1..=LONGEST).contains(&name.chars().count()) {
        return Err(refused("has to be 1 to 30 characters"));
    }
    let known = |letter: char| BETWEEN.contains(&letter) || letter.identifier_allowed();
    if !name.chars().all(known) || !is_nfkc(name) {
        return Err(refused("has to be of letters, digits, spaces and - . _ ' in their usual form (NFKC)"));
    }
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    if !begins || name.ends_with(' ') || name.contains("  ") {
        return Err(refused(
            "has to begin with a letter or a digit, with no more than one space between words",
        ));
    }
    let marks: Vec<bool> = name.chars().map(is_combining_mark).collect();
    if marks.windows(3).any(|three| three.iter().all(|mark| *mark)) {
        return Err(refused("has to have no more than two marks on a letter"));
    }
    if !name.is_single_script() {
        return Err(refused("has to be of one script"));
    }
    let seen = look(name);
    if is_reserved(&seen) { Err(ServiceError::DisplayNameTaken) } else { Ok(seen) }
}

/// Whether a text is a language tag by its form (BCP 47).
///
/// # Errors
/// `InvalidField`.
pub(super) fn check_language(tag: &str) -> Result<(), ServiceError> {
    let mut parts = tag.split('-');
    let first = parts.next().unwrap_or_default();
    let right = (2..=35).contains(&tag.len())
        && (2..=8).contains(&first.len())
        && first.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
    if right {
        return Ok(());
    }
    let detail = "has to be a language tag (BCP 47), as de or pt-BR";
    Err(ServiceError::InvalidField { field: "language", detail })
}

/// The time zone of this name.
///
/// # Errors
/// `InvalidField`.
pub(super) fn check_time_zone(name: &str) -> Result<Tz, ServiceError> {
    let detail = "has to be a name of the IANA time zone database, as Europe/Berlin";
    name.parse().map_err(|_| ServiceError::InvalidField { field: "time_zone", detail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_look_alike_look_the_same() {
        let alike: &[(&str, &str)] = &[
            ("Alice", "alice"),
            ("Alice", "AIice"),
            ("Alice", "\u{410}lice"),
            ("BILL", "Bill"),
            ("bill", "b1ll"),
            ("Moe", "rn0e"),
            ("Ada's", "ada\u{2019}s"),
            ("STRASSE", "straße"),
            ("ada", "\u{430}\u{501}\u{430}"),
        ];
        for (one, other) in alike {
            assert_eq!(look(one), look(other), "{one} {other}");
        }
        for (one, other) in [("ada", "bob"), ("Ada L", "AdaL"), ("Jose", "José"), ("o", "ö")] {
            assert_ne!(look(one), look(other), "{one} {other}");
        }
    }

    /// The database works it out for itself: migration `add_profiles`.
    #[test]
    fn usernames_look_as_the_database_says() {
        let every = "abcdefghijklmnopqrstuvwxyz0123456789_";
        assert_eq!(look(every), "abcdefghljkl\u{72}nnopqrstuvwxyzol23456789_");
    }

    #[test]
    fn display_names_are_of_one_script_and_in_their_usual_form() {
        let good = [
            "Ada",
            "Ada Lovelace",
            "O’Neill",
            "J. R.",
            "Jean-Luc",
            "Zoë",
            "Ада",
            "李小龙",
            "たけし さん",
            "김철수",
            "נועה",
            "7even",
            "محمد",
        ];
        for name in good {
            assert!(check_display_name(name).is_ok(), "{name}");
        }
        let long = "a".repeat(31);
        let bad = [
            "",
            " ",
            " Ada",
            "Ada ",
            "A  da",
            "Аda",
            "Ada\u{200d}",
            "Ada\u{202e}",
            "A\u{0}",
            "ﬁne",
            "ᴮᴵᴳ",
            "Ａｄａ",
            "a\nb",
            "\u{301}a",
            "-a",
            "😀",
            "a😀",
            "A\u{304}\u{200b}",
            "Zoe\u{308}",
            &long,
            "Ad\u{ad}a",
            "<b>",
            "Paxλ",
        ];
        for name in bad {
            assert!(check_display_name(name).is_err(), "{name:?}");
        }
        for name in ["Admin", "YANIV", "Yan1v", "guest_of_honour", "Deleted_1", "Rоot", "House_hard_1"] {
            assert!(check_display_name(name).is_err(), "{name:?}");
        }
        assert!(check_not_reserved("adm1n").is_err() && check_not_reserved("guest_1").is_err());
        assert!(check_not_reserved("house_hard_1").is_err() && check_not_reserved("h0use_fan").is_err());
        assert!(check_not_reserved("guest").is_ok() && check_not_reserved("administrators").is_ok());
    }

    #[test]
    fn languages_and_time_zones_are_checked() {
        for tag in ["de", "pt-BR", "zh-Hant-TW", "sr-Latn", "es-419"] {
            assert!(check_language(tag).is_ok(), "{tag}");
        }
        for tag in ["", "d", "de_DE", "de-", "1a", "germanlanguage"] {
            assert!(check_language(tag).is_err(), "{tag}");
        }
        for zone in ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"] {
            assert!(check_time_zone(zone).is_ok(), "{zone}");
        }
        for zone in ["", "Berlin", "Europe/berlin", "CET+1", "../etc/passwd"] {
            assert!(check_time_zone(zone).is_err(), "{zone}");
        }
        assert_eq!(generated(GUEST_PREFIX).len(), 16);
    }
}
