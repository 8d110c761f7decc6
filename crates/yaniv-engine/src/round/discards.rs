//! The discards of a hand, in canonical form (rules §12). Classification of thrown cards is in `meld.rs`; tests compare
//! the two. Runs are in `runs.rs`.

#![expect(clippy::indexing_slicing, reason = "lengths are at most those of the hand, which the buffers hold")]

use crate::cards::bag::{Bag, bits};
use crate::cards::card::Card;
use crate::cards::set::Cards;
use crate::round::{meld, runs};
use crate::rules::choices::Pickup;
use crate::rules::rule_set::Rules;

const BUFFER: usize = meld::LONGEST;

/// All discards, sorted as ASCII; at most `limit`, and whether the list is complete.
pub(crate) fn list(rules: &Rules, hand: &Bag, limit: usize) -> (Vec<Cards>, bool) {
    if hand.len() <= Packed::CARDS {
        let mut packed = Packed { inline: [0; 64], len: 0, more: Vec::new(), limit };
        let complete = generate(rules, hand, &mut packed);
        (packed.finish(), complete)
    } else {
        let mut long = Long { found: Vec::new(), limit };
        let complete = generate(rules, hand, &mut long);
        long.found.sort_unstable_by(|a, b| {
            a.iter().map(|card| card.ascii_rank()).cmp(b.iter().map(|card| card.ascii_rank()))
        });
        long.found.dedup();
        (long.found, complete)
    }
}

/// The number of discards, some possibly counted twice, and the work of listing them in cards written; `None` if there
/// are more than `limit`.
#[cfg(feature = "serde")]
pub(crate) fn effort(rules: &Rules, hand: &Bag, limit: usize) -> Option<(usize, usize)> {
    let mut count = Count { found: 0, work: 0, limit };
    generate(rules, hand, &mut count).then_some((count.found, count.work))
}

impl Rules {
    /// The points of the heaviest discard among these cards; for hands with very many discards, among those found
    /// first. Much faster than listing them.
    pub fn heaviest_discard(&self, hand: &[Card]) -> u16 {
        let mut heaviest = Heaviest { rules: self, most: 0, left: 4096 };
        generate(self, &Bag::of(hand), &mut heaviest);
        heaviest.most
    }
}

/// Receives discards one by one; `false` when it wants no more.
pub(crate) trait Sink {
    fn put(&mut self, cards: &[Card]) -> bool;

    /// Reports a choice of cards that was examined and may not be a discard.
    fn step(&mut self) {}
}

/// Discards of at most ten cards as numbers that sort like their text: six bits for each card.
struct Packed {
    inline: [u64; 64],
    len: usize,
    more: Vec<u64>,
    limit: usize,
}

impl Packed {
    const CARDS: usize = 10;

    fn finish(mut self) -> Vec<Cards> {
        let keys = if self.more.is_empty() {
            &mut self.inline[..self.len]
        } else {
            self.more.extend_from_slice(&self.inline[..self.len]);
            &mut self.more
        };
        keys.sort_unstable();
        let mut found: Vec<Cards> = Vec::with_capacity(keys.len());
        let mut before = 0;
        for &key in keys.iter().filter(|key| **key != 0) {
            if key != before {
                found.push(unpack(key));
            }
            before = key;
        }
        found
    }
}

impl Sink for Packed {
    fn put(&mut self, cards: &[Card]) -> bool {
        let mut key = 0;
        let mut shift = 60;
        for card in cards {
            shift -= 6;
            key |= u64::from(card.ascii_rank() + 1) << shift;
        }
        if self.len == self.inline.len() {
            self.more.extend_from_slice(&self.inline);
            self.len = 0;
        }
        self.inline[self.len] = key;
        self.len += 1;
        self.more.len() + self.len < self.limit
    }
}

fn unpack(key: u64) -> Cards {
    let mut cards = [Card::BLACK_JOKER; Packed::CARDS];
    let mut len = 0;
    let mut rest = key << 4;
    while rest != 0 {
        let [.., high] = (rest >> 2).to_le_bytes();
        cards[len] = Card::from_ascii_rank((high & 63).saturating_sub(1));
        len += 1;
        rest <<= 6;
    }
    Cards::from(&cards[..len])
}

/// Discards of any length.
struct Long {
    found: Vec<Cards>,
    limit: usize,
}

impl Sink for Long {
    fn put(&mut self, cards: &[Card]) -> bool {
        self.found.push(Cards::from(cards));
        self.found.len() < self.limit
    }
}

/// Weighs only.
struct Heaviest<'a> {
    rules: &'a Rules,
    most: u16,
    left: u16,
}

impl Sink for Heaviest<'_> {
    fn put(&mut self, cards: &[Card]) -> bool {
        self.most = self.most.max(self.rules.points(cards));
        self.left -= 1;
        self.left > 0
    }
}

/// Counts only.
#[cfg(feature = "serde")]
struct Count {
    found: usize,
    work: usize,
    limit: usize,
}

