//! What is said to a challenge: accepting, declining, taking it back.

use actix_web::post;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::matchmaking::challenge_view as service;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Play, Writes};
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::params::ChallengePath;
use crate::kernel::responses::{ApiResult, Reply};
use crate::matchmaking::challenge_body::ChallengeBody;

/// What a player brings to a match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptChallengeRequest {
    /// Your part of every shuffle: printable ASCII without a comma.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// A refusal.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeclineChallengeRequest {
    /// Why; left out, `no_reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<DeclineReason>,
}

/// Why a challenge is declined. The text for it is the client's.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeclineReason {
    /// Not said.
    NoReason,
    /// At another time, perhaps.
    NotNow,
    /// As many matches as you like to play.
    TooManyMatches,
    /// By other rules, perhaps.
    OtherRules,
    /// Faster or slower, perhaps.
    OtherPace,
    /// With more or fewer people, perhaps, or with others.
    OtherPlayers,
    /// Not with bots.
    NoBots,
    /// With bots alone.
    OnlyBots,
}

/// Accept a challenge.
///
/// The last to accept makes the match: it is started at once. Accepted again, it stays as it is: the answer is the same, and
/// the first `client_seed` counts. You may still decline as long as others have not answered.
#[operation(
    post "/v1/challenges/{challenge_id}/accept",
    tag = "challenges",
    example = json!({"client_seed": "blue"}),
    answer = "The challenge; if you were the last, with its match.",
    problems(ChallengeOver, OwnChallenge),
)]
pub(crate) async fn accept_challenge(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: ChallengePath,
    body: JsonBody<AcceptChallengeRequest>,
) -> ApiResult<Reply<ChallengeBody>> {
    let answer = services.accept_challenge(caller.account, path.challenge_id, body.0.client_seed).await?;
    Ok(Reply::of_write(answer.replayed, ChallengeBody::from(answer)))
}

/// Decline a challenge.
///
/// It has ended, for all; everybody sees who declined and why. Declined again, it stays as it is: the answer is the same.
#[operation(
    post "/v1/challenges/{challenge_id}/decline",
    tag = "challenges",
    example = json!({"reason": "not_now"}),
    answer = "The challenge, declined.",
    problems(ChallengeOver, OwnChallenge),
)]
pub(crate) async fn decline_challenge(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: ChallengePath,
    body: JsonBody<DeclineChallengeRequest>,
) -> ApiResult<Reply<ChallengeBody>> {
    let reason = body.0.reason.map(service::DeclineReason::from).unwrap_or_default();
    let answer = services.decline_challenge(caller.account, path.challenge_id, reason).await?;
    Ok(Reply::of_write(answer.replayed, ChallengeBody::from(answer)))
}

/// Take back a challenge.
///
/// That you have made. Nobody can accept it any more. Taken back again, it stays as it is: the answer is the same.
#[operation(
    post "/v1/challenges/{challenge_id}/withdraw",
    tag = "challenges",
    answer = "The challenge, taken back.",
    problems(ChallengerOnly, ChallengeOver),
)]
pub(crate) async fn withdraw_challenge(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: ChallengePath,
    _: NoBody,
) -> ApiResult<Reply<ChallengeBody>> {
    let answer = services.withdraw_challenge(caller.account, path.challenge_id).await?;
    Ok(Reply::of_write(answer.replayed, ChallengeBody::from(answer)))
}

impl From<DeclineReason> for service::DeclineReason {
    fn from(reason: DeclineReason) -> Self {
        match reason {
            DeclineReason::NoReason => Self::NoReason,
            DeclineReason::NotNow => Self::NotNow,
            DeclineReason::TooManyMatches => Self::TooManyMatches,
            DeclineReason::OtherRules => Self::OtherRules,
            DeclineReason::OtherPace => Self::OtherPace,
            DeclineReason::OtherPlayers => Self::OtherPlayers,
            DeclineReason::NoBots => Self::NoBots,
            DeclineReason::OnlyBots => Self::OnlyBots,
        }
    }
}
