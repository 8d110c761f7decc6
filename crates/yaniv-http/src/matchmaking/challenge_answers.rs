//! What is said to a challenge: accepting, declining, taking it back.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::matchmaking::challenge_view as service;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Caller;
use crate::kernel::json::{JsonBody, NoBody};
use crate::kernel::params::ChallengePath;
use crate::kernel::problem::Problem;
use crate::kernel::responses::made;
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
#[utoipa::path(
    operation_id = "acceptChallenge",
    tag = "challenges",
    security(("access_token" = [])),
    params(ChallengePath),
    request_body(content = AcceptChallengeRequest, example = json!({"client_seed": "blue"})),
    responses(
        (status = 200, description = "The challenge; if you were the last, with its match.", body = ChallengeBody),
        (status = 409, description = "`challenge_over`, `own_challenge`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/challenges/{challenge_id}/accept")]
pub(crate) async fn accept_challenge(
    services: Data<Services>,
    caller: Caller,
    path: ChallengePath,
    body: JsonBody<AcceptChallengeRequest>,
) -> Result<HttpResponse, ApiError> {
    let answer = services.accept_challenge(caller.0, path.challenge_id, body.0.client_seed).await?;
    made(StatusCode::OK, None, answer.replayed, &ChallengeBody::from(answer))
}

/// Decline a challenge.
///
/// It has ended, for all; everybody sees who declined and why. Declined again, it stays as it is: the answer is the same.
#[utoipa::path(
    operation_id = "declineChallenge",
    tag = "challenges",
    security(("access_token" = [])),
    params(ChallengePath),
    request_body(content = DeclineChallengeRequest, example = json!({"reason": "not_now"})),
    responses(
        (status = 200, description = "The challenge, declined.", body = ChallengeBody),
        (status = 409, description = "`challenge_over`, `own_challenge`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/challenges/{challenge_id}/decline")]
pub(crate) async fn decline_challenge(
    services: Data<Services>,
    caller: Caller,
    path: ChallengePath,
    body: JsonBody<DeclineChallengeRequest>,
) -> Result<HttpResponse, ApiError> {
    let reason = body.0.reason.map(service::DeclineReason::from).unwrap_or_default();
    let answer = services.decline_challenge(caller.0, path.challenge_id, reason).await?;
    made(StatusCode::OK, None, answer.replayed, &ChallengeBody::from(answer))
}

/// Take back a challenge.
///
/// That you have made. Nobody can accept it any more. Taken back again, it stays as it is: the answer is the same.
#[utoipa::path(
    operation_id = "withdrawChallenge",
    tag = "challenges",
    security(("access_token" = [])),
    params(ChallengePath),
    responses(
        (status = 200, description = "The challenge, taken back.", body = ChallengeBody),
        (status = 403, description = "`challenger_only`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`challenge_over`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/challenges/{challenge_id}/withdraw")]
pub(crate) async fn withdraw_challenge(
    services: Data<Services>,
    caller: Caller,
    path: ChallengePath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let answer = services.withdraw_challenge(caller.0, path.challenge_id).await?;
    made(StatusCode::OK, None, answer.replayed, &ChallengeBody::from(answer))
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
