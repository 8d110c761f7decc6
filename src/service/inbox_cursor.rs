//! How far an inbox has been read: a time before which everything was told, and of what came later how far each match
//! and each challenge was told. Opaque to clients; anybody's may be anything, so nothing is believed of it but its form.
//!
//! Entries carry times in another order than they appear in: who commits late appears late. So the time lags behind what may
//! still appear, and what was told since is named: nothing is left out, and nothing told twice.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::ServiceError;
use super::cursor_time::cursor_time;

/// The first byte: the form of what follows.
const FORM: u8 = 1;

/// Of a match or a challenge: its random half, which tells those of one account apart.
type Key = [u8; 8];

/// How far an inbox has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InboxCursor {
    /// Whatever is older has been told.
    pub(super) from: DateTime<Utc>,
    /// Of what is not, the number of what was told last.
    told: BTreeMap<Key, i32>,
}

fn key(id: Uuid) -> Key {
    id.as_bytes().last_chunk().copied().unwrap_or_default()
}

impl InboxCursor {
    /// Everything before a time was told, and nothing since.
    pub(super) fn since(from: DateTime<Utc>) -> Self {
        Self { from, told: BTreeMap::new() }
    }

    /// The same, but if the clock has been set back: whatever gets an earlier time from now on is told, too, and perhaps
    /// something again.
    pub(super) fn as_of(&self, horizon: DateTime<Utc>) -> Self {
        Self { from: self.from.min(horizon), told: self.told.clone() }
    }

    /// The number of what was told last of a match or a challenge, as far as that matters; 0 if nothing was.
    pub(super) fn told_of(&self, id: Uuid) -> i32 {
        self.told.get(&key(id)).copied().unwrap_or_default()
    }

    /// Notes that this was told, and everything of the same before it.
    pub(super) fn tell(&mut self, id: Uuid, number: i32) {
        let told = self.told.entry(key(id)).or_default();
        *told = number.max(*told);
    }

    /// The same, with a time up to which everything has been told, and without what need not be said then: `newest` says
    /// of which matches and challenges something is not older.
    pub(super) fn up_to(
        &self,
        from: DateTime<Utc>,
        newest: impl Iterator<Item = (Uuid, DateTime<Utc>)>,
    ) -> Self {
        let from = from.max(self.from);
        let later = newest.filter(|(_, at)| *at >= from).map(|(id, _)| key(id));
        let told = later.filter_map(|key| self.told.get(&key).map(|number| (key, *number))).collect();
        Self { from, told }
    }

    /// As clients keep it.
    pub(super) fn print(&self) -> String {
        let mut bytes = vec![FORM];
        bytes.extend(self.from.timestamp_micros().to_be_bytes());
        for (key, number) in &self.told {
            bytes.extend(key);
            bytes.extend(number.to_be_bytes());
        }
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// What a client has kept.
    ///
    /// # Errors
    /// `InvalidParameter` if it is none of ours.
    pub(super) fn parse(text: &str) -> Result<Self, ServiceError> {
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
        let mut cursor = InboxCursor::since(from);
        let [first, second] = [Uuid::now_v7(), Uuid::now_v7()];
        cursor.tell(first, 7);
        cursor.tell(second, 2);
        assert_eq!(InboxCursor::parse(&cursor.print()).ok(), Some(cursor.clone()));
        let later = from + TimeDelta::seconds(5);
        let newest = [(first, from + TimeDelta::seconds(4)), (second, later)];
        let next = cursor.up_to(later, newest.into_iter());
        assert_eq!((next.told_of(first), next.told_of(second), next.from), (0, 2, later));
        // Time never goes back.
        assert_eq!(next.up_to(from, newest.into_iter()).from, later);
    }

    #[test]
    fn what_is_no_cursor_is_refused() {
        for text in
            ["", "AQ", "now", "AQAAAAAAAAAAAA", "AgAGYBW4KTkB", "AX__________", "ÄÖ", "AQAGYBW4KTkBAA"]
        {
            assert!(InboxCursor::parse(text).is_err(), "{text}");
        }
    }
}