#[cfg(feature = "serde")]
impl Sink for Count {
    fn put(&mut self, cards: &[Card]) -> bool {
        self.found += 1;
        self.work += cards.len();
        self.found <= self.limit
    }

    fn step(&mut self) {
        self.work += 1;
    }
}

/// Emits every discard once, or twice if a run reads in both directions; `false` if the sink has enough.
fn generate(rules: &Rules, hand: &Bag, sink: &mut impl Sink) -> bool {
    bits(hand.mask()).all(|card| sink.put(&[card]))
        && sets(rules, hand, sink)
        && runs::generate(rules, hand, sink)
}

fn sets(rules: &Rules, hand: &Bag, sink: &mut impl Sink) -> bool {
    let options = rules.options();
    let jokers = hand.mask() >> 52;
    let joining = if options.jokers_in_sets { jokers << 52 } else { 0 };
    // Four bits per rank: those of ranks that can form a set.
    let mut groups = if joining != 0 || hand.has_equal_cards() {
        hand.mask()
    } else {
        // Number of bits set in each group of four; two, three and four have a bit in common with six.
        let pairs = hand.mask() - ((hand.mask() >> 1) & 0x5555_5555_5555_5555);
        let counts = (pairs & 0x3333_3333_3333_3333) + ((pairs >> 2) & 0x3333_3333_3333_3333);
        counts & 0x6666_6666_6666_6666
    };
    while groups != 0 {
        let first = groups.trailing_zeros() / 4 * 4;
        let four = 15 << first;
        groups &= !four;
        let is_jokers = first == 52;
        let mask = if is_jokers { jokers << 52 } else { (hand.mask() & four) | joining };
        if (!is_jokers || options.joker_pair) && !sets_of(rules, hand, mask, four, sink) {
            return false;
        }
    }
    true
}

/// The sets of some cards, with at least one card of the rank with these four bits: each choice, in each arrangement
/// that is a different play.
fn sets_of(rules: &Rules, hand: &Bag, mask: u64, four: u64, sink: &mut impl Sink) -> bool {
    // Four suits and two jokers; the numbers thrown of each count up like the digits of a number.
    let mut digits = [(Card::BLACK_JOKER, 0_u8, 0_u8); 6];
    let mut kinds = 0;
    for (digit, card) in digits.iter_mut().zip(bits(mask)) {
        *digit = (card, hand.count(card), 0);
        kinds += 1;
    }
    let digits = &mut digits[..kinds];
    let mut buffer = [Card::BLACK_JOKER; BUFFER];
    loop {
        let Some(next) = digits.iter().position(|(_, count, thrown)| thrown < count) else {
            return true;
        };
        digits[..next].iter_mut().for_each(|digit| digit.2 = 0);
        digits[next].2 += 1;
        sink.step();
        let len: usize = digits.iter().map(|(_, _, thrown)| usize::from(*thrown)).sum();
        let has_natural = digits.iter().any(|(card, _, thrown)| *thrown > 0 && four >> card.index() & 1 == 1);
        if !(2..=BUFFER).contains(&len) || !has_natural {
            continue;
        }
        let mut place = 0;
        for (card, _, thrown) in digits.iter() {
            buffer[place..place + usize::from(*thrown)].fill(*card);
            place += usize::from(*thrown);
        }
        if !arrange(rules.options().pickup, &buffer[..len], sink) {
            return false;
        }
    }
}

/// The canonical arrangements of a set, given in canonical order.
fn arrange(pickup: Pickup, sorted: &[Card], sink: &mut impl Sink) -> bool {
    let len = sorted.len();
    let first_of_its_kind = |i: usize| i == 0 || sorted[i - 1] != sorted[i];
    let mut buffer = [Card::BLACK_JOKER; BUFFER];
    match pickup {
        Pickup::EndsOfRuns | Pickup::Any => sink.put(sorted),
        Pickup::Ends if len == 2 => sink.put(sorted),
        Pickup::Ends => (0..len).filter(|i| first_of_its_kind(*i)).all(|i| {
            (i + 1..len).filter(|j| *j == i + 1 || first_of_its_kind(*j)).all(|j| {
                buffer[0] = sorted[i];
                buffer[1..=i].copy_from_slice(&sorted[..i]);
                buffer[i + 1..j].copy_from_slice(&sorted[i + 1..j]);
                buffer[j..len - 1].copy_from_slice(&sorted[j + 1..]);
                buffer[len - 1] = sorted[j];
                sink.put(&buffer[..len])
            })
        }),
        Pickup::Top => (0..len).filter(|i| first_of_its_kind(*i)).all(|i| {
            buffer[..i].copy_from_slice(&sorted[..i]);
            buffer[i..len - 1].copy_from_slice(&sorted[i + 1..]);
            buffer[len - 1] = sorted[i];
            sink.put(&buffer[..len])
        }),
    }
}
