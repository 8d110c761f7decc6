//! The inbox: what happens in all matches of an account and to its challenges, in its order, from any moment on.
//!
//! Nothing is kept for it: it is read from the logs themselves, and the cursor says how far.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use uuid::Uuid;

use super::inbox_cursor::InboxCursor;
use super::replay::{Names, names_of};
use super::streams::{EndReason, Page, Source};
use super::table::Table;
use super::view::LogEntry;
use super::{ServiceError, Services};
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::store::actions::ActionRow;
use crate::store::challenge_news::{ChallengeNewsRow, challenge_news_list};
use crate::store::inbox::{ChangedMatch, inbox_entry_list, inbox_horizon, inbox_match_list};

/// How far the time of a cursor lags behind what may still appear, besides: clocks may be set.
const LAG: TimeDelta = TimeDelta::seconds(10);
/// How far back an inbox begins of which nothing has been read.
const FIRST: TimeDelta = TimeDelta::days(1);

/// Where to begin.
#[derive(Clone, Debug)]
pub enum InboxStart {
    /// A day ago.
    Lately,
    /// With what comes.
    Now,
    /// Behind what an answer or an event has told: its cursor.
    After(String),
}

/// Something that has happened.
pub struct InboxEvent {
    /// When.
    pub at: DateTime<Utc>,
    /// What.
    pub what: InboxEntry,
    /// How far the inbox has been read with it.
    pub cursor: String,
}

/// What has happened.
pub enum InboxEntry {
    /// An entry of the log of a match.
    Match(MatchId, LogEntry),
    /// A challenge was made, or ended without a match.
    Challenge {
        /// Which.
        id: ChallengeId,
        /// How it ended; none if it was made.
        outcome: Option<String>,
        /// Who did it.
        username: String,
    },
}

/// A part of an inbox.
pub struct InboxPage {
    /// What has happened, oldest first.
    pub events: Vec<InboxEvent>,
    /// Behind all of them.
    pub cursor: String,
    more: bool,
}

impl Page for InboxPage {
    fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    fn has_more(&self) -> bool {
        self.more
    }

    fn end(&self) -> Option<EndReason> {
        None
    }
}

/// An inbox.
pub struct Inbox {
    account: AccountId,
    cursor: InboxCursor,
    limit: i64,
    watched: watch::Receiver<u64>,
}

impl Source for Inbox {
    type Page = InboxPage;

    async fn look(&mut self, services: &Services) -> Result<InboxPage, ServiceError> {
        self.watched.mark_unchanged();
        let (page, cursor) = services.inbox_after(self.account, &self.cursor, self.limit).await?;
        self.cursor = cursor;
        Ok(page)
    }

    async fn changed(&mut self) {
        if self.watched.changed().await.is_err() {
            // Nobody is there who could say.
            std::future::pending::<()>().await;
        }
    }
}

impl Services {
    /// The inbox of an account from somewhere on, so much at a time.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that is none.
    pub async fn inbox(
        &self,
        account: AccountId,
        start: InboxStart,
        limit: i64,
    ) -> Result<Inbox, ServiceError> {
        let watched = self.watches.of_account(account);
        let cursor = match start {
            InboxStart::After(text) => InboxCursor::parse(&text)?,
            InboxStart::Lately => InboxCursor::since(self.told_up_to().await? - FIRST),
            InboxStart::Now => {
                // All that is there counts as told.
                let from = InboxCursor::since(self.told_up_to().await?);
                let connection = self.store.connection().await?;
                let changed = inbox_match_list(&connection, account, from.from).await?;
                let news = challenge_news_list(&connection, account, from.from, i64::MAX).await?;
                let mut cursor = from;
                changed.iter().for_each(|changed| cursor.tell(changed.id, changed.version));
                news.iter().for_each(|news| cursor.tell(news.id, news.number));
                cursor
            }
        };
        Ok(Inbox { account, cursor, limit, watched })
    }

    async fn told_up_to(&self) -> Result<DateTime<Utc>, ServiceError> {
        Ok(inbox_horizon(&*self.store.connection().await?).await? - LAG)
    }

