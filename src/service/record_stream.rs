//! The records of everything that an account has played, one after the other as they are asked for, so that never more than one match
//! is in memory.

use std::collections::VecDeque;

use uuid::Uuid;
use yaniv_engine::Record;

use super::history::{log_of, replay_record};
use super::turns::load_for;
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::ids::MatchId;
use crate::store::seats::seat_match_list;

/// Matches that are looked up at a time.
const AT_A_TIME: i64 = 100;

/// Records that are being read.
pub struct RecordStream {
    services: Services,
    access: Access,
    /// The newest match that has been looked at.
    after: Uuid,
    found: VecDeque<Uuid>,
}

impl Services {
    /// Begins to read the records of the matches in which the caller has a seat, oldest first, from after a match on. Those that have
    /// not started have none. Sandboxes are left out: their records do not say which match they are of.
    pub fn records(&self, access: Access, after: Option<MatchId>) -> RecordStream {
        let after = after.map_or(Uuid::nil(), |after| after.0);
        RecordStream { services: self.clone(), access, after, found: VecDeque::new() }
    }
}

impl RecordStream {
    /// The next record, until there is none.
    ///
    /// # Errors
    /// Those of the database; `InvalidToken` if what it was begun by has ended.
    pub async fn next(&mut self) -> Result<Option<Record>, ServiceError> {
        loop {
            // It may take its time, and has to end with what it was begun by.
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
        let place = self.services.replaying.place_behind().await?;
        let connection = self.services.store.connection().await?;
        let table = match load_for(&connection, account, id).await {
            Ok(table) => table,
            // Left meanwhile.
            Err(ServiceError::MatchNotFound) => return Ok(None),
            Err(error) => return Err(error),
        };
        if table.game.is_none() || table.settings.sandbox {
            return Ok(None);
        }
        let log = log_of(&connection, &table).await?;
        // Nobody waits for a connection because somebody else's record is being put together.
        drop(connection);
        let work = move || Ok(Some(replay_record(&table, &log)?.finish(table.seat_of(account))));
        self.services.replaying.run(place, work).await
    }
}
