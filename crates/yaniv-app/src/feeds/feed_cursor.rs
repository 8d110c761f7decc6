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

/// The first byte: version of the encoding.
const FORM: u8 = 1;

/// The random half of a match's or challenge's identifier, enough to distinguish those of one account.
type Key = [u8; 8];

/// The last delivered event of a match or challenge.
#[derive(Clone, Copy, Debug, Default)]
struct Told {
    number: i32,
    /// Its time; none if it is not known, as cursors do not have it.
    at: Option<DateTime<Utc>>,
}

/// Position in the account feed.
#[derive(Clone, Debug)]
pub(crate) struct FeedCursor {
    /// All older events were delivered.
    pub(crate) from: DateTime<Utc>,
    /// The last delivered event per match or challenge, if it is not older.
    told: BTreeMap<Key, Told>,
}

fn key(id: Uuid) -> Key {
    id.as_bytes().last_chunk().copied().unwrap_or_default()
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
            *told = Told { number, at: Some(at) };
        }
    }

    /// Notes the time of an event, if it is the last delivered one of its match or challenge.
    pub(crate) fn date(&mut self, id: Uuid, number: i32, at: DateTime<Utc>) {
        if let Some(told) = self.told.get_mut(&key(id)).filter(|told| told.number == number) {
            told.at = Some(at);
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
        let mut bytes = vec![FORM];
        bytes.extend(self.from.timestamp_micros().to_be_bytes());
        for (key, told) in &self.told {
            bytes.extend(key);
            bytes.extend(told.number.to_be_bytes());
        }
        URL_SAFE_NO_PAD.encode(bytes)
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
        let (micros, mut rest) = rest.split_first_chunk()?;
        let from = cursor_time(i64::from_be_bytes(*micros))?;
        let mut told = BTreeMap::new();
        while !rest.is_empty() {
            let (key, numbered) = rest.split_first_chunk()?;
            let (number, after) = numbered.split_first_chunk()?;
            told.insert(*key, Told { number: i32::from_be_bytes(*number), at: None });
            rest = after;
        }
        (*form == FORM).then_some(Self { from, told })
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

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in
            ["", "AQ", "now", "AQAAAAAAAAAAAA", "AgAGYBW4KTkB", "AX__________", "ÄÖ", "AQAGYBW4KTkBAA"]
        {
            assert!(FeedCursor::parse(text).is_err(), "{text}");
        }
    }
}
