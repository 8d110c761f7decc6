//! Decisions as moderators see them, and as the account does.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::moderation::decision::Decision;
use yaniv_app::moderation::sanctions::Sanction;

/// A decision of a moderator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Decision)]
pub struct DecisionBody {
    /// Identifier of the decision.
    pub decision_id: Uuid,
    /// Username of the account that it is about.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// What was decided, as in `KindOfDecision`. New ones may come.
    #[schema(max_length = 32, examples("warning"))]
    pub kind: String,
    /// Why. Left out if it was not given, or the account is gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 500, examples("Do not insult other players."))]
    pub reason: String,
    /// When a mute or a suspension ends by itself. Left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub until: Option<DateTime<Utc>>,
    /// The match of the report. Left out if it was not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The round of the dedication. Left out if the report was not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i16>,
    /// The dedication or display name that was removed. Left out if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 140, examples("a bad name"))]
    pub removed_text: Option<String>,
    /// When it was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub decided_at: DateTime<Utc>,
    /// Username of the moderator. Left out for an administrator.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 20, examples("ada"))]
    pub moderator: Option<String>,
    /// When it was undone. Left out if it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub undone_at: Option<DateTime<Utc>>,
}

/// A page of decisions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DecisionList)]
pub struct DecisionListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<DecisionBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("0193aa00000070008000000000000006"))]
    pub next_cursor: Option<String>,
}

/// What a moderator has decided about you.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sanction)]
pub struct SanctionBody {
    /// Identifier of the sanction.
    pub sanction_id: Uuid,
    /// `warning`; `mute`: no dedications and no new names; `suspension`; `dedication_removal`; `name_removal`. New ones
    /// may come.
    #[schema(max_length = 32, examples("warning"))]
    pub kind: String,
    /// Why.
    #[schema(max_length = 500, examples("Do not insult other players."))]
    pub reason: String,
    /// When a mute or a suspension ends by itself. Left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub until: Option<DateTime<Utc>>,
    /// The match. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The round of your dedication. Left out if it is not about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i16>,
    /// When it was decided.
    #[serde(serialize_with = "crate::values::time::print")]
    pub decided_at: DateTime<Utc>,
    /// When it was undone. Left out if it stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub undone_at: Option<DateTime<Utc>>,
}

/// A page of your sanctions.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SanctionList)]
pub struct SanctionListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<SanctionBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("0193aa00000070008000000000000006"))]
    pub next_cursor: Option<String>,
}

impl From<Decision> for DecisionBody {
    fn from(decision: Decision) -> Self {
        Self {
            decision_id: decision.id,
            username: decision.username,
            kind: decision.kind,
            reason: decision.reason,
            until: decision.until,
            match_id: decision.match_id,
            round: decision.round,
            removed_text: decision.removed_text,
            decided_at: decision.decided_at,
            moderator: decision.moderator,
            undone_at: decision.undone_at,
        }
    }
}

impl From<Page<Decision>> for DecisionListBody {
    fn from(page: Page<Decision>) -> Self {
        let items = page.items.into_iter().map(DecisionBody::from).collect();
        Self { server_time: None, items, next_cursor: page.next_cursor }
    }
}

impl From<Sanction> for SanctionBody {
    fn from(sanction: Sanction) -> Self {
        Self {
            sanction_id: sanction.id,
            kind: sanction.kind,
            reason: sanction.reason,
            until: sanction.until,
            match_id: sanction.match_id,
            round: sanction.round,
            decided_at: sanction.decided_at,
            undone_at: sanction.undone_at,
        }
    }
}

impl From<Page<Sanction>> for SanctionListBody {
    fn from(page: Page<Sanction>) -> Self {
        let items = page.items.into_iter().map(SanctionBody::from).collect();
        Self { server_time: None, items, next_cursor: page.next_cursor }
    }
}
