//! Export of the records of an account's matches, one at a time on demand, so that at most one match is in
//! memory.

use std::collections::VecDeque;
use std::sync::Arc;

use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::matches::seats::seat_match_list;
use yaniv_engine::Record;
use yaniv_model::ids::MatchId;

use crate::kernel::boxed;
use crate::turns::play::load_for;
use crate::{ServiceError, Services};

/// Number of matches per query.
const AT_A_TIME: i64 = 100;

/// An export in progress.
pub struct RecordStream {
    services: Services,
    access: Access,
    /// The last match that was read.
    after: Uuid,
    found: VecDeque<Uuid>,
}

impl Services {
    /// Starts an export of the records of the caller's matches, oldest first, after a given match.
    ///
    /// Matches that have not started have no record. Sandboxes are left out: their records do not name their
    /// match.
    pub fn records(&self, access: Access, after: Option<MatchId>) -> RecordStream {
        let after = after.map_or(Uuid::nil(), |after| after.0);
        RecordStream { services: self.clone(), access, after, found: VecDeque::new() }
    }
}

impl RecordStream {
    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// Those of the database; `InvalidToken` if the credential that started the export is revoked.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<Record>, ServiceError> {
        loop {
            // An export may take long, and has to stop when its credential is revoked.
            self.services.check_access(&self.access)?;
            if self.found.is_empty() {
                let connection = self.services.store.connection().await?;
                let account = self.access.account;
                self.found = seat_match_list(&connection, account, self.after, AT_A_TIME).await?.into();
            }
            let Some(id) = self.found.pop_front() else { return Ok(None) };
            self.after = id;
            if let Some(record) = self.record(MatchId(id)).await? {
                return Ok(Some(record));
            }
        }
    }

    async fn record(&self, id: MatchId) -> Result<Option<Record>, ServiceError> {
        let account = self.access.account;
        let place = self.services.replay_pool.place_behind().await?;
        let connection = self.services.store.connection().await?;
        let state = match load_for(&connection, account, id).await {
            Ok(state) => state,
            // The caller has left the match meanwhile.
            Err(ServiceError::MatchNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        if state.game().is_none() || state.settings().sandbox {
            return Ok(None);
        }
        // Returns the connection before the replay, which takes long.
        drop(connection);
        let state = Arc::new(state);
        let builder = self.services.replay_record(&place, &state, account).await?;
        Ok(Some(builder.finish(state.seat_of(account))))
    }
}
