//! Proof of the shuffles of a match.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::history::record::Fairness;

/// Proof of the shuffles of a match, as far as it is published.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Fairness)]
pub struct FairnessBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Algorithm that derives cards from seeds: `yaniv-shuffle/1`, described with test vectors in docs/fairness.md.
    #[schema(max_length = 32, examples("yaniv-shuffle/1"))]
    pub algorithm: String,
    /// Identifier of the match.
    pub match_id: Uuid,
    /// The match's input to every shuffle (`MATCH_ID` in docs/fairness.md): `match_id`, or for a sandbox the word
    /// `sandbox`.
    #[schema(max_length = 36, examples("0192f0c1-7c5a-7d3e-8a7b-0123456789ab"))]
    pub shuffled_as: String,
    /// SHA-256 of the seed of round 1, in hexadecimal; published before other players joined.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: String,
    /// The players' client seeds, by seat.
    #[schema(max_items = 10)]
    pub client_seeds: Vec<String>,
    /// Seeds of finished rounds.
    #[schema(max_items = 1000)]
    pub rounds: Vec<RoundSeedBody>,
}

/// The seed of a finished round.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoundSeed)]
pub struct RoundSeedBody {
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Its seed, in hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("aef432068f0b94b90b1e50715ac1599090687b72d55ef263371f17660ae7bcdf")
    )]
    pub seed: String,
}

impl From<Fairness> for FairnessBody {
    fn from(fairness: Fairness) -> Self {
        let seeds = fairness.seeds.iter();
        Self {
            server_time: None,
            algorithm: "yaniv-shuffle/1".to_owned(),
            match_id: fairness.id.0,
            shuffled_as: fairness.shuffled_as,
            commitment: fairness.commitment.to_hex(),
            client_seeds: fairness.client_seeds,
            rounds: seeds
                .map(|(round, seed)| RoundSeedBody { round: i32::from(*round), seed: seed.to_hex() })
                .collect(),
        }
    }
}
