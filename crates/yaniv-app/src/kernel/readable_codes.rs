//! Codes that people read to each other and type: the letters, and how a code is drawn.

use rand::seq::IndexedRandom;
use sha2::{Digest, Sha256};

/// Letters of a code: no vowels, so no words, and no look-alikes. 27 letters are 4.75 bits each.
const LETTERS: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXZ";
/// Groups of a secret code, and letters of a group: 27^15 codes are 71 bits.
const SECRET: (usize, usize) = (3, 5);

/// A random code of this length, from a cryptographic generator.
pub(crate) fn draw(length: usize) -> String {
    let letters = (0..length).filter_map(|_| LETTERS.choose(&mut rand::rng()));
    letters.map(|&letter| char::from(letter)).collect()
}

/// A random code of several groups with hyphens between them, easy to read aloud.
pub(crate) fn draw_groups(groups: usize, length: usize) -> String {
    (0..groups).map(|_| draw(length)).collect::<Vec<_>>().join("-")
}

/// Whether a text can be a code of this length.
pub(crate) fn is_drawn(code: &str, length: usize) -> bool {
    code.len() == length && code.bytes().all(|letter| LETTERS.contains(&letter))
}

/// A random code that is as good as a password for a short time, and its hash: only the hash is stored.
pub(crate) fn draw_secret_code() -> (String, [u8; 32]) {
    let code = draw_groups(SECRET.0, SECRET.1);
    let hash = Sha256::digest(&code).into();
    (code, hash)
}

/// The hash of a secret code as a player typed it; `None` if it cannot be one.
pub(crate) fn secret_code_hash(typed: &str) -> Option<[u8; 32]> {
    let letters = typed.chars().filter(|letter| *letter != '-' && !letter.is_whitespace());
    let letters: Vec<char> = letters.map(|letter| letter.to_ascii_uppercase()).collect();
    let groups: Vec<String> = letters.chunks(SECRET.1).map(|group| group.iter().collect()).collect();
    let right = groups.len() == SECRET.0 && groups.iter().all(|group| is_drawn(group, SECRET.1));
    right.then(|| Sha256::digest(groups.join("-")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_code_is_read_as_it_is_shown_and_as_people_type_it() {
        let (code, hash) = draw_secret_code();
        assert_eq!(code.len(), 17);
        for typed in [
            &code,
            &code.to_lowercase(),
            &code.replace('-', " "),
            &code.replace('-', ""),
            &format!("\u{a0}{code}\r\n"),
        ] {
            assert_eq!(secret_code_hash(typed), Some(hash));
        }
        let long = format!("{code}2");
        for odd in ["", "A", &code[1..], long.as_str(), "AAAAA-AAAAA-AAAAA", "22222-22222-222\u{df}2"] {
            assert_eq!(secret_code_hash(odd), None, "{odd}");
        }
    }
}
