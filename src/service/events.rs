//! What happens in a match, for who listens: the log after a version, as its viewer may know it. `streams` has how one
//! listens.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use super::clocks::Clocks;
use super::replay::{names_at, names_of};
use super::status::Status;
use super::streams::{EndReason, Page, Source};
use super::view::LogEntry;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::action_list;

/// Between two looks at a match that has gone back.
const WHILE_BEHIND: Duration = Duration::from_secs(1);

/// A part of the log of a match.
pub struct EventPage {
    /// Entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// Newest version of the match, whether the page reaches it or not.
    pub version: i32,
    /// Whether the match was over at that version.
    over: bool,
    /// Whether the page does not reach it.
    more: bool,
    /// Whether the caller has seen more than there is: the database has lost it.
    lost: bool,
    /// The match's clocks, which say what time it is there.
    pub clocks: Arc<Clocks>,
}

impl Page for EventPage {
    fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn has_more(&self) -> bool {
        self.more
    }

    fn end(&self) -> Option<EndReason> {
        let over = (self.over && !self.more).then_some(EndReason::MatchOver);
        if self.lost { Some(EndReason::Restored) } else { over }
    }
}

/// The events of a match.
pub struct MatchEvents {
    account: AccountId,
    id: MatchId,
    /// The version after which the next look begins.
    after: i32,
    /// The newest version that the last look has heard of.
    heard: i32,
    limit: i64,
    watched: watch::Receiver<i32>,
    /// What had been told before the last look.
    told: i32,
}

impl Source for MatchEvents {
    type Page = EventPage;

    async fn look(&mut self, services: &Services) -> Result<EventPage, ServiceError> {
        self.told = *self.watched.borrow_and_update();
        let page = services.events_after(self.account, self.id, self.after, self.limit).await?;
        self.heard = page.version;
        self.after = page.entries.last().map_or(self.after, |last| last.version);
        Ok(page)
    }

    async fn changed(&mut self) {
        let (heard, told) = (self.heard, self.told);
        if heard < told {
            // The database has lost what it had told, as one that has taken over may: what comes now is told nobody.
            return tokio::time::sleep(WHILE_BEHIND).await;
        }
        // What is told falls, too, once it is known to be lost.
        if self.watched.wait_for(|version| *version > heard || *version < told).await.is_err() {
            // Nobody is there who could say.
            std::future::pending::<()>().await;
        }
    }
}

impl Services {
    /// The events of a match after a version, so many at a time. Whoever has no seat hears so at the first look.
    pub fn match_events(&self, account: AccountId, id: MatchId, after: i32, limit: i64) -> MatchEvents {
        MatchEvents { account, id, after, heard: 0, limit, watched: self.watches.of_match(id), told: 0 }
    }

    async fn events_after(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
        limit: i64,
    ) -> Result<EventPage, ServiceError> {
        let table = self.table_for(account, id).await?;
        let (version, over) = (table.version, matches!(table.status, Status::Finished | Status::Cancelled));
        let at_hand =
            table.tail_after(after).filter(|rows| i64::try_from(rows.len()).is_ok_and(|n| n <= limit));
        let entries = match at_hand {
            _ if after >= version => Vec::new(),
            Some(rows) => LogEntry::all_for_viewer(rows, &names_at(&table), &table, account)?,
            None => {
                let connection = self.store.connection().await?;
                let rows = action_list(&connection, id, after, version, limit).await?;
                let names = names_of(&connection, &rows).await?;
                LogEntry::all_for_viewer(&rows, &names, &table, account)?
            }
        };
        let more = entries.last().is_some_and(|last| last.version < version);
        let lost = after > version;
        Ok(EventPage { entries, version, over, more, lost, clocks: Arc::clone(&table.clocks) })
    }
}