    async fn inbox_after(
        &self,
        account: AccountId,
        cursor: &InboxCursor,
        limit: i64,
    ) -> Result<(InboxPage, InboxCursor), ServiceError> {
        let horizon = self.told_up_to().await?;
        let cursor = &cursor.as_of(horizon);
        let found = self.find(account, cursor, horizon, limit).await?;
        let (mut events, mut told) = (Vec::new(), cursor.clone());
        let mut tables: HashMap<Uuid, Option<Arc<Table>>> = HashMap::new();
        for one in &found.news {
            let id = one.id();
            if let One::Entry(_) = one
                && !tables.contains_key(&id)
            {
                tables.insert(id, self.table_if_seated(account, id).await?);
            }
            told.tell(id, one.number());
            // While there is more, what comes after this one has not been told.
            let cursor = told.up_to(found.horizon.min(one.at()), found.newest());
            let table = tables.get(&id).and_then(Option::as_deref);
            if let Some(what) = one.told(table, &found.names, account)? {
                events.push(InboxEvent { at: one.at(), what, cursor: cursor.print() });
            }
            told.from = cursor.from;
        }
        if !found.more {
            told = told.up_to(found.horizon, found.newest());
        }
        Ok((InboxPage { events, cursor: told.print(), more: found.more }, told))
    }

    async fn find(
        &self,
        account: AccountId,
        cursor: &InboxCursor,
        horizon: DateTime<Utc>,
        limit: i64,
    ) -> Result<Found, ServiceError> {
        let connection = self.store.connection().await?;
        let changed = inbox_match_list(&connection, account, cursor.from).await?;
        let told = |changed: &ChangedMatch| (changed.id, cursor.told_of(changed.id));
        let after: Vec<(Uuid, i32)> =
            changed.iter().filter(|one| one.version > cursor.told_of(one.id)).map(told).collect();
        // One more than asked for tells whether there is another page.
        let most = limit.saturating_add(1);
        let rows = match after.as_slice() {
            [] => Vec::new(),
            after => inbox_entry_list(&connection, after, cursor.from, most).await?,
        };
        // Those that were told are among them.
        let news = challenge_news_list(&connection, account, cursor.from, i64::MAX).await?;
        let names = names_of(&connection, &rows).await?;
        let newest = changed.iter().map(|one| (one.id, one.updated_at));
        let newest = newest.chain(news.iter().map(|one| (one.id, one.at))).collect();
        let untold = news.into_iter().filter(|one| one.number > cursor.told_of(one.id));
        let mut news: Vec<One> = rows.into_iter().map(One::Entry).chain(untold.map(One::News)).collect();
        news.sort_by_key(|one| (one.at(), one.id(), one.number()));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let more = news.len() > limit;
        news.truncate(limit);
        Ok(Found { news, names, newest, horizon, more })
    }

    /// The match, unless its seat was given up meanwhile.
    async fn table_if_seated(
        &self,
        account: AccountId,
        id: Uuid,
    ) -> Result<Option<Arc<Table>>, ServiceError> {
        match self.table_for(account, MatchId(id)).await {
            Ok(table) => Ok(Some(table)),
            Err(ServiceError::MatchNotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// What was found behind a cursor.
struct Found {
    /// Oldest first; at most as much as was asked for.
    news: Vec<One>,
    names: Names,
    /// When the newest of each match and each challenge was that is not older than the cursor.
    newest: Vec<(Uuid, DateTime<Utc>)>,
    /// What is older is all there.
    horizon: DateTime<Utc>,
    more: bool,
}

impl Found {
    fn newest(&self) -> impl Iterator<Item = (Uuid, DateTime<Utc>)> {
        self.newest.iter().copied()
    }
}

/// One thing that has happened.
enum One {
    Entry(ActionRow),
    News(ChallengeNewsRow),
}

impl One {
    fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Entry(row) => row.at,
            Self::News(row) => row.at,
        }
    }

    fn id(&self) -> Uuid {
        match self {
            Self::Entry(row) => row.match_id,
            Self::News(row) => row.id,
        }
    }

    fn number(&self) -> i32 {
        match self {
            Self::Entry(row) => row.version,
            Self::News(row) => row.number,
        }
    }

    /// As the account may know it; nothing where it has no seat any more.
    fn told(
        &self,
        table: Option<&Table>,
        names: &Names,
        account: AccountId,
    ) -> Result<Option<InboxEntry>, ServiceError> {
        match (self, table) {
            (Self::Entry(_), None) => Ok(None),
            (Self::Entry(row), Some(table)) => {
                let entry = LogEntry::for_viewer(row, names, table, account)?;
                Ok(Some(InboxEntry::Match(MatchId(row.match_id), entry)))
            }
            (Self::News(row), _) => Ok(Some(InboxEntry::Challenge {
                id: ChallengeId(row.id),
                outcome: row.outcome.clone(),
                username: row.username.clone(),
            })),
        }
    }
}
