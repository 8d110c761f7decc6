//! Matches as they were counted when their last round was over, so that the next does not cost playing them from the first deal.
//! None is trusted: one is used only if the log still has the entry that it ended with, and the tally no fewer rounds.

use std::sync::Arc;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use quick_cache::sync::Cache;
use uuid::Uuid;

use super::batch::CUSTOM;
use super::counting::{Counted, Counting};
use crate::service::ServiceError;
use crate::store::StoreError;
use crate::store::actions::{ActionRow, FLAG_ENDED_ROUND};
use crate::store::matches::MatchRow;
use crate::store::seats::SeatRow;

/// Matches that an instance has at hand; each takes some three kilobytes.
const MOST: usize = 1000;

/// Matches at hand. Cheap to clone.
#[derive(Clone)]
pub(super) struct Books(Arc<Cache<Uuid, Arc<Book>>>);

/// A match, and what was counted of it.
#[derive(Clone)]
pub(super) struct Book {
    /// The match.
    pub(super) match_id: Uuid,
    /// First day of the month in which it started.
    pub(super) month: NaiveDate,
    /// Preset of its rules, or `custom`.
    pub(super) preset: String,
    /// Whether it is rated.
    pub(super) rated: bool,
    /// Who sits where.
    pub(super) seats: Arc<[Place]>,
    counting: Counting,
    /// The entry that ended the last round that is counted: its version and its time.
    newest: Option<(i32, DateTime<Utc>)>,
}

/// Who sits somewhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Who.
    pub(super) account: Uuid,
    /// Where.
    pub(super) seat: i16,
    /// Whether it is a bot.
    pub(super) bot: bool,
}

impl Default for Books {
    fn default() -> Self {
        Self(Arc::new(Cache::new(MOST)))
    }
}

impl Books {
    /// The match as it was last counted here.
    pub(super) fn get(&self, id: Uuid) -> Option<Book> {
        self.0.get(&id).map(|book| Book::clone(&book))
    }

    /// Keeps a match, as long as it runs.
    pub(super) fn keep(&self, book: Book) {
        if book.counted().ended_at.is_some() {
            self.forget(book.match_id);
        } else {
            self.0.insert(book.match_id, Arc::new(book));
        }
    }

    /// Forgets a match.
    pub(super) fn forget(&self, id: Uuid) {
        self.0.remove(&id);
    }
}

impl Book {
    /// A match at its first deal.
    ///
    /// # Errors
    /// If what is stored of it is damaged.
    pub(super) fn open(row: &MatchRow, seats: &[SeatRow]) -> Result<Self, ServiceError> {
        let client_seeds: Vec<String> = seats.iter().map(|seat| seat.client_seed.clone()).collect();
        let started = row.started_at.unwrap_or(row.created_at);
        let place = |seat: &SeatRow| Place { account: seat.account_id, seat: seat.seat, bot: seat.bot };
        Ok(Self {
            match_id: row.id,
            month: started.date_naive().with_day(1).unwrap_or_default(),
            preset: row.preset.clone().unwrap_or_else(|| CUSTOM.to_owned()),
            rated: row.rated,
            seats: seats.iter().map(place).collect(),
            counting: Counting::new(row, &client_seeds)?,
            newest: None,
        })
    }

    /// What is counted.
    pub(super) fn counted(&self) -> &Counted {
        self.counting.counted()
    }

    /// The version from which on the log is needed.
    pub(super) fn needs_log_from(&self) -> i32 {
        self.newest.map_or(0, |(version, _)| version)
    }

    /// Counts the rounds that are over by now; answers what was counted when so many were, in the place of which it is put.
    /// Nothing, if the match is another than was thought: then it has to be opened anew.
    ///
    /// # Errors
    /// `Damaged`.
    pub(super) fn go_on(&mut self, log: &[ActionRow], known: i16) -> Result<Option<Counted>, ServiceError> {
        let mut log = log;
        if let Some((version, at)) = self.newest {
            let Some((first, rest)) = log.split_first() else { return Ok(None) };
            if first.version != version || first.at != at || self.counted().rounds > known {
                return Ok(None);
            }
            log = rest;
        }
        let mut before = (self.counted().rounds == known).then(|| self.counted().clone());
        let over = log.iter().rposition(|entry| entry.flags & FLAG_ENDED_ROUND != 0);
        for entry in over.and_then(|last| log.get(..=last)).unwrap_or_default() {
            if self.counting.push(entry)? {
                self.newest = Some((entry.version, entry.at));
                if self.counted().rounds == known {
                    before = Some(self.counted().clone());
                }
            }
        }
        let missing =
            || StoreError::Damaged(format!("{known} rounds are counted that the log does not have"));
        Ok(Some(before.ok_or_else(missing)?))
    }
}
