//! Codes that people read to each other and type: the letters, and how a code is drawn.

use rand::seq::IndexedRandom;

/// Letters of a code: no vowels, so no words, and no look-alikes. 27 letters are 4.75 bits each.
const LETTERS: &[u8] = b"23456789BCDFGHJKMNPQRSTVWXZ";

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
