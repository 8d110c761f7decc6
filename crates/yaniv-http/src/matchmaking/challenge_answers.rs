//! Answers to a challenge: accepting, declining, withdrawing.

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

/// Accepts a challenge.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AcceptChallengeRequest {
    /// Your client seed, which is part of every shuffle: printable ASCII without a comma; default empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// Declines a challenge.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DeclineChallengeRequest {
    /// Reason; default `no_reason`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reason: Option<DeclineReason>,
}

/// Reason for declining a challenge. The client supplies the text for it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeclineReason {
    /// No reason given.
    NoReason,
    /// Not now, perhaps later.
    NotNow,
    /// You play enough matches already.
    TooManyMatches,
    /// You prefer other rules.
    OtherRules,
    /// You prefer a faster or slower time control.
    OtherTimeControl,
    /// You prefer other players, or another number of them.
    OtherPlayers,
    /// You do not play with bots.
    NoBots,
    /// You play with bots only.
    OnlyBots,
}

/// Accept a challenge.
///
/// When the last player accepts, the match is created and started. Accepting again changes nothing: you get the same
/// answer, and the first `client_seed` counts. You may still decline while other answers are missing.
#[operation(
    post "/v1/challenges/{challenge_id}/accept",
    tag = "challenges",
    example = json!({"client_seed": "blue"}),
    answer = "The challenge; if you were the last, with its match.",
    problems(ChallengeOver, OwnChallenge, TooManyRunningMatches),
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
/// This ends the challenge for all its members, who see who declined and why. Declining again changes nothing: you get
/// the same answer.
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

/// Withdraw a challenge.
///
/// Ends a challenge that you made: it can no longer be accepted. Withdrawing again changes nothing: you get the same
/// answer.
#[operation(
    post "/v1/challenges/{challenge_id}/withdraw",
    tag = "challenges",
    answer = "The challenge, withdrawn.",
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
            DeclineReason::OtherTimeControl => Self::OtherTimeControl,
            DeclineReason::OtherPlayers => Self::OtherPlayers,
            DeclineReason::NoBots => Self::NoBots,
            DeclineReason::OnlyBots => Self::OnlyBots,
        }
    }
}
