//! Validity of names and other free text, and the skeletons of names. Names are compared by skeleton (UTS 39)
//! and never rewritten; uniqueness is enforced in `accounts::name_registry`.

use rand::seq::IndexedRandom;
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{is_nfc, is_nfkc};
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

use crate::ServiceError;

/// Prefix of the names of guests.
pub(crate) const GUEST_PREFIX: &str = "guest_";
/// Prefix of the names of deleted accounts.
pub(crate) const DELETED_PREFIX: &str = "deleted_";
/// Prefix of the names of house bots.
pub(crate) const HOUSE_PREFIX: &str = "house_";
/// Names that could be mistaken for the service's own.
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
/// Maximum length of a display name, in characters.
const LONGEST: usize = 30;
/// Characters allowed in a display name in addition to letters, marks and digits.
const BETWEEN: &[char] = &[' ', '-', '.', '_', '\'', '\u{2019}'];
/// Letters, marks and symbols that are invisible or look like a space.
const INVISIBLE: &[char] = &[
    '\u{34f}', '\u{115f}', '\u{1160}', '\u{17b4}', '\u{17b5}', '\u{180b}', '\u{180c}', '\u{180d}',
    '\u{180f}', '\u{2800}', '\u{3164}', '\u{ffa0}',
];
/// Alphabet of generated names: no vowels, so no words, and no characters that look alike.
const ALPHABET: &[u8] = b"23456789bcdfghjkmnpqrstvwxz";
/// Number of random characters in a generated name after its prefix: 27^10 are 2 · 10^14.
const GENERATED: usize = 10;

/// Skeleton of a name: equal for names that look alike, regardless of case. Never shown.
pub(crate) fn look(name: &str) -> String {
    // Once for the original letters, as a capital i looks like a small l; once for the case-folded letters.
    let first: String = skeleton(name).collect();
    let folded: String = first.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    skeleton(&folded)
        .map(|letter| if letter == 'i' { 'l' } else { letter })
        .flat_map(char::to_lowercase)
        .collect()
}

/// A random name.
pub(crate) fn generated(prefix: &str) -> String {
    let letters = (0..GENERATED).filter_map(|_| ALPHABET.choose(&mut rand::rng()));
    prefix.chars().chain(letters.map(|&letter| char::from(letter))).collect()
}

/// Checks that a well-formed username is not reserved.
///
/// # Errors
/// `UsernameReserved`.
pub(crate) fn check_not_reserved(username: &str) -> Result<(), ServiceError> {
    if is_reserved(&look(username)) { Err(ServiceError::UsernameReserved) } else { Ok(()) }
}

fn is_reserved(seen: &str) -> bool {
    RESERVED.iter().any(|name| look(name) == seen)
        || [GUEST_PREFIX, DELETED_PREFIX, HOUSE_PREFIX].iter().any(|prefix| seen.starts_with(&look(prefix)))
}

/// Checks a display name and returns its skeleton.
///
/// # Errors
/// `InvalidDisplayName`, `DisplayNameTaken` for reserved names.
pub(crate) fn check_display_name(name: &str) -> Result<String, ServiceError> {
    let refused = |reason, detail| ServiceError::InvalidDisplayName { reason, detail };
    if !(1..=LONGEST).contains(&name.chars().count()) {
        return Err(refused("length", "must be 1 to 30 characters"));
    }
    let known = |letter: char| BETWEEN.contains(&letter) || letter.identifier_allowed();
    if !name.chars().all(known) || !is_nfkc(name) {
        let detail = "must be of letters, digits, spaces and - . _ ' in their usual form (NFKC)";
        return Err(refused("characters", detail));
    }
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    if !begins || name.ends_with(' ') || name.contains("  ") {
        let detail = "has to begin with a letter or a digit, with no more than one space between words";
        return Err(refused("spaces", detail));
    }
    if has_many_marks(name) {
        return Err(refused("marks", "must have at most two marks on a letter"));
    }
    if !name.is_single_script() {
        return Err(refused("scripts", "must be of one script"));
    }
    let seen = look(name);
    if is_reserved(&seen) { Err(ServiceError::DisplayNameTaken) } else { Ok(seen) }
}

