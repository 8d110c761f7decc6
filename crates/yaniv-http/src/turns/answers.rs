//! Answers to what others did: a request for a card, a call, the offer of a caller over the limit.

use actix_web::post;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_engine::Action;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Actions, Auth, Play, RequiredKeyHeader};
use crate::kernel::json::JsonBody;
use crate::kernel::params::MatchPath;
use crate::kernel::responses::{ApiResult, Reply};
use crate::match_view::match_body::MatchBody;
use crate::turns::play::act;

/// An answer to a request for a card.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerRequestRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(7))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Give the card, or keep it.
    answer: RequestAnswer,
}

/// What becomes of the card asked for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RequestAnswer {
    /// The asker gets it.
    Give,
    /// You take it; this is not your draw.
    Keep,
}

/// An answer to a call.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerCallRequest {
    /// Version of the match that you have seen: that of the call, or a later one.
    #[schema(minimum = 1, examples(7))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Expose your hand, or challenge.
    answer: CallAnswer,
}

/// What a player says to a call.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallAnswer {
    /// The hand is shown to all at once.
    Expose,
    /// "Onderkluft": the hand is claimed to be lower.
    Challenge,
}

/// An answer to the offer of a caller over the limit.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerSwapRequest {
    /// Version of the match that you have seen: that of the call, or a later one.
    #[schema(minimum = 1, examples(7))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Exchange hands with the caller, or not.
    answer: SwapAnswer,
}

/// What a player says to the offer.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SwapAnswer {
    /// The first to say so exchanges whole hands with the caller.
    Swap,
    /// The hand is kept.
    Stay,
}

/// Answer a request for a card.
///
/// Gives the card to who asked, or keeps it. Then your turn goes on.
#[operation(
    post "/v1/matches/{match_id}/request-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "keep"}),
    answer = "The match after it.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn answer_request(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<AnswerRequestRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("answerRequest", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &caller, path, expected_version, action, key).await
}

/// Answer a call.
///
/// Exposes your hand or challenges. Players answer in any order: an answer that another one overtook is not stale.
#[operation(
    post "/v1/matches/{match_id}/call-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "expose"}),
    answer = "The match after it.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn answer_call(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<AnswerCallRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("answerCall", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &caller, path, expected_version, action, key).await
}

/// Answer the offer to swap.
///
/// Exchanges hands with the caller over the limit, or keeps yours. The first who swaps ends the offer.
#[operation(
    post "/v1/matches/{match_id}/swap-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "stay"}),
    answer = "The match after it.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn answer_swap(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<AnswerSwapRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("answerSwap", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &caller, path, expected_version, action, key).await
}

impl RequestAnswer {
    fn action(self) -> Action {
        match self {
            Self::Give => Action::Give,
            Self::Keep => Action::Keep,
        }
    }
}

impl CallAnswer {
    fn action(self) -> Action {
        match self {
            Self::Expose => Action::Expose,
            Self::Challenge => Action::Challenge,
        }
    }
}

impl SwapAnswer {
    fn action(self) -> Action {
        match self {
            Self::Swap => Action::Swap,
            Self::Stay => Action::Stay,
        }
    }
}
