//! Account feed (inbox): the events of all matches of an account and of its challenges, in order.
//!
//! Nothing is stored for it: it is read from the action logs, and the cursor holds the position.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use uuid::Uuid;
use yaniv_db::feeds::account_feed::{ChangedMatch, inbox_entry_list, inbox_horizon, inbox_match_list};
use yaniv_db::matchmaking::challenge_events::{ChallengeNewsRow, challenge_news_list};
use yaniv_match::MatchState;
use yaniv_match::event::{LoggedEvent, Names};
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::feeds::feed_cursor::InboxCursor;
use crate::feeds::streams::{EndReason, Page, Source};
use crate::kernel::page::cut;
use crate::matches::log::{event_of, names_find};
use crate::{ServiceError, Services};

/// Safety margin between a cursor's time and events that may still appear: clocks may be adjusted.
const LAG: TimeDelta = TimeDelta::seconds(10);
/// Age of the oldest events of a feed that is read without a cursor.
const FIRST: TimeDelta = TimeDelta::days(1);

/// Start position in the feed.
#[derive(Clone, Debug)]
pub enum InboxStart {
    /// One day ago.
    Lately,
    /// Future events only.
    Now,
    /// After the cursor of an earlier response or event.
    After(String),
}

/// An event of the feed.
pub struct InboxEvent {
    /// Time of the event.
    pub at: DateTime<Utc>,
    /// Content of the event.
    pub what: InboxEntry,
    /// Position of the feed after this event.
    pub cursor: String,
}

/// Content of an event.
pub enum InboxEntry {
    /// An entry of a match's action log.
    Match(MatchId, LogEntry),
    /// A challenge was made, or ended without a match.
    Challenge {
        /// The challenge.
        id: ChallengeId,
        /// Outcome; `None` if the challenge was made.
        outcome: Option<String>,
        /// The account that caused the event.
        username: String,
    },
}

/// A page of the feed.
pub struct InboxPage {
    /// Events, oldest first.
    pub events: Vec<InboxEvent>,
    /// Position after all of them.
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

/// An account's feed as a source for long polls and streams.
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
            // The notifier is gone: nothing can wake this task.
            std::future::pending::<()>().await;
        }
    }
}

impl Services {
    /// Creates the account's feed from a start position, with pages of at most `limit` events.
    ///
    /// # Errors
    /// `InvalidParameter` for an invalid cursor.
    pub async fn inbox(
        &self,
        account: AccountId,
        start: InboxStart,
        limit: i64,
    ) -> Result<Inbox, ServiceError> {
        let watched = self.change_notifier.of_account(account);
        let cursor = match start {
            InboxStart::After(text) => InboxCursor::parse(&text)?,
            InboxStart::Lately => InboxCursor::since(self.told_up_to().await? - FIRST),
            InboxStart::Now => {
                // All existing events count as read.
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
        let mut matches: HashMap<Uuid, Option<Arc<MatchState>>> = HashMap::new();
        for one in &found.news {
            let id = one.id();
            if let One::Entry(..) = one
                && !matches.contains_key(&id)
            {
                matches.insert(id, self.match_if_seated(account, id).await?);
            }
            told.tell(id, one.number());
            // While the page is incomplete, events after this one are unread.
            let cursor = told.up_to(found.horizon.min(one.at()), found.newest());
            let state = matches.get(&id).and_then(Option::as_deref);
            if let Some(what) = one.told(state, &found.names, account) {
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
        // One more than requested shows whether there is another page.
        let most = limit.saturating_add(1);
        let mut entries: Vec<(MatchId, LoggedEvent)> = Vec::new();
        if !after.is_empty() {
            for row in inbox_entry_list(&connection, &after, cursor.from, most).await? {
                entries.push((MatchId(row.match_id), event_of(&row)?));
            }
        }
        // Those that the cursor has already covered are among them.
        let news = challenge_news_list(&connection, account, cursor.from, i64::MAX).await?;
        let accounts = entries.iter().filter_map(|(_, entry)| entry.event.account());
        let accounts: Vec<Uuid> = accounts.map(|account| account.0).collect();
        let names = names_find(&connection, &accounts).await?;
        let newest = changed.iter().map(|one| (one.id, one.updated_at));
        let newest = newest.chain(news.iter().map(|one| (one.id, one.at))).collect();
        let untold = news.into_iter().filter(|one| one.number > cursor.told_of(one.id));
        let mut news: Vec<One> = entries
            .into_iter()
            .map(|(id, entry)| One::Entry(id, entry))
            .chain(untold.map(One::News))
            .collect();
        news.sort_by_key(|one| (one.at(), one.id(), one.number()));
        let more = cut(&mut news, limit);
        Ok(Found { news, names, newest, horizon, more })
    }

    /// The match, unless the account has lost its seat meanwhile.
    async fn match_if_seated(
        &self,
        account: AccountId,
        id: Uuid,
    ) -> Result<Option<Arc<MatchState>>, ServiceError> {
        match self.match_for(account, MatchId(id)).await {
            Ok(state) => Ok(Some(state)),
            Err(ServiceError::MatchNotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Result of a query for events after a cursor.
struct Found {
    /// Oldest first, at most as many as requested.
    news: Vec<One>,
    names: Names,
    /// The newest time of each match and challenge that has events not older than the cursor.
    newest: Vec<(Uuid, DateTime<Utc>)>,
    /// All events older than this are complete.
    horizon: DateTime<Utc>,
    more: bool,
}

impl Found {
    fn newest(&self) -> impl Iterator<Item = (Uuid, DateTime<Utc>)> {
        self.newest.iter().copied()
    }
}

/// A single event.
enum One {
    Entry(MatchId, LoggedEvent),
    News(ChallengeNewsRow),
}

impl One {
    fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Entry(_, entry) => entry.at,
            Self::News(row) => row.at,
        }
    }

    fn id(&self) -> Uuid {
        match self {
            Self::Entry(id, _) => id.0,
            Self::News(row) => row.id,
        }
    }

    fn number(&self) -> i32 {
        match self {
            Self::Entry(_, entry) => entry.version,
            Self::News(row) => row.number,
        }
    }

    /// The event as the account may see it; `None` if the account has no seat any more.
    fn told(&self, state: Option<&MatchState>, names: &Names, account: AccountId) -> Option<InboxEntry> {
        match (self, state) {
            (Self::Entry(..), None) => None,
            (Self::Entry(id, entry), Some(state)) => {
                Some(InboxEntry::Match(*id, LogEntry::for_viewer(entry, names, state, account)))
            }
            (Self::News(row), _) => Some(InboxEntry::Challenge {
                id: ChallengeId(row.id),
                outcome: row.outcome.clone(),
                username: row.username.clone(),
            }),
        }
    }
}
