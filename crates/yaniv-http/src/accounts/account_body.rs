//! Accounts and sessions as their owner sees them.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::accounts::register::Account;
use yaniv_app::accounts::sessions::LogIn;

/// An account as its owner sees it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Account)]
pub struct AccountBody {
    /// Identifier of the account.
    pub account_id: Uuid,
    /// Username, for log-in and visible to other players. It changes when a guest claims the account.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada"))]
    pub username: String,
    /// When the account was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// Name shown beside the username. Left out if you have not chosen one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada Lovelace"))]
    pub display_name: Option<String>,
    /// Language of your notifications: `en`, `he`, `ne`, `nl` or `de`. Visible only to you. New ones may come.
    #[schema(min_length = 2, max_length = 35, examples("en"))]
    pub language: String,
    /// Your time zone: an IANA name. Visible only to you. Left out if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    pub time_zone: Option<String>,
    /// `true` for a guest, who can claim the account (`claimAccount`); left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub guest: bool,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// `true` for an account without a password, which you log in to by the OpenID provider; left out otherwise, and for
    /// guests and bots.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub passwordless: bool,
    /// `true` if an identity is linked: you can log in by the OpenID provider; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub identity_linked: bool,
}

/// A session. Send `access_token` as `Authorization: Bearer …`; after `expires_at`, or after 401 `invalid_token`,
/// exchange `refresh_token` for new tokens (`refreshSession`).
#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub struct SessionBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// The access token, opaque to clients.
    #[schema(
        max_length = 4096,
        examples("eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJ5YW5pdiJ9.c2ln")
    )]
    pub access_token: String,
    /// Scheme of the access token: always `Bearer`.
    #[schema(max_length = 20, examples("Bearer"))]
    pub token_type: String,
    /// When the access token expires.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// Identifier of the session; a refresh does not change it.
    pub session_id: Uuid,
    /// The refresh token: gets the next tokens, once. Opaque to clients. Store it like a password. Left out only if the
    /// request has `refresh_cookie`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 200, examples("AZOqAAAAcACAAAAAAAAAAd3wMQbGzVY-refresh-token"))]
    pub refresh_token: Option<String>,
    /// When the refresh token expires if it is not used.
    #[serde(serialize_with = "crate::values::time::print")]
    pub refresh_expires_at: DateTime<Utc>,
    /// Identifies this device at the next log-in. Opaque to clients; gives no access. Keep the newest, even after the
    /// session has ended.
    #[schema(max_length = 200, examples("AZOqAAAAcACAAAAAAAAAAZOqAAAAcACAAAAAAAAAAd-device"))]
    pub device_token: String,
    /// The account that is logged in.
    pub account: AccountBody,
}

impl From<Account> for AccountBody {
    fn from(account: Account) -> Self {
        Self {
            account_id: account.id.0,
            username: account.username,
            created_at: account.created_at,
            display_name: account.display_name,
            language: account.language.tag().to_owned(),
            time_zone: account.time_zone,
            guest: account.guest,
            bot: account.bot,
            passwordless: account.has_identity && !account.has_password,
            identity_linked: account.has_identity,
        }
    }
}

impl SessionBody {
    /// A new or refreshed session.
    pub fn new(session: LogIn, now: DateTime<Utc>) -> Self {
        Self {
            server_time: now,
            access_token: session.token.token,
            token_type: "Bearer".to_owned(),
            expires_at: session.token.expires_at,
            session_id: session.session.0,
            refresh_token: Some(session.refresh_token),
            refresh_expires_at: session.refresh_expires_at,
            device_token: session.device_token,
            account: session.account.into(),
        }
    }
}