/// Checks a free text of a user: a dedication, the name of a device, a token or a channel.
///
/// It is one line of visible characters in any script.
///
/// # Errors
/// `InvalidField`.
pub(crate) fn check_text(field: &'static str, text: &str, most: usize) -> Result<(), ServiceError> {
    let refused = |detail| Err(ServiceError::InvalidField { field, detail });
    if !(1..=most).contains(&text.chars().count()) {
        return refused("is empty or too long");
    }
    if !text.chars().all(is_seen) || !is_nfc(text) {
        return refused(
            "must be of letters, marks, digits, punctuation, symbols and spaces in their usual form (NFC)",
        );
    }
    if text.starts_with(' ') || text.ends_with(' ') || text.contains("  ") {
        return refused("must have no space at either end, and single spaces between words");
    }
    if has_many_marks(text) || text.chars().next().is_some_and(is_combining_mark) {
        return refused("must have at most two marks on a letter");
    }
    Ok(())
}

/// Whether a character is a space or visible: no control or format character (as U+202E and U+200B), none
/// that is private use or unassigned.
fn is_seen(letter: char) -> bool {
    let selector = matches!(letter, '\u{fe00}'..='\u{fe0e}' | '\u{e0100}'..='\u{e01ef}');
    match letter.general_category_group() {
        GeneralCategoryGroup::Other => false,
        GeneralCategoryGroup::Separator => letter == ' ',
        _ => !selector && !INVISIBLE.contains(&letter),
    }
}

fn has_many_marks(text: &str) -> bool {
    let marks: Vec<bool> = text.chars().map(is_combining_mark).collect();
    marks.windows(3).any(|three| three.iter().all(|mark| *mark))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::calendars::check_time_zone;

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

    /// The database has its own computation of the skeleton: migration `add_profiles`.
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
    fn free_text_is_a_line_of_what_can_be_seen() {
        let good = [
            "for your patience",
            "für deine Geduld 🎁",
            "Ada's phone (old)…",
            "Привет, Ada!",
            "שלום, Ada",
            "½ price? → yes",
            "❤\u{fe0f}",
            "山田さんへ",
        ];
        for text in good {
            assert!(check_text("text", text, 140).is_ok(), "{text}");
        }
        let bad = [
            "",
            " ",
            " a",
            "a ",
            "a  b",
            "a\nb",
            "a\u{202e}b",
            "a\u{2066}b",
            "a\u{200b}b",
            "a\u{200d}b",
            "a\u{feff}",
            "a\u{ad}b",
            "a\u{a0}b",
            "a\u{2003}b",
            "a\u{2028}b",
            "a\u{e000}",
            "a\u{378}",
            "a\u{e0041}",
            "\u{3164}",
            "\u{2800}",
            "e\u{301}",
            "\u{301}a",
            "q\u{302}\u{302}\u{302}",
        ];
        for text in bad {
            assert!(check_text("text", text, 140).is_err(), "{text:?}");
        }
        assert!(check_text("text", &"ä".repeat(140), 140).is_ok());
        assert!(check_text("text", &"ä".repeat(141), 140).is_err());
    }

    #[test]
    fn time_zones_are_checked() {
        for zone in ["Europe/Berlin", "UTC", "America/Argentina/Buenos_Aires"] {
            assert!(check_time_zone(zone).is_ok(), "{zone}");
        }
        for zone in ["", "Berlin", "Europe/berlin", "CET+1", "../etc/passwd"] {
            assert!(check_time_zone(zone).is_err(), "{zone}");
        }
        assert_eq!(generated(GUEST_PREFIX).len(), 16);
    }
}
