//! Reads a match for a player, with the tag by which two views are compared. The cache is in `cache`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_db::Connection;
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::settings::Settings;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::ids::{AccountId, MatchId};
use yaniv_model::match_version::MatchVersion;

use crate::kernel::boxed;
use crate::matches::log::{log_load, names_of_players};
use crate::{ServiceError, Services};

/// Upper bound of the log entries in a view; `history` has the rest.
pub(crate) const RECENT_LIMIT: i64 = 100;

/// A match at the time of a read. `Services::view` makes the view.
pub struct MatchRead {
    state: Arc<MatchState>,
    account: AccountId,
}

/// Tag of a view: all that the view depends on and its viewer may know. Views with equal tags are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewTag {
    /// Number of entries in the log.
    pub version: i32,
    /// Number of dedications.
    pub dedications: i16,
    /// When the newest entry was accepted. Needed because after a loss of data a version number can recur
    /// with other content.
    pub updated_at: DateTime<Utc>,
    /// The viewer's seat.
    pub seat: Option<Seat>,
    /// Whether the round in play has a dedication that the viewer can see.
    pub dedication: bool,
    /// The players' usernames and display names, as names may change.
    pub names: Vec<String>,
}

impl MatchRead {
    /// The tag of the view.
    pub fn mark(&self) -> ViewTag {
        let MatchVersion { version, dedications, updated_at, .. } = self.state.stands_at();
        let dedication = self.state.dedication(self.account).is_some();
        let players = self.state.players().iter();
        let names = players
            .flat_map(|player| [player.username.clone(), player.display_name.clone().unwrap_or_default()]);
        let names = names.collect();
        ViewTag {
            version,
            dedications,
            updated_at,
            seat: self.state.seat_of(self.account),
            dedication,
            names,
        }
    }
}

impl Services {
    /// Reads a match.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read it.
    #[boxed]
    pub async fn look(&self, account: AccountId, id: MatchId) -> Result<MatchRead, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        if state.seat_of(account).is_some() {
            self.notices.read(account, id, state.version());
        }
        Ok(MatchRead { state, account })
    }

    /// The settings of a match.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read it.
    #[boxed]
    pub async fn match_settings(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<Settings>, ServiceError> {
        Ok(Arc::clone(self.match_to_read(account, id).await?.settings()))
    }

    /// The view of a read, with the log entries after a version.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn view(&self, look: &MatchRead, since: Option<i32>) -> Result<MatchView, ServiceError> {
        match since.filter(|since| *since < look.state.version()) {
            None => Ok(MatchView::new(&look.state, look.account, Vec::new())),
            Some(since) => match look.state.tail_after(since) {
                Some(log) => {
                    let names = names_of_players(&look.state);
                    let entries = LogEntry::all_for_viewer(log, &names, &look.state, look.account);
                    Ok(MatchView::new(&look.state, look.account, entries))
                }
                None => view_since(&*self.store.connection().await?, &look.state, look.account, since).await,
            },
        }
    }
}

/// A view with the log entries after a version.
///
/// # Errors
/// Those of the database.
pub(crate) async fn view_since(
    connection: &Connection,
    state: &MatchState,
    account: AccountId,
    since: i32,
) -> Result<MatchView, ServiceError> {
    // At most `RECENT_LIMIT` entries, the newest; `history` has the rest.
    let after = i64::from(since).max(i64::from(state.version()) - RECENT_LIMIT);
    let after = i32::try_from(after).unwrap_or(since);
    let (log, names) = log_load(connection, state.id(), (after, state.version()), RECENT_LIMIT).await?;
    Ok(MatchView::new(state, account, LogEntry::all_for_viewer(&log, &names, state, account)))
}
