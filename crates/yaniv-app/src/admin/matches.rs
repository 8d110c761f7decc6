//! Commands of an administrator on matches, each in one transaction with its entry in the audit log.

use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::matches::dedications::dedication_empty_in_txn;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_model::ids::MatchId;

use crate::ServiceError;
use crate::admin::session::Admin;
use crate::kernel::boxed;

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
}
