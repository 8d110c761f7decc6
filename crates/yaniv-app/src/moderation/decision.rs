//! Decisions as moderators see them, and requests for them.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::username_map;
use yaniv_db::moderation::decisions::{
    DecisionRow, KIND_DEDICATION_REMOVAL, KIND_DISMISSAL, KIND_MUTE, KIND_NAME_REMOVAL, KIND_SUSPENSION,
    KIND_WARNING,
};

use crate::ServiceError;

/// Maximum length of a reason, in characters.
const LONGEST_REASON: usize = 500;

/// What is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// Nothing is done.
    Dismissal,
    /// The player reads the reason.
    Warning,
    /// The player may not write texts that others see, until a time.
    Mute,
    /// The account is suspended, until a time or until it is undone.
    Suspension,
    /// The dedication of the report is removed.
    DedicationRemoval,
    /// The display name of the account is removed.
    NameRemoval,
}

impl DecisionKind {
    /// Code on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Dismissal => KIND_DISMISSAL,
            Self::Warning => KIND_WARNING,
            Self::Mute => KIND_MUTE,
            Self::Suspension => KIND_SUSPENSION,
            Self::DedicationRemoval => KIND_DEDICATION_REMOVAL,
            Self::NameRemoval => KIND_NAME_REMOVAL,
        }
    }
}

/// A request for a decision.
#[derive(Clone, Debug)]
pub struct NewDecision {
    /// What is decided.
    pub kind: DecisionKind,
    /// Why. The player sees it; of a dismissal only moderators do, and it may be empty.
    pub reason: String,
    /// When a mute or a suspension ends by itself.
    pub until: Option<DateTime<Utc>>,
}

impl NewDecision {
    /// Checks what does not depend on the report.
    ///
    /// # Errors
    /// `InvalidField`.
    pub(crate) fn check(&self, now: DateTime<Utc>) -> Result<(), ServiceError> {
        let refused = |field, detail| Err(ServiceError::InvalidField { field, detail });
        let length = self.reason.chars().count();
        if length > LONGEST_REASON || self.reason.chars().any(char::is_control) {
            return refused("reason", "must be at most 500 characters on one line");
        }
        if length == 0 && self.kind != DecisionKind::Dismissal {
            return refused("reason", "must be given: the player sees it");
        }
        match (self.kind, self.until) {
            (DecisionKind::Mute, None) => refused("until", "must be given: a mute ends by itself"),
            (DecisionKind::Mute | DecisionKind::Suspension, Some(until)) if until <= now => {
                refused("until", "is over already")
            }
            (DecisionKind::Mute | DecisionKind::Suspension, _) | (_, None) => Ok(()),
            (_, Some(_)) => refused("until", "is for a mute or a suspension"),
        }
    }

    /// Whether a stored decision is this one.
    pub(crate) fn is(&self, row: &DecisionRow) -> bool {
        row.kind == self.kind.as_str() && row.reason == self.reason && row.until == self.until
    }
}

/// A decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// Identifier.
    pub id: Uuid,
    /// Name of the account that it is about.
    pub username: String,
    /// Code of its kind.
    pub kind: String,
    /// Why.
    pub reason: String,
    /// When a mute or a suspension ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// The match of the report.
    pub match_id: Option<Uuid>,
    /// The round of the dedication.
    pub round: Option<i16>,
    /// The text that was removed.
    pub removed_text: Option<String>,
    /// When it was made.
    pub decided_at: DateTime<Utc>,
    /// Name of the moderator; none: an administrator.
    pub moderator: Option<String>,
    /// When it was undone.
    pub undone_at: Option<DateTime<Utc>>,
}

/// Adds the names to decisions.
pub(crate) async fn named_decisions(
    connection: &Connection,
    rows: Vec<DecisionRow>,
) -> Result<Vec<Decision>, ServiceError> {
    let ids = rows.iter().flat_map(|row| [Some(row.account_id), row.moderator_id]).flatten();
    let names = username_map(connection, &ids.collect::<Vec<_>>()).await?;
    let name = |id: Uuid| names.get(&id).map(|name| name.username.clone());
    let decision = |row: DecisionRow| Decision {
        id: row.id,
        username: name(row.account_id).unwrap_or_default(),
        kind: row.kind,
        reason: row.reason,
        until: row.until,
        match_id: row.match_id,
        round: row.round,
        removed_text: row.removed_text,
        decided_at: row.decided_at,
        moderator: row.moderator_id.and_then(name),
        undone_at: row.undone_at,
    };
    Ok(rows.into_iter().map(decision).collect())
}
