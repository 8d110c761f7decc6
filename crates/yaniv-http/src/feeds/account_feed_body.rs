//! What happens in all matches of an account, and to its challenges.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::feeds::account_feed::{InboxEntry, InboxEvent, InboxPage};

use crate::match_view::log_body::LogEntryBody;

/// A part of your inbox.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxPage)]
pub struct InboxPageBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// What has happened, the oldest first.
    #[schema(max_items = 100)]
    pub items: Vec<InboxEventBody>,
    /// Give it as `after` to get what comes next. Keep it: it is good for as long as you like.
    #[schema(max_length = 32768, examples("AQAGYvV2p4wA"))]
    pub cursor: String,
}

/// Something that happened in one of your matches, or to a challenge that you see.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InboxEvent)]
pub struct InboxEventBody {
    /// What it was: of a match, the type of its entry (`LogEntry`); of a challenge `challenged`, which you were by somebody,
    /// `challenge_declined` or `challenge_withdrawn`. (Of one that all have accepted, its match tells.) New types may come: skip
    /// unknown ones.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// When.
    #[serde(serialize_with = "crate::values::time::print")]
    pub at: DateTime<Utc>,
    /// Who did it.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// The match, if it happened in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// Number of the entry of its log. With `match_id` it tells this event from all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(5))]
    pub version: Option<i32>,
    /// The entry, as you may know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub entry: Option<LogEntryBody>,
    /// The challenge, if it happened to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub challenge_id: Option<Uuid>,
}

impl From<&InboxEvent> for InboxEventBody {
    fn from(event: &InboxEvent) -> Self {
        let at = event.at;
        match &event.what {
            InboxEntry::Match(id, entry) => {
                let entry = LogEntryBody::from(entry);
                Self {
                    kind: entry.kind.clone(),
                    at,
                    username: entry.username.clone(),
                    match_id: Some(id.0),
                    version: Some(entry.version),
                    entry: Some(entry),
                    challenge_id: None,
                }
            }
            InboxEntry::Challenge { id, outcome, username } => Self {
                kind: outcome.as_ref().map_or("challenged".to_owned(), |how| format!("challenge_{how}")),
                at,
                username: username.clone(),
                match_id: None,
                version: None,
                entry: None,
                challenge_id: Some(id.0),
            },
        }
    }
}

impl InboxPageBody {
    /// The page at a time.
    pub fn new(page: &InboxPage, now: DateTime<Utc>) -> Self {
        Self {
            server_time: now,
            items: page.events.iter().map(InboxEventBody::from).collect(),
            cursor: page.cursor.clone(),
        }
    }
}
