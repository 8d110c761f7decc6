//! Answers to another player's request for a card, call, or offer to swap.

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
pub(crate) struct AnswerCardRequestRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(7))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// `give` the card, or `keep` it.
    answer: CardRequestAnswer,
}

/// Decision on the card asked for.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CardRequestAnswer {
    /// The player who asked gets it.
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
    /// `expose` your hand, or `challenge`.
    answer: CallAnswer,
}

/// A player's answer to a call.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CallAnswer {
    /// Expose your hand: it is shown to all players at once.
    Expose,
    /// Challenge ("onderkluft"): you claim that your hand is lower.
    Challenge,
}

/// An answer to the offer to swap, made by a call over the limit.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerSwapRequest {
    /// Version of the match that you have seen: that of the call, or a later one.
    #[schema(minimum = 1, examples(7))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// `swap` hands with the caller, or `stay`.
    answer: SwapAnswer,
}

/// A player's answer to the offer to swap.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SwapAnswer {
    /// Exchange whole hands with the caller. The first player to answer this gets the swap.
    Swap,
    /// Keep your hand.
    Stay,
}

/// Answer a request for a card.
///
/// Gives the card to the player who asked, or keeps it. Then your turn continues.
#[operation(
    post "/v1/matches/{match_id}/card-request-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "keep"}),
    answer = "The match after your answer.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn answer_card_request(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<AnswerCardRequestRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("answerCardRequest", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &caller, path, expected_version, action, key).await
}

/// Answer a call.
///
/// Exposes your hand or challenges. Players answer in any order: other players' answers do not make your
/// `expected_version` stale.
#[operation(
    post "/v1/matches/{match_id}/call-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "expose"}),
    answer = "The match after your answer.",
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
/// Exchanges hands with the caller over the limit, or keeps yours. The first swap ends the offer.
#[operation(
    post "/v1/matches/{match_id}/swap-answers",
    tag = "actions",
    example = json!({"expected_version": 7, "answer": "stay"}),
    answer = "The match after your answer.",
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

impl CardRequestAnswer {
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
