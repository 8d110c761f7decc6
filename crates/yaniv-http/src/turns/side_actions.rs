//! Actions beside the usual turn: slamming down, asking for a card, passing.

use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_engine::Action;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Actor, Caller, KeyHeader};
use crate::kernel::json::JsonBody;
use crate::kernel::params::{MatchPath, RequiredIdempotencyHeader};
use crate::kernel::problem::Problem;
use crate::match_view::match_body::MatchBody;
use crate::turns::play::act;
use crate::values::card_code::CardCode;

/// A slam-down.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlamDownRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Put a joker at the low end of the run, where it would do at both.
    #[serde(default)]
    #[schema(required = false)]
    first: bool,
}

/// A request for a card.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The card of the pile: one of `legal.ask`.
    card: CardCode,
}

/// A pass.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
}

/// A dedication.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GiftRequest {
    /// 1 to 140 characters that can be seen, in their usual form (NFC), with single spaces between words.
    #[schema(min_length = 1, max_length = 140, examples("for your patience"))]
    text: String,
}

/// Dedicate the turned-up card.
///
/// As the dealer, once a round, until its first action. It has no effect on play and makes no version; sending the same
/// again changes nothing. Who has blocked you does not see it; you are not told so.
#[utoipa::path(
    operation_id = "dedicateCard",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath),
    request_body(content = GiftRequest, example = json!({"text": "for your patience"})),
    responses(
        (status = 204, description = "The dedication is in the table's `gift`."),
        (status = 409, description = "`not_your_turn`, `wrong_phase`, `match_over`, `match_not_started`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/gifts")]
pub(crate) async fn dedicate_card(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    body: JsonBody<GiftRequest>,
) -> Result<HttpResponse, ApiError> {
    services.dedicate(caller.0, path.match_id, body.0.text).await?;
    Ok(HttpResponse::NoContent().finish())
}

/// Slam down.
///
/// Puts the card just drawn on your discard, where it fits (`legal.slam_card`), as long as nobody has done anything else.
/// To be first, wish for it with the play itself (`slam_down`).
#[utoipa::path(
    operation_id = "slamDown",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = SlamDownRequest, example = json!({"expected_version": 6})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/slam-downs")]
pub(crate) async fn slam_down(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<SlamDownRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("slamDown", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Slam { first: body.0.first });
    act(&services, &actor, path, expected_version, action, key).await
}

/// Ask for a card.
///
/// At the start of another player's turn, before they act: asks for a card that they could pick up. They give or keep it.
#[utoipa::path(
    operation_id = "askForCard",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = AskRequest, example = json!({"expected_version": 6, "card": "7S"})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`, `draw_not_available`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/asks")]
pub(crate) async fn ask_for_card(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<AskRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("askForCard", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Ask(body.0.card.0));
    act(&services, &actor, path, expected_version, action, key).await
}

/// Pass.
///
/// With an empty hand, where a call is not allowed.
#[utoipa::path(
    operation_id = "passTurn",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = PassRequest, example = json!({"expected_version": 6})),
    responses(
        (status = 200, description = "The match after it.", body = MatchBody),
        (status = 422, description = "`not_allowed_by_rules`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/passes")]
pub(crate) async fn pass_turn(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<PassRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("passTurn", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Pass);
    act(&services, &actor, path, expected_version, action, key).await
}
