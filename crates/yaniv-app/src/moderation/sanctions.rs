//! What a player sees of the decisions about the own account.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::moderation::decisions::{DecisionRow, sanction_list};
use yaniv_model::ids::AccountId;

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::{Page, ServiceError, Services};

/// A sanction: a decision other than a dismissal. Who made it is not said.
#[derive(Clone, Debug)]
pub struct Sanction {
    /// Identifier.
    pub id: Uuid,
    /// Code of its kind.
    pub kind: String,
    /// Why.
    pub reason: String,
    /// When a mute or a suspension ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// The match that it is about.
    pub match_id: Option<Uuid>,
    /// The round of the dedication.
    pub round: Option<i16>,
    /// When it was decided.
    pub decided_at: DateTime<Utc>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
}

impl From<DecisionRow> for Sanction {
    fn from(row: DecisionRow) -> Self {
        Self {
            id: row.id,
            kind: row.kind,
            reason: row.reason,
            until: row.until,
            match_id: row.match_id,
            round: row.round,
            decided_at: row.decided_at,
            undone_at: row.undone_at,
        }
    }
}

impl Services {
    /// The sanctions of the caller, newest first.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn sanctions(
        &self,
        account: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<Sanction>, ServiceError> {
        let asked = PageQuery::new(cursor, limit)?;
        let before = asked.after.unwrap_or(Uuid::max());
        let connection = self.store.connection().await?;
        let rows = sanction_list(&connection, account, before, asked.rows()).await?;
        Ok(asked.page(rows, |row| row.id).map(Sanction::from))
    }
}
