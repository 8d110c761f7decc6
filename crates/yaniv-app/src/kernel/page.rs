//! Pages of lists. A page begins after the last item of the previous page, whatever was added or removed
//! since. Feeds, whose cursor holds a position per match, are in `feeds`.

use chrono::{DateTime, Datelike, Utc};
use uuid::Uuid;

use crate::ServiceError;

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Cursor of the next page, if there is one.
    pub next_cursor: Option<String>,
}

/// The sort key of a list, of which cursors are made. Opaque to clients, and untrusted input.
pub(crate) trait CursorKey: Sized {
    /// Encodes the key.
    fn print(&self) -> String;

    /// Decodes a key; `None` if it is malformed.
    fn parse(cursor: &str) -> Option<Self>;
}

/// A request for a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageQuery<K> {
    /// Key of the last item of the previous page; `None` for the first page.
    pub(crate) after: Option<K>,
    limit: i64,
}

impl<K: CursorKey> PageQuery<K> {
    /// The page after a cursor, with at most `limit` items.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    pub(crate) fn new(cursor: Option<&str>, limit: i64) -> Result<Self, ServiceError> {
        let parse = |cursor| K::parse(cursor).ok_or(ServiceError::InvalidParameter("cursor"));
        Ok(Self { after: cursor.map(parse).transpose()?, limit })
    }

    /// Number of rows to query: one more than the limit, to detect a next page.
    pub(crate) fn rows(&self) -> i64 {
        self.limit.saturating_add(1)
    }

    /// The page of these rows, of which `key` gives the sort key.
    pub(crate) fn page<T>(&self, mut rows: Vec<T>, key: impl FnOnce(&T) -> K) -> Page<T> {
        let more = cut(&mut rows, self.limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| key(last).print());
        Page { items: rows, next_cursor }
    }
}

impl<T> Page<T> {
    /// A page without items.
    pub(crate) fn empty() -> Self {
        Self { items: Vec::new(), next_cursor: None }
    }

    /// Converts the items.
    pub(crate) fn map<U>(self, convert: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, next_cursor } = self;
        Page { items: items.into_iter().map(convert).collect(), next_cursor }
    }

    /// Converts the items.
    ///
    /// # Errors
    /// The first error of a conversion.
    pub(crate) fn try_map<U, E>(self, convert: impl FnMut(T) -> Result<U, E>) -> Result<Page<U>, E> {
        let Self { items, next_cursor } = self;
        Ok(Page { items: items.into_iter().map(convert).collect::<Result<_, E>>()?, next_cursor })
    }
}

/// Lists sorted by identifier.
impl CursorKey for Uuid {
    fn print(&self) -> String {
        self.simple().to_string()
    }

    fn parse(cursor: &str) -> Option<Self> {
        Self::try_parse(cursor).ok()
    }
}

/// Lists sorted by version.
impl CursorKey for i32 {
    fn print(&self) -> String {
        self.to_string()
    }

    fn parse(cursor: &str) -> Option<Self> {
        cursor.parse().ok()
    }
}

/// Truncates a list to the limit; returns whether there was more.
pub(crate) fn cut<T>(items: &mut Vec<T>, limit: i64) -> bool {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    more
}

/// The time of a cursor, in microseconds since 1970; `None` outside the years 1970 to 2200.
pub(crate) fn cursor_time(micros: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(micros).filter(|at| (1970..=2200).contains(&at.year()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_follow_each_other_and_the_last_one_has_no_cursor() {
        let all = [3, 5, 8, 13];
        let (mut cursor, mut found) = (None, Vec::new());
        loop {
            let query = PageQuery::<i32>::new(cursor.as_deref(), 2).unwrap();
            let later = all.into_iter().filter(|number| query.after.is_none_or(|after| *number > after));
            let rows = later.take(usize::try_from(query.rows()).unwrap()).collect();
            let page = query.page(rows, |number| *number);
            found.push(page.items);
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, [vec![3, 5], vec![8, 13]]);
        assert!(PageQuery::<i32>::new(Some("x"), 2).is_err());
        assert!(PageQuery::<Uuid>::new(Some("3"), 2).is_err());
    }
}
