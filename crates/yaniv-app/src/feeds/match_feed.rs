//! Match feed: the action log after a version, as the viewer may see it, as a source for `feeds::streams`.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use yaniv_match::clocks::Clocks;
use yaniv_match::status::Status;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};

use crate::feeds::streams::{EndReason, Page, Source};
use crate::matches::log::{log_load, names_of_players};
use crate::{ServiceError, Services};

/// Polling interval for a match whose version has gone back.
const WHILE_BEHIND: Duration = Duration::from_secs(1);

/// A page of the action log.
pub struct EventPage {
    /// Entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// Newest version of the match, even if it is not on the page.
    pub version: i32,
    /// Whether the match was over at that version.
    over: bool,
    /// Whether entries follow after the page.
    more: bool,
    /// Whether the database has lost entries that the caller has seen.
    lost: bool,
    /// The match's clocks, which define its current time.
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

/// A match's feed for long polls and streams.
pub struct MatchEvents {
    account: AccountId,
    id: MatchId,
    /// The version after which the next page begins.
    after: i32,
    /// The newest version at the last read.
    heard: i32,
    limit: i64,
    watched: watch::Receiver<i32>,
    /// The notifier's version before the last read.
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
            // The database has lost announced versions, as a promoted standby may have: new ones are not
            // announced.
            return tokio::time::sleep(WHILE_BEHIND).await;
        }
        // The notifier also reports the lower version once it knows of the loss.
        if self.watched.wait_for(|version| *version > heard || *version < told).await.is_err() {
            // The notifier is gone: nothing can wake this task.
            std::future::pending::<()>().await;
        }
    }
}

impl Services {
    /// Creates the feed of a match after a version. A caller without a seat gets an error at the first read.
    pub fn match_events(&self, account: AccountId, id: MatchId, after: i32, limit: i64) -> MatchEvents {
        MatchEvents {
            account,
            id,
            after,
            heard: 0,
            limit,
            watched: self.change_notifier.of_match(id),
            told: 0,
        }
    }

    async fn events_after(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
        limit: i64,
    ) -> Result<EventPage, ServiceError> {
        let state = self.match_for(account, id).await?;
        let (version, over) =
            (state.version(), matches!(state.status(), Status::Finished | Status::Cancelled));
        let at_hand =
            state.tail_after(after).filter(|rows| i64::try_from(rows.len()).is_ok_and(|n| n <= limit));
        let entries = match at_hand {
            _ if after >= version => Vec::new(),
            Some(log) => LogEntry::all_for_viewer(log, &names_of_players(&state), &state, account),
            None => {
                let connection = self.store.connection().await?;
                let (log, names) = log_load(&connection, id, (after, version), limit).await?;
                LogEntry::all_for_viewer(&log, &names, &state, account)
            }
        };
        let more = entries.last().is_some_and(|last| last.version < version);
        let lost = after > version;
        Ok(EventPage { entries, version, over, more, lost, clocks: Arc::clone(state.clocks()) })
    }
}
