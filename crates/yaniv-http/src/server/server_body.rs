//! Properties of the server.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// Properties of the server.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Server)]
pub struct ServerBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Version of the program.
    #[schema(max_length = 32, examples("1.0.0"))]
    pub version: String,
    /// Registration: `open`, `invitation` (needs an invitation code) or `closed`. New values may be added.
    #[schema(max_length = 32, examples("open"))]
    pub sign_up: String,
    /// VAPID public key with which browsers and UnifiedPush apps subscribe (`applicationServerKey`), as base64url.
    #[schema(
        min_length = 87,
        max_length = 87,
        examples("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    )]
    pub push_key: String,
    /// Whether notifications are sent. If `false`, channels can be created, but nothing is sent until the operator has
    /// fixed the server.
    #[schema(examples(true))]
    pub sends_notifications: bool,
    /// Whether e-mail is sent: `createEmailChannel` and `requestPasswordReset` can be used.
    #[schema(examples(true))]
    pub sends_email: bool,
    /// Name of the OpenID Connect provider by which players can log in, in a browser (`/oidc/login`). Left out if there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 40, examples("Example Club"))]
    pub oidc_provider: Option<String>,
    /// Whether players can log in with passkeys (`logInWithPasskey`), in a browser at the server's public address.
    #[schema(examples(true))]
    pub passkeys: bool,
    /// Largest request body, in bytes.
    #[schema(minimum = 1, examples(16384))]
    pub max_body_bytes: i32,
    /// Most channels of an account.
    #[schema(minimum = 1, examples(20))]
    pub max_channels: i32,
    /// Most personal tokens of an account.
    #[schema(minimum = 1, examples(100))]
    pub max_personal_tokens: i32,
}
