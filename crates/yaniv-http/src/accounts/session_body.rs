//! Sessions and personal tokens. A token itself appears only when it is new.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::accounts::sessions::OpenSession;
use yaniv_app::accounts::tokens::{CreatedToken, PersonalToken};

/// Your sessions.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionList)]
pub struct SessionListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Open sessions, most recently used first; those last used on the same day, by log-in.
    #[schema(max_items = 100)]
    pub items: Vec<SessionSummaryBody>,
}

/// A device on which you are logged in.
#[derive(Serialize, ToSchema)]
#[schema(as = SessionSummary)]
pub struct SessionSummaryBody {
    /// Identifier of the session.
    pub session_id: Uuid,
    /// Device name given at log-in, or `unnamed`.
    #[schema(min_length = 1, max_length = 60, examples("Ada's phone"))]
    pub device: String,
    /// Whether it is the calling session.
    #[schema(examples(true))]
    pub current: bool,
    /// When you logged in.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// Day of the last log-in or refresh, in UTC.
    #[schema(examples("2026-12-24"))]
    pub last_used_on: NaiveDate,
    /// Day on which the session expires if it is not used, in UTC.
    #[schema(examples("2027-02-22"))]
    pub expires_on: NaiveDate,
}

/// Your personal tokens.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalTokenList)]
pub struct PersonalTokenListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Valid tokens, newest first.
    #[schema(max_items = 100)]
    pub items: Vec<PersonalTokenBody>,
}

/// A personal token, without the token itself.
#[derive(Serialize, ToSchema)]
#[schema(as = PersonalToken)]
pub struct PersonalTokenBody {
    /// Identifier, by which the token is revoked.
    pub token_id: Uuid,
    /// Label of the token; for an app, its `client_id`.
    #[schema(min_length = 1, max_length = 60, examples("my bot"))]
    pub name: String,
    /// Scopes: `read`, `play`, `account`, `moderate`. New ones may be added.
    #[schema(min_items = 1, max_items = 8, examples("read"))]
    pub scopes: Vec<String>,
    /// When the token was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// Day of the last use, in UTC. Left out before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples("2026-12-24"))]
    pub last_used_on: Option<NaiveDate>,
    /// When the token expires.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// Web origin or URI scheme of the app that got the token by OAuth. Left out for a token of your own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 500, examples("https://app.example"))]
    pub issued_to: Option<String>,
}

/// A new personal token. Only this answer contains the token itself.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedPersonalToken)]
pub struct CreatedPersonalTokenBody {
    /// The token, to send as `Authorization: Bearer …`. Store it like a password.
    #[schema(max_length = 200, examples("yaniv_pat_3fMxBsbNVj1pA0example"))]
    pub token: String,
    /// The token as listed from now on.
    pub personal_token: PersonalTokenBody,
}

impl From<OpenSession> for SessionSummaryBody {
    fn from(session: OpenSession) -> Self {
        let OpenSession { id, device, created_at, last_used_on, expires_on, current } = session;
        Self { session_id: id.0, device, current, created_at, last_used_on, expires_on }
    }
}

impl SessionListBody {
    /// The list with the server's time.
    pub fn new(sessions: Vec<OpenSession>, now: DateTime<Utc>) -> Self {
        Self { server_time: now, items: sessions.into_iter().map(Into::into).collect() }
    }
}

impl From<PersonalToken> for PersonalTokenBody {
    fn from(token: PersonalToken) -> Self {
        Self {
            token_id: token.id.0,
            name: token.name,
            scopes: token.scopes.iter().map(|scope| scope.name().to_owned()).collect(),
            created_at: token.created_at,
            last_used_on: token.last_used_on,
            expires_at: token.expires_at,
            issued_to: token.issued_to,
        }
    }
}

impl PersonalTokenListBody {
    /// The list with the server's time.
    pub fn new(tokens: Vec<PersonalToken>, now: DateTime<Utc>) -> Self {
        Self { server_time: now, items: tokens.into_iter().map(Into::into).collect() }
    }
}

impl From<CreatedToken> for CreatedPersonalTokenBody {
    fn from(created: CreatedToken) -> Self {
        Self { token: created.secret, personal_token: created.token.into() }
    }
}
