//! What a client may want to know of the server before anybody logs in.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// This server.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Server)]
pub struct ServerBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Version of the program.
    #[schema(max_length = 32, examples("0.1.0"))]
    pub version: String,
    /// Who may register: `open` (everybody), `invitation` (who has one), `closed` (nobody). New ones may come.
    #[schema(max_length = 32, examples("open"))]
    pub sign_up: String,
    /// The key that browsers and UnifiedPush apps subscribe with (VAPID): `applicationServerKey`, as base64url.
    #[schema(
        min_length = 87,
        max_length = 87,
        examples("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    )]
    pub push_key: String,
    /// Whether notices are sent. `false`: channels can be made, but nothing is sent until the host has mended the server.
    #[schema(examples(true))]
    pub sends_notices: bool,
    /// The largest body of a request, in bytes.
    #[schema(minimum = 1, examples(16384))]
    pub max_body_bytes: i32,
    /// Channels that an account may have.
    #[schema(minimum = 1, examples(20))]
    pub max_channels: i32,
    /// Personal tokens that an account may have.
    #[schema(minimum = 1, examples(100))]
    pub max_personal_tokens: i32,
}
