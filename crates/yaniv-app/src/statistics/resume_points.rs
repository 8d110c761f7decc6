//! Cache of partly counted matches, so that counting continues from the last finished round instead of the
//! first deal.
//!
//! An entry is used only if the log still has its last entry and the tally at least as many rounds.

use std::sync::Arc;

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use quick_cache::sync::Cache;
use uuid::Uuid;
use yaniv_db::StoreError;
use yaniv_db::matches::match_rows::MatchRow;
use yaniv_db::matches::seats::SeatRow;
use yaniv_engine::SeedChain;
use yaniv_match::event::LoggedEvent;
use yaniv_match::state::seed_chain;
use yaniv_model::ids::MatchId;

use crate::ServiceError;
use crate::matches::cache::MatchCache;
use crate::statistics::batch::CUSTOM;
use crate::statistics::counting::{Counted, Counting};

/// Cached matches per instance; each takes about three kilobytes.
const MOST: usize = 1000;

/// The cache. Cheap to clone.
#[derive(Clone)]
pub(crate) struct ResumePoints {
    points: Arc<Cache<Uuid, Arc<ResumePoint>>>,
    matches: MatchCache,
}

/// A match, counted up to its last finished round.
#[derive(Clone)]
pub(crate) struct ResumePoint {
    /// The match.
    pub(crate) match_id: Uuid,
    /// First day of the month in which it started.
    pub(crate) month: NaiveDate,
    /// The preset, or `custom`.
    pub(crate) preset: String,
    /// Whether it is rated.
    pub(crate) rated: bool,
    /// The players by seat.
    pub(crate) seats: Arc<[SeatedAccount]>,
    counting: Counting,
    /// Version and time of the entry that ended the last counted round.
    newest: Option<(i32, DateTime<Utc>)>,
}

/// A player of the match.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeatedAccount {
    /// The account.
    pub(crate) account: Uuid,
    /// The seat.
    pub(crate) seat: i16,
    /// Whether it is a bot.
    pub(crate) bot: bool,
}

impl ResumePoints {
    /// An empty cache, which uses the seed chains of cached matches: a chain takes a thousand hashes.
    pub(crate) fn new(matches: MatchCache) -> Self {
        Self { points: Arc::new(Cache::new(MOST)), matches }
    }

    /// A match at its first deal.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub(crate) fn open(&self, row: &MatchRow, seats: &[SeatRow]) -> Result<ResumePoint, ServiceError> {
        match self.matches.get(MatchId(row.id)) {
            Some(known) => ResumePoint::at_first_deal(row, seats, Arc::clone(known.seed_chain())),
            None => ResumePoint::open(row, seats),
        }
    }

    /// The match as it was last counted here.
    pub(crate) fn get(&self, id: Uuid) -> Option<ResumePoint> {
        self.points.get(&id).map(|book| ResumePoint::clone(&book))
    }

    /// Caches a running match; removes a finished one.
    pub(crate) fn keep(&self, book: ResumePoint) {
        if book.counted().ended_at.is_some() {
            self.forget(book.match_id);
        } else {
            self.points.insert(book.match_id, Arc::new(book));
        }
    }

    /// Removes a match.
    pub(crate) fn forget(&self, id: Uuid) {
        self.points.remove(&id);
    }
}

impl ResumePoint {
    /// A match at its first deal.
    ///
    /// # Errors
    /// If the stored data is damaged.
    pub(crate) fn open(row: &MatchRow, seats: &[SeatRow]) -> Result<Self, ServiceError> {
        Self::at_first_deal(row, seats, Arc::new(seed_chain(&row.secret)?))
    }

    fn at_first_deal(row: &MatchRow, seats: &[SeatRow], chain: Arc<SeedChain>) -> Result<Self, ServiceError> {
        let client_seeds: Vec<String> = seats.iter().map(|seat| seat.client_seed.clone()).collect();
        let started = row.started_at.unwrap_or(row.created_at);
        let place =
            |seat: &SeatRow| SeatedAccount { account: seat.account_id, seat: seat.seat, bot: seat.bot };
        Ok(Self {
            match_id: row.id,
            month: started.date_naive().with_day(1).unwrap_or_default(),
            preset: row.preset.clone().unwrap_or_else(|| CUSTOM.to_owned()),
            rated: row.rated,
            seats: seats.iter().map(place).collect(),
            counting: Counting::new(row, &client_seeds, chain)?,
            newest: None,
        })
    }

    /// The figures so far.
    pub(crate) fn counted(&self) -> &Counted {
        self.counting.counted()
    }

    /// The version from which the log is needed.
    pub(crate) fn needs_log_from(&self) -> i32 {
        self.newest.map_or(0, |(version, _)| version)
    }

    /// Counts the rounds finished by now; returns the figures at `known` rounds, which they replace.
    ///
    /// `None` if the log does not match this resume point: then the match has to be opened again.
    ///
    /// # Errors
    /// `Damaged`.
    pub(crate) fn go_on(&mut self, log: &[LoggedEvent], known: i16) -> Result<Option<Counted>, ServiceError> {
        let mut log = log;
        if let Some((version, at)) = self.newest {
            let Some((first, rest)) = log.split_first() else { return Ok(None) };
            if first.version != version || first.at != at || self.counted().rounds > known {
                return Ok(None);
            }
            log = rest;
        }
        let mut before = (self.counted().rounds == known).then(|| self.counted().clone());
        let over = log.iter().rposition(|entry| entry.action().is_some_and(|action| action.ended_round));
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
