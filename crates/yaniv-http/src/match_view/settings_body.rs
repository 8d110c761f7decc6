//! The settings of a match: what is fixed when it is created. They are fetched once, so views have their tag only.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use yaniv_match::settings::Settings;

use crate::match_view::printed_rules::PrintedRules;
use crate::match_view::rule_set_body::RuleSetBody;
use crate::match_view::time_control_body::TimeControlBody;

/// Bytes of the hash in a tag: players choose the settings, and must not find two with the same tag.
const TAG_BYTES: usize = 16;

/// The settings of a match, which never change. Matches with the same settings have the same `settings_tag`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchSettings)]
pub struct MatchSettingsBody {
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// The rule set.
    #[schema(value_type = RuleSetBody)]
    pub rules: PrintedRules,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `joined`: seats in joining order; `random`: drawn at the start, from the committed seed.
    #[schema(max_length = 16, examples("joined"))]
    pub seat_order: String,
    /// `private`: found by its code only; `public`: listed for all accounts while it waits for players, and readable by
    /// them in full once it is over.
    #[schema(max_length = 16, examples("private"))]
    pub visibility: String,
    /// Time control, and what happens after missed deadlines.
    pub time_control: TimeControlBody,
    /// Whether it is a test match, whose clock you can advance. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub sandbox: bool,
    /// Whether the match counts for ratings. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
}

impl MatchSettingsBody {
    /// Identifies settings: a hash of this body as JSON.
    pub fn tag_of(settings: &Settings) -> String {
        let hashed = || {
            let printed = serde_json::to_vec(&Self::from(settings)).unwrap_or_default();
            let hash = Sha256::digest(printed);
            BASE64_URL_SAFE_NO_PAD.encode(hash.get(..TAG_BYTES).unwrap_or_default())
        };
        settings.tag.get_or_init(hashed).clone()
    }
}

impl From<&Settings> for MatchSettingsBody {
    fn from(settings: &Settings) -> Self {
        Self {
            preset: settings.preset.clone(),
            rules: PrintedRules::of(settings.preset.as_deref(), settings.rules.options()),
            size: i32::from(settings.size),
            seat_order: settings.seat_order.clone(),
            visibility: settings.visibility.clone(),
            time_control: TimeControlBody::from(settings.time_control),
            sandbox: settings.sandbox,
            rated: settings.rated,
        }
    }
}
