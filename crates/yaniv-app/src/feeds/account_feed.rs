//! Account feed: the events of all matches and challenges of an account and its removals from matches, in order.
//!
//! Nothing is stored for it, except removals: it is read from the action logs, and the cursor holds the
//! position.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::watch;
use uuid::Uuid;
use yaniv_db::feeds::account_feed::{ChangedMatch, feed_entry_list, feed_horizon, feed_match_list};
use yaniv_db::lobby::removals::{RemovalNewsRow, removal_list};
use yaniv_db::matchmaking::challenge_events::{ChallengeNewsRow, challenge_news_list};
use yaniv_match::MatchState;
use yaniv_match::event::{LoggedEvent, Names};
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::feeds::feed_cursor::FeedCursor;
use crate::feeds::streams::{EndReason, Page, Source};
use crate::kernel::boxed;
use crate::kernel::page::cut;
use crate::matches::log::{event_of, names_find};
use crate::{ServiceError, Services};

/// Safety margin between a cursor's time and events that may still appear: clocks may be adjusted.
const LAG: TimeDelta = TimeDelta::seconds(10);
/// Age of the oldest events of a feed that is read without a cursor.
const FIRST: TimeDelta = TimeDelta::days(1);
/// Age of the oldest usable cursor. Challenges that ended are kept as long.
const OLDEST: TimeDelta = TimeDelta::days(30);
/// Maximum number of challenges and of removals that a feed of future events counts as read.
const MAX_SKIPPED: i64 = 1_000;

/// Start position in the feed.
#[derive(Clone, Debug)]
pub enum FeedStart {
    /// One day ago.
    Lately,
    /// Future events only.
    Now,
    /// After the cursor of an earlier response or event.
    After(String),
}

/// An event of the feed.
pub struct AccountEvent {
    /// Time of the event.
    pub at: DateTime<Utc>,
    /// Content of the event.
    pub what: AccountEntry,
    /// Position of the feed after this event.
    pub cursor: String,
}

/// Content of an event.
pub enum AccountEntry {
    /// An entry of a match's action log: of a match with a seat, or the account's removal.
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
pub struct AccountEventPage {
    /// Events, oldest first.
    pub events: Vec<AccountEvent>,
    /// Position after all of them.
    pub cursor: String,
    more: bool,
}

impl Page for AccountEventPage {
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
pub struct AccountFeed {
    account: AccountId,
    cursor: FeedCursor,
    limit: i64,
    watched: watch::Receiver<u64>,
}

impl Source for AccountFeed {
    type Page = AccountEventPage;

