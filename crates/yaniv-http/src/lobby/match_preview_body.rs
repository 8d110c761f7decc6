//! A match as the holder of its join code sees it: what a player has to know before joining. No client seeds, no log.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::lobby::preview::{MatchPreview, PreviewPlayer};

use crate::kernel::links::Links;
use crate::match_view::settings_body::MatchSettingsBody;

/// A match, as a holder of its join code sees it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchPreview)]
pub struct MatchPreviewBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The join code.
    #[schema(
        min_length = 8,
        max_length = 8,
        pattern = "^[2-9BCDFGHJKMNPQRSTVWXZ]{8}$",
        examples("7KQ2MXDR")
    )]
    pub join_code: String,
    /// When the code expires, or was revoked. Left out if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub join_code_expires_at: Option<DateTime<Utc>>,
    /// Link to share, as in `Match`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        format = "uri",
        max_length = 300,
        examples("https://yaniv.example/join/7KQ2MXDR")
    )]
    pub join_link: Option<String>,
    /// `waiting` for players; for its own players also `running` or `finished`.
    #[schema(max_length = 16, examples("waiting"))]
    pub status: String,
    /// Identifier of the match, if you have a seat in it. Left out otherwise: the code, not the identifier, admits you.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// Your seat. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub your_seat: Option<i32>,
    /// Number of free seats.
    #[schema(minimum = 0, maximum = 10, examples(1))]
    pub free_seats: i32,
    /// Seated players, by seat; before the start in joining order.
    #[schema(max_items = 10)]
    pub players: Vec<PreviewPlayerBody>,
    /// Identifies the settings, as in `Match`.
    #[schema(min_length = 22, max_length = 22, pattern = "^[A-Za-z0-9_-]{22}$")]
    pub settings_tag: String,
    /// The settings.
    pub settings: MatchSettingsBody,
    /// Commitment to all shuffles, fixed before you join: SHA-256 of the seed of round 1, in hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: String,
    /// When the match was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
}

/// A player of a match, as a holder of its join code sees it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PreviewPlayer)]
pub struct PreviewPlayerBody {
    /// Name of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// Display name. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada Lovelace"))]
    pub display_name: Option<String>,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// `true` for the host; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub host: bool,
}

impl MatchPreviewBody {
    /// The body, with the link to share while the match can be joined.
    pub fn new(preview: MatchPreview, links: &Links) -> Self {
        let MatchPreview { settings, status, join_code, open, your_seat, players } = preview;
        let taken = i32::try_from(players.len()).unwrap_or(i32::MAX);
        let free_seats = i32::from(settings.size).saturating_sub(taken);
        Self {
            server_time: None,
            join_link: links.join_link(&join_code.code).filter(|_| open && free_seats > 0),
            join_code: join_code.code.clone(),
            join_code_expires_at: join_code.expires_at,
            status: status.as_str().to_owned(),
            match_id: your_seat.map(|_| settings.id.0),
            your_seat: your_seat.map(|seat| i32::from(seat.number())),
            free_seats,
            players: players.into_iter().map(PreviewPlayerBody::from).collect(),
            settings_tag: MatchSettingsBody::tag_of(&settings),
            settings: MatchSettingsBody::from(&*settings),
            commitment: settings.commitment.clone(),
            created_at: settings.created_at,
        }
    }
}

impl From<PreviewPlayer> for PreviewPlayerBody {
    fn from(player: PreviewPlayer) -> Self {
        let PreviewPlayer { username, display_name, bot, host } = player;
        Self { username, display_name, bot, host }
    }
}
