//! Events of an account.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::feeds::account_feed::{AccountEntry, AccountEvent, AccountEventPage};

use crate::match_view::log_body::LogEntryBody;

/// A page of the events of your account.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AccountEventPage)]
pub struct AccountEventPageBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Events, oldest first.
    #[schema(max_items = 100)]
    pub items: Vec<AccountEventBody>,
    /// `after` of the next request. It does not expire.
    #[schema(max_length = 32768, examples("AQAGYvV2p4wA"))]
    pub cursor: String,
}

/// An event of one of your matches, or of a challenge that you see.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AccountEvent)]
pub struct AccountEventBody {
    /// For a match, the type of the log entry (`LogEntry`). For a challenge, `challenged` (you were challenged),
    /// `challenge_declined` or `challenge_withdrawn`.
    ///
    /// An accepted challenge shows as events of its match. New types may be added: skip unknown ones.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// When it happened.
    #[serde(serialize_with = "crate::values::time::print")]
    pub at: DateTime<Utc>,
    /// Username of the player who did it; for `removed`, of the removed player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// The match. Left out for events of challenges.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// Version of the log entry; unique together with `match_id`. Left out for events of challenges.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(5))]
    pub version: Option<i32>,
    /// The log entry, as far as you may know it. Left out for events of challenges.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub entry: Option<LogEntryBody>,
    /// The challenge. Left out for events of matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub challenge_id: Option<Uuid>,
}

impl From<&AccountEvent> for AccountEventBody {
    fn from(event: &AccountEvent) -> Self {
        let at = event.at;
        match &event.what {
            AccountEntry::Match(id, entry) => {
                let username = entry.username.clone();
                let entry = LogEntryBody::from(entry);
                Self {
                    kind: entry.kind.clone(),
                    at,
                    username,
                    match_id: Some(id.0),
                    version: Some(entry.version),
                    entry: Some(entry),
                    challenge_id: None,
                }
            }
            AccountEntry::Challenge { id, outcome, username } => Self {
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

impl AccountEventPageBody {
    /// The page with the server's time.
    pub fn new(page: &AccountEventPage, now: DateTime<Utc>) -> Self {
        Self {
            server_time: now,
            items: page.events.iter().map(AccountEventBody::from).collect(),
            cursor: page.cursor.clone(),
        }
    }
}