    async fn look(&mut self, services: &Services) -> Result<AccountEventPage, ServiceError> {
        self.watched.mark_unchanged();
        let (page, cursor) = services.feed_after(self.account, &self.cursor, self.limit).await?;
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
    /// `InvalidParameter` for an invalid cursor, `CursorTooOld`.
    #[boxed]
    pub async fn account_feed(
        &self,
        account: AccountId,
        start: FeedStart,
        limit: i64,
    ) -> Result<AccountFeed, ServiceError> {
        let watched = self.change_notifier.of_account(account);
        let cursor = match start {
            FeedStart::After(text) => self.usable(FeedCursor::parse(&text)?)?,
            FeedStart::Lately => FeedCursor::since(self.told_up_to().await? - FIRST),
            FeedStart::Now => {
                // All existing events count as read; of very many, some may come again.
                let mut cursor = FeedCursor::since(self.told_up_to().await?);
                let (from, connection) = (cursor.from, self.store.connection().await?);
                for one in feed_match_list(&connection, account, from).await? {
                    cursor.tell(one.id, one.version, one.updated_at);
                }
                for one in challenge_news_list(&connection, account, from, MAX_SKIPPED).await? {
                    cursor.tell(one.id, one.number, one.at);
                }
                for one in removal_list(&connection, account, from, MAX_SKIPPED).await? {
                    cursor.tell(one.match_id, one.version, one.at);
                }
                cursor
            }
        };
        Ok(AccountFeed { account, cursor, limit, watched })
    }

    fn usable(&self, cursor: FeedCursor) -> Result<FeedCursor, ServiceError> {
        let old = cursor.from < self.now() - OLDEST;
        if old { Err(ServiceError::CursorTooOld) } else { Ok(cursor) }
    }

    async fn told_up_to(&self) -> Result<DateTime<Utc>, ServiceError> {
        Ok(feed_horizon(&*self.store.connection().await?).await? - LAG)
    }

    async fn feed_after(
        &self,
        account: AccountId,
        cursor: &FeedCursor,
        limit: i64,
    ) -> Result<(AccountEventPage, FeedCursor), ServiceError> {
        let horizon = self.told_up_to().await?;
        let mut cursor = cursor.as_of(horizon);
        let found = self.find(account, &mut cursor, horizon, limit).await?;
        let (mut events, mut told) = (Vec::new(), cursor.clone());
        let mut matches: HashMap<Uuid, Option<Arc<MatchState>>> = HashMap::new();
        for one in &found.news {
            let id = one.id();
            if let One::Entry(..) = one
                && !matches.contains_key(&id)
            {
                matches.insert(id, self.match_if_seated(account, id).await?);
            }
            told.tell(id, one.number(), one.at());
            // While the page is incomplete, events after this one are unread.
            let cursor = told.up_to(found.horizon.min(one.at()));
            let state = matches.get(&id).and_then(Option::as_deref);
            if let Some(what) = one.told(state, &found.names, account) {
                events.push(AccountEvent { at: one.at(), what, cursor: cursor.print() });
            }
            told.from = cursor.from;
        }
        told = told.up_to(if found.more { told.from } else { found.horizon });
        Ok((AccountEventPage { events, cursor: told.print(), more: found.more }, told))
    }

    async fn find(
        &self,
        account: AccountId,
        cursor: &mut FeedCursor,
        horizon: DateTime<Utc>,
        limit: i64,
    ) -> Result<Found, ServiceError> {
        let connection = self.store.connection().await?;
        // One more than requested shows whether there is another page.
        let most = limit.saturating_add(1);
        // Those that the cursor has already covered are among them: two of a challenge, seldom more of a match.
        let with_told = most.saturating_add(i64::try_from(cursor.told_count()).unwrap_or_default() * 2 + 20);
        let changed = feed_match_list(&connection, account, cursor.from).await?;
        let news = challenge_news_list(&connection, account, cursor.from, with_told).await?;
        let removals = removal_list(&connection, account, cursor.from, with_told).await?;
        for one in &changed {
            cursor.forget_beyond(one.id, one.version);
            cursor.date(one.id, one.version, one.updated_at);
        }
        for one in &news {
            cursor.forget_beyond(one.id, one.newest);
            cursor.date(one.id, one.number, one.at);
        }
        removals.iter().for_each(|one| cursor.date(one.match_id, one.version, one.at));
        let complete = |count: usize| i64::try_from(count).is_ok_and(|count| count < with_told);
        if complete(news.len()) && complete(removals.len()) {
            let ids = changed.iter().map(|one| one.id).chain(news.iter().map(|one| one.id));
            cursor.keep(ids.chain(removals.iter().map(|one| one.match_id)));
        }
        let told = |changed: &ChangedMatch| (changed.id, cursor.told_of(changed.id));
        let after: Vec<(Uuid, i32)> =
            changed.iter().filter(|one| one.version > cursor.told_of(one.id)).map(told).collect();
        let mut entries: Vec<(MatchId, LoggedEvent)> = Vec::new();
        if !after.is_empty() {
            for row in feed_entry_list(&connection, &after, cursor.from, most).await? {
                entries.push((MatchId(row.match_id), event_of(&row)?));
            }
        }
        let accounts = entries.iter().filter_map(|(_, entry)| entry.event.account());
        let accounts: Vec<Uuid> = accounts.map(|account| account.0).collect();
        let names = names_find(&connection, &accounts).await?;
        let untold = news.into_iter().filter(|one| one.number > cursor.told_of(one.id));
        let removals = removals.into_iter().filter(|one| one.version > cursor.told_of(one.match_id));
        let mut news: Vec<One> = entries
            .into_iter()
            .map(|(id, entry)| One::Entry(id, entry))
            .chain(untold.map(One::News))
            .chain(removals.map(One::Removal))
            .collect();
        news.sort_by_key(|one| (one.at(), one.id(), one.number()));
        let more = cut(&mut news, limit);
        Ok(Found { news, names, horizon, more })
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
    /// All events older than this are complete.
    horizon: DateTime<Utc>,
    more: bool,
}

/// A single event.
enum One {
    Entry(MatchId, LoggedEvent),
    News(ChallengeNewsRow),
    Removal(RemovalNewsRow),
}

impl One {
    fn at(&self) -> DateTime<Utc> {
        match self {
            Self::Entry(_, entry) => entry.at,
            Self::News(row) => row.at,
            Self::Removal(row) => row.at,
        }
    }

    fn id(&self) -> Uuid {
        match self {
            Self::Entry(id, _) => id.0,
            Self::News(row) => row.id,
            Self::Removal(row) => row.match_id,
        }
    }

    fn number(&self) -> i32 {
        match self {
            Self::Entry(_, entry) => entry.version,
            Self::News(row) => row.number,
            Self::Removal(row) => row.version,
        }
    }

    /// The event as the account may see it; `None` if the account has no seat any more.
    fn told(&self, state: Option<&MatchState>, names: &Names, account: AccountId) -> Option<AccountEntry> {
        match (self, state) {
            (Self::Entry(..), None) => None,
            (Self::Entry(id, entry), Some(state)) => {
                Some(AccountEntry::Match(*id, LogEntry::for_viewer(entry, names, state, account)))
            }
            (Self::News(row), _) => Some(AccountEntry::Challenge {
                id: ChallengeId(row.id),
                outcome: row.outcome.clone(),
                username: row.username.clone(),
            }),
            (Self::Removal(row), _) => {
                let entry = LogEntry::of_removal(row.version, row.at, row.username.clone());
                Some(AccountEntry::Match(MatchId(row.match_id), entry))
            }
        }
    }
}
