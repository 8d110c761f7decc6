//! Cursor of the account feed: a time before which all events were delivered, and for later events the
//! position per match and challenge.
//!
//! Opaque to clients, and untrusted input: nothing but its form is checked. Events become visible in another
//! order than that of their times, as a slow transaction commits late. So the time lags behind events that
//! may still appear, and delivered events after it are listed: none is skipped, none delivered twice.

use std::collections::BTreeMap;

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

/// Position in the account feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FeedCursor {
    /// All older events were delivered.
    pub(crate) from: DateTime<Utc>,
    /// The number of the last delivered event per match or challenge, for events that are not older.
    told: BTreeMap<Key, i32>,
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

    /// The number of the last delivered event of a match or challenge; 0 if none is recorded.
    pub(crate) fn told_of(&self, id: Uuid) -> i32 {
        self.told.get(&key(id)).copied().unwrap_or_default()
    }

    /// Records the delivery of this event and of all earlier ones of the same match or challenge.
    pub(crate) fn tell(&mut self, id: Uuid, number: i32) {
        let told = self.told.entry(key(id)).or_default();
        *told = number.max(*told);
    }

    /// Forgets a delivery that is beyond the newest event: the database was restored to an earlier time, and the numbers
    /// start again from there.
    pub(crate) fn forget_beyond(&mut self, id: Uuid, newest: i32) {
        if self.told_of(id) > newest {
            self.told.remove(&key(id));
        }
    }

    /// The cursor with a later time, without the entries that this makes redundant.
    ///
    /// `newest` names the matches and challenges that have events not older than that time.
    pub(crate) fn up_to(
        &self,
        from: DateTime<Utc>,
        newest: impl Iterator<Item = (Uuid, DateTime<Utc>)>,
    ) -> Self {
        let from = from.max(self.from);
        let later = newest.filter(|(_, at)| *at >= from).map(|(id, _)| key(id));
        let told = later.filter_map(|key| self.told.get(&key).map(|number| (key, *number))).collect();
        Self { from, told }
    }

    /// Encodes the cursor for clients.
    pub(crate) fn print(&self) -> String {
        let mut bytes = vec![FORM];
        bytes.extend(self.from.timestamp_micros().to_be_bytes());
        for (key, number) in &self.told {
            bytes.extend(key);
            bytes.extend(number.to_be_bytes());
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
            told.insert(*key, i32::from_be_bytes(*number));
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
        let [first, second] = [Uuid::now_v7(), Uuid::now_v7()];
        cursor.tell(first, 7);
        cursor.tell(second, 2);
        assert_eq!(FeedCursor::parse(&cursor.print()).ok(), Some(cursor.clone()));
        let later = from + TimeDelta::seconds(5);
        let newest = [(first, from + TimeDelta::seconds(4)), (second, later)];
        let next = cursor.up_to(later, newest.into_iter());
        assert_eq!((next.told_of(first), next.told_of(second), next.from), (0, 2, later));
        cursor.forget_beyond(first, 7);
        cursor.forget_beyond(second, 1);
        assert_eq!((cursor.told_of(first), cursor.told_of(second)), (7, 0));
        // Time never goes back.
        assert_eq!(next.up_to(from, newest.into_iter()).from, later);
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
