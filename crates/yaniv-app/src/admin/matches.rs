//! Commands of an administrator on matches, with their entries in the audit log.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::matches::archived_logs::archived_match_delete;
use yaniv_db::matches::dedications::dedication_empty_in_txn;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_model::ids::MatchId;

use crate::ServiceError;
use crate::admin::session::Admin;
use crate::kernel::boxed;

/// Matches of a transaction of `delete_archived`.
const AT_A_TIME: i64 = 500;

impl Admin {
    /// Removes the text of a round's dedication; the dealer cannot make another.
    ///
    /// # Errors
    /// `InvalidField` if the round has none, and those of the database.
    #[boxed]
    pub async fn remove_dedication(&self, match_id: Uuid, round: i16) -> Result<(), ServiceError> {
        let id = MatchId(match_id);
        self.connection()
            .await?
            .transaction(async |connection| {
                match_lock(connection, id).await?;
                let found = dedication_empty_in_txn(connection, id, round).await?;
                let missing = ServiceError::InvalidField { field: "round", detail: "has no dedication" };
                found.ok_or(missing)?;
                self.note(connection, "matches.remove-dedication", Some(match_id)).await
            })
            .await
    }

    /// Deletes the archived matches that ended before this time, for ever; returns how many. Statistics and ratings still
    /// count them, until they are rebuilt.
    ///
    /// # Errors
    /// Those of the database. Matches deleted before the error stay so.
    #[boxed]
    pub async fn delete_archived(&self, ended_before: DateTime<Utc>) -> Result<i64, ServiceError> {
        let mut connection = self.connection().await?;
        connection
            .transaction(async |connection| self.note(connection, "matches.delete-archived", None).await)
            .await?;
        let (mut deleted, mut after) = (0, Uuid::nil());
        loop {
            let (more, last) = archived_match_delete(&connection, ended_before, after, AT_A_TIME).await?;
            deleted += more;
            match last {
                Some(last) => after = last,
                None => return Ok(deleted),
            }
        }
    }
}
