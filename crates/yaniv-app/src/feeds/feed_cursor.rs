//! Cursor of the account feed: a time before which all events were delivered, and for later events the
//! position per match and challenge.
//!
//! Opaque to clients, and untrusted input: nothing but its form is checked. Events become visible in another
//! order than that of their times, as a slow transaction commits late. So the time lags behind events that
//! may still appear, and delivered events after it are listed: none is skipped, none delivered twice.

use std::collections::{BTreeMap, HashSet};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::ServiceError;
use crate::kernel::page::cursor_time;

/// The first byte: version of the encoding. Instances of the release before know only this one.
const PLAIN: u8 = 1;
/// The other encoding, for many matches: sorted keys as differences, in Rice coding, and numbers, in few bits each.
const COMPACT: u8 = 2;
/// Maximum number of matches and challenges in a plain cursor. A thousand in a compact one fit the 8 KB that proxies allow
/// a request line.
const MAX_PLAIN: usize = 250;
/// Bits of a key.
const KEY_BITS: u32 = 40;

/// The end of an identifier, which is random.
type Tail = [u8; 8];
/// The last five bytes of it, enough to distinguish the matches and challenges of one account.
type Key = u64;

/// The last delivered event of a match or challenge.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    number: i32,
    /// Its time; none if it is not known, as cursors do not have it.
    at: Option<DateTime<Utc>>,
    /// None if it is not known, as compact cursors have only the key.
    tail: Option<Tail>,
}

/// Position in the account feed.
#[derive(Clone, Debug)]
pub(crate) struct FeedCursor {
    /// All older events were delivered.
    pub(crate) from: DateTime<Utc>,
    /// The last delivered event per match or challenge, if it is not older.
    told: BTreeMap<Key, Told>,
}

fn tail(id: Uuid) -> Tail {
    id.as_bytes().last_chunk().copied().unwrap_or_default()
}

fn key_of(tail: Tail) -> Key {
    u64::from_be_bytes(tail) & ((1 << KEY_BITS) - 1)
}

fn key(id: Uuid) -> Key {
    key_of(tail(id))
}

impl FeedCursor {
    /// A cursor with all events before a time delivered, and none after it.
    pub(crate) fn since(from: DateTime<Utc>) -> Self {
        Self { from, told: BTreeMap::new() }
    }

    /// The cursor with its time limited to `horizon`, in case the clock was set back.
    ///
    /// Events that get an earlier time from now on are delivered, some perhaps twice.
    pub(crate) fn as_of(&self, horizon: DateTime<Utc>) -> Self {
        Self { from: self.from.min(horizon), told: self.told.clone() }
    }

    /// Number of matches and challenges with delivered events.
    pub(crate) fn told_count(&self) -> usize {
        self.told.len()
    }

    /// The number of the last delivered event of a match or challenge; 0 if none is recorded.
    pub(crate) fn told_of(&self, id: Uuid) -> i32 {
        self.told.get(&key(id)).map(|told| told.number).unwrap_or_default()
    }

    /// Records the delivery of this event and of all earlier ones of the same match or challenge.
    pub(crate) fn tell(&mut self, id: Uuid, number: i32, at: DateTime<Utc>) {
        let told = self.told.entry(key(id)).or_default();
        if told.number <= number {
            *told = Told { number, at: Some(at), tail: Some(tail(id)) };
        }
    }

    /// Notes the time of an event, if it is the last delivered one of its match or challenge.
    pub(crate) fn date(&mut self, id: Uuid, number: i32, at: DateTime<Utc>) {
        if let Some(told) = self.told.get_mut(&key(id)).filter(|told| told.number == number) {
            *told = Told { number, at: Some(at), tail: Some(tail(id)) };
        }
    }

    /// Keeps the deliveries of these matches and challenges; all others have no event that is not older than the cursor.
    pub(crate) fn keep(&mut self, ids: impl Iterator<Item = Uuid>) {
        let kept: HashSet<Key> = ids.map(key).collect();
        self.told.retain(|key, _| kept.contains(key));
    }

    /// Forgets a delivery that is beyond the newest event: the database was restored to an earlier time, and the numbers
    /// start again from there.
    pub(crate) fn forget_beyond(&mut self, id: Uuid, newest: i32) {
        if self.told_of(id) > newest {
            self.told.remove(&key(id));
        }
    }

