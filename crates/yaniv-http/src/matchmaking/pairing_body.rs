//! Requests to be paired.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::matchmaking::pairing_view::{Pairing, PairingAnswer};

use crate::match_view::printed_rules::PrintedRules;
use crate::match_view::rule_set_body::RuleSetBody;
use crate::match_view::time_control_body::TimeControlBody;

/// A request to be paired.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Pairing)]
pub struct PairingBody {
    /// The server's time when it answered; in the response to a write, the time of the write. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Identifier of the request.
    pub pairing_id: Uuid,
    /// `waiting` for other players, `paired`, `withdrawn` or `expired`. New ones may come.
    #[schema(max_length = 16, examples("waiting"))]
    pub status: String,
    /// The match that was started. Left out until you are paired.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// The rule set.
    #[schema(value_type = RuleSetBody)]
    pub rules: PrintedRules,
    /// Number of players, yourself included.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Time control, and what happens after missed deadlines.
    pub time_control: TimeControlBody,
    /// Commitment to all shuffles of the match: SHA-256 of the seed of round 1, in hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: String,
    /// When the request was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the request expires, unless you are paired before.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// When the match was created. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub paired_at: Option<DateTime<Utc>>,
}

/// Your waiting requests.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PairingList)]
pub struct PairingListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 20)]
    pub items: Vec<PairingSummaryBody>,
}

/// Summary of a waiting request.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PairingSummary)]
pub struct PairingSummaryBody {
    /// Identifier of the request.
    pub pairing_id: Uuid,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Number of players, yourself included.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// When the request was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the request expires, unless you are paired before.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
}

impl From<Pairing> for PairingBody {
    fn from(pairing: Pairing) -> Self {
        Self {
            server_time: None,
            pairing_id: pairing.id.0,
            status: pairing.status.as_str().to_owned(),
            match_id: pairing.match_id.map(|id| id.0),
            rules: PrintedRules::of(pairing.preset.as_deref(), pairing.rules.options()),
            preset: pairing.preset,
            time_control: TimeControlBody::from(pairing.time_control),
            size: i32::from(pairing.size),
            rated: pairing.rated,
            commitment: pairing.commitment,
            created_at: pairing.created_at,
            expires_at: pairing.expires_at,
            paired_at: pairing.paired_at,
        }
    }
}

impl From<PairingAnswer> for PairingBody {
    fn from(answer: PairingAnswer) -> Self {
        Self { server_time: Some(answer.at), ..Self::from(answer.pairing) }
    }
}

impl From<&Pairing> for PairingSummaryBody {
    fn from(pairing: &Pairing) -> Self {
        Self {
            pairing_id: pairing.id.0,
            preset: pairing.preset.clone(),
            size: i32::from(pairing.size),
            rated: pairing.rated,
            created_at: pairing.created_at,
            expires_at: pairing.expires_at,
        }
    }
}
