//! Seeds and their chain (rules §10): secret until a round ends. The streams drawn from them are in `shuffler.rs`. The
//! caller supplies the first 32 bytes.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::error::BadNotation;

/// The number of the last round that a chain has a seed for, and the longest match (rules §8).
pub const MAX_ROUNDS: u16 = 1000;

/// 32 bytes: the seed of a round, or the commitment. `Debug` shows none of them.
#[derive(Copy, Clone, PartialEq, Eq, Hash)]
pub struct Seed([u8; 32]);

/// The chain `s[1000]` to `s[0]`: each link is the SHA-256 of the one after it.
#[derive(Clone)]
pub struct SeedChain {
    root: Seed,
    /// `s[0], s[128], … s[896]`, computed at first use: they shorten later walks along the chain.
    marks: OnceLock<Box<[Seed]>>,
}

impl Seed {
    /// A seed from its bytes.
    pub const fn new(bytes: [u8; 32]) -> Seed {
        Seed(bytes)
    }

    /// The bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The seed of the round before, or the commitment: SHA-256 of the 32 raw bytes.
    pub fn previous(&self) -> Seed {
        Seed(Sha256::digest(self.0).into())
    }

    /// 64 lower-case hexadecimal digits.
    pub fn to_hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Parses the form of [`to_hex`](Seed::to_hex).
    ///
    /// # Errors
    /// Anything but 64 digits with lower-case letters.
    pub fn from_hex(text: &str) -> Result<Seed, BadNotation> {
        let wrong = BadNotation::new("a seed is 64 lower-case hexadecimal digits");
        let mut bytes = [0; 32];
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        if pairs.len() != bytes.len() || !rest.is_empty() {
            return Err(wrong);
        }
        for (byte, &[high, low]) in bytes.iter_mut().zip(pairs) {
            *byte = (digit(high).ok_or(wrong)? << 4) | digit(low).ok_or(wrong)?;
        }
        Ok(Seed(bytes))
    }
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl FromStr for Seed {
    type Err = BadNotation;

    fn from_str(text: &str) -> Result<Seed, BadNotation> {
        Seed::from_hex(text)
    }
}

impl SeedChain {
    const STRIDE: u16 = 128;

    /// The chain below these 32 random bytes, which are `s[1000]`.
    pub const fn new(root: [u8; 32]) -> SeedChain {
        SeedChain { root: Seed(root), marks: OnceLock::new() }
    }

    /// `s[0]`, published before the first player joins.
    pub fn commitment(&self) -> Seed {
        self.round(0)
    }

    /// `s[k]`, the seed of round `k` (1 to 1000), published when that round ends; beyond 1000 it is `s[1000]`.
    pub fn round(&self, k: u16) -> Seed {
        let mark = k.div_ceil(SeedChain::STRIDE);
        let (from, seed) = match self.marks().get(usize::from(mark)) {
            Some(seed) => (mark * SeedChain::STRIDE, *seed),
            None => (MAX_ROUNDS, self.root),
        };
        walk(seed, from.saturating_sub(k))
    }

    fn marks(&self) -> &[Seed] {
        self.marks.get_or_init(|| {
            let last = MAX_ROUNDS / SeedChain::STRIDE;
            let mut seed = walk(self.root, MAX_ROUNDS - last * SeedChain::STRIDE);
            let mut marks = vec![seed];
            for _ in 0..last {
                seed = walk(seed, SeedChain::STRIDE);
                marks.push(seed);
            }
            marks.reverse();
            marks.into()
        })
    }
}

fn walk(seed: Seed, steps: u16) -> Seed {
    (0..steps).fold(seed, |seed, _| seed.previous())
}

impl fmt::Debug for SeedChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SeedChain(..)")
    }
}

/// Whether this is a valid client seed: at most 64 printable ASCII characters, no comma (rules §10).
pub fn valid_client_seed(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|byte| (0x20..=0x7e).contains(&byte) && byte != b',')
}

#[cfg(feature = "serde")]
impl serde::Serialize for Seed {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Seed {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Seed, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_the_plain_walk_agree() {
        let chain = SeedChain::new([7; 32]);
        let mut seed = Seed::new([7; 32]);
        for k in (0..=MAX_ROUNDS).rev() {
            assert_eq!(chain.round(k), seed, "s[{k}]");
            seed = seed.previous();
        }
        assert_eq!(format!("{seed:?} {chain:?}"), "Seed(..) SeedChain(..)");
    }

    #[test]
    fn hexadecimal_is_strict() {
        let seed = Seed::new(std::array::from_fn(|i| u8::try_from(i * 8).unwrap_or(0)));
        assert_eq!(Seed::from_hex(&seed.to_hex()), Ok(seed));
        assert!(Seed::from_hex(&seed.to_hex().to_uppercase()).is_err());
        assert!(Seed::from_hex("00").is_err());
    }
}
