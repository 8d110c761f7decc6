//! Bots as seen by their owner.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::accounts::register::Account;

/// A bot of yours.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Bot)]
pub struct BotBody {
    /// Identifier of the bot's account.
    pub bot_id: Uuid,
    /// Username, visible to other players.
    #[schema(min_length = 3, max_length = 20, pattern = "^[a-z0-9_]{3,20}$", examples("ada_bot"))]
    pub username: String,
    /// Name shown beside the username. Left out if the bot has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada's engine"))]
    pub display_name: Option<String>,
    /// When the bot was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
}

/// Your bots.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BotList)]
pub struct BotListBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Sorted by username.
    #[schema(max_items = 10)]
    pub items: Vec<BotBody>,
}

impl From<Account> for BotBody {
    fn from(bot: Account) -> Self {
        let Account { id, username, display_name, created_at, .. } = bot;
        Self { bot_id: id.0, username, display_name, created_at }
    }
}

impl BotListBody {
    /// The list with the server's time.
    pub fn new(bots: Vec<Account>, now: DateTime<Utc>) -> Self {
        Self { server_time: now, items: bots.into_iter().map(Into::into).collect() }
    }
}
