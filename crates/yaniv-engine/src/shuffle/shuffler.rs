//! The streams of rules §10 and the draws from them: shuffles, the first starter, the order of the seats. This is the
//! engine's only randomness, and it is derived from the seeds alone.

use std::fmt;
use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::cards::card::Card;
use crate::shuffle::seeds::{Seed, SeedChain};

/// The source of every shuffle of one match.
#[derive(Clone)]
pub struct Shuffler {
    seeds: Seeds,
    match_id: String,
    /// By seat, joined with commas.
    client_seeds: String,
}

#[derive(Clone)]
enum Seeds {
    /// The whole chain, for the server.
    Chain(Arc<SeedChain>),
    /// The published seeds, of the rounds from 1 on, for verifiers.
    Published(Vec<Seed>),
    /// None, for positions. Nothing is shuffled; the cards stay in canonical order.
    None,
}

impl Shuffler {
    /// The shuffles of a match. Client seeds are by seat (for [`seat_order`](Shuffler::seat_order): in the
    /// order of joining) and must be [valid](crate::valid_client_seed); the id has no line break.
    pub fn new(chain: impl Into<Arc<SeedChain>>, match_id: &str, client_seeds: &[String]) -> Shuffler {
        Shuffler::with(Seeds::Chain(chain.into()), match_id, client_seeds)
    }

    /// The shuffles of a match of which only these seeds are known, from round 1 on. Later rounds are not shuffled.
    pub fn from_published(seeds: Vec<Seed>, match_id: &str, client_seeds: &[String]) -> Shuffler {
        Shuffler::with(Seeds::Published(seeds), match_id, client_seeds)
    }

    /// No seeds: everything stays in canonical order, as in positions (rules §12).
    pub const fn unseeded() -> Shuffler {
        Shuffler { seeds: Seeds::None, match_id: String::new(), client_seeds: String::new() }
    }

    /// A permutation of `0..n`, drawn with the seed of round 1 and the label `seats`.
    ///
    /// Element `i` is the player, counted in joining order, who gets seat `i`. An extension of the service, used before
    /// a match starts.
    pub fn seat_order(&self, n: u8) -> Vec<u8> {
        let mut order: Vec<u8> = (0..n).collect();
        self.permute(1, "seats", &mut order);
        order
    }

    /// The starter of round 1.
    pub(crate) fn starter(&self, players: u8) -> u8 {
        let Some(mut stream) = self.stream(1, "starter") else {
            return 0;
        };
        u8::try_from(stream.uniform(u32::from(players))).unwrap_or(0)
    }

    /// Shuffles these cards, given in canonical order; index 0 is the top.
    pub(crate) fn shuffle(&self, round: u16, label: &str, cards: &mut [Card]) {
        self.permute(round, label, cards);
    }

    /// The seed of a round, if known.
    #[cfg(feature = "serde")]
    pub(crate) fn seed(&self, round: u16) -> Option<Seed> {
        match &self.seeds {
            Seeds::Chain(chain) => Some(chain.round(round)),
            Seeds::Published(seeds) => seeds.get(usize::from(round).checked_sub(1)?).copied(),
            Seeds::None => None,
        }
    }

    fn with(seeds: Seeds, match_id: &str, client_seeds: &[String]) -> Shuffler {
        Shuffler { seeds, match_id: match_id.to_owned(), client_seeds: client_seeds.join(",") }
    }

    fn permute<T>(&self, round: u16, label: &str, items: &mut [T]) {
        let Some(mut stream) = self.stream(round, label) else {
            return;
        };
        for i in (1..items.len()).rev() {
            let below = u32::try_from(i + 1).unwrap_or(u32::MAX);
            items.swap(i, usize::try_from(stream.uniform(below)).unwrap_or(i));
        }
    }

    fn stream(&self, round: u16, label: &str) -> Option<Stream> {
        let seed = match &self.seeds {
            Seeds::Chain(chain) => chain.round(round),
            Seeds::Published(seeds) => *seeds.get(usize::from(round).checked_sub(1)?)?,
            Seeds::None => return None,
        };
        // HMAC pads a short key with zeros; constructing it with a key of the block's length cannot fail.
        let mut key = [0; 64];
        let (used, _) = key.split_at_mut(32);
        used.copy_from_slice(seed.as_bytes());
        let mut start = Hmac::<Sha256>::new(&key.into());
        for part in ["yaniv-shuffle/1", &self.match_id, &round.to_string(), label, &self.client_seeds] {
            start.update(part.as_bytes());
            start.update(b"\n");
        }
        Some(Stream { start, block: 0, words: [0; 8], used: 8 })
    }
}

impl fmt::Debug for Shuffler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shuffler").field("match_id", &self.match_id).finish_non_exhaustive()
    }
}

/// The random words of one shuffle.
struct Stream {
    /// State after the whole message but the number of the block.
    start: Hmac<Sha256>,
    block: u32,
    words: [u32; 8],
    used: usize,
}

impl Stream {
    fn word(&mut self) -> u32 {
        if let Some(word) = self.words.get(self.used) {
            self.used += 1;
            return *word;
        }
        let mut mac = self.start.clone();
        mac.update(self.block.to_string().as_bytes());
        let bytes: [u8; 32] = mac.finalize().into_bytes().into();
        for (word, chunk) in self.words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_be_bytes(*chunk);
        }
        self.block += 1;
        self.used = 1;
        let [first, ..] = self.words;
        first
    }

    /// A uniform number below `n`, which is not 0.
    fn uniform(&mut self, n: u32) -> u32 {
        // The largest multiple of n up to 2^32, kept as its distance from 2^32 to stay within 32 bits.
        let beyond = (u32::MAX % n + 1) % n;
        loop {
            let word = self.word();
            if word <= u32::MAX - beyond {
                return word % n;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a line `name = value` of the page for those who write a checker.
    fn vector(name: &str) -> Vec<&'static str> {
        let page = include_str!("../../../../docs/fairness.md");
        let find = |line: &'static str| line.strip_prefix(name)?.strip_prefix(" = ");
        page.lines().find_map(find).expect("a vector").split(' ').collect()
    }

    fn shuffler() -> Shuffler {
        let root = std::array::from_fn(|i| u8::try_from(i).unwrap_or(0));
        Shuffler::new(SeedChain::new(root), "m", &[String::new(), String::new()])
    }

    #[test]
    fn words_and_numbers_are_those_of_the_page() {
        let mut stream = shuffler().stream(1, "deal").expect("a seed");
        let words: Vec<String> = (0..10).map(|_| format!("{:08x}", stream.word())).collect();
        assert_eq!(words, vector("stream.words"));
        let mut stream = shuffler().stream(1, "deal").expect("a seed");
        let below = vector("uniform.below").concat().parse().expect("a number");
        let drawn: Vec<String> = (0..5).map(|_| stream.uniform(below).to_string()).collect();
        assert_eq!(drawn, vector("uniform.drawn"));
        let refused: u32 = vector("uniform.refused").concat().parse().expect("a number");
        assert_eq!(stream.block * 8 - 8 + u32::try_from(stream.used).unwrap_or(0), 5 + refused);
    }

    #[test]
    fn a_refill_is_that_of_the_page() {
        let mut cards: Vec<Card> =
            vector("recycle.before").iter().map(|code| code.parse().expect("a card")).collect();
        shuffler().shuffle(1, vector("recycle.label").concat().as_str(), &mut cards);
        let codes: Vec<String> = cards.iter().map(Card::to_string).collect();
        assert_eq!(codes, vector("recycle.after"));
    }
}
