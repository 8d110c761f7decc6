//! Answers to what others did: a request for a card, a call, the offer of a caller over the limit.

use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_engine::Action;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Actor, KeyHeader};
use crate::kernel::json::JsonBody;
use crate::kernel::params::{MatchPath, RequiredIdempotencyHeader};
use crate::kernel::problem::Problem;
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
#[utoipa::path(
    operation_id = "answerRequest",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = AnswerRequestRequest, example = json!({"expected_version": 7, "answer": "keep"})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/request-answers")]
pub(crate) async fn answer_request(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<AnswerRequestRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("answerRequest", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &actor, path, expected_version, action, key).await
}

/// Answer a call.
///
/// Exposes your hand or challenges. Players answer in any order: an answer that another one overtook is not stale.
#[utoipa::path(
    operation_id = "answerCall",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = AnswerCallRequest, example = json!({"expected_version": 7, "answer": "expose"})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/call-answers")]
pub(crate) async fn answer_call(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<AnswerCallRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("answerCall", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &actor, path, expected_version, action, key).await
}

/// Answer the offer to swap.
///
/// Exchanges hands with the caller over the limit, or keeps yours. The first who swaps ends the offer.
#[utoipa::path(
    operation_id = "answerSwap",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = AnswerSwapRequest, example = json!({"expected_version": 7, "answer": "stay"})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/swap-answers")]
pub(crate) async fn answer_swap(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<AnswerSwapRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("answerSwap", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.answer.action());
    act(&services, &actor, path, expected_version, action, key).await
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