    /// The cursor with a later time, without the entries that this makes redundant.
    pub(crate) fn up_to(&self, from: DateTime<Utc>) -> Self {
        let from = from.max(self.from);
        let later = |told: &Told| told.at.is_none_or(|at| at >= from);
        let told = self.told.iter().filter(|(_, told)| later(told)).map(|(key, told)| (*key, *told));
        Self { from, told: told.collect() }
    }

    /// Encodes the cursor for clients.
    pub(crate) fn print(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.plain().unwrap_or_else(|| self.compact()))
    }

    fn plain(&self) -> Option<Vec<u8>> {
        let few = self.told.len() <= MAX_PLAIN;
        let mut bytes = vec![PLAIN];
        bytes.extend(self.from.timestamp_micros().to_be_bytes());
        for told in self.told.values().filter(|_| few) {
            bytes.extend(told.tail?);
            bytes.extend(told.number.to_be_bytes());
        }
        few.then_some(bytes)
    }

    fn compact(&self) -> Vec<u8> {
        let mut bytes = vec![COMPACT];
        bytes.extend(self.from.timestamp_micros().to_be_bytes());
        let count = u32::try_from(self.told.len()).unwrap_or(u32::MAX);
        bytes.extend(count.to_be_bytes());
        let numbers = || self.told.values().map(|told| u64::from(told.number.unsigned_abs()));
        let width = bits_of(numbers().max().unwrap_or_default());
        bytes.push(u8::try_from(width).unwrap_or_default());
        let (low, mut bits, mut before) = (low_bits(count), BitWriter { bytes, used: 0 }, 0);
        for (key, number) in self.told.keys().zip(numbers()) {
            let difference = key - before;
            (0..difference >> low).for_each(|_| bits.push(1, 1));
            bits.push(0, 1);
            bits.push(difference, low);
            bits.push(number, width);
            before = *key;
        }
        bits.bytes
    }

    /// Decodes a cursor from a client.
    ///
    /// # Errors
    /// `InvalidParameter` if it is malformed.
    pub(crate) fn parse(text: &str) -> Result<Self, ServiceError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        Self::of(&bytes).ok_or(ServiceError::InvalidParameter("after"))
    }

    fn of(bytes: &[u8]) -> Option<Self> {
        let (form, rest) = bytes.split_first()?;
        let (micros, rest) = rest.split_first_chunk()?;
        let from = cursor_time(i64::from_be_bytes(*micros))?;
        let told = match *form {
            PLAIN => of_plain(rest)?,
            COMPACT => of_compact(rest)?,
            _ => return None,
        };
        Some(Self { from, told })
    }
}

fn of_plain(mut rest: &[u8]) -> Option<BTreeMap<Key, Told>> {
    let mut told = BTreeMap::new();
    while !rest.is_empty() {
        let (tail, numbered) = rest.split_first_chunk()?;
        let (number, after) = numbered.split_first_chunk()?;
        let number = i32::from_be_bytes(*number);
        told.insert(key_of(*tail), Told { number, at: None, tail: Some(*tail) });
        rest = after;
    }
    Some(told)
}

fn of_compact(rest: &[u8]) -> Option<BTreeMap<Key, Told>> {
    let (count, rest) = rest.split_first_chunk()?;
    let (width, rest) = rest.split_first()?;
    let (count, width) = (u32::from_be_bytes(*count), u32::from(*width));
    let (low, mut bits, mut key) = (low_bits(count), BitReader { bytes: rest, place: 0 }, 0_u64);
    let mut told = BTreeMap::new();
    for _ in 0..count {
        let mut high = 0_u64;
        while bits.read(1)? == 1 {
            high += 1;
        }
        key = key.checked_add(high.checked_shl(low)?)?.checked_add(bits.read(low)?)?;
        let number = i32::try_from(bits.read(width.min(32))?).ok()?;
        if key >> KEY_BITS != 0 {
            return None;
        }
        told.insert(key, Told { number, at: None, tail: None });
    }
    Some(told)
}

