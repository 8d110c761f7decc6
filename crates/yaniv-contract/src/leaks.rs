//! Finds leaked secrets of 32 bytes in answers.
//!
//! A secret is found raw, in hexadecimal, base64 or base64url, or as a list of numbers, alone or within longer text.
//! The caller supplies the secrets.

use std::collections::HashSet;

/// A secret.
pub type Secret = [u8; 32];

/// A part of an answer that could contain a secret.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Stretch {
    text: Vec<u8>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Form {
    Raw,
    Hex,
    Base64,
    Numbers,
}

/// All such parts of a body or header. Most answers have few: a commitment, identifiers in a path, a token.
#[must_use]
pub fn stretches(bytes: &[u8]) -> Vec<Stretch> {
    let mut found = Vec::new();
    let printable = |byte: &u8| !byte.is_ascii_control() || b"\r\n\t".contains(byte);
    if std::str::from_utf8(bytes).is_err() || !bytes.iter().all(printable) {
        found.push(Stretch { text: bytes.to_vec(), form: Form::Raw });
    }
    let is_hex: fn(u8) -> bool = |byte| byte.is_ascii_hexdigit();
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(&byte);
    let is_number = |byte: u8| byte.is_ascii_digit() || b", \r\n\t".contains(&byte);
    for (form, belongs, shortest) in
        [(Form::Hex, is_hex, 64), (Form::Base64, is_base64, 43), (Form::Numbers, is_number, 63)]
    {
        let texts = bytes.split(|byte| !belongs(*byte)).filter(|text| text.len() >= shortest);
        found.extend(texts.map(|text| Stretch { text: text.to_vec(), form }));
    }
    found
}

impl Stretch {
    /// A secret that it contains.
    #[must_use]
    pub fn secret(&self, is_secret: impl Fn(&Secret) -> bool) -> Option<Secret> {
        let found = |bytes: &Vec<u8>| {
            let windows = bytes.windows(32).filter_map(|window| Secret::try_from(window).ok());
            windows.into_iter().find(&is_secret)
        };
        self.readings().iter().find_map(found)
    }

    /// Its possible decodings. If text precedes a secret, its digits may start within a byte.
    fn readings(&self) -> Vec<Vec<u8>> {
        match self.form {
            Form::Raw => vec![self.text.clone()],
            Form::Hex => self.digits(4, 2),
            Form::Base64 => self.digits(6, 4),
            Form::Numbers => {
                let text = String::from_utf8_lossy(&self.text);
                // A number that is not a byte separates two lists.
                let numbers = text.split(',').map(|number| number.trim().parse().ok()).collect::<Vec<_>>();
                numbers
                    .split(Option::is_none)
                    .map(|bytes| bytes.iter().flatten().copied().collect())
                    .collect()
            }
        }
    }

    /// The bytes of digits of this many bits, starting at each of the first places.
    fn digits(&self, bits: u32, places: usize) -> Vec<Vec<u8>> {
        let from = |place: usize| {
            let (mut bytes, mut buffer, mut held) = (Vec::new(), 0_u32, 0);
            for digit in self.text.iter().skip(place) {
                buffer = (buffer << bits | value(*digit, self.form)) & 0xffff;
                held += bits;
                if held >= 8 {
                    held -= 8;
                    bytes.extend(u8::try_from(buffer >> held & 0xff));
                }
            }
            bytes
        };
        (0..places).map(from).collect()
    }
}

fn value(digit: u8, form: Form) -> u32 {
    let value = match (form, digit) {
        (_, b'0'..=b'9') if form != Form::Base64 => digit - b'0',
        (Form::Hex, b'a'..=b'f') => digit - b'a' + 10,
        (Form::Hex, _) => digit.saturating_sub(b'A') + 10,
        (_, b'A'..=b'Z') => digit - b'A',
        (_, b'a'..=b'z') => digit - b'a' + 26,
        (_, b'0'..=b'9') => digit - b'0' + 52,
        (_, b'+' | b'-') => 62,
        _ => 63,
    };
    u32::from(value)
}

/// A secret of this set that occurs anywhere in these bytes.
#[must_use]
pub fn leaked(bytes: &[u8], secrets: &HashSet<Secret>) -> Option<Secret> {
    stretches(bytes).iter().find_map(|stretch| stretch.secret(|window| secrets.contains(window)))
}