/// Bits of a number.
fn bits_of(number: u64) -> u32 {
    u64::BITS - number.leading_zeros()
}

/// Bits of a difference of sorted keys that are written as they are: the rest is small.
fn low_bits(count: u32) -> u32 {
    KEY_BITS - bits_of(u64::from(count)).min(KEY_BITS)
}

/// Writes bits, the highest first.
struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that the last byte has; 0: it is full.
    used: u32,
}

impl BitWriter {
    /// Writes the low bits of a number.
    fn push(&mut self, number: u64, width: u32) {
        for place in (0..width).rev() {
            if self.used == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut().filter(|_| number >> place & 1 == 1) {
                *last |= 0x80 >> self.used;
            }
            self.used = (self.used + 1) % 8;
        }
    }
}

/// Reads bits, the highest first.
struct BitReader<'a> {
    bytes: &'a [u8],
    place: usize,
}

impl BitReader<'_> {
    /// The next number of this many bits; `None` beyond the end.
    fn read(&mut self, width: u32) -> Option<u64> {
        let mut number = 0;
        for _ in 0..width {
            let byte = self.bytes.get(self.place / 8)?;
            number = number << 1 | u64::from(byte >> (7 - self.place % 8) & 1);
            self.place += 1;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn a_cursor_comes_back_as_it_was_and_says_what_is_needed_only() {
        let from = DateTime::from_timestamp_micros(1_800_000_000_000_001).unwrap_or_default();
        let mut cursor = FeedCursor::since(from);
        let [first, second, third] = [Uuid::now_v7(), Uuid::now_v7(), Uuid::now_v7()];
        cursor.tell(first, 7, from + TimeDelta::seconds(4));
        cursor.tell(second, 2, from + TimeDelta::seconds(5));
        cursor.tell(third, 1, from);
        let told = |cursor: &FeedCursor| [first, second, third].map(|id| cursor.told_of(id));
        let mut back = FeedCursor::parse(&cursor.print()).unwrap();
        assert_eq!((back.from, told(&back)), (from, [7, 2, 1]));
        let later = from + TimeDelta::seconds(5);
        let next = cursor.up_to(later);
        assert_eq!((next.from, told(&next)), (later, [0, 2, 0]));
        // What comes from a client has no times: they are learned.
        back.date(first, 7, from);
        back.date(second, 1, from);
        assert_eq!(told(&back.up_to(later)), [0, 2, 1]);
        back.keep([first, second].into_iter());
        assert_eq!(told(&back), [7, 2, 0]);
        cursor.forget_beyond(first, 7);
        cursor.forget_beyond(second, 1);
        assert_eq!(told(&cursor), [7, 0, 1]);
        // Time never goes back.
        assert_eq!(next.up_to(from).from, later);
    }

    /// Proxies refuse request lines of more than 8 KB.
    #[test]
    fn a_thousand_matches_fit_a_request_line() {
        let from = DateTime::from_timestamp_micros(1_800_000_000_000_001).unwrap_or_default();
        for count in [1, 2, 250, 251, 1_000, 5_000] {
            let mut cursor = FeedCursor::since(from);
            let ids: Vec<Uuid> = (0..count).map(|_| Uuid::new_v4()).collect();
            let numbers = || ids.iter().zip(1..);
            for (id, number) in numbers() {
                cursor.tell(*id, number, from);
            }
            let mut text = cursor.print();
            assert!(count > 1_000 || text.len() < 8_000, "{count}: {}", text.len());
            // A compact cursor stays one until all identifiers have been seen again.
            for _ in 0..2 {
                let back = FeedCursor::parse(&text).unwrap();
                assert_eq!((back.from, back.told_count()), (from, ids.len()));
                assert!(numbers().all(|(id, number)| back.told_of(*id) == number));
                text = back.print();
            }
        }
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in [
            "",
            "AQ",
            "now",
            "AQAAAAAAAAAAAA",
            "AgAGYBW4KTkB",
            "AX__________",
            "AgAGYBW4KTkBAAAAAQU",
            "AgAGYBW4KTkB_____wUA",
            "ÄÖ",
            "AQAGYBW4KTkBAA",
        ] {
            assert!(FeedCursor::parse(text).is_err(), "{text}");
        }
    }
}
